/** A cron expression that is named, and empty, is most likely an environment variable that is not set. */
import { expect, test } from '@jest/globals';
import { mergeSettings } from '../../../lib/settings/merge-settings.js';

interface Sources {
  readonly code?: readonly object[];
  readonly file?: object;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Warnings of an application whose job sync has a class and one item, and what the sources say of it. */
const warningsOf = ({ code = [], file, environment = {} }: Sources): readonly string[] =>
  mergeSettings({
    code: [{ jobs: { sync: { elasticJobType: 'HTTP', shardingTotalCount: 1 } } }, ...code],
    file,
    environment,
  })?.warnings ?? [];

const withCron = (cron: unknown): object => ({ jobs: { sync: { cron } } });

test.each<[Sources, string]>([
  [{ code: [withCron(undefined)] }, 'code names its cron, which is undefined'],
  [{ code: [withCron('')] }, 'code names its cron, which is empty'],
  [{ file: withCron('') }, 'the settings file names its cron, which is empty'],
  [{ file: withCron(null) }, 'the settings file names its cron, which is null'],
  [
    { environment: { ELASTICJOB_JOBS_SYNC_CRON: '' } },
    'environment variable ELASTICJOB_JOBS_SYNC_CRON names its cron, which is empty',
  ],
])('a warning tells of %j', (sources, said) => {
  expect(warningsOf(sources)).toEqual([
    expect.stringContaining(`Job 'sync' is a one-off job, which runs only when it is triggered: ${said}.`),
  ]);
});

test.each<[what: string, Sources]>([
  ['no source names cron', {}],
  ['a stronger source has a cron expression', { code: [withCron(undefined)], file: withCron('0 0 2 * * ?') }],
  ['a file takes the cron expression of code away', { code: [withCron('0 0 2 * * ?')], file: withCron('') }],
  ['other jobs are meant', { code: [{ jobs: { other: { elasticJobType: 'HTTP', cron: '0 0 2 * * ?' } } }] }],
])('there is none if %s', (_, sources) => {
  expect(warningsOf(sources)).toEqual([]);
});
