/** Triggers whose items cannot begin at once, and what becomes of them until they can. */
import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/async/deferred.js';
import { JobOperateAPI, type TriggerJobOptions } from '../../../lib/operations/job-operate-api.js';
import { type TriggeredJob } from '../../../lib/operations/changes/triggered-job.js';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { TestCluster, type TestClusterOptions } from '../../../lib/testing/index.js';

const ITEM = 3;

interface Story extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly triggered: TriggeredJob;
  /** Ends the item's first run. */
  readonly release: () => Promise<void>;
}

/**
 * A cluster in which the item runs for its first instant until it is released, and an operator has triggered it
 * meanwhile.
 */
async function triggeredWhileItRuns(
  how: TriggerJobOptions,
  { job, ...options }: TestClusterOptions = {},
): Promise<Story> {
  const end = new Deferred();
  let isFirst = true;
  const cluster = await TestCluster.start(['A', 'B'], {
    job: { cron: '0 0/10 * * * ?', shardingTotalCount: 4, ...job },
    ...options,
    work: (_, { shardingItem }) => {
      if (shardingItem !== ITEM || !isFirst) return undefined;
      isFirst = false;
      return end.promise;
    },
  });
  await cluster.fire();
  const triggering = new JobOperateAPI(cluster.operator).trigger('job', how);
  await cluster.advance('1s');
  const triggered = await triggering;
  const release = async (): Promise<void> => {
    end.resolve();
    await cluster.advance('20s');
  };
  const dispose = async (): Promise<void> => {
    end.resolve();
    await cluster[Symbol.asyncDispose]();
  };
  return { cluster, release, triggered, [Symbol.asyncDispose]: dispose };
}

const manualRunsOf = ({ runs }: TestCluster, item = ITEM): readonly string[] =>
  runs.filter((run) => run.item === item && run.at === 'manual').map(({ instance }) => instance);

const ownerOf = ({ owners }: TestCluster): string =>
  Object.entries(owners).find(([, items]) => items.includes(ITEM))?.[0] ?? 'nobody';

/** How the wait for the end stands. */
function outcomeOf(triggered: TriggeredJob): () => string {
  let outcome = 'open';
  triggered.ended({ timeoutMs: 3_600_000 }).then(
    () => (outcome = 'ended'),
    (error: Error) => (outcome = error.message),
  );
  return () => outcome;
}

describe.each([
  ['a trigger of the item', { items: [ITEM] }],
  ['a trigger of the job', {}],
])('%s that was busy', (_, how) => {
  test.each([true, false])(
    'runs it on its next owner, if an instance has joined; monitored: %s',
    async (monitorExecution) => {
      await using story = await triggeredWhileItRuns(how, { job: { monitorExecution } });
      const { cluster, release, triggered } = story;
      const owner = ownerOf(cluster);
      const outcome = monitorExecution ? outcomeOf(triggered) : () => 'ended';

      await cluster.join('C');
      await release();

      expect(ownerOf(cluster)).not.toBe(owner);
      expect(manualRunsOf(cluster)).toEqual([ownerOf(cluster)]);
      expect(outcome()).toBe('ended');
      await cluster.advance('3h');
      await cluster.leave('C');
      await cluster.advance('1m');
      expect(manualRunsOf(cluster)).toHaveLength(1);
      for (const item of [0, 1, 2]) expect(manualRunsOf(cluster, item)).toHaveLength('items' in how ? 0 : 1);
    },
  );

  test('runs it on its next owner, if its instance stops', async () => {
    await using story = await triggeredWhileItRuns(how);
    const { cluster, release, triggered } = story;
    const owner = ownerOf(cluster);
    const outcome = outcomeOf(triggered);

    const left = cluster.leave(owner);
    await cluster.advance('2s');
    await release();
    await left;

    expect(manualRunsOf(cluster)).toEqual([owner === 'A' ? 'B' : 'A']);
    expect(outcome()).toBe('ended');
  });

  test.each([true, false])('runs it on its next owner, if its instance dies; failover: %s', async (failover) => {
    await using story = await triggeredWhileItRuns(how, { job: { failover } });
    const { cluster, triggered } = story;
    const owner = ownerOf(cluster);
    const outcome = outcomeOf(triggered);

    cluster.kill(owner);
    await cluster.advance('1s');
    expect(outcome()).toBe('open');
    await cluster.advance('1m');

    expect(manualRunsOf(cluster)).toEqual([owner === 'A' ? 'B' : 'A']);
    expect(outcome()).toBe('ended');
  });

  test('runs it when instances come back, if all have died', async () => {
    await using story = await triggeredWhileItRuns(how);
    const { cluster } = story;
    cluster.kill('A');
    cluster.kill('B');
    await cluster.advance('1m');

    await cluster.join('C');
    await cluster.advance('1m');

    expect(manualRunsOf(cluster)).toEqual(['C']);
    expect([...cluster.tree.keys()].filter((path) => path.startsWith(`${cluster.paths.acceptedTriggers}/`))).toEqual(
      [],
    );
  });

  test.each<
    [what: string, disable: (cluster: TestCluster) => Promise<void>, enable: (cluster: TestCluster) => Promise<void>]
  >([
    ['an operator disables it', (cluster) => cluster.disableItem(ITEM), (cluster) => cluster.enableItem(ITEM)],
    [
      'it is no item any more',
      (cluster) => cluster.reconfigure({ shardingTotalCount: ITEM }),
      (cluster) => cluster.reconfigure({ shardingTotalCount: ITEM + 1 }),
    ],
    [
      'all servers are disabled',
      async (cluster) => {
        await cluster.disable('A');
        await cluster.disable('B');
      },
      (cluster) => cluster.enable('A'),
    ],
  ])('does not run it if %s, not even later, and says so', async (_what, disable, enable) => {
    await using story = await triggeredWhileItRuns(how);
    const { cluster, release, triggered } = story;
    const outcome = outcomeOf(triggered);

    await disable(cluster);
    await release();
    await enable(cluster);
    await cluster.advance('1h');

    expect(manualRunsOf(cluster)).toEqual([]);
    expect(outcome()).toContain(`Items ${ITEM} of job 'job' are not run for this trigger`);
    expect(cluster.log.filter((line) => line.includes(`the triggered items ${ITEM} are not run`))).toHaveLength(1);
  });
});

test('items whose run cannot begin are not run when the settings are mended, and the wait for their end says so', async () => {
  await using cluster = await TestCluster.start(['A'], { job: { cron: '', shardingTotalCount: 2 } });
  const config = cluster.view.config!;
  await cluster.operator.put(cluster.paths.config, toYaml({ ...config, shardingItemParameters: 'none' }));

  const triggering = new JobOperateAPI(cluster.operator).trigger('job', {});
  await cluster.advance('1s');
  const outcome = outcomeOf(await triggering);
  await cluster.advance('1s');
  await cluster.operator.put(cluster.paths.config, toYaml(config));
  await cluster.advance('1h');

  expect(outcome()).toContain("Items 0-1 of job 'job' are not run for this trigger");
  expect(cluster.runs).toEqual([]);
});

test('the note that items were dropped outlives their instance for the resyncs in which it may be read', async () => {
  await using story = await triggeredWhileItRuns({ items: [ITEM] }, { job: { reconcileIntervalMinutes: 5 } });
  const { cluster, triggered } = story;
  const owner = ownerOf(cluster);
  const notes = (): readonly string[] =>
    [...cluster.tree.keys()].filter((path) => path.startsWith(`${cluster.paths.acceptedTriggers}/`));

  await cluster.disableItem(ITEM);
  cluster.kill(owner);
  await cluster.advance('1m');
  const outcome = outcomeOf(triggered);
  await cluster.advance('1s');

  expect(outcome()).toContain(`Items ${ITEM} of job 'job' are not run`);
  expect(notes()).toHaveLength(1);
  await cluster.advance('11m');
  expect(notes()).toEqual([]);
});

test('the end of a trigger is that of its run, not of one that came before: a firing that was missed, for example', async () => {
  await using story = await triggeredWhileItRuns({ items: [ITEM] }, { job: { cron: '0/5 * * * * ?' } });
  const { cluster, release, triggered } = story;
  const outcome = outcomeOf(triggered);
  await cluster.advance('12s');
  expect(outcome()).toBe('open');

  await release();

  expect(manualRunsOf(cluster)).toHaveLength(1);
  expect(outcome()).toBe('ended');
});

test('an instance that accepts the trigger late and dies has accepted it, whichever of its items runs longest', async () => {
  const ends = [new Deferred(), new Deferred()];
  await using cluster = await TestCluster.start(['A', 'B'], {
    job: { cron: '0 0/10 * * * ?', shardingTotalCount: 4, failover: true },
    // The first run of item 1, and each manual run of item 0.
    work: (_, { shardingItem, scheduledAt }) =>
      (scheduledAt === undefined) === (shardingItem === 0) ? ends[shardingItem]?.promise : undefined,
  });
  const [owner = ''] = Object.entries(cluster.owners).find(([, items]) => items.includes(0)) ?? [];
  expect(cluster.owners[owner]).toEqual([0, 1]);
  await cluster.fire();
  cluster.freeze(owner);
  const triggering = new JobOperateAPI(cluster.operator).trigger('job', { items: [0, 1], acceptTimeoutMs: 500 });
  await cluster.advance('1s');
  const triggered = await triggering;
  expect(triggered.instances.map(({ answer }) => answer)).toEqual(['waiting']);
  const outcome = outcomeOf(triggered);

  await cluster.thaw(owner);
  await cluster.advance('1s');
  ends[1]?.resolve();
  cluster.kill(owner);
  await cluster.advance('1m');
  expect(manualRunsOf(cluster, 1)).toHaveLength(1);
  expect(outcome()).toBe('open');
  ends[0]?.resolve();
  await cluster.advance('1s');

  expect(outcome()).toBe('ended');
});

test('the end of a trigger is not awaited longer because the item is fired again', async () => {
  const end = new Deferred();
  await using cluster = await TestCluster.start(['A'], {
    job: { shardingTotalCount: 1 },
    work: (_, { scheduledAt }) => (scheduledAt === undefined ? undefined : end.promise),
  });
  const triggering = new JobOperateAPI(cluster.operator).trigger('job', {});
  await cluster.advance('1s');
  const triggered = await triggering;
  await cluster.fire();

  const outcome = outcomeOf(triggered);
  await cluster.advance('1s');

  expect(outcome()).toBe('ended');
  end.resolve();
});

test('an item that moves before its instance has accepted the trigger is run once', async () => {
  await using cluster = await TestCluster.start(['A', 'B'], { job: { cron: '', shardingTotalCount: 4 } });
  cluster.freeze('A');
  const triggering = new JobOperateAPI(cluster.operator).trigger('job', { acceptTimeoutMs: 1_000 });
  await cluster.advance('1s');
  await cluster.join('C');
  await cluster.thaw('A');
  await cluster.advance('20s');
  const outcome = outcomeOf(await triggering);
  await cluster.advance('1s');

  expect(cluster.runs.map(({ item }) => item).sort()).toEqual([0, 1, 2, 3]);
  expect(outcome()).toBe('ended');
});

test('thousands of items that are triggered twice while they run are run twice', async () => {
  const COUNT = 5_000;
  const end = new Deferred();
  await using cluster = await TestCluster.start(['A'], {
    job: { cron: '', shardingTotalCount: COUNT },
    host: { threadPoolSizeProviders: [{ type: 'ALL', getSize: () => COUNT }] },
    work: () => (cluster.runs.length <= COUNT ? end.promise : undefined),
  });
  await cluster.reconfigure({ jobExecutorThreadPoolSizeProviderType: 'ALL' });
  await cluster.trigger();
  await cluster.trigger();
  end.resolve();
  await cluster.advance('1m');

  expect(cluster.runs).toHaveLength(2 * COUNT);
});
