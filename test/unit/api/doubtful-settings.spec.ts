import { expect, test } from '@jest/globals';
import { JobConfiguration, type JobConfigurationBuilder } from '../../../lib/api/job/job-configuration.js';
import { doubtsAbout } from '../../../lib/api/job/doubtful-settings.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const job = (): JobConfigurationBuilder => JobConfiguration.newBuilder('bill', 1);

/** The doubts about a job's settings at an instant. */
const doubtsAt = (instant: string, builder: JobConfigurationBuilder): readonly string[] =>
  doubtsAbout(builder.build(), new ManualClock(new Date(instant)));

test.each([
  job().cron('0 0 0 * * ?').timeZone('GMT+8').failover(true),
  job().monitorExecution(false),
  job().cron('0 1-5/10 0/10 * * ? *'),
  job().cron(' 0  0\t12 * *   ? * '),
])('ordinary settings cause no doubt', (builder) => {
  expect(doubtsAt('2030-01-01T00:00:00Z', builder)).toEqual([]);
});

test('Java refuses a time zone that does not start with GMT', () => {
  expect(doubtsAt('2030-01-01T00:00:00Z', job().timeZone('Asia/Shanghai'))).toEqual([
    "the time zone does not start with 'GMT', so that Java ElasticJob refuses it and Java instances cannot take part",
  ]);
});

test('a cron expression is over once its last date is past, in its own time zone', () => {
  const once = job().cron('0 0 0 1 1 ? 2030').timeZone('GMT+8');

  expect(doubtsAt('2029-12-31T15:59:59Z', once)).toEqual([]);
  expect(doubtsAt('2029-12-31T16:00:00Z', once)).toEqual([
    'all dates of the cron expression are past, so that it never fires again',
  ]);
});

test('failover without monitorExecution has no effect', () => {
  expect(doubtsAt('2030-01-01T00:00:00Z', job().failover(true).monitorExecution(false))).toEqual([
    'failover has no effect without monitorExecution, by which instances see what others were running',
  ]);
});

test('http.url is read here and not by Java, unless http.uri is set too', () => {
  const url = job().setProperty('http.url', 'http://example.com');

  expect(doubtsAt('2030-01-01T00:00:00Z', url)).toEqual([
    'Java instances cannot run the job, because Java ElasticJob reads the property http.uri and not http.url',
  ]);
  expect(doubtsAt('2030-01-01T00:00:00Z', url.setProperty('http.uri', 'http://example.com'))).toEqual([]);
});

test.each(['*/0 * * * * ?', '0 1-5/0 0/10 * * ?', '0 0/00 * * * ?'])('Quartz ignores the step of 0 in %s', (cron) => {
  expect(doubtsAt('2030-01-01T00:00:00Z', job().cron(cron))).toEqual([
    'the step /0 in the cron expression has no effect: as in Quartz, each value fires; write a step of at least 1, or none',
  ]);
});

test('Quartz ignores an eighth field', () => {
  expect(doubtsAt('2030-01-01T00:00:00Z', job().cron('0 0 12 * * ? *  *'))).toEqual([
    'the cron expression has more than seven fields; as in Quartz, those after the year have no effect',
  ]);
});

test('parameters of items that are read in another way than they look are doubts', () => {
  expect(doubtsAt('2030-01-01T00:00:00Z', job().shardingItemParameters('00=a,'))).toEqual([
    "the commas at the end of shardingItemParameters '00=a,' have no effect: no item gets an empty parameter",
    "shardingItemParameters names item '00', which is read as item 0",
  ]);
});

test.each([{ cron: 'banana' }, { timeZone: 'Nowhere/City', cron: '0 0 0 * * ?' }])(
  'a schedule that cannot be read is no doubt: %p',
  (changes) => {
    const settings = { ...job().build(), ...changes };

    expect(doubtsAbout(settings, new ManualClock()).filter((doubt) => doubt.includes('never fires'))).toEqual([]);
  },
);
