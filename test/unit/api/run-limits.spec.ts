/** How long an item may run, and how often it is tried again: options, and the properties that store them. */
import { describe, expect, test } from '@jest/globals';
import { type InvalidConfigurationError } from '../../../lib/api/errors/errors.js';
import { jobConfiguration } from '../../../lib/api/job/job-configuration.js';
import {
  runLimitConflict,
  runLimitProblems,
  runLimitProps,
  runLimitsOf,
  runPropertyKeyProblem,
} from '../../../lib/api/settings/run-limits.js';
import { english } from '../../support/english.js';

const faultsOf = (settings: object): readonly string[] => {
  try {
    jobConfiguration({ jobName: 'job', shardingTotalCount: 1, ...settings });
    return [];
  } catch (error) {
    return (error as InvalidConfigurationError).faults;
  }
};

test('the limits that are given are stored as properties', () => {
  expect(runLimitProps({})).toEqual({});
  expect(runLimitProps({ maxRetries: 0 })).toEqual({ 'run.maxRetries': '0' });
  expect(runLimitProps({ timeoutMilliseconds: 1, maxRetries: 2, retryBackoffMilliseconds: 3 })).toEqual({
    'run.timeoutMilliseconds': '1',
    'run.maxRetries': '2',
    'run.retryBackoffMilliseconds': '3',
  });
});

describe('the limits that properties set', () => {
  test('have defaults: no time limit, no retry, a second before the first one', () => {
    expect(runLimitsOf({ jobName: 'job', props: { other: '5' } })).toEqual({
      timeoutMs: undefined,
      maxRetries: 0,
      retryBackoffMs: 1000,
    });
  });

  test('are numbers, zero included', () => {
    const props = { 'run.timeoutMilliseconds': '1', 'run.maxRetries': '2', 'run.retryBackoffMilliseconds': '0' };

    expect(runLimitsOf({ jobName: 'job', props })).toEqual({ timeoutMs: 1, maxRetries: 2, retryBackoffMs: 0 });
  });

  test.each([
    ['run.timeoutMilliseconds', '1'],
    ['run.timeoutMilliseconds', '2147483647'],
    ['run.maxRetries', '0'],
    ['run.maxRetries', '100'],
    ['run.retryBackoffMilliseconds', '0'],
    ['run.retryBackoffMilliseconds', '86400000'],
  ])('may be at a bound: %s = %s', (property, value) => {
    expect(runLimitProblems({ [property]: value })).toEqual([]);
  });

  test.each([
    ['run.timeoutMilliseconds', '0', '1 to 2147483647'],
    ['run.timeoutMilliseconds', '2147483648', '1 to 2147483647'],
    ['run.maxRetries', '101', '0 to 100'],
    ['run.maxRetries', '-1', '0 to 100'],
    ['run.maxRetries', '5s', '0 to 100'],
    ['run.maxRetries', '', '0 to 100'],
    // JavaScript reads this one as 5, which Java would not.
    ['run.maxRetries', '000000000005', '0 to 100'],
    ['run.retryBackoffMilliseconds', '86400001', '0 to 86400000'],
  ])('are refused with the key, the bounds and the value: %s = %p', (property, value, bounds) => {
    const problem = `must be an integer from ${bounds}, got "${value}"`;

    expect(runLimitProblems({ [property]: value })).toEqual([{ property, problem }]);
    expect(() => runLimitsOf({ jobName: 'job', props: { [property]: value } })).toThrow(
      `elasticjob.jobs.job.props['${property}']: ${problem}`,
    );
  });
});

describe('an option of a job', () => {
  test('must be within the same bounds', () => {
    expect(faultsOf({ timeoutMilliseconds: 1, maxRetries: 100, retryBackoffMilliseconds: 0 })).toEqual([]);
    expect(faultsOf({ maxRetries: 101 })).toEqual([
      'elasticjob.jobs.job.maxRetries: must be an integer of at most 100, got 101',
    ]);
    expect(faultsOf({ timeoutMilliseconds: 0 })).toEqual([
      'elasticjob.jobs.job.timeoutMilliseconds: must be an integer of at least 1, got 0',
    ]);
  });

  test('must not differ from the property that stores it, nested or not', () => {
    const problem = 'must not differ from the property \'run.maxRetries\' of the same job, which is "3"';

    expect(english(runLimitConflict('maxRetries', 2, { 'run.maxRetries': '3' }))).toBe(problem);
    expect(faultsOf({ maxRetries: 2, props: { run: { maxRetries: 3 } } })).toEqual([
      `elasticjob.jobs.job.maxRetries: ${problem}, got 2`,
    ]);
  });

  test.each([[undefined], [{}], [{ 'run.maxRetries': 2 }], [{ 'run.timeoutMilliseconds': '3' }], ['no properties']])(
    'has no conflict with properties %p',
    (props) => {
      expect(english(runLimitConflict('maxRetries', 2, props))).toBeUndefined();
    },
  );
});

describe('a key of the properties that begins with run.', () => {
  test('must be a known one, since a misspelt limit would limit nothing', () => {
    expect(english(runPropertyKeyProblem(['a', 'run.limit']))).toBe(
      "must not have the key 'run.limit', which means nothing; known are: run.timeoutMilliseconds, run.maxRetries, " +
        'run.retryBackoffMilliseconds, run.worker, run.workerMemoryMegabytes',
    );
    expect(english(runPropertyKeyProblem(['runMaxRetries']))).toContain("did you mean 'run.maxRetries'?");
    expect(faultsOf({ props: { run: 5 } })).toHaveLength(1);
    expect(english(runPropertyKeyProblem(['run.maxRetrys']))).toBe(
      "must not have the key 'run.maxRetrys', which means nothing; did you mean 'run.maxRetries'?",
    );
    expect(faultsOf({ props: { 'run.tiemout': '5' } })).toHaveLength(1);
  });

  test('is known for each limit and for worker threads; other keys are not judged', () => {
    const known = ['run.timeoutMilliseconds', 'run.maxRetries', 'run.retryBackoffMilliseconds'];
    const others = ['run.worker', 'run.workerMemoryMegabytes', 'running', 'dry.run.'];

    expect(english(runPropertyKeyProblem([...known, ...others]))).toBeUndefined();
  });
});
