/** The jobs after which a job runs, as settings. */
import { describe, expect, test } from '@jest/globals';
import { InvalidConfigurationError } from '../../../lib/api/errors/errors.js';
import { doubtsAbout } from '../../../lib/api/job/doubtful-settings.js';
import { jobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type JobOptions } from '../../../lib/api/job/job-options.js';
import { dependenciesOf, graphNameOf, graphTimeoutOf } from '../../../lib/api/settings/dependencies.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { inEnglish } from '../../../lib/wording/wording.js';

const job = (options: JobOptions) => jobConfiguration({ jobName: 'report', shardingTotalCount: 1, ...options });

function faultsOf(options: object): readonly string[] {
  try {
    job(options);
    return [];
  } catch (error) {
    if (error instanceof InvalidConfigurationError) return error.faults;
    throw error;
  }
}

describe('after', () => {
  test.each<[given: string | readonly string[], stored: string]>([
    ['importA', 'importA'],
    ['importA, importB', 'importA,importB'],
    [['importA', 'importB', 'importA'], 'importA,importB'],
    [['of A, B', 'importC'], '["of A, B","importC"]'],
  ])('%j is stored as %s', (after, stored) => {
    expect(job({ after }).props).toEqual({ 'graph.after': stored });
  });

  test('is read back, with the rules by which the job follows the others', () => {
    const rules = { afterItems: 'same', afterMatch: 'latest', afterFailure: 'skip', afterRounds: 'every' } as const;

    expect(dependenciesOf(job({ after: ['of A, B', 'importC'], ...rules }))).toEqual({
      ...{ after: ['of A, B', 'importC'], items: 'same', match: 'latest', failure: 'skip', rounds: 'every' },
    });
    expect(dependenciesOf(job({ after: 'importA' }))).toEqual({
      ...{ after: ['importA'], items: 'all', match: 'same', failure: 'stop', rounds: 'latest' },
    });
  });

  test.each([[''], [[]], [undefined]])('that is %j counts as not set, beside a cron expression', (after) => {
    expect(job({ ...(after !== undefined && { after }), afterItems: '' as never, cron: '0 0 2 * * ?' }).props).toEqual(
      {},
    );
  });

  test.each([
    [5, "must be names of jobs such as 'importA' or ['importA', 'importB'], got 5"],
    [['a', 5], "must be names of jobs such as 'importA' or ['importA', 'importB'], got [\"a\",5]"],
    ['a,,b', "must be names of jobs such as 'importA' or ['importA', 'importB'], got \"a,,b\""],
    [['a/b'], "the job's name must not contain '/', as it names a node of the registry centre, got [\"a/b\"]"],
    [[''], 'the job\'s name must be a text that is not empty, got [""]'],
  ])('%j is refused', (after, problem) => {
    expect(faultsOf({ after })).toEqual([`elasticjob.jobs.report.after: ${problem}`]);
  });

  test('is refused beside a cron expression, whichever way it is given', () => {
    const why = 'a job fires either by a schedule or after other jobs, so leave one of them out';

    expect(faultsOf({ after: 'importA', cron: '0 0 2 * * ?' })).toEqual([
      `elasticjob.jobs.report.after: must not be given beside cron, which is '0 0 2 * * ?': ${why}, got "importA"`,
    ]);
    expect(faultsOf({ props: { 'graph.after': 'importA' }, cron: '0 0 2 * * ?' })).toEqual([
      "elasticjob.jobs.report.props: must not have the key 'graph.after' beside cron, which is '0 0 2 * * ?': " +
        `${why}, got keys with values`,
    ]);
    expect(faultsOf({ props: { 'graph.after': '' }, cron: '0 0 2 * * ?' })).toEqual([]);
  });

  test('must not differ from the property that stores it', () => {
    const props = { graph: { after: 'importA', afterItems: 'same' } };

    expect(faultsOf({ after: 'importA', afterItems: 'same', props })).toEqual([]);
    expect(faultsOf({ after: 'importB', afterItems: 'all', props })).toEqual([
      'elasticjob.jobs.report.after: must not differ from the property \'graph.after\' of the same job, which is "importA", got "importB"',
      'elasticjob.jobs.report.afterItems: must not differ from the property \'graph.afterItems\' of the same job, which is "same", got "all"',
    ]);
  });
});

test.each([
  ['afterItems', 'all, same'],
  ['afterMatch', 'same, latest'],
  ['afterFailure', 'stop, run, skip'],
  ['afterRounds', 'latest, every'],
])('%s is one of %s', (option, words) => {
  for (const word of words.split(', '))
    expect(job({ after: 'a', [option]: word }).props).toMatchObject({ [`graph.${option}`]: word });
  expect(faultsOf({ after: 'a', [option]: 'sometimes' })).toEqual([
    `elasticjob.jobs.report.${option}: must be one of ${words}, got "sometimes"`,
  ]);
});

describe('a key of the properties that begins with graph.', () => {
  test('must be a known one, since the job would not run after any other', () => {
    expect(faultsOf({ props: { 'graph.afterItem': 'same' } })).toEqual([
      "elasticjob.jobs.report.props: must not have the key 'graph.afterItem', which means nothing; " +
        "did you mean 'graph.afterItems'?, got keys with values",
    ]);
    expect(faultsOf({ props: { graphs: 'x', 'graphite.host': 'y' } })).toEqual([]);
  });

  test('and is unknown is a doubt in stored settings', () => {
    expect(doubts({ ...job({}), props: { 'graph.afer': 'a' } })).toEqual([
      "the property 'graph.afer' means nothing to this version; did you mean 'graph.after'?",
    ]);
  });
});

test('rules without after, and a time zone without cron, have no effect', () => {
  expect(doubts(job({ afterItems: 'same', afterRounds: 'every' }))).toEqual([
    'afterItems has no effect without after, which names the jobs after which the job runs',
    'afterRounds has no effect without after, which names the jobs after which the job runs',
  ]);
  expect(doubts(job({ after: 'a', afterItems: 'same', timeZone: 'GMT' }))).toEqual([
    'timeZone has no effect without cron: the job runs after other jobs, for the instants of their rounds',
  ]);
});

function doubts(settings: ReturnType<typeof job>): readonly string[] {
  return doubtsAbout(settings, new ManualClock()).map(inEnglish);
}

describe('the graph', () => {
  test('has a name and a time limit, which are stored as properties', () => {
    const { props } = job({ graph: 'nightly', graphTimeoutMilliseconds: 60_000 });

    expect(props).toEqual({ 'graph.name': 'nightly', 'graph.timeoutMilliseconds': '60000' });
    expect([graphNameOf({ props }), graphTimeoutOf({ props })]).toEqual(['nightly', 60_000]);
    expect(job({ graph: '' }).props).toEqual({});
  });

  test.each<[settings: object, problem: RegExp]>([
    [{ graph: 'a/b' }, /graph: the job's name must not contain '\/'/],
    [{ graphTimeoutMilliseconds: 0 }, /graphTimeoutMilliseconds: must be an integer of at least 1/],
    [{ graph: 'nightly', props: { 'graph.name': 'daily' } }, /graph/],
    [{ graphTimeoutMilliseconds: 5, props: { 'graph.timeoutMilliseconds': '6' } }, /graphTimeoutMilliseconds/],
  ])('%j is refused', (settings, problem) => {
    expect(faultsOf(settings).join()).toMatch(problem);
  });
});
