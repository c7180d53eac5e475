/** The kinds of jobs in a Nest application: providers with the methods of a dataflow job, and jobs that have only a type. */
import { expect, test } from '@jest/globals';
import { ElasticJob, JobBootstraps, type RunningJob, type TypedJobItemExecutor } from '../../../lib/index.js';
import { until } from '../../support/until.js';
import { elasticJob, refusalOf, started } from './application.js';

test('a provider with fetchData and processData is a dataflow job', async () => {
  @ElasticJob('drain', { shardingTotalCount: 1, props: { 'streaming.process': true } })
  class DrainJob {
    readonly queue = [1, 2, 3];
    readonly done: number[] = [];
    fetchData = (): readonly number[] => this.queue.splice(0, 2);
    processData(_: unknown, data: readonly number[]): void {
      this.done.push(...data);
    }
  }
  await using app = await started({ imports: [elasticJob()], providers: [DrainJob] });

  await app.get(JobBootstraps).oneOff('drain').execute();
  await until(() => app.get(DrainJob).done.length === 3, 'the queue to be drained');

  expect(app.get(DrainJob).done).toEqual([1, 2, 3]);
});

test('its properties are checked at start, and an executor of your own may check those of its type', async () => {
  @ElasticJob('drain', { shardingTotalCount: 1, props: { streaming: { process: 'maybe' } } })
  class DrainJob {
    fetchData(): void {}
    processData(): void {}
  }
  const sql: TypedJobItemExecutor = {
    type: 'SQL',
    process: () => undefined,
    validate: ({ props }) =>
      'sql.statement' in props ? [] : [{ property: 'sql.statement', problem: 'must be a statement, got undefined' }],
  };
  const jobs = { cleanUp: { elasticJobType: 'sql', shardingTotalCount: 1 } };

  expect(await refusalOf({ imports: [elasticJob({ executors: [sql], jobs })], providers: [DrainJob] })).toEqual([
    `elasticjob.jobs.drain.props['streaming.process']: must be true or false, got "maybe"`,
    `elasticjob.jobs.cleanUp.props['sql.statement']: must be a statement, got undefined`,
  ]);
});

test('an executor logs in the name of the job, and sees its settings of now', async () => {
  const seen: RunningJob[] = [];
  const entries: string[] = [];
  const write = (message: string): void => void entries.push(message);
  const peek: TypedJobItemExecutor = {
    type: 'PEEK',
    process: (_configuration, _context, job) => {
      job.logger.warn('seen');
      seen.push(job);
    },
  };
  const jobs = { look: { elasticJobType: 'PEEK', shardingTotalCount: 1, jobParameter: 'now' } };
  const logger = { debug: () => undefined, log: () => undefined, warn: write, error: write };
  await using app = await started({ imports: [elasticJob({ executors: [peek], jobs, logger })] });

  await app.get(JobBootstraps).oneOff('look').execute();
  await until(() => seen.length === 1, 'the item to run');

  expect(seen[0]?.configuration).toMatchObject({ jobName: 'look', jobParameter: 'now' });
  expect(entries.filter((entry) => entry.includes('seen'))).toEqual([`Job 'look': seen`]);
});
