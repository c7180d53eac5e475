/**
 * Wrong arguments of the operations, as JavaScript and JSON may have them: each is refused with what would be right,
 * and nothing happens.
 */
import { expect, test } from '@jest/globals';
import { ExplanationAPI } from '../../../lib/operations/explanation-api.js';
import { JobStatisticsAPI } from '../../../lib/operations/job-statistics-api.js';
import { TestCluster } from '../../../lib/testing/test-cluster.js';
import { operationsOn } from './stage.js';

const NAME = "jobName: the job's name must be a text that is not empty, got ";
const UNKNOWN = "There is no job 'nope' in /elasticjob of the registry centre; known are: job.";
const NO_ITEMS = "Job 'job' was not triggered: items must be a list of at least one item, such as [0, 3], got ";

const ROWS: readonly (readonly [api: string, operation: string, args: readonly unknown[], said: string])[] = [
  ['jobs', 'trigger', [], `${NAME}undefined`],
  ['jobs', 'trigger', [5], `${NAME}5`],
  ['jobs', 'trigger', [['job']], `${NAME}["job"]`],
  ['jobs', 'trigger', [{ jobName: 'job' }], `${NAME}keys with values`],
  ['jobs', 'trigger', ['job '], "jobName: the job's name must not begin or end with a space"],
  ['jobs', 'trigger', ['nope'], UNKNOWN],
  ['jobs', 'trigger', ['job', { items: [] }], `${NO_ITEMS}[]`],
  ['jobs', 'trigger', ['job', { items: ['0'] }], `${NO_ITEMS}["0"]`],
  ['jobs', 'trigger', ['job', { items: '0-1' }], `${NO_ITEMS}"0-1"`],
  ['jobs', 'trigger', ['job', { items: [99] }], 'it has no item 99; its items are 0 to 1'],
  ['jobs', 'trigger', ['job', { item: 0 }], "JobOperateAPI.trigger(): unknown option 'item'; did you mean 'items'?"],
  ['jobs', 'trigger', ['job', { jobParameter: 5 }], 'jobParameter must be a text'],
  ['jobs', 'trigger', ['job', null], 'JobOperateAPI.trigger(): the options must be a plain object, got null'],
  ['jobs', 'trigger', ['job', '9.9.9.9'], 'no instance of it lives on a server 9.9.9.9; known are: '],
  ['jobs', 'trigger', ['job', { by: 5 }], 'JobOperateAPI.trigger(): by must be a text that is not empty'],
  ['jobs', 'trigger', ['job', { acceptTimeoutMs: -1 }], 'acceptTimeoutMs must be a number of milliseconds, 0 or more'],
  [
    'jobs',
    'disable',
    [],
    'JobOperateAPI.disable(): the options must be a plain object, got undefined; write { jobName: ',
  ],
  ['jobs', 'disable', ['job'], 'JobOperateAPI.disable(): got "job"; write { jobName: "job" }'],
  ['jobs', 'disable', [[]], 'JobOperateAPI.disable(): the options must be a plain object, got []'],
  ['jobs', 'disable', [{}], 'At least indicate jobName or serverIp.'],
  ['jobs', 'disable', [{ jobName: 'job', item: 0 }], "JobOperateAPI.disable(): unknown option 'item'; known are: "],
  ['jobs', 'disable', [{ jobName: 'nope' }], UNKNOWN],
  ['jobs', 'disable', [{ serverIp: 'x' }], 'No job in /elasticjob has a server x; known are: '],
  ['jobs', 'disable', [{ jobName: '', serverIp: '' }], 'serverIp must be the address of a server, got ""'],
  ['jobs', 'disable', [{ jobName: 'job', reason: 5 }], 'JobOperateAPI.disable(): reason must be a text, got 5'],
  ['jobs', 'enable', [null], 'JobOperateAPI.enable(): the options must be a plain object, got null'],
  ['jobs', 'enable', [{ jobname: 'job' }], "unknown option 'jobname'; did you mean 'jobName'?"],
  ['jobs', 'shutdown', [{ jobName: 'job', serverIp: '9.9.9.9' }], 'has a server 9.9.9.9; known are: '],
  ['jobs', 'shutdown', [{ job: 'job' }], "JobOperateAPI.shutdown(): unknown option 'job'"],
  ['jobs', 'remove', [{ jobName: ['job'] }], `${NAME}["job"]`],
  ['jobs', 'pruneServers', ['job'], 'JobOperateAPI.pruneServers(): the options must be a plain object, got "job"'],
  ['jobs', 'pruneServers', [{ dryrun: true }], "unknown option 'dryrun'; did you mean 'dryRun'?"],
  [
    'jobs',
    'pruneServers',
    [{ dryRun: 'yes' }],
    'JobOperateAPI.pruneServers(): dryRun must be true or false, got "yes"',
  ],
  ['configurations', 'getJobConfiguration', [], `${NAME}undefined`],
  ['configurations', 'getJobConfiguration', ['nope'], UNKNOWN],
  ['configurations', 'updateJobConfiguration', [], 'needs a configuration, got undefined; take the one that'],
  ['configurations', 'updateJobConfiguration', ['job'], 'needs a configuration, got a string that is not shown'],
  ['configurations', 'updateJobConfiguration', [{ jobName: 'job' }], 'job.shardingTotalCount: is required'],
  [
    'configurations',
    'updateJobConfiguration',
    [{ jobName: 'job', shardingTotalCount: 2, krone: 'x' }],
    "elasticjob.jobs.job.krone: unknown key; did you mean 'cron'?",
  ],
  ['configurations', 'removeJobConfiguration', [], `${NAME}undefined`],
  ['items', 'disable', [], 'item must be the number of an item, got undefined'],
  ['items', 'disable', ['job', 99], "Job 'job' has items 0 to 1, got 99."],
  ['items', 'enable', ['job', -1], 'item must be the number of an item, got -1'],
  ['statistics', 'getJobBriefInfo', [], `${NAME}undefined`],
  ['statistics', 'getJobsBriefInfo', [5], 'ip must be the address of a server, got 5'],
  ['explanations', 'explain', [], `${NAME}undefined`],
  ['explanations', 'explain', ['job', '0'], 'item must be the number of an item, got "0"'],
  ['explanations', 'explain', ['job', 0, 'yesterday'], 'instant must be a Date, such as new Date('],
  ['explanations', 'explain', ['job', 0, new Date(Number.NaN)], 'instant must be a date, got an invalid one'],
];

test('each wrong argument of an operation is refused with what would be right, and changes nothing', async () => {
  await using cluster = await TestCluster.start(['A']);
  const apis = {
    ...operationsOn(cluster),
    statistics: new JobStatisticsAPI(cluster.operator),
    explanations: new ExplanationAPI(cluster.operator),
  } as unknown as Readonly<Record<string, Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>>>;
  const before = new Map(cluster.tree);

  for (const [api, operation, args, said] of ROWS) {
    // One after the other, so that a change names its row.
    const answer = await Promise.resolve()
      .then(() => apis[api]![operation]!(...args))
      .then(
        () => 'accepted',
        (error: unknown) => (error as Error).message,
      );
    expect({ api, operation, args, answer }).toEqual({ api, operation, args, answer: expect.stringContaining(said) });
    expect(new Map(cluster.tree)).toEqual(before);
  }
});
