import { describe, expect, test } from '@jest/globals';
import { NamedTimers } from '../../../../lib/async/named-timers.js';
import {
  MOST_ATTEMPTS,
  MOST_DROPPED,
  MOST_OPEN_ROUNDS,
  OwnArrivals,
} from '../../../../lib/kernel/once/own-arrivals.js';
import { type JobContext } from '../../../../lib/kernel/job/job-context.js';
import { JobLog } from '../../../../lib/kernel/job/job-log.js';
import { HeldItems } from '../../../../lib/kernel/view/held-items.js';
import { JobWatch } from '../../../../lib/kernel/view/job-watch.js';
import { JobPaths } from '../../../../lib/layout/job-paths.js';
import { isPresenceOnly, JobViewReader } from '../../../../lib/layout/job-view.js';
import { EmbeddedRegistryCenter } from '../../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../../lib/registry/embedded/embedded-registry-server.js';
import { type CommitLimits } from '../../../../lib/registry/registry-center.js';
import { liveSessionId, whenConnected } from '../../../../lib/registry/session-state.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';
import { idOf, ipOf } from '../../../support/views.js';

const paths = new JobPaths('bill');
const never = new AbortController().signal;

interface Given {
  /** Default: true. */
  readonly isRegistered?: boolean;
  readonly limits?: Partial<CommitLimits>;
}

/** One instance's arrivals, on an embedded registry. */
async function start({ isRegistered = true, limits = {} }: Given = {}) {
  const clock = new ManualClock();
  const server = new EmbeddedRegistryServer({ clock, limits });
  const registry = new EmbeddedRegistryCenter({ server });
  registry.connect();
  await whenConnected(registry.session, never);
  const me = idOf('A');
  if (isRegistered) await registry.create(paths.live(me), '', 'session');
  const mirror = await registry.mirror(paths.root, { presenceOnly: isPresenceOnly });
  const log: string[] = [];
  const note = (line: string): void => void log.push(line);
  const context: JobContext = {
    registry,
    paths,
    instance: { jobInstanceId: me, serverIp: ipOf('A') },
    me,
    watch: new JobWatch(mirror, new JobViewReader('bill'), clock),
    clock,
    logger: new JobLog(
      { debug: () => undefined, log: note, warn: note, error: note },
      { jobName: 'bill', instance: me },
    ),
    timers: new NamedTimers(clock),
    held: new HeldItems(),
    requestReconcile: () => undefined,
  };
  const arrivals = new OwnArrivals(context);
  /** The session ends, and the instance registers in another one. */
  const nextSession = async (): Promise<void> => {
    const former = liveSessionId(registry.session.state);
    registry.faults.expire();
    registry.faults.resume();
    while ([former, undefined].includes(liveSessionId(registry.session.state))) await clock.advance(100);
    await registry.create(paths.live(me), '', 'session');
    await clock.advance(1_000);
  };
  return {
    arrivals,
    registry,
    nextSession,
    context,
    log,
    record: () => registry.get(paths.arrivals(me)),
    report: (stage: 'started' | 'completed', instant: number, items: readonly number[]) =>
      arrivals.report(stage, [{ round: { stage, key: `${instant}/ONCE`, instant }, items }], never),
  };
}

describe('what an instance reports of its rounds', () => {
  test('is each item in the last of its two states', async () => {
    const { report, record } = await start();

    await report('started', 1, [0, 1, 2]);
    await report('completed', 1, [0, 2]);

    expect(await record()).toBe('1/ONCE started 1 completed 0,2');
  });

  test('is nothing of what an earlier run has begun and not reported as completed', async () => {
    const { arrivals, report, record } = await start();
    await report('started', 1, [0, 1]);
    await report('completed', 1, [0]);
    await report('started', 2, [0]);

    arrivals.beginRun();
    await report('started', 3, [0]);

    expect(await record()).toBe('1/ONCE completed 0\n3/ONCE started 0');
  });

  test('ends with the call of the round', async () => {
    const { context, registry, report, record } = await start();
    await report('completed', 1, [0]);
    await registry.create(paths.called('completed'), '1/ONCE');
    await context.watch.sync();

    await report('completed', 2, [0]);

    expect(await record()).toBe('2/ONCE completed 0');
  });

  test('ends with the session: a new one knows nothing of the rounds and drops before', async () => {
    const { arrivals, nextSession, report, record } = await start();
    await report('completed', 1, [0]);
    await arrivals.drop(2, [0], never);
    expect(await record()).toBe('dropped 2:0\n1/ONCE completed 0');

    await nextSession();
    await report('started', 3, [0]);

    expect(await record()).toBe('3/ONCE started 0');
  });

  test('lists the last eight firings that the instance has dropped', async () => {
    const { arrivals, record } = await start();

    for (let instant = 1; instant <= MOST_DROPPED + 2; instant++) await arrivals.drop(instant, [], never);

    expect(await record()).toBe('dropped 3 4 5 6 7 8 9 10');
  });

  test('says in which round the instance waits no more, until it arrives there again', async () => {
    const { arrivals, report, record } = await start();
    await report('completed', 1, [0]);

    await arrivals.leave(['1/ONCE', '2/ONCE'], never);
    expect(await record()).toBe('1/ONCE completed 0 left');

    await report('started', 1, [1]);
    expect(await record()).toBe('1/ONCE started 1 completed 0');
  });

  test('is not written for a drop in a session that has ended meanwhile', async () => {
    const { arrivals, registry, nextSession, record } = await start();
    registry.faults.disconnect();
    const dropped = arrivals.drop(1, [0], never);

    await nextSession();
    await dropped;

    expect(await record()).toBeUndefined();
  });

  test('reaches back eight rounds that came to no end; that the ninth is left out is logged', async () => {
    const { report, record, log } = await start();
    for (let instant = 1; instant <= MOST_OPEN_ROUNDS; instant++) await report('completed', instant, [0]);
    expect((await record())?.split('\n')).toHaveLength(8);
    expect(log).toEqual([]);

    await report('completed', 9, [0]);

    const rounds = (await record())?.split('\n') ?? [];
    expect([rounds.length, rounds[0], rounds.at(-1)]).toEqual([8, '2/ONCE completed 0', '9/ONCE completed 0']);
    expect(log).toEqual([expect.stringContaining('the items of 1/ONCE have never all completed')]);
  });

  test('is written with the nodes for Java peers in as many commits as the registry centre accepts', async () => {
    const { registry, report, record } = await start({ limits: { operations: 3 } });

    await report('started', 1, [0, 1, 2, 3, 4]);

    expect([...(await registry.children(paths.guarantee('started')))].sort()).toEqual(['0', '1', '2', '3', '4']);
    expect(await record()).toBe('1/ONCE started 0-4');
  });

  test('is refused as long as the instance is not registered, and given up after fifty attempts', async () => {
    const { registry, report, record } = await start({ isRegistered: false });
    const commit = registry.commit.bind(registry);
    let attempts = 0;
    registry.commit = (operations) => {
      attempts++;
      return commit(operations);
    };

    await expect(report('started', 1, [0])).rejects.toMatchObject({ code: 'REGISTRY_CONFLICT' });

    expect([attempts, MOST_ATTEMPTS]).toEqual([50, 50]);
    expect(await record()).toBeUndefined();
  });
});
