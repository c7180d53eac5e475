import { describe, expect, test } from '@jest/globals';
import { type JobErrorHandler } from '../../../../lib/api/extensions/error-handler.js';
import { type JobConfiguration } from '../../../../lib/api/job/job-configuration.js';
import { type ShardingContext } from '../../../../lib/api/job/sharding-context.js';
import { Deferred } from '../../../../lib/async/deferred.js';
import { deliverSoon } from '../../../../lib/registry/embedded/delivery.js';
import { TestCluster, type TestClusterOptions } from '../../../../lib/testing/index.js';
import { joinJavaInstance } from '../../../support/java-instance.js';

/** A cluster whose items block until they are released, or their signal aborts. */
class Blocking {
  readonly #held = new Map<string, Deferred>();
  isBlocking = true;
  readonly work = (name: string, { shardingItem, signal }: ShardingContext): Promise<void> => {
    if (!this.isBlocking) return Promise.resolve();
    const held = new Deferred();
    this.#held.set(`${name}${shardingItem}`, held);
    signal.addEventListener('abort', () => held.resolve());
    return held.promise;
  };
  releaseAll(): void {
    for (const held of this.#held.values()) held.resolve();
  }
}

async function cluster(
  names: readonly string[],
  blocking: Blocking,
  options: TestClusterOptions = {},
): Promise<TestCluster> {
  const job = { cron: '0 0 * * * ?', failover: true, shardingTotalCount: 3, ...options.job };
  return TestCluster.start(names, { ...options, work: blocking.work, job });
}

const untilFiring = (of: TestCluster): number => 3_600_000 - (of.clock.now() % 3_600_000);

/** Everything of the tree that speaks of a run. */
function marks({ tree }: TestCluster): string[] {
  return [...tree.keys()].filter(
    (path) =>
      /(running|failover|failovering|misfire|\d+)$/.test(path) &&
      /sharding\/\d+\/(?!instance)|failover\/items\//.test(path),
  );
}

describe('items of an instance that dies while it runs them', () => {
  test('are run again, once, by idle instances, in parallel, with the same instant and a higher token', async () => {
    const blocking = new Blocking();
    await using of = await cluster(['A', 'B', 'C'], blocking, { job: { shardingTotalCount: 6 } });
    blocking.isBlocking = true;
    await of.advance(untilFiring(of));
    expect(Object.keys(of.ran).sort()).toEqual(['A', 'B', 'C']);
    const before = of.runs.filter(({ instance }) => instance === 'A');
    // B and C have finished theirs.
    blocking.isBlocking = false;
    of.forget();
    of.kill('A');
    blocking.releaseAll();
    await of.advance(6_000);
    expect(of.ran).toEqual({ B: [expect.any(Number)], C: [expect.any(Number)] });
    for (const run of of.runs) {
      const died = before.find(({ item }) => item === run.item);
      expect(run.at).toBe(died?.at);
      expect(run.context.fencingToken).toBeGreaterThan(died?.context.fencingToken ?? Infinity);
    }
    of.forget();
    await of.advance(60_000);
    expect(of.ran).toEqual({});
    expect(marks(of)).toEqual([]);
  });

  test('are run again by one who is busy, as soon as it has finished its own', async () => {
    const blocking = new Blocking();
    await using of = await cluster(['A', 'B'], blocking, { job: { shardingTotalCount: 2 } });
    await of.advance(untilFiring(of));
    of.kill('A');
    of.forget();
    await of.advance(15_000);
    expect(of.ran).toEqual({});
    blocking.isBlocking = false;
    blocking.releaseAll();
    await of.settle();
    expect(Object.values(of.ran).flat()).toHaveLength(1);
    await of.settle();
    expect(marks(of)).toEqual([]);
  });

  test('are run again for the instant of the crash before anything else is made of them', async () => {
    const blocking = new Blocking();
    await using of = await cluster(['A', 'B'], blocking, { job: { cron: '0/5 * * * * ?', shardingTotalCount: 2 } });
    await of.fire();
    of.kill('A');
    of.forget();
    await of.advance(14_000);
    expect(of.owners).toEqual({ B: [0, 1] });
    // B owns the crashed item by now, has come to later instants, and is still busy with its own item.
    expect(of.ran).toEqual({});

    blocking.isBlocking = false;
    blocking.releaseAll();
    await of.settle();
    expect(of.runs.map(({ item, at }) => `${item} ${at}`).sort()).toEqual(['0 00:00:15', '1 00:00:05', '1 00:00:15']);
  });

  test('are run again when the dead instance was itself rescuing them', async () => {
    const blocking = new Blocking();
    await using of = await cluster(['A', 'B', 'C'], blocking, { job: { shardingTotalCount: 1 } });
    await of.advance(untilFiring(of));
    const [first] = Object.keys(of.ran) as [string];
    of.kill(first);
    of.forget();
    await of.advance(6_000);
    const [second] = Object.keys(of.ran) as [string];
    of.kill(second);
    of.forget();
    blocking.isBlocking = false;
    await of.advance(6_000);
    expect(Object.values(of.ran)).toEqual([[0]]);
    expect(Object.keys(of.ran)).not.toContain(first);
    expect(Object.keys(of.ran)).not.toContain(second);
    expect(marks(of)).toEqual([]);
  });

  test('are not run again if the instance stops gracefully, or dies idle', async () => {
    const blocking = new Blocking();
    blocking.isBlocking = false;
    await using of = await cluster(['A', 'B', 'C'], blocking);
    await of.advance(untilFiring(of));
    of.forget();
    await of.leave('A');
    of.kill('B');
    await of.advance(60_000);
    expect(of.ran).toEqual({});
    expect(of.owners).toEqual({ C: [0, 1, 2] });
  });

  test('are not run again if an operator has disabled the server they ran on', async () => {
    const blocking = new Blocking();
    await using of = await cluster(['A', 'B'], blocking, { job: { shardingTotalCount: 2 } });
    await of.advance(untilFiring(of));
    await of.disable('A');
    of.kill('A');
    of.forget();
    blocking.isBlocking = false;
    blocking.releaseAll();
    await of.advance(60_000);
    expect(of.ran).toEqual({});
    expect(marks(of)).toEqual([]);
  });
});

test('a mark that an instance has just removed, and still sees, is not taken for one that it has forgotten', async () => {
  // As with ZooKeeper, a mirror may show later than the answer to a commit what has been committed; `sync` waits for
  // it.
  let mirrorLagMs = 1;
  await using of = await TestCluster.start(['B'], {
    job: { cron: '0/5 * * * * ?', failover: true, shardingTotalCount: 2 },
    work: () => new Promise((end) => of.clock.after(6_000, end)),
    deliver:
      (clock) =>
      ({ channel, what, arrive }) =>
        clock.after(/centre 3$/.test(channel) && /^(revision|answer to sync)/.test(what) ? mirrorLagMs : 1, arrive),
  });
  await of.advance(1_000);
  await of.join('A');
  await of.advance(3_900);
  const [item] = of.owners['A'] ?? [];
  mirrorLagMs = 3_000;
  await of.advance(2_000);
  await of.join('C');
  await of.advance(9_000);

  // The firings that A missed during its run are made up for by the item's new owner, while A sees neither that nor the
  // end of its own run.
  const runs = of.runs.filter((run) => run.item === item).map(({ instance, at }) => `${instance} ${at}`);
  expect(runs).toEqual(['A 00:00:05', expect.stringMatching(/^[BC] 00:00:10$/)]);
  expect(of.log.filter((line) => line.includes('is gone'))).toEqual([]);
});

test('an instance that is stopped between two steps of removing a mark leaves that of its rescuer alone', async () => {
  const blocking = new Blocking();
  await using of = await cluster(['A', 'B'], blocking, { job: { shardingTotalCount: 1 } });
  await of.advance(untilFiring(of));
  const [first = '', second = ''] = [...Object.keys(of.ran), 'A', 'B'].filter(
    (name, at, all) => all.indexOf(name) === at,
  );
  const { registry } = of.member(first);
  const running = of.paths.item(0, 'running');
  const awake = new Deferred();
  const get = registry.get.bind(registry);
  registry.get = async (path) => {
    const value = await get(path);
    if (path === running) await awake.promise;
    return value;
  };
  registry.faults.loseNextWrite('not-applied');
  blocking.releaseAll();
  await of.advance(1_000);
  expect(of.tree.get(running)).toBe(of.idOf(first));

  of.forget();
  await of.expire(first);
  await of.advance(1_000);
  expect(of.ran).toEqual({ [second]: [0] });
  awake.resolve();
  await of.advance(1_000);

  expect(of.tree.get(running)).toBe(of.idOf(second));
});

describe('an instance whose session is lost while it runs items', () => {
  test('takes them up again itself when it is alone', async () => {
    const blocking = new Blocking();
    await using of = await cluster(['A'], blocking, { job: { shardingTotalCount: 2 } });
    await of.advance(untilFiring(of));
    of.forget();
    blocking.isBlocking = false;
    of.member('A').registry.faults.expire();
    await of.advance(10_000);
    expect(of.ran).toEqual({ A: [0, 1] });
    expect(marks(of)).toEqual([]);
  });

  test('does not run again what had ended when it was cut off', async () => {
    const blocking = new Blocking();
    await using of = await cluster(['A'], blocking, { job: { shardingTotalCount: 2 } });
    await of.advance(untilFiring(of));
    of.forget();
    of.member('A').registry.faults.disconnect();
    blocking.isBlocking = false;
    blocking.releaseAll();
    await of.advance(20_000);
    of.member('A').registry.faults.resume();
    await of.advance(20_000);
    expect(of.ran).toEqual({});
    expect(marks(of)).toEqual([]);
  });
});

describe('a whole cluster that dies while it runs items', () => {
  test('runs them again when the first instance is back', async () => {
    const blocking = new Blocking();
    await using of = await cluster(['A', 'B'], blocking, { job: { shardingTotalCount: 2 } });
    await of.advance(untilFiring(of));
    of.kill('A');
    of.kill('B');
    await of.advance(20_000);
    of.forget();
    blocking.isBlocking = false;
    await of.join('C');
    await of.settle();
    expect(of.ran).toEqual({ C: [0, 1] });
    expect(marks(of)).toEqual([]);
  });
});

test('an instance that an operator ends finishes its items, and nobody takes them over', async () => {
  const blocking = new Blocking();
  await using of = await cluster(['A', 'B'], blocking, {
    job: { shardingTotalCount: 2 },
    host: { shutdownGracePeriodMilliseconds: 60_000 },
  });
  await of.advance(untilFiring(of));
  await of.operator.remove(of.paths.instance(of.idOf('A')));
  await of.advance(20_000);
  blocking.isBlocking = false;
  of.forget();
  blocking.releaseAll();
  await of.advance(20_000);
  expect(of.ran).toEqual({});
  expect(marks(of)).toEqual([]);
  expect(of.owners).toEqual({ B: [0, 1] });
});

test('what failover has left is removed when it is switched off', async () => {
  const blocking = new Blocking();
  await using of = await cluster(['A', 'B'], blocking, { job: { shardingTotalCount: 2 } });
  await of.advance(untilFiring(of));
  of.kill('A');
  await of.advance(10_000);
  await of.reconfigure({ failover: false });
  of.forget();
  blocking.isBlocking = false;
  blocking.releaseAll();
  await of.advance(10_000);
  expect(of.ran).toEqual({});
  expect(marks(of)).toEqual([]);
});

describe('a slow item', () => {
  test('keeps no other item from its next firing, and is made up for once when it has ended', async () => {
    const gate = new Deferred();
    await using of = await TestCluster.start(['A'], {
      job: { shardingTotalCount: 3 },
      work: (_, { shardingItem, scheduledAt }) =>
        shardingItem === 1 && scheduledAt?.getTime() === Date.parse('2030-01-01T00:00:05Z') ? gate.promise : undefined,
    });
    for (let firing = 0; firing < 4; firing++) await of.fire();
    expect(of.runs.map(({ item, at }) => `${item} ${at}`)).toEqual([
      '0 00:00:05',
      '1 00:00:05',
      '2 00:00:05',
      '0 00:00:10',
      '2 00:00:10',
      '0 00:00:15',
      '2 00:00:15',
      '0 00:00:20',
      '2 00:00:20',
    ]);
    expect(marks(of)).toContain('/job/sharding/1/misfire');
    of.forget();
    gate.resolve();
    await of.advance(200);
    expect(of.runs.map(({ item, at }) => `${item} ${at}`)).toEqual(['1 00:00:20']);
    expect(marks(of)).toEqual([]);
  });
});

test('an item that is rescued although it is one too many by now makes nobody assign the items over and over', async () => {
  const blocking = new Blocking();
  let requests = 0;
  await using of = await cluster(['A'], blocking, {
    deliver: (clock) => (delivery) => {
      requests++;
      clock.after(1, delivery.arrive);
    },
  });
  await of.advance(1_000);
  await of.advance(untilFiring(of) + 100);
  await of.reconfigure({ shardingTotalCount: 2 });
  of.cut('A');
  await of.advance(15_000);

  await of.heal('A');
  await of.advance(2_000);
  expect(of.runs.filter(({ item, outcome }) => item === 2 && outcome === 'running')).toHaveLength(1);
  requests = 0;
  await of.advance(10_000);
  expect(requests).toBeLessThan(10);

  blocking.releaseAll();
  await of.advance(2_000);
  expect(of.owners).toEqual({ A: [0, 1] });
});

test('a manual run that dies is taken over as one, whatever its instance has begun since', async () => {
  const blocking = new Blocking();
  blocking.isBlocking = false;
  await using of = await cluster(['A', 'B'], blocking, { job: { shardingTotalCount: 9 } });
  await of.fire();
  expect(of.owners).toMatchObject({ A: [4, 5, 6, 7] });
  await of.disableItem(6);
  blocking.isBlocking = true;
  await of.trigger();
  // For the new assignment, B reads what A has begun so far.
  await of.join('C');
  await of.advance(2_000);
  expect(of.owners['A']).toEqual(expect.arrayContaining([6, 7]));
  blocking.isBlocking = false;
  await of.enableItem(6);
  await of.fire();
  await of.advance(1_000);
  of.forget();

  of.kill('A');
  await of.advance(10_000);

  expect(of.runs.find(({ item }) => item === 7)?.at).toBe('manual');
});

test('who may not take over because its clock is wrong tells the error handler now and then, not without end', async () => {
  const blocking = new Blocking();
  let failures = 0;
  const handler: JobErrorHandler = { type: 'COUNT', handleException: () => void failures++ };
  await using of = await cluster(['A', 'B'], blocking, {
    job: { maxTimeDiffSeconds: 1, jobErrorHandlerType: 'COUNT' },
    host: { errorHandlers: [handler] },
  });
  await of.advance(untilFiring(of));
  of.skew('B', '10s');
  of.kill('A');
  blocking.releaseAll();

  await of.advance('1m');

  expect(failures).toBeGreaterThan(0);
  expect(failures).toBeLessThan(30);
});

test('an item whose instance dies while the settings cannot be read is rescued when they can', async () => {
  const blocking = new Blocking();
  await using of = await cluster(['A', 'B'], blocking, { job: { shardingTotalCount: 2 } });
  await of.advance(untilFiring(of));
  blocking.releaseAll();
  const settings = of.tree.get(of.paths.config) ?? '';
  of.kill('A');
  await of.operator.put(of.paths.config, 'jobName: [');
  await of.advance('10s');
  blocking.isBlocking = false;
  of.forget();

  await of.operator.put(of.paths.config, settings);
  await of.advance('2s');

  expect(of.ran).toEqual({ B: [expect.any(Number)] });
});

test('a manual run does not make up for a firing that its item has missed', async () => {
  const gate = new Deferred();
  await using of = await TestCluster.start(['A'], {
    job: { cron: '0 0 * * * ?', shardingTotalCount: 1 },
    work: (_, { scheduledAt }) => (scheduledAt?.getUTCHours() === 1 ? gate.promise : undefined),
  });
  await of.advance(untilFiring(of));
  await of.advance(untilFiring(of));
  await of.trigger();
  // As if another instance had noted the firing that is due, and this one knew only of the trigger.
  await of.reconfigure({ misfire: false });
  await of.reconfigure({ misfire: true });
  await of.operator.create(of.paths.item(0, 'misfire'), '');
  of.forget();
  gate.resolve();
  await of.advance(1_000);
  expect(of.runs.map(({ at }) => at)).toEqual(['manual', '02:00:00']);
});

test('an instance that could not tell that an item has ended tells it before it goes, so that nobody runs it again', async () => {
  let isFirst = true;
  const gate = new Deferred();
  await using of: TestCluster = await TestCluster.start(['A', 'B'], {
    job: { cron: '0 0 * * * ?', failover: true, shardingTotalCount: 4 },
    work: (name, { shardingItem, signal }) => {
      if (!isFirst || name === 'B') return undefined;
      if (shardingItem === 2) return gate.promise;
      const ended = new Deferred();
      // This one takes its time to break off, so that the instance is connected again before it has stopped.
      signal.addEventListener('abort', () => of.clock.after(3_000, () => ended.resolve()));
      return ended.promise;
    },
  });
  expect(of.owners).toEqual({ A: [2, 3], B: [0, 1] });
  await of.advance(untilFiring(of));
  isFirst = false;
  // Nobody else sees what happens meanwhile.
  of.cut('A');
  of.cut('B');
  await of.advance(1_000);
  gate.resolve();
  await of.advance(2_000);
  of.forget();
  await of.leave('A');
  await of.advance(3_500);
  await of.heal('A');
  await of.advance(10_000);
  await of.heal('B');
  await of.advance(30_000);
  // The run that it had to abort is taken over, and the run that had ended is not.
  expect(of.ran).toEqual({ B: [3] });
  expect(marks(of)).toEqual([]);
});

test('a rescue that ended during an outage is not made again, whenever its rescuer dies while it says so', async () => {
  for (const write of [1, 2, 3, 4]) {
    for (const outcome of ['applied', 'not-applied'] as const) {
      const blocking = new Blocking();
      await using of = await cluster(['A', 'B'], blocking, { job: { shardingTotalCount: 1 } });
      await of.advance(untilFiring(of));
      const [first = ''] = Object.keys(of.ran);
      const rescuer = first === 'A' ? 'B' : 'A';
      of.kill(first);
      await of.advance(7_000);
      expect(of.ran[rescuer]).toEqual([0]);
      of.member(rescuer).registry.faults.disconnect();
      blocking.releaseAll();
      await of.advance(200);
      of.forget();

      of.killAtWrite(rescuer, write, outcome);
      await of.heal(rescuer);
      await of.advance(500);
      const saidSo = !of.tree.has(of.paths.item(0, 'running'));
      await of.join('C');
      blocking.isBlocking = false;
      await of.advance(10_000);

      expect({ write, outcome, ran: of.ran }).toEqual({ write, outcome, ran: saidSo ? {} : { C: [0] } });
    }
  }
});

describe('a Java peer', () => {
  const java = '10.0.0.7@-@4711';

  /** A beside a Java peer that owns item 1 and is running it. */
  async function besideJava(job: Partial<JobConfiguration> = {}): Promise<Awaited<ReturnType<typeof cluster>>> {
    const of = await cluster(['A'], new Blocking(), {
      job: { shardingTotalCount: 2, cron: '0 0 0 1 1 ?', ...job },
    });
    const { operator, paths } = of;
    await operator.create(paths.server('10.0.0.7'), 'ENABLED');
    await register(of);
    await of.advance('2s');
    const [item = -1] = of.view.items.filter(({ owner }) => owner === java).map((each) => each.item);
    await operator.create(paths.item(item, 'running'), java, job.failover === false ? 'session' : 'persistent');
    await of.advance('1s');
    return of;
  }

  const register = ({ operator, paths }: Awaited<ReturnType<typeof cluster>>): Promise<boolean> =>
    operator.create(paths.instance(java), `jobInstanceId: ${java}\nserverIp: 10.0.0.7\n`, 'session');

  test('that removes its node and makes it anew, as after each reconnection, keeps its items and what it is running', async () => {
    await using of = await besideJava();
    const { tree } = of;

    await of.operator.remove(of.paths.instance(java));
    await of.advance(300);
    await register(of);
    await of.advance('10s');

    expect([...of.tree]).toEqual([...tree]);
    expect(of.runs).toEqual([]);
  });

  test('whose instance an operator has removed keeps the mark of its run, which ends with its session', async () => {
    await using of = await besideJava({ failover: false });
    const [mark = ''] = [...of.tree.keys()].filter((path) => path.endsWith('/running'));

    await of.operator.remove(of.paths.instance(java));
    await of.advance('10s');

    expect(of.tree.get(mark)).toBe(java);
  });

  test('that may come back is assigned nothing meanwhile, as with static sharding it would keep it', async () => {
    await using of = await besideJava({ staticSharding: true });
    const { operator, paths } = of;
    const running = [...of.tree.keys()].filter((path) => path.endsWith('/running'));

    await operator.commit([
      { type: 'remove', path: paths.instance(java) },
      ...running.map((path) => ({ type: 'remove', path }) as const),
      { type: 'create', path: paths.resharding, value: '' },
    ]);
    await of.advance('3s');

    expect(of.owners).toEqual({ A: [0, 1] });
  });

  test('that does not come back is dead a second later', async () => {
    await using of = await besideJava();

    await of.operator.remove(of.paths.instance(java));
    await of.advance(900);
    expect(of.runs).toEqual([]);
    await of.advance(300);

    expect(of.runs).toMatchObject([{ instance: 'A' }]);
    expect(of.owners).toEqual({ A: [0, 1] });
  });
});

test('an instance of ours whose nodes are seen to go one after the other is dead at once', async () => {
  await using of = await TestCluster.start(['A'], { job: { shardingTotalCount: 2, cron: '0 0 0 1 1 ?' } });
  const { operator, paths } = of;
  const id = '10.0.0.7@-@4711-k3j9x2ab';
  await operator.create(paths.server('10.0.0.7'), 'ENABLED');
  await operator.commit([
    { type: 'create', path: paths.beginRecord(id), value: '' },
    { type: 'create', path: paths.live(id), value: '', lifetime: 'session' },
    {
      type: 'create',
      path: paths.instance(id),
      value: `jobInstanceId: ${id}\nserverIp: 10.0.0.7\n`,
      lifetime: 'session',
    },
  ]);
  await of.advance('2s');
  expect(of.view.items.map(({ owner }) => owner)).toContain(id);

  await operator.remove(paths.live(id));
  await of.advance(1);
  await operator.remove(paths.instance(id));
  await of.advance(100);

  expect(of.owners).toEqual({ A: [0, 1] });
});

test('beside a Java instance, an item whose takeover loses the latch waits again at once, and is taken over under it', async () => {
  let isToBreak = false;
  await using of: TestCluster = await TestCluster.start(['L', 'A', 'B'], {
    job: { cron: '0 0 * * * ?', failover: true, shardingTotalCount: 4 },
    // The leader is busy, so B alone takes over.
    work: (name) => (name === 'B' ? undefined : new Promise(() => undefined)),
    sessionTimeoutMs: 30_000,
    deliver: () => (delivery) => {
      const isOfTakeover =
        isToBreak && delivery.what === `answer to commit changes of ${of.paths.instance(of.idOf('B'))}`;
      if (!isOfTakeover) return deliverSoon(delivery);
      isToBreak = false;
      of.member('B').registry.faults.disconnect();
    },
  });
  await joinJavaInstance(of, 'J');
  await of.fire();
  const [item] = of.owners['A'] ?? [];
  of.forget();

  isToBreak = true;
  of.kill('A');
  await of.advance('35s');
  expect({ isToBreak, runs: of.ran }).toEqual({ isToBreak: false, runs: {} });
  await of.heal('B');
  await of.advance('1s');

  const told = of.story.filter((line) => /took over|reported|runs item/.test(line)).map((line) => line.slice(13));
  expect(told).toEqual([
    `item ${item} is reported as crashed`,
    `B took over item ${item}`,
    `item ${item} is reported as crashed`,
    `B took over item ${item}`,
    `B runs item ${item} (01:00:00)`,
  ]);
  expect(of.tree.has(of.paths.item(item!, 'running'))).toBe(false);
});
