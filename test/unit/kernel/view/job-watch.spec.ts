/** The job's mirror read as a view: what is remembered between views, what has to be read, and waiting for a view. */
import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { DeadlineExceededError } from '../../../../lib/api/errors/errors.js';
import { JobWatch, WRONG_CLOCK_MS } from '../../../../lib/kernel/view/job-watch.js';
import { JobPaths } from '../../../../lib/layout/job-paths.js';
import { isPresenceOnly, isRoutine, type JobView, JobViewReader } from '../../../../lib/layout/job-view.js';
import { EmbeddedRegistryCenter } from '../../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../../lib/registry/embedded/embedded-registry-server.js';
import { whenConnected } from '../../../../lib/registry/session-state.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';
import { until } from '../../../support/until.js';
import { idOf } from '../../../support/views.js';

const T = Date.parse('2030-01-01T00:00:05Z');
const A = idOf('A');
const B = idOf('B');
const paths = new JobPaths('bill');
const never = new AbortController().signal;

/** A's view of the job, and B, which writes what peers write. */
async function start() {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  const server = new EmbeddedRegistryServer({ clock });
  const [registry, peer] = [new EmbeddedRegistryCenter({ server }), new EmbeddedRegistryCenter({ server })];
  for (const each of [registry, peer]) {
    each.connect();
    await whenConnected(each.session, never);
  }
  await peer.create(paths.root, 'BillJob');
  await peer.create(paths.sharding, '');
  const mirror = await registry.mirror(paths.root, { presenceOnly: isPresenceOnly, isRoutine });
  let loads = 0;
  const load = mirror.load.bind(mirror);
  mirror.load = () => {
    loads++;
    return load();
  };
  const watch = new JobWatch(mirror, new JobViewReader('bill'), clock);
  return {
    ...{ clock, registry, peer, watch },
    /** How often values were read that the mirror had left unread. */
    get loads() {
      return loads;
    },
    /** B has written its record. */
    begun: async (lines: string): Promise<void> => {
      await peer.put(paths.beginRecord(B), lines);
      await watch.sync();
    },
  };
}

describe('what was begun', () => {
  test('is remembered when the record of a peer has changed and has not been read again', async () => {
    const { watch, begun } = await start();
    await begun(`${T}: 0-1`);
    await watch.readBeginRecords();
    expect(watch.view.lastBegun.size).toBe(2);

    await begun(`${T + 5_000}: 1`);

    expect([...watch.view.lastBegun]).toEqual([
      [0, T],
      [1, T],
    ]);
  });

  test('is the latest that was read, never an earlier one', async () => {
    const { watch, begun } = await start();
    for (const [instant, expected] of [
      [T, T],
      [T + 5_000, T + 5_000],
      [T, T + 5_000],
    ] as const) {
      watch.forgetReadings();
      await begun(`${instant}: 0`);
      await watch.readBeginRecords();
      expect(watch.view.lastBegun.get(0)).toBe(expected);
    }
  });

  test('is not believed of a peer whose clock is wrong, which must not keep the item from running until then', async () => {
    const { clock, watch, begun } = await start();
    const latest = clock.now() + WRONG_CLOCK_MS;
    await begun(`${latest}: 0\n${latest + 1}: 1`);
    await watch.readBeginRecords();

    expect([...watch.view.lastBegun]).toEqual([[0, latest]]);
  });

  test('gives way to what is plausible when it was believed while this clock was wrong', async () => {
    const { clock, watch, begun } = await start();
    const wrong = Date.parse('2035-01-01T00:00:00Z');
    clock.setWallClock('2035-01-01T00:00:00Z');
    await begun(`${wrong}: 0`);
    await watch.readBeginRecords();
    expect(watch.view.lastBegun.get(0)).toBe(wrong);

    clock.setWallClock('2030-01-01T00:00:10Z');
    watch.forgetReadings();
    await begun(`${T}: 0`);
    await watch.readBeginRecords();

    expect(watch.view.lastBegun.get(0)).toBe(T);
  });
});

describe('records of peers', () => {
  test('are read once after each assignment, because only then others may have begun what is this instance’s now', async () => {
    const started = await start();
    const { peer, watch, begun } = started;
    await begun(`${T}: 0`);

    expect(await watch.readBeginRecords()).toBe(true);
    await begun(`${T + 5_000}: 0`);
    expect(await watch.readBeginRecords()).toBe(false);
    expect(started.loads).toBe(1);

    await peer.put(paths.sharding, 'another assignment');
    await watch.sync();
    expect(await watch.readBeginRecords()).toBe(true);
    expect(watch.view.lastBegun.get(0)).toBe(T + 5_000);
  });

  test('are not read if nothing is unread', async () => {
    const started = await start();
    await started.registry.put(paths.beginRecord(A), `${T}: 0`);
    await started.peer.put(paths.sharding, '');
    await started.watch.sync();

    expect(await started.watch.readBeginRecords()).toBe(false);
    expect(started.loads).toBe(0);
    expect(started.watch.view.lastBegun.get(0)).toBe(T);
  });

  test('are read again after an interruption: one may hold a write of this instance whose answer got lost', async () => {
    const started = await start();
    const { clock, registry, watch, begun } = started;
    await begun(`${T}: 0`);
    await watch.readBeginRecords();

    registry.faults.disconnect();
    await clock.advance(1_000);
    registry.faults.resume();
    await clock.advance(1_000);
    await begun(`${T + 5_000}: 0`);

    expect(await watch.readBeginRecords()).toBe(true);
    expect(watch.view.lastBegun.get(0)).toBe(T + 5_000);
  });
});

describe('which instance runs an item', () => {
  /** B runs item 0, and is registered with a session of its own. */
  async function running() {
    const started = await start();
    const { peer, watch } = started;
    for (const path of [paths.instance(B), paths.live(B)]) await peer.create(path, '', 'session');
    await peer.put(paths.beginRecord(B), '');
    await peer.put(paths.item(0, 'instance'), B);
    await peer.put(paths.item(0, 'running'), B);
    await watch.sync();
    return started;
  }

  test('is read at first, then not again as long as no instance is gone', async () => {
    const started = await running();

    expect(await started.watch.readRunners()).toBe(true);
    expect(started.watch.view.items[0]?.runningOn).toBe(B);
    for (const mark of ['instance', 'running'] as const) await started.peer.put(paths.item(1, mark), B);
    await started.watch.sync();
    expect(await started.watch.readRunners()).toBe(false);
    expect(started.loads).toBe(1);
  });

  test('is read again when an instance is gone, once for each', async () => {
    const started = await running();
    await started.watch.readRunners();
    await started.peer.put(paths.beginRecord(B), `${T}: 0`);
    for (const path of [paths.instance(B), paths.live(B)]) await started.peer.remove(path);
    await started.watch.sync();

    expect(await started.watch.readRunners()).toBe(true);
    expect(started.watch.view.lastBegun.get(0)).toBe(T);
    expect(await started.watch.readRunners()).toBe(false);
  });

  test('is read again when a mark turns up whose owner is gone', async () => {
    const { peer, watch } = await running();
    await watch.readRunners();
    await peer.put(paths.item(1, 'running'), B);
    await watch.sync();

    expect(await watch.readRunners()).toBe(true);
  });

  test('needs no reading if nothing runs', async () => {
    const started = await running();
    await started.peer.remove(paths.item(0, 'running'));
    await started.watch.sync();

    expect(await started.watch.readRunners()).toBe(false);
    expect(started.loads).toBe(0);
  });
});

test('an item is on record since its owner was last one that keeps none, as Java instances do', async () => {
  const { clock, peer, watch } = await start();
  const own = async (owner: string): Promise<number> => {
    await peer.put(paths.item(0, 'instance'), owner);
    await watch.sync();
    return clock.now();
  };
  await peer.put(paths.beginRecord(B), '');
  await own(B);
  expect(watch.isHistoryCompleteSince(0, 0)).toBe(true);

  const java = await own('java');
  await clock.advance(1_000);
  await own(B);

  expect([-1, 0, 1].map((ms) => watch.isHistoryCompleteSince(0, java + ms))).toEqual([false, false, true]);
  expect(watch.isHistoryCompleteSince(1, 0)).toBe(true);
});

test('all that is unread can be read at once, for those who report the whole job', async () => {
  const { watch, begun } = await start();
  await begun(`${T}: 0`);
  expect(watch.view.lastBegun.size).toBe(0);

  await watch.readAll();

  expect(watch.view.lastBegun.get(0)).toBe(T);
});

test('a Java instance that vanishes may come back, which shows until its time is over', async () => {
  const { clock, peer, watch } = await start();
  const java = '10.0.0.74@-@1';
  await peer.create(paths.instance(java), '', 'session');
  expect((await watch.sync()).javaPeers).toEqual(new Set([java]));
  await peer.remove(paths.instance(java));

  await watch.sync();
  expect(watch.hasFlappingPeers).toBe(true);
  await clock.advance(5_000);
  watch.reread();

  expect(watch.view.instances.has(java)).toBe(false);
  expect(watch.hasFlappingPeers).toBe(false);
});

test('a view is made once for each moment, and stays as it is if the time that has passed does not show in it', async () => {
  const { registry, watch } = await start();
  const first = watch.view;
  expect(watch.view).toBe(first);

  watch.reread();
  expect(watch.view).toEqual(first);

  await registry.put(paths.leader, A);
  expect((await watch.sync()).leader).toBe(A);
});

describe('waiting for a view', () => {
  const hasLeader = ({ leader }: JobView): boolean => leader !== undefined;
  const wait = (signal = never) => ({ timeoutMs: 5_000, signal, what: () => 'a leader' });

  test('ends with the first view that fits, the present one too', async () => {
    const { peer, watch } = await start();
    const waited = watch.until(hasLeader, wait());
    await peer.put(paths.leader, B);

    expect((await waited).leader).toBe(B);
    expect((await watch.until(hasLeader, wait())).leader).toBe(B);
  });

  test('ends at its deadline, and the error names what was waited for', async () => {
    const { clock, watch } = await start();
    const waited = watch.until(hasLeader, wait()).catch((error: unknown) => error);
    await clock.advance(5_000);

    expect(await waited).toEqual(new DeadlineExceededError('a leader', 5_000));
  });

  test('ends with the reason of an abort, before or meanwhile', async () => {
    const { watch } = await start();
    const abort = new AbortController();
    const waited = watch.until(hasLeader, wait(abort.signal));
    abort.abort(new Error('stopped'));

    await expect(waited).rejects.toThrow('stopped');
    await expect(watch.until(() => true, wait(abort.signal))).rejects.toThrow('stopped');
  });

  test('goes by current views only: one that is out of date may show what is over', async () => {
    const { clock, registry, peer, watch } = await start();
    await peer.put(paths.leader, B);
    await watch.sync();
    registry.faults.disconnect();
    await clock.advance(100);
    expect(watch.isCurrent).toBe(false);
    const waited = watch.until(hasLeader, { ...wait(), timeoutMs: 50_000 });
    await peer.put(paths.leader, A);
    registry.faults.resume();
    await clock.advance(5_000);

    expect((await waited).leader).toBe(A);
  });

  test('leaves nothing behind: neither a timer, nor an abort listener', async () => {
    const { clock, peer, watch } = await start();
    const { signal } = new AbortController();
    const waited = watch.until(hasLeader, wait(signal));
    await peer.put(paths.leader, B);
    await waited;

    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(clock.timers).toBe(0);
  });
});

test('a closed watch keeps its last view, and hears of nothing any more', async () => {
  const { peer, watch } = await start();
  let changes = 0;
  watch.onChange(() => changes++);
  const { view } = watch;
  watch.close();
  await peer.put(paths.leader, B);

  expect({ isCurrent: watch.isCurrent, changes }).toEqual({ isCurrent: false, changes: 0 });
  expect(watch.view.leader).toBe(view.leader);
});

describe('the calm of a job', () => {
  test('lasts as long as nothing but routine is seen', async () => {
    const { clock, peer, watch } = await start();
    await clock.advance(1_000);
    expect(watch.sinceSignificantChangeMs).toBe(1_000);

    for (const path of [paths.item(0, 'instance'), paths.triggers, paths.beginRecords]) await peer.put(path, B);
    await watch.sync();
    expect(watch.sinceSignificantChangeMs).toBe(0);
    await clock.advance(2_000);
    for (const path of [paths.item(0, 'running'), paths.trigger(B), paths.beginRecord(B)]) await peer.put(path, B);
    await peer.remove(paths.item(0, 'running'));
    await watch.sync();
    expect(watch.sinceSignificantChangeMs).toBe(2_000);

    await peer.put(paths.leader, B);
    await watch.sync();
    expect(watch.sinceSignificantChangeMs).toBe(0);
  });
});

describe('a watch of a share of the job', () => {
  /** The watch follows the leader and item 0; B has begun both items since, which shows of item 0 alone. */
  async function narrowed() {
    const started = await start();
    const { peer, watch } = started;
    for (const item of [0, 1]) await peer.put(paths.item(item, 'instance'), B);
    await watch.sync();
    await watch.narrow([paths.leader, paths.item(0)]);
    for (const item of [1, 0]) await peer.put(paths.item(item, 'running'), B);
    await until(() => isRunning(0)(watch.view), 'the watch shows that item 0 runs');
    return started;
  }
  const wait = { timeoutMs: 5_000, signal: never, what: () => 'an item' };
  const isRunning = (item: number) => (view: JobView) => view.items[item]?.running === true;

  test('shows what happens there, and nothing else; that is what a wait that ends at once goes by', async () => {
    const { watch } = await narrowed();

    const view = await watch.until(isRunning(0), wait);

    expect(view.items.map(({ running }) => running)).toEqual([true, false]);
    expect(watch.isNarrowed).toBe(true);
  });

  test('becomes one of the whole job when something is waited for that it does not show', async () => {
    const { watch } = await narrowed();

    const view = await watch.until(isRunning(1), wait);

    expect(view.items.map(({ running }) => running)).toEqual([true, true]);
    expect(watch.isNarrowed).toBe(false);
  });
});
