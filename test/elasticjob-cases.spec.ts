/** Holds the table of ElasticJob's cases against our tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CASES } from './elasticjob-cases.js';
import { root } from './support/program.js';

test('each case of the table names one test that its file has', () => {
  const named = CASES.map(({ file, title }) => {
    const source = readFileSync(join(root, 'test', file), 'utf8');
    return { file, title, found: source.split(title).length - 1 };
  });

  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(({ found }) => found !== 1)).toEqual([]);
});

test('no case stands in the table twice', () => {
  const cases = CASES.map(({ of, says }) => `${of}: ${says}`);

  expect(cases.filter((text, index) => cases.indexOf(text) !== index)).toEqual([]);
});

/** The subjects of the table. */
const SUBJECTS = [
  ...['ElasticJobExecutor', 'JobErrorHandlerReloader', 'ExecutorServiceReloader', 'JobItemExecutorFactory'],
  ...['ShardingItemParameters', 'TaskContext', 'JobConfigurationPOJO and YamlEngine', 'GuaranteeService'],
  ...['AbstractDistributeOnceElasticJobListener', 'EmailJobErrorHandler', 'OneOffJobBootstrap', 'ScheduleJobBootstrap'],
  ...['AverageAllocationJobShardingStrategy', 'OdevitySortByNameJobShardingStrategy'],
  ...['RoundRobinByNameJobShardingStrategy', 'Native tests'],
];

test.each(SUBJECTS)('the table has cases of %s', (subject) => {
  expect(CASES.filter(({ of }) => of === subject)).not.toEqual([]);
});
