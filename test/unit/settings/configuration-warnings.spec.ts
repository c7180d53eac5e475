import { expect, test } from '@jest/globals';
import { JobConfiguration, type JobConfigurationBuilder } from '../../../lib/api/job-configuration.js';
import { configurationWarnings } from '../../../lib/settings/configuration-warnings.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const job = (jobName: string): JobConfigurationBuilder => JobConfiguration.newBuilder(jobName, 1);

/** Warnings of jobs at an instant. */
const warningsAt = (instant: string, ...jobs: readonly JobConfigurationBuilder[]): readonly string[] =>
  configurationWarnings(
    jobs.map((builder) => builder.build()),
    new ManualClock(new Date(instant)),
  );

test('jobs without doubtful settings cause no warning', () => {
  const jobs = [job('a').cron('0 0 0 * * ?').timeZone('GMT+8').failover(true), job('b').monitorExecution(false)];

  expect(warningsAt('2030-01-01T00:00:00Z', ...jobs)).toEqual([]);
});

test('time zones that Java refuses are one warning for all jobs that have one', () => {
  const jobs = [job('a').timeZone('Asia/Shanghai'), job('b').timeZone('GMT+08:00'), job('c').timeZone('Europe/Berlin')];

  expect(warningsAt('2030-01-01T00:00:00Z', ...jobs)).toEqual([
    "Java instances cannot run these jobs, as Java ElasticJob refuses time zones that do not start with 'GMT': 'a', 'c'.",
  ]);
});

test('a cron expression is over once its last date is past, in its own time zone', () => {
  const jobs = [job('a').cron('0 0 0 1 1 ? 2030').timeZone('GMT+8'), job('b').cron('0 0 0 1 1 ? 2031').timeZone('GMT')];

  expect(warningsAt('2029-12-31T15:59:59Z', ...jobs)).toEqual([]);
  expect(warningsAt('2029-12-31T16:00:00Z', ...jobs)).toEqual([
    "These jobs will never run again, as all dates of their cron expressions are past: 'a'.",
  ]);
});

test('failover without monitorExecution has no effect', () => {
  expect(warningsAt('2030-01-01T00:00:00Z', job('a').failover(true).monitorExecution(false))).toEqual([
    "failover has no effect on these jobs without monitorExecution, by which instances see what others were running: 'a'.",
  ]);
});

test('http.url is read here and not by Java, unless http.uri is set too', () => {
  const url = (name: string): JobConfigurationBuilder => job(name).setProperty('http.url', 'http://example.com');

  expect(warningsAt('2030-01-01T00:00:00Z', url('a'), url('b').setProperty('http.uri', 'http://example.com'))).toEqual([
    "Java instances cannot run these jobs, as Java ElasticJob reads the property http.uri and not http.url: 'a'.",
  ]);
});

test('a step of 0 and an eighth field, which Quartz ignores, are each one warning', () => {
  const jobs = [
    job('a').cron('*/0 * * * * ?'),
    job('b').cron('0 1-5/0 0/10 * * ?'),
    job('c').cron('0 0 12 * * ? *  *'),
    job('d').cron('0 0 12 * * ? *'),
  ];

  expect(warningsAt('2030-01-01T00:00:00Z', ...jobs)).toEqual([
    "The step /0 has no effect in the cron expressions of these jobs: as in Quartz, each value fires; write a step of at least 1, or none: 'a', 'b'.",
    "The cron expressions of these jobs have more than seven fields; as in Quartz, those after the year have no effect: 'c'.",
  ]);
});
