import { describe, expect, test } from '@jest/globals';
import { type ClassedJobItemExecutor } from '../../../lib/api/extensions/job-executor.js';
import { type ItemInterceptor, type RunEvent } from '../../../lib/api/events/run-events.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { type ElasticJobModuleOptions } from '../../../lib/nest/settings/module-options.js';
import { until } from '../../support/until.js';
import { elasticJob, refusalOf, started } from './application.js';

@ElasticJob('bill', { shardingTotalCount: 1 })
class BillJob {
  static readonly calls: string[] = [];
  execute(): void {
    BillJob.calls.push('bill');
  }
}

/** A kind of job that has another method than `execute`. */
interface Stepwise {
  step(item: number): void;
}

@ElasticJob<object>('climb', { shardingTotalCount: 2 })
class ClimbJob implements Stepwise {
  readonly steps: number[] = [];
  step(item: number): void {
    this.steps.push(item);
  }
}

const stepwise: ClassedJobItemExecutor<Stepwise> = {
  requirement: 'a method step(item)',
  accepts: (candidate): candidate is Stepwise => 'step' in candidate,
  process: (job, _configuration, { shardingItem }) => job.step(shardingItem),
};

/** Runs the job of one item once, and resolves when the run has ended. */
async function eventsOf(options: ElasticJobModuleOptions): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const observers = [{ onRunEvent: (event: RunEvent) => void events.push(event) }];
  await using app = await started({ imports: [elasticJob({ ...options, observers })], providers: [BillJob] });
  await app.get(JobBootstraps).oneOff('bill').execute();
  await until(() => events.some(({ type }) => type === 'run-ended'), 'the run to end');
  return events;
}

test('an observer of forRoot() sees a run of a job from its beginning to its outcome', async () => {
  const events = await eventsOf({});

  expect(events.map(({ type }) => type)).toEqual(['staged', 'items-begun', 'item-started', 'item-ended', 'run-ended']);
  expect(events.at(-1)).toMatchObject({
    run: { jobName: 'bill', cause: 'manual' },
    outcome: { type: 'completed', succeeded: 1, failed: 0, aborted: 0, timedOut: 0 },
  });
});

describe('interceptors of forRoot()', () => {
  test('wrap the call of the job, the first one outermost', async () => {
    BillJob.calls.length = 0;
    const around = (name: string): ItemInterceptor => ({
      async around({ shardingItem }, next) {
        BillJob.calls.push(`${name} before ${shardingItem}`);
        await next();
        BillJob.calls.push(`${name} after ${shardingItem}`);
      },
    });

    await eventsOf({ interceptors: [around('outer'), around('inner')] });

    expect(BillJob.calls).toEqual(['outer before 0', 'inner before 0', 'bill', 'inner after 0', 'outer after 0']);
  });

  test('fail the item by what they throw', async () => {
    const cause = new Error('the circuit is open');
    const events = await eventsOf({ interceptors: [{ around: () => Promise.reject(cause) }] });

    expect(events.find(({ type }) => type === 'item-ended')).toMatchObject({ outcome: { type: 'failed', cause } });
  });
});

describe('a provider of another kind than SimpleJob', () => {
  test('is run by the executor of forRoot() that accepts it', async () => {
    const imports = [elasticJob({ classedExecutors: [stepwise] })];
    await using app = await started({ imports, providers: [ClimbJob] });
    const { steps } = app.get(ClimbJob);

    await app.get(JobBootstraps).oneOff('climb').execute();
    await until(() => steps.length === 2, 'both items to run');

    expect(steps).toEqual([0, 1]);
  });

  test('is refused if no executor accepts it, with what each of them requires', async () => {
    @ElasticJob<object>('idle', { shardingTotalCount: 1 })
    class IdleJob {}

    expect(await refusalOf({ imports: [elasticJob({ classedExecutors: [stepwise] })], providers: [IdleJob] })).toEqual([
      'elasticjob.jobs.idle: provider IdleJob of RootTestModule cannot be a job: it has no method execute(context), ' +
        'which SimpleJob requires, nor methods fetchData(context) and processData(context, data), which DataflowJob requires, nor a method step(item)',
    ]);
  });
});
