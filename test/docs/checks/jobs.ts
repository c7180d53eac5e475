import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect } from '@jest/globals';
import { type JobErrorHandler, type JobFailure } from '../../../lib/api/extensions/error-handler.js';
import { type ClassedJobItemExecutor } from '../../../lib/api/extensions/job-executor.js';
import { type DataflowJob } from '../../../lib/api/job/job.js';
import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';
import { type ShardingContexts } from '../../../lib/api/job/sharding-contexts.js';
import {
  AbstractDistributeOnceElasticJobListener,
  type ElasticJobListener,
} from '../../../lib/api/extensions/job-listener.js';
import { type ElasticJobModuleOptions } from '../../../lib/nest/settings/module-options.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { JobListener } from '../../../lib/nest/decorators/job-listener.decorator.js';
import { until } from '../../support/until.js';
import { running } from '../application.js';
import { type Check, type Checks, codeIn } from '../page.js';

/** The calls of a firing in order, with their arguments. */
interface Told {
  readonly calls: string[];
  readonly contexts: ShardingContext[];
  readonly listened: ShardingContexts[];
}

/** Fires a one-off job of two items once that has listeners of both kinds. */
async function fired(): Promise<Told> {
  const told: Told = { calls: [], contexts: [], listened: [] };
  const note = (call: string, contexts: ShardingContexts): void => {
    told.calls.push(call);
    told.listened.push(contexts);
  };

  @JobListener('STOPWATCH')
  class Stopwatch implements ElasticJobListener {
    order = (): number => 1;
    async beforeJobExecuted(contexts: ShardingContexts): Promise<void> {
      await Promise.resolve();
      note('beforeJobExecuted', contexts);
    }
    async afterJobExecuted(contexts: ShardingContexts): Promise<void> {
      await Promise.resolve();
      note('afterJobExecuted', contexts);
    }
  }
  @JobListener('Books')
  class Books extends AbstractDistributeOnceElasticJobListener {
    constructor() {
      super(5_000, 6_000);
    }
    doBeforeJobExecutedAtLastStarted(contexts: ShardingContexts): void {
      note('doBeforeJobExecutedAtLastStarted', contexts);
    }
    doAfterJobExecutedAtLastCompleted(contexts: ShardingContexts): void {
      note('doAfterJobExecutedAtLastCompleted', contexts);
    }
  }
  @ElasticJob('syncOrders', {
    shardingTotalCount: 2,
    shardingItemParameters: '0=Beijing',
    jobListenerTypes: ['BOOKS', 'stopwatch'],
  })
  class Job {
    async execute(context: ShardingContext): Promise<void> {
      await Promise.resolve();
      told.calls.push('execute');
      told.contexts.push(context);
    }
  }
  await using app = await running({ providers: [Stopwatch, Books, Job] });
  await app.app.get(JobBootstraps).oneOff('syncOrders').execute();
  await until(() => told.calls.length === 6, 'the firing to end');
  return told;
}

/** The field that the row names has Java's value. */
const contextField =
  (value: unknown): Check =>
  async (row) => {
    const { contexts } = await fired();
    const first = contexts.find(({ shardingItem }) => shardingItem === 0);
    const name = fieldIn(codeIn(row, 'Here'), row.java, 'ShardingContext');

    expect(first?.[name as keyof ShardingContext]).toEqual(value);
    if (name === 'shardingParameter') expect(contexts.map((one) => one.shardingParameter)).toContain(undefined);
  };

const listenedField =
  (value: unknown): Check =>
  async (row) => {
    const { listened } = await fired();
    const name = fieldIn(codeIn(row, 'Here'), row.java, 'ShardingContexts');

    expect(listened).toHaveLength(4);
    for (const contexts of listened) expect(contexts[name as keyof ShardingContexts]).toEqual(value);
  };

/** The field's name in our cell, which is that of Java's getter. */
function fieldIn(code: string, java: string, type: string): string {
  const name = code.slice(code.indexOf('.') + 1);
  expect(java.toLowerCase()).toMatch(new RegExp(`^${type.toLowerCase()}\\.(get|is)${name.toLowerCase()}\\(\\)$`));
  return name;
}

const TASK_ID = expect.stringMatching(/^syncOrders@-@0,1@-@READY@-@[\d.]+@-@[^@]+$/);

const runs: Check = async () => {
  expect((await fired()).contexts).toHaveLength(2);
};

/** Checks of the kinds of jobs. */
export const kindChecks: Checks = {
  SimpleJob: runs,
  DataflowJob: async () => {
    @ElasticJob('drain', { shardingTotalCount: 1, props: { 'streaming.process': 'true' } })
    class DrainJob implements DataflowJob<number> {
      readonly done: number[][] = [];
      fetchData = (): number[] => (this.done.length < 2 ? [1, 2] : []);
      processData(_context: ShardingContext, data: readonly number[]): void {
        this.done.push([...data]);
      }
    }
    await using app = await running({ providers: [DrainJob] });

    await app.app.get(JobBootstraps).oneOff('drain').execute();
    await until(() => app.app.get(DrainJob).done.length === 2, 'both batches');

    expect(app.app.get(DrainJob).done).toEqual([
      [1, 2],
      [1, 2],
    ]);
  },
  SCRIPT: async () => {
    const lines: string[] = [];
    const note = (line: string): void => void lines.push(line);
    const logger = { debug: note, log: note, warn: note, error: note };
    const props = { 'script.command.line': 'echo hello' };
    const jobs = { syncOrders: { elasticJobType: 'SCRIPT', shardingTotalCount: 1, props } };
    await using app = await running({ options: { jobs, logger } });

    await app.app.get(JobBootstraps).oneOff('syncOrders').execute();
    const hello = /^Job 'syncOrders': item 0: hello \{"jobName":"syncOrders",/;
    await until(() => lines.some((line) => hello.test(line)), 'the output of the script');
  },
  HTTP: async () => {
    const requests: unknown[] = [];
    const server = createServer((request, response) => {
      requests.push([request.method, JSON.parse(String(request.headers['shardingcontext']))]);
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const props = { 'http.uri': `http://127.0.0.1:${port}/`, 'http.method': 'POST', 'http.failOnErrorStatus': 'true' };
    const jobs = { syncOrders: { elasticJobType: 'HTTP', shardingTotalCount: 1, jobErrorHandlerType: 'NOTE', props } };
    const failures: unknown[] = [];
    const note = { type: 'NOTE', handleException: ({ cause }: JobFailure): unknown => failures.push(cause) };
    await using app = await running({ options: { jobs, errorHandlers: [note as JobErrorHandler] } });

    await app.app.get(JobBootstraps).oneOff('syncOrders').execute();
    await until(() => failures.length === 1, 'the item to fail');
    server.close();

    expect(requests).toEqual([['POST', expect.objectContaining({ jobName: 'syncOrders', shardingItem: 0 })]]);
    expect(failures).toEqual([expect.objectContaining({ code: 'JOB_EXECUTION' })]);
  },
  TypedJobItemExecutor: async () => {
    const printed: unknown[] = [];
    const options: ElasticJobModuleOptions = {
      executors: [
        { type: 'PRINT', process: ({ props }, { shardingItem }) => void printed.push([props['a'], shardingItem]) },
      ],
      jobs: { printer: { elasticJobType: 'print', shardingTotalCount: 1, props: { a: 'b' } } },
    };
    await using app = await running({ options });

    await app.app.get(JobBootstraps).oneOff('printer').execute();
    await until(() => printed.length === 1, 'the item to be printed');

    expect(printed).toEqual([['b', 0]]);
  },
  ClassedJobItemExecutor: async () => {
    @ElasticJob<object>('climb', { shardingTotalCount: 2 })
    class ClimbJob {
      readonly steps: number[] = [];
      step = (item: number): void => void this.steps.push(item);
    }
    const stepwise: ClassedJobItemExecutor<ClimbJob> = {
      requirement: 'a method step(item)',
      accepts: (candidate): candidate is ClimbJob => 'step' in candidate,
      process: (job, _configuration, { shardingItem }) => job.step(shardingItem),
    };
    await using app = await running({ options: { classedExecutors: [stepwise] }, providers: [ClimbJob] });

    await app.app.get(JobBootstraps).oneOff('climb').execute();
    await until(() => app.app.get(ClimbJob).steps.length === 2, 'both items to run');

    expect(app.app.get(ClimbJob).steps).toEqual([0, 1]);
  },
  'ShardingContext.getJobName()': contextField('syncOrders'),
  'ShardingContext.getTaskId()': contextField(TASK_ID),
  'ShardingContext.getShardingTotalCount()': contextField(2),
  'ShardingContext.getJobParameter()': contextField(''),
  'ShardingContext.getShardingItem()': contextField(0),
  'ShardingContext.getShardingParameter()': contextField('Beijing'),
};

const ORDER = [
  'beforeJobExecuted',
  'doBeforeJobExecutedAtLastStarted',
  'execute',
  'execute',
  'afterJobExecuted',
  'doAfterJobExecutedAtLastCompleted',
];

/** The listeners that the row names are called, in their order. */
const called: Check = async () => {
  expect((await fired()).calls).toEqual(ORDER);
};

/** Checks of listeners. */
export const listenerChecks: Checks = {
  ElasticJobListener: called,
  'beforeJobExecuted(contexts)': called,
  'afterJobExecuted(contexts)': called,
  'order()': called,
  'getType()': called,
  AbstractDistributeOnceElasticJobListener: called,
  'doBeforeJobExecutedAtLastStarted(contexts)': called,
  'doAfterJobExecutedAtLastCompleted(contexts)': called,
  'ShardingContexts.getJobName()': listenedField('syncOrders'),
  'ShardingContexts.getTaskId()': listenedField(TASK_ID),
  'ShardingContexts.getShardingTotalCount()': listenedField(2),
  'ShardingContexts.getJobParameter()': listenedField(''),
  'ShardingContexts.getShardingItemParameters()': listenedField(
    new Map([
      [0, 'Beijing'],
      [1, undefined],
    ]),
  ),
  'ShardingContexts.getJobEventSamplingCount()': listenedField(0),
  'ShardingContexts.getCurrentJobEventSamplingCount()': listenedField(0),
  'ShardingContexts.isAllowSendJobEvent()': listenedField(true),
};
