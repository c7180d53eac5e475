import { describe, expect, test } from '@jest/globals';
import { type RunObserver } from '../../../../lib/api/events/run-events.js';
import { type ShardingContext } from '../../../../lib/api/job/sharding-context.js';
import { Deferred } from '../../../../lib/async/deferred.js';
import { type Deliver, deliverSoon } from '../../../../lib/registry/embedded/delivery.js';
import { type Run, TestCluster } from '../../../../lib/testing/index.js';

const HOURLY = '0 0 * * * ?';
/** The name of each commit that begins items: its first operation checks the assignment. */
const BEGIN = 'commit changes of /job/sharding';
const ran = ({ runs }: TestCluster): string[] => runs.map(({ item, at }) => `${item} ${at}`);
const outcomes = (runs: readonly Run[]): string[] => runs.map(({ item, outcome }) => `${item} ${outcome}`);

/**
 * Delivers as usual; calls `before` just before a message arrives, and `after` before anything comes of its arrival.
 */
const watching =
  ({
    before = () => undefined,
    after = () => undefined,
  }: Partial<Record<'before' | 'after', (what: string) => void>>) =>
  (): Deliver =>
  ({ channel, what, arrive }) =>
    deliverSoon({
      channel,
      what,
      arrive: () => {
        before(what);
        arrive();
        after(what);
      },
    });

describe('items that do not fit into one commit', () => {
  const job = { shardingTotalCount: 6, cron: HOURLY };
  /** The guard of a begin has three operations, so each commit begins two items. */
  const twoItemsACommit = (cluster: TestCluster): void => void Object.assign(cluster.server.limits, { operations: 5 });

  test('begin in as many commits as hold them, none of which is refused', async () => {
    const sent: string[] = [];
    await using cluster = await TestCluster.start(['A'], {
      job,
      deliver: watching({ before: (what) => sent.push(what) }),
    });
    twoItemsACommit(cluster);
    sent.length = 0;

    await cluster.fire();

    expect(ran(cluster).map((each) => each[0])).toEqual(['0', '1', '2', '3', '4', '5']);
    expect(sent.filter((what) => what === BEGIN)).toHaveLength(3);
  });

  test('run each once, though the connection breaks between two of the commits', async () => {
    let isToBreak = false;
    await using cluster: TestCluster = await TestCluster.start(['A'], {
      job,
      deliver: watching({
        after: (what) => {
          if (what !== `answer to ${BEGIN}` || !isToBreak) return;
          isToBreak = false;
          cluster.member('A').registry.faults.disconnect();
        },
      }),
    });
    twoItemsACommit(cluster);
    isToBreak = true;

    await cluster.fire();
    expect({ isToBreak, runs: cluster.runs }).toEqual({ isToBreak: false, runs: [] });
    await cluster.heal('A');
    await cluster.advance('1m');

    expect(ran(cluster).sort()).toEqual([0, 1, 2, 3, 4, 5].map((item) => `${item} 01:00:00`));
    expect([...cluster.tree.keys()].filter((path) => path.endsWith('/running'))).toEqual([]);
  });
});

test('fencing tokens do not go back when a job is set to run unmarked while an item begins', async () => {
  let isToChange = false;
  await using cluster: TestCluster = await TestCluster.start(['A'], {
    job: { shardingTotalCount: 1 },
    deliver: watching({
      before: (what) => {
        if (what !== BEGIN || !isToChange) return;
        isToChange = false;
        void cluster.reconfigure({ monitorExecution: false });
      },
    }),
  });
  isToChange = true;

  await cluster.fire();
  await cluster.fire();

  const [first, second] = cluster.runs.map(({ context }) => context.fencingToken);
  expect(first).toBeLessThanOrEqual(second!);
});

test('a job that is shut down while its firing waits for the items to be assigned leaves at once, and runs nothing', async () => {
  await using cluster = await TestCluster.start(['A', 'B'], { job: { cron: HOURLY }, sessionTimeoutMs: 60_000 });
  await cluster.advance('59m');
  await cluster.advance('55s');
  // It asks for the items to be assigned, and never assigns them.
  cluster.killAtWrite('A', 1, 'applied');
  await cluster.join('C');
  await cluster.fire();

  await cluster.leave('B');

  expect(cluster.tree.has(cluster.paths.live(cluster.idOf('B')))).toBe(false);
  expect(cluster.runs.filter(({ instance }) => instance === 'B')).toEqual([]);
});

describe('a job that heeds its soft stop', () => {
  const untilAsked = (_: string, { softStop }: ShardingContext): Promise<void> =>
    new Promise((resolve) => softStop.addEventListener('abort', () => resolve()));

  test('lets its items move at once to an instance that joins', async () => {
    await using cluster = await TestCluster.start(['A'], { work: untilAsked });
    await cluster.fire();

    await cluster.join('B');

    expect(outcomes(cluster.runs)).toEqual(['0 completed', '1 completed']);
    expect(cluster.runs[0]!.context.softStop.reason).toMatchObject({
      message: expect.stringContaining('the leader waits'),
    });
    await cluster.advance(200);
    expect(cluster.owners).toEqual({ A: [1], B: [0] });
  });

  test('lets its instance leave within the grace period, and without being aborted', async () => {
    await using cluster = await TestCluster.start(['A'], { work: untilAsked });
    await cluster.fire();

    await cluster.leave('A');
    await cluster.advance(200);

    expect(outcomes(cluster.runs)).toEqual(['0 completed', '1 completed']);
    expect(cluster.runs.map(({ context }) => context.signal.aborted)).toEqual([false, false]);
    expect(cluster.view.instances.size).toBe(0);
  });
});

test('interceptors nest in the order in which they are given, the first one outermost', async () => {
  const calls: string[] = [];
  const interceptor = (name: string) => ({
    around: async ({ shardingItem }: ShardingContext, next: () => Promise<void>): Promise<void> => {
      calls.push(`${name} before ${shardingItem}`);
      await next();
      calls.push(`${name} after ${shardingItem}`);
    },
  });
  await using cluster = await TestCluster.start(['A'], {
    job: { shardingTotalCount: 1 },
    work: () => void calls.push('job'),
    host: { interceptors: [interceptor('first'), interceptor('second')] },
  });

  await cluster.fire();

  expect(calls).toEqual(['first before 0', 'second before 0', 'job', 'second after 0', 'first after 0']);
});

test.each<readonly [string, RunObserver]>([
  [
    'throws',
    {
      onRunEvent: () => {
        throw new Error('no connection to the metrics');
      },
    },
  ],
  ['rejects', { onRunEvent: () => Promise.reject(new Error('no connection to the metrics')) }],
])(
  'an observer that %s keeps no run from its end, is logged, and hides no event from the next one',
  async (_, faulty) => {
    const seen: string[] = [];
    const next: RunObserver = { onRunEvent: ({ type }) => void seen.push(type) };
    await using cluster = await TestCluster.start(['A'], {
      job: { shardingTotalCount: 1 },
      host: { observers: [faulty, next] },
    });

    await cluster.fire();
    await cluster.fire();

    const ofOneRun = ['staged', 'items-begun', 'item-started', 'item-ended', 'run-ended'];
    expect(outcomes(cluster.runs)).toEqual(['0 completed', '0 completed']);
    expect(seen).toEqual([...ofOneRun, ...ofOneRun]);
    expect(cluster.log.join('\n')).toContain("a run observer failed at 'staged'; the job goes on");
  },
);

test('an instance that comes back to an empty registry centre stores the settings of its job again, and runs it', async () => {
  await using cluster = await TestCluster.start(['A'], {
    job: { cron: HOURLY, shardingTotalCount: 1, jobParameter: 'kept' },
  });
  cluster.cut('A');
  await cluster.advance('7s');
  cluster.server.namespace('elasticjob').lose('nobody');
  expect([...cluster.tree]).toEqual([]);

  await cluster.heal('A');
  await cluster.fire();

  expect(cluster.view.config).toMatchObject({ shardingTotalCount: 1, jobParameter: 'kept' });
  expect(cluster.runs.map(({ context }) => context.jobParameter)).toEqual(['kept']);
});

test('a trigger whose run could not begin before the session was lost is run when the instance is back', async () => {
  let isToBreak = false;
  await using cluster: TestCluster = await TestCluster.start(['A'], {
    job: { cron: HOURLY },
    deliver: watching({
      after: (what) => {
        if (!isToBreak || !what.startsWith('answer to commit changes of /job/trigger')) return;
        isToBreak = false;
        cluster.member('A').registry.faults.disconnect();
      },
    }),
  });
  isToBreak = true;

  await cluster.trigger();
  await cluster.advance('1m');
  expect({ isToBreak, runs: cluster.runs }).toEqual({ isToBreak: false, runs: [] });
  await cluster.heal('A');
  await cluster.advance('10s');

  expect(ran(cluster)).toEqual(['0 manual', '1 manual']);
});

test('a run that ended while its instance was away is not run again, although a peer has reported it as crashed', async () => {
  const gate = new Deferred();
  await using cluster = await TestCluster.start(['A', 'B'], {
    job: { cron: HOURLY, failover: true, shardingTotalCount: 1 },
    work: () => gate.promise,
  });
  // So that it takes nothing over.
  await cluster.disable('B');
  await cluster.advance('2s');
  await cluster.fire();
  cluster.member('A').registry.faults.disconnect();
  gate.resolve();
  await cluster.advance('10s');
  expect(cluster.view.crashedItems).toEqual([0]);

  await cluster.heal('A');
  await cluster.advance('10s');

  expect(ran(cluster)).toEqual(['0 01:00:00']);
  expect(cluster.view.crashedItems).toEqual([]);
  expect(cluster.view.crashReports.size).toBe(0);
});

test('a run that ended while its instance was away is not run again there, although two peers took it over and died', async () => {
  const gates: Record<string, Deferred> = { A: new Deferred(), B: new Deferred(), C: new Deferred() };
  await using cluster: TestCluster = await TestCluster.start(['A'], {
    job: { cron: HOURLY, failover: true, shardingTotalCount: 1 },
    work: (name) => gates[name]!.promise,
  });
  await cluster.fire();
  await cluster.join('B');
  cluster.member('A').registry.faults.disconnect();
  gates['A']!.resolve();
  await cluster.advance('10s');
  await cluster.heal('A');
  await cluster.join('C');
  await cluster.advance('10s');
  for (const name of ['B', 'C']) {
    cluster.kill(name);
    await cluster.advance('10s');
  }
  await cluster.advance('1m');

  expect(cluster.runs.map(({ instance, at }) => `${instance} ${at}`)).toEqual([
    'A 01:00:00',
    'B 01:00:00',
    'C 01:00:00',
  ]);
  expect(cluster.view.crashedItems).toEqual([]);
});

test('an instance whose node was overwritten repairs it, and goes on to get items', async () => {
  await using cluster = await TestCluster.start(['A', 'B']);
  const path = cluster.paths.instance(cluster.idOf('A'));
  const before = cluster.tree.get(path);

  await cluster.operator.put(path, 'something else');
  await cluster.advance('10s');

  expect(cluster.tree.get(path)).toBe(before);
  expect(cluster.owners).toEqual({ A: [1], B: [0] });
  expect(cluster.member('A').log.join('\n')).toContain(
    'the node of this instance was overwritten with "something else"',
  );
});

describe('A takeover of which a part was taken by a peer, while the connection breaks,', () => {
  test.each([1, 60])('leaves no item behind when the connection is back after %i s', async (seconds) => {
    let isToHang = true;
    let [commits, answers] = [Infinity, 0];
    await using cluster: TestCluster = await TestCluster.start(['A', 'B'], {
      job: { cron: HOURLY, failover: true, shardingTotalCount: 2, jobShardingStrategyType: 'ROUND_ROBIN' },
      work: () => (isToHang ? new Promise<void>(() => undefined) : undefined),
      deliver: watching({
        before: (what) => {
          const isTakeover = commits < 3 && what.startsWith('commit') && cluster.view.crashedItems.length > 0;
          // The second item is another instance's by now: the commit of both fails, and each is tried alone.
          if (isTakeover && ++commits === 1) cluster.server.namespace('elasticjob').put('C', '/job/sharding/1', 'C');
        },
        after: (what) => {
          if (commits !== 3 || !what.startsWith('answer to commit changes of /job/instances') || ++answers < 2) return;
          cluster.member('A').registry.faults.disconnect();
        },
      }),
    });
    await cluster.disable('A');
    await cluster.advance('2s');
    await cluster.fire();
    await cluster.enable('A');
    [isToHang, commits] = [false, 0];
    cluster.kill('B');
    await cluster.advance('10s');
    expect(answers).toBe(2);
    commits = Infinity;
    await cluster.advance(`${seconds}s`);
    await cluster.heal('A');
    await cluster.advance('1m');
    cluster.forget();

    await cluster.fire();

    expect(cluster.ran).toEqual({ A: [0, 1] });
  });
});
