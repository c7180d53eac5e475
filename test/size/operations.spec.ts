/**
 * What jobs of 20,000 items cost, in processor time: operations on the registry centre and of the kernel, by their users' own interfaces.
 *
 * A limit of more than a second has its reason beside it: there, one process does the work of all instances, of the registry's server,
 * and of the test's book of runs. Work that grows with the square of the items would take many times as long.
 */
import { expect, test } from '@jest/globals';
import { JobConfigurationAPI } from '../../lib/operations/job-configuration-api.js';
import { DoctorAPI } from '../../lib/operations/doctor-api.js';
import { ExplanationAPI } from '../../lib/operations/explanation-api.js';
import { JobOperateAPI } from '../../lib/operations/job-operate-api.js';
import { JobStatisticsAPI } from '../../lib/operations/job-statistics-api.js';
import { ServerStatisticsAPI } from '../../lib/operations/server-statistics-api.js';
import { ShardingOperateAPI } from '../../lib/operations/sharding-operate-api.js';
import { ShardingStatisticsAPI } from '../../lib/operations/sharding-statistics-api.js';
import { SnapshotService } from '../../lib/dump/snapshot-service.js';
import { TestCluster } from '../../lib/testing/index.js';
import { leastProcessorMs, LIMIT_MS, processorMsOf } from './processor-time.js';

const ITEMS = 20_000;

/** Time by the clock for three tries while other processes are busy, in milliseconds. */
const TIMEOUT_MS = 300_000;

/** Twenty thousand runs: for each item a promise chain, two events, and two nodes that the server writes and all mirrors show. */
const RUNS_MS = 5_000;

/** A job of many items on instances A and B. */
class Stage implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly #running: (() => void)[];
  readonly #work: { isToHang: boolean };

  private constructor(cluster: TestCluster, running: (() => void)[], work: { isToHang: boolean }) {
    [this.cluster, this.#running, this.#work] = [cluster, running, work];
  }

  static async start(names: readonly string[] = ['A', 'B']): Promise<Stage> {
    const running: (() => void)[] = [];
    const work = { isToHang: false };
    const cluster = await TestCluster.start(names, {
      job: { shardingTotalCount: ITEMS, failover: true, jobExecutorThreadPoolSizeProviderType: 'ALL' },
      host: { threadPoolSizeProviders: [{ type: 'ALL', getSize: () => ITEMS }] },
      work: () => (work.isToHang ? new Promise<void>((resolve) => running.push(resolve)) : undefined),
    });
    return new Stage(cluster, running, work);
  }

  /** Starts a firing of which all items go on running. */
  async fireAndHang(): Promise<void> {
    this.#work.isToHang = true;
    await this.cluster.fire();
  }

  async endAll(): Promise<void> {
    this.#work.isToHang = false;
    this.#running.splice(0).forEach((end) => end());
    await this.cluster.settle();
  }

  /** Items that begin from now on end at once. */
  hurry(): void {
    this.#work.isToHang = false;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cluster[Symbol.asyncDispose]();
  }
}

/** An operation, and what goes before it. */
interface Operation {
  readonly limitMs?: number;
  readonly names?: readonly string[];
  readonly prepare?: (stage: Stage) => unknown;
  readonly perform: (stage: Stage) => unknown;
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  // Of the kernel.
  'the first assignment': { names: [], limitMs: 2_000, perform: ({ cluster }) => cluster.join('A') },
  'the assignment to one more instance': { limitMs: 2_500, perform: ({ cluster }) => cluster.join('C') },
  'a firing': { limitMs: RUNS_MS, prepare: ({ cluster }) => cluster.fire(), perform: ({ cluster }) => cluster.fire() },
  'a trigger': { limitMs: RUNS_MS, perform: ({ cluster }) => cluster.trigger() },
  'a firing while all items run, which they miss': {
    limitMs: 2_000,
    prepare: (stage) => stage.fireAndHang(),
    perform: ({ cluster }) => cluster.fire(),
  },
  'a second trigger while all items run': {
    limitMs: 2_000,
    prepare: (stage) => stage.fireAndHang(),
    perform: ({ cluster }) => cluster.trigger(),
  },
  'the end of all items, and the runs that were triggered meanwhile': {
    limitMs: 2 * RUNS_MS,
    prepare: async (stage) => {
      await stage.fireAndHang();
      await stage.cluster.trigger();
    },
    perform: (stage) => stage.endAll(),
  },
  'a takeover of half of the items': {
    limitMs: RUNS_MS,
    prepare: (stage) => stage.fireAndHang(),
    perform: async (stage) => {
      stage.hurry();
      stage.cluster.kill('B');
      await stage.cluster.advance('4s');
      await stage.cluster.advance('3s');
    },
  },
  'a change of the number of items': {
    limitMs: 2_500,
    perform: ({ cluster }) => cluster.reconfigure({ shardingTotalCount: ITEMS / 2 }),
  },
  'the departure of an instance': { limitMs: 2_500, perform: ({ cluster }) => cluster.leave('B') },

  // Of operators, on the registry centre.
  'disabling an item': { perform: ({ cluster }) => new ShardingOperateAPI(cluster.operator).disable('job', 7) },
  'statistics of the items': {
    perform: ({ cluster }) => new ShardingStatisticsAPI(cluster.operator).getShardingInfo('job'),
  },
  'statistics of the jobs': { perform: ({ cluster }) => new JobStatisticsAPI(cluster.operator).getAllJobsBriefInfo() },
  'statistics of the servers': {
    perform: ({ cluster }) => new ServerStatisticsAPI(cluster.operator).getAllServersBriefInfo(),
  },
  'an explanation of the job': {
    perform: ({ cluster }) => new ExplanationAPI(cluster.operator, { clock: cluster.clock }).explain('job'),
  },
  'an explanation of an item': {
    prepare: ({ cluster }) => cluster.fire(),
    perform: ({ cluster }) =>
      new ExplanationAPI(cluster.operator, { clock: cluster.clock }).explain('job', 7, new Date(cluster.clock.now())),
  },
  'an examination by the doctor': {
    prepare: ({ cluster }) => cluster.fire(),
    perform: ({ cluster }) => new DoctorAPI(cluster.operator, { clock: cluster.clock }).examine(),
  },
  'the acceptance of a trigger of each second item': {
    limitMs: RUNS_MS,
    perform: ({ cluster }) =>
      new JobOperateAPI(cluster.operator, { clock: cluster.clock }).trigger('job', {
        items: Array.from({ length: ITEMS / 2 }, (_, index) => 2 * index),
      }),
  },
  'disabling the job': { perform: ({ cluster }) => new JobOperateAPI(cluster.operator).disable({ jobName: 'job' }) },
  'a dump': {
    perform: ({ cluster }) => new SnapshotService(cluster.operator, { port: 0 }).dumpJobDirectly('job'),
  },
  'removing the job': {
    limitMs: 2_000,
    names: ['A'],
    prepare: async ({ cluster }) => {
      await cluster.leave('A');
      await cluster.advance('1s');
    },
    perform: ({ cluster }) =>
      new JobConfigurationAPI(cluster.operator, { clock: cluster.clock }).removeJobConfiguration('job'),
  },
};

test.each(Object.entries(OPERATIONS))(
  '%s with 20,000 items stays within its limit of processor time',
  async (_name, { names, limitMs = LIMIT_MS, prepare, perform }) => {
    const ms = await leastProcessorMs(limitMs, async () => {
      await using stage = await Stage.start(names);
      await prepare?.(stage);
      return await processorMsOf(() => perform(stage));
    });

    expect(ms).toBeLessThan(limitMs);
  },
  TIMEOUT_MS,
);

test(
  'a test cluster runs 100,000 items',
  async () => {
    await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 100_000 } });

    await cluster.fire();

    expect(cluster.runs).toHaveLength(100_000);
  },
  TIMEOUT_MS,
);
