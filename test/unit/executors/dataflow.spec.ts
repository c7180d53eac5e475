/** Dataflow jobs: what they fetch and process, and when a stream ends. */
import { describe, expect, test } from '@jest/globals';
import { sleep } from '../../../lib/async/wait.js';
import { type DataflowJob, type ShardingContext } from '../../../lib/index.js';
import { settle, TestCluster, type TestClusterOptions } from '../../../lib/testing/index.js';

const STREAM = { 'streaming.process': 'true' };

/** The steps of a dataflow job: `A0 fetch`, `A0 process 1,2`. */
type Steps = string[];

/** A job whose fetches return `batches` one after the other, the same for each item, and nothing after the last one. */
function fetching(steps: Steps, batches: readonly unknown[]): (instance: string) => DataflowJob {
  const fetched = new Map<string, number>();
  return (instance) => ({
    fetchData: ({ shardingItem }) => {
      const who = `${instance}${shardingItem}`;
      const number = fetched.get(who) ?? 0;
      fetched.set(who, number + 1);
      steps.push(`${who} fetch`);
      return batches[number] as readonly unknown[];
    },
    processData: ({ shardingItem }, data) => void steps.push(`${instance}${shardingItem} process ${data.join()}`),
  });
}

/** An endless stream: each batch is there at once, and takes `batchMs` to be processed. */
function streaming(
  steps: Steps,
  clock: () => TestCluster['clock'],
  batchMs: number,
): (instance: string) => DataflowJob {
  return (instance) => ({
    fetchData: ({ shardingItem }) => {
      steps.push(`${instance}${shardingItem} fetch`);
      return [1];
    },
    processData: async ({ shardingItem }) => {
      await sleep(clock(), batchMs);
      steps.push(`${instance}${shardingItem} process`);
    },
  });
}

/** Lets time pass in short steps: between two batches a stream waits for the event loop, which the clock does not. */
async function pass(cluster: TestCluster, seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 2; step++) await cluster.advance('500ms');
}

const oneItem = (options: TestClusterOptions): TestClusterOptions => ({
  ...options,
  job: { shardingTotalCount: 1, ...options.job },
});

describe('a dataflow job', () => {
  test('fetches once for each firing, and processes what it has fetched', async () => {
    const steps: Steps = [];
    await using cluster = await TestCluster.start(['A'], { createJob: fetching(steps, [[1, 2], [3]]) });

    await cluster.fire();
    expect(steps.sort()).toEqual(['A0 fetch', 'A0 process 1,2', 'A1 fetch', 'A1 process 1,2']);

    await cluster.fire();
    expect(steps).toContain('A1 process 3');
    expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(Array(4).fill('completed'));
  });

  test.each([[[]], [null], [undefined]])('processes nothing if the fetch returns %j', async (nothing) => {
    const steps: Steps = [];
    await using cluster = await TestCluster.start(['A'], oneItem({ createJob: fetching(steps, [nothing, [1]]) }));

    await cluster.fire();

    expect(steps).toEqual(['A0 fetch']);
    expect(cluster.runs[0]?.outcome).toBe('completed');
  });

  test('fails if the fetch returns anything but a list', async () => {
    const steps: Steps = [];
    await using cluster = await TestCluster.start(['A'], oneItem({ createJob: fetching(steps, ['text']) }));

    await cluster.fire();

    expect(cluster.runs[0]?.outcome).toBe('failed');
    expect(cluster.log.join('\n')).toContain(
      `fetchData() of job 'job' must return a list, null or undefined, got "text"`,
    );
  });

  test.each(['fetchData', 'processData'] as const)('fails with what %s throws, and fetches no more', async (method) => {
    const steps: Steps = [];
    const fail = (): never => {
      steps.push(method);
      throw new Error(`no ${method}`);
    };
    const job: DataflowJob = { fetchData: () => [1], processData: () => undefined, [method]: fail };
    await using cluster = await TestCluster.start(['A'], oneItem({ createJob: () => job, job: { props: STREAM } }));

    await cluster.fire();

    expect(steps).toEqual([method]);
    expect(cluster.runs[0]?.outcome).toBe('failed');
    expect(cluster.log.join('\n')).toContain(`no ${method}`);
  });

  test('that has execute(context) too is refused, as only one of them could do the work', async () => {
    const steps: Steps = [];
    const both = { ...fetching(steps, [[1]])('A'), execute: () => void steps.push('execute') };

    await expect(TestCluster.start(['A'], oneItem({ createJob: () => both }))).rejects.toThrow(
      'has both the method execute(context) and the methods fetchData(context) and processData(context, data)',
    );
  });
});

describe('a stream', () => {
  test.each([[[]], [null], [undefined]])('goes on until a fetch returns %j', async (nothing) => {
    const steps: Steps = [];
    const props = { 'streaming.process': 'TRUE' };
    const createJob = fetching(steps, [[1], [2], nothing, [3]]);
    await using cluster = await TestCluster.start(['A'], oneItem({ createJob, job: { props } }));

    await cluster.fire();

    expect(steps).toEqual(['A0 fetch', 'A0 process 1', 'A0 fetch', 'A0 process 2', 'A0 fetch']);
    expect(cluster.runs[0]?.outcome).toBe('completed');
  });

  test('whose data are always at hand leaves the event loop to others', async () => {
    const job: DataflowJob = { fetchData: () => [1], processData: () => undefined };
    await using cluster = await TestCluster.start(['A'], oneItem({ createJob: () => job, job: { props: STREAM } }));

    await cluster.fire();
    await cluster.leave('A');
    await settle();

    expect(cluster.runs[0]?.outcome).toBe('completed');
  });

  test('ends after its batch when the property is turned off, and goes on with the firing after it is turned on', async () => {
    const steps: Steps = [];
    const createJob = streaming(steps, (): TestCluster['clock'] => cluster.clock, 1_000);
    await using cluster: TestCluster = await TestCluster.start(
      ['A'],
      oneItem({ createJob, job: { props: STREAM, misfire: false } }),
    );
    await cluster.fire();
    await pass(cluster, 2.5);

    await cluster.reconfigure({ props: {} });
    expect(steps).toEqual(['A0 fetch', 'A0 process', 'A0 fetch', 'A0 process', 'A0 fetch']);
    await cluster.advance('500ms');
    expect(steps.slice(5)).toEqual(['A0 process']);
    expect(cluster.runs[0]?.outcome).toBe('completed');

    await cluster.fire();
    await cluster.reconfigure({ props: STREAM });
    await pass(cluster, 1);
    expect(steps.slice(6)).toEqual(['A0 fetch', 'A0 process']);
    await cluster.fire();
    await pass(cluster, 60);
    expect(steps.length).toBeGreaterThan(100);
  });

  test('that runs for hours makes way for another instance, and goes on there; no item is lost, none runs twice', async () => {
    const steps: Steps = [];
    const createJob = streaming(steps, (): TestCluster['clock'] => cluster.clock, 60_000);
    await using cluster: TestCluster = await TestCluster.start(['A'], {
      createJob,
      job: { shardingTotalCount: 4, props: STREAM, cron: '0 0/10 * * * ?' },
    });
    await cluster.fire();
    await cluster.advance('3h');
    const beforeB = steps.length;
    expect(cluster.runs).toHaveLength(4);

    await cluster.join('B');
    await cluster.advance('62s');
    expect(cluster.owners).toEqual({ A: [2, 3], B: [0, 1] });
    // Each of the four streams has ended with its batch, and completely.
    expect(cluster.runs.slice(0, 4).map(({ outcome }) => outcome)).toEqual(Array(4).fill('completed'));
    expect(steps.slice(beforeB).filter((step) => step.startsWith('A') && step.endsWith('process'))).toHaveLength(4);

    // The firings that passed meanwhile have become one, on the owners of now.
    const running = cluster.runs.filter(({ outcome }) => outcome === 'running');
    expect(running.map(({ instance, item, at }) => `${instance}${item} ${at}`).sort()).toEqual([
      'A2 03:10:00',
      'A3 03:10:00',
      'B0 03:10:00',
      'B1 03:10:00',
    ]);
  });

  test('whose server is stopped ends after its batch, and has succeeded', async () => {
    const steps: Steps = [];
    const createJob = streaming(steps, (): TestCluster['clock'] => cluster.clock, 3_000);
    await using cluster: TestCluster = await TestCluster.start(['A'], oneItem({ createJob, job: { props: STREAM } }));
    await cluster.fire();

    await cluster.leave('A');
    await cluster.advance('4s');

    expect(steps).toEqual(['A0 fetch', 'A0 process']);
    expect(cluster.runs[0]?.outcome).toBe('completed');
    expect(cluster.members.size).toBe(0);
  });

  test('processes what it has fetched when its session is lost meanwhile, and is aborted', async () => {
    const steps: Steps = [];
    const job = (clock: () => TestCluster['clock']): DataflowJob => ({
      fetchData: async () => {
        await sleep(clock(), 1_000);
        steps.push('fetch');
        return [1];
      },
      processData: (context: ShardingContext) => void steps.push(`process, aborted: ${context.signal.aborted}`),
    });
    await using cluster: TestCluster = await TestCluster.start(
      ['A'],
      oneItem({ createJob: () => job(() => cluster.clock), job: { props: STREAM } }),
    );
    await cluster.fire();
    await cluster.advance('500ms');

    await cluster.expire('A');
    await cluster.advance('600ms');

    expect(steps).toEqual(['fetch', 'process, aborted: true']);
    expect(cluster.runs[0]?.outcome).toBe('aborted');
  });
});

test.each([
  ['yes', '"yes"'],
  ['1', '"1"'],
])('streaming.process=%s is refused when the job is added', async (value, said) => {
  const starting = TestCluster.start(['A'], {
    createJob: () => ({ fetchData: () => [], processData: () => undefined }),
    job: { props: { 'streaming.process': value } },
  });

  await expect(starting).rejects.toThrow(
    `elasticjob.jobs.job.props['streaming.process']: must be true or false, got ${said}`,
  );
});
