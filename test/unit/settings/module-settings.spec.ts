/** Settings that only code can give, beside texts and numbers: extensions, the logger, the registry centre. */
import { describe, expect, test } from '@jest/globals';
import { settingProblems } from '../../../lib/api/settings/setting.js';
import { ElasticJobSettings } from '../../../lib/settings/module-settings.js';

const problemOf = (settings: object): string | undefined => {
  const [found, another] = settingProblems(Object.assign(new ElasticJobSettings(), settings));
  expect(another).toBeUndefined();
  return found?.problem;
};

const call = (): undefined => undefined;

describe('extensions with a type', () => {
  test.each([
    ['strategies', 'sharding'],
    ['executors', 'process'],
    ['errorHandlers', 'handleException'],
    ['threadPoolSizeProviders', 'getSize'],
  ])('%s are accepted if each has a type of its own and %s()', (setting, method) => {
    const extension = (type: unknown): object => ({ type, [method]: call });
    const demand = `must be a list of objects with a 'type' and ${method}()`;

    expect(problemOf({ [setting]: [] })).toBeUndefined();
    expect(problemOf({ [setting]: [extension('A'), extension('B')] })).toBeUndefined();
    expect(problemOf({ [setting]: extension('A') })).toBe(`${demand}, got keys with values`);
    for (const wrong of [extension(' '), extension(5), { type: 'A' }, null])
      expect(problemOf({ [setting]: [extension('A'), wrong] })).toContain(demand);
    expect(problemOf({ [setting]: [extension('a'), extension('B'), extension('A')] })).toBe(
      'must not have the type "A" twice; case does not count, got [keys with values,keys with values,keys with values]',
    );
  });
});

describe('extensions without a type', () => {
  test.each([
    ['observers', 'onRunEvent'],
    ['interceptors', 'around'],
  ])('%s are accepted if each has %s()', (setting, method) => {
    expect(problemOf({ [setting]: [{ [method]: call }] })).toBeUndefined();
    expect(problemOf({ [setting]: { [method]: call } })).toContain(`must be a list of objects with ${method}()`);
    expect(problemOf({ [setting]: [{ [method]: call }, { [method]: 5 }] })).toContain(`objects with ${method}()`);
  });

  test('classedExecutors are accepted if each has both methods and says what it looks for', () => {
    const executor = { accepts: call, process: call, requirement: 'a method run()' };

    expect(problemOf({ classedExecutors: [executor] })).toBeUndefined();
    for (const wrong of [{ accepts: 5 }, { process: 5 }, { requirement: 5 }])
      expect(problemOf({ classedExecutors: [executor, { ...executor, ...wrong }] })).toContain(
        "must be a list of objects with accepts(), process() and a text 'requirement'",
      );
    expect(problemOf({ classedExecutors: executor })).toContain('must be a list of objects');
  });
});

describe('listeners', () => {
  const listener = { type: 'AUDIT', beforeJobExecuted: call, afterJobExecuted: call };

  test('are accepted if each is one and has a type', () => {
    expect(problemOf({ listeners: [listener] })).toBeUndefined();
  });

  test.each<[what: string, listeners: unknown, problem: string]>([
    ['no list', listener, 'must be a list of job listeners, got keys with values'],
    [
      'without a type',
      [{ ...listener, type: ' ' }],
      "must be a list of job listeners that have a 'type', got [keys with values]",
    ],
    ['null', [listener, null], "must be a list of job listeners that have a 'type', got [keys with values,null]"],
    [
      'without the methods of one',
      [{ type: 'AUDIT' }],
      'must be a list of job listeners, but AUDIT has no methods beforeJobExecuted(shardingContexts) and ' +
        'afterJobExecuted(shardingContexts), as ElasticJobListener demands, got [keys with values]',
    ],
  ])('are refused: %s', (_, listeners, problem) => {
    expect(problemOf({ listeners })).toBe(problem);
  });
});

test('the names of one-off jobs are a list of texts', () => {
  expect(problemOf({ oneOffJobs: ['report'] })).toBeUndefined();
  for (const oneOffJobs of ['report', [5], [''], { report: true }, null])
    expect(problemOf({ oneOffJobs })).toContain(
      "must be a list of names of one-off jobs, such as ['monthlyReport'], got ",
    );
});

describe('the logger', () => {
  const METHODS = 'must be false (nothing is logged) or an object with the methods debug(), log(), warn(), error()';

  test('needs its four methods; those that are missing are named, unless all are', () => {
    expect(problemOf({ logger: { debug: call, log: call, warn: call, error: call } })).toBeUndefined();
    expect(problemOf({ logger: { log: call, warn: call } })).toBe(
      `${METHODS}; debug(), error() is missing, got keys with values`,
    );
    expect(problemOf({ logger: null })).toBe(`${METHODS}, got null`);
    expect(problemOf({ logger: true })).toBe(`${METHODS}, got true`);
  });

  test('may be false, as Nest’s may', () => {
    expect(problemOf({ logger: false })).toBeUndefined();
  });
});

test('a registry centre of one’s own needs the methods by which jobs use it', () => {
  const centre = { connect: call, mirror: call, commit: call, close: call };

  expect(problemOf({ registryCenter: centre })).toBeUndefined();
  for (const method of Object.keys(centre))
    expect(problemOf({ registryCenter: { ...centre, [method]: undefined } })).toContain(`; ${method}() is missing`);
});
