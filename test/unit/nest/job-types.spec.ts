/**
 * The kinds of jobs in a Nest application: providers with the methods of a dataflow job, and jobs that have only a
 * type.
 */
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import {
  ElasticJob,
  EmbeddedRegistryCenter,
  JobBootstraps,
  type RunningJob,
  type TypedJobItemExecutor,
} from '../../../lib/index.js';
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
  @ElasticJob<object>('drain', { shardingTotalCount: 1, props: { streaming: { process: 'maybe' } } })
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

test('an executor logs in the name of the job and the item, and sees its settings of now', async () => {
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
  expect(entries.filter((entry) => entry.includes('seen'))).toEqual([`Job 'look': item 0: seen`]);
});

test('a job of the type SCRIPT needs no class: settings alone define it, and Java peers find its type as its class', async () => {
  const entries: string[] = [];
  const note = (message: string): void => void entries.push(message);
  const logger = { debug: note, log: note, warn: note, error: note };
  const props = { script: { command: { line: `sh -c 'echo "$1"; exit "$0"' 0` } } };
  const jobs = { greet: { elasticJobType: 'SCRIPT', shardingTotalCount: 1, shardingItemParameters: '0=北京', props } };
  const registryCenter = new EmbeddedRegistryCenter({ namespace: 'script-jobs' });
  await using app = await started({ imports: [elasticJob({ jobs, logger, registryCenter })] });

  await app.get(JobBootstraps).oneOff('greet').execute();
  await until(() => entries.some((entry) => entry.includes('item 0:')), 'the output of the script');

  const said = entries.find((entry) => entry.includes('item 0:')) ?? '';
  expect(JSON.parse(said.replace("Job 'greet': item 0: ", ''))).toEqual({
    jobName: 'greet',
    taskId: expect.stringMatching(/^greet@-@0@-@READY@-@/),
    shardingTotalCount: 1,
    jobParameter: '',
    shardingItem: 0,
    shardingParameter: '北京',
  });
  expect(await registryCenter.get('/greet')).toBe('SCRIPT');
  expect(await registryCenter.get('/greet/config')).toContain('script.command.line:');
});

test('a script without a command is refused at start, with what Java says when it fires', async () => {
  const jobs = { greet: { elasticJobType: 'script', shardingTotalCount: 1 } };

  expect(await refusalOf({ imports: [elasticJob({ jobs })] })).toEqual([
    `elasticjob.jobs.greet.props['script.command.line']: Cannot find script command line, job is not executed: ` +
      'must be a command such as "python3 /opt/jobs/sync.py", got nothing',
  ]);
});

test('a job of the type HTTP needs no class either', async () => {
  const received: unknown[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    received.push([method, url, JSON.parse(String(headers['shardingcontext']))]);
    response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const props = { http: { uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sync`, method: 'PUT' } };
  const jobs = { call: { elasticJobType: 'HTTP', shardingTotalCount: 2, jobParameter: '北京', props } };
  const registryCenter = new EmbeddedRegistryCenter({ namespace: 'http-jobs' });
  await using app = await started({ imports: [elasticJob({ jobs, registryCenter })] });

  await app.get(JobBootstraps).oneOff('call').execute();
  await until(() => received.length === 2, 'both requests');
  server.close();

  for (const shardingItem of [0, 1])
    expect(received).toContainEqual(['PUT', '/sync', expect.objectContaining({ shardingItem, jobParameter: '北京' })]);
  expect(await registryCenter.get('/call')).toBe('HTTP');
});

test('an HTTP job without address and method is refused at start', async () => {
  const jobs = { call: { elasticJobType: 'HTTP', shardingTotalCount: 1 } };

  expect(await refusalOf({ imports: [elasticJob({ jobs })] })).toEqual([
    expect.stringMatching(/^elasticjob\.jobs\.call\.props\['http\.uri'\]: Cannot find HTTP URL, job is not executed: /),
    expect.stringMatching(/^elasticjob\.jobs\.call\.props\['http\.method'\]: Cannot find HTTP method, job is not /),
  ]);
});
