import { expect, test } from '@jest/globals';
import { JobConfiguration, type JobConfigurationBuilder } from '../../../lib/api/job/job-configuration.js';
import { doubtsAbout, isJavaClass, javaDoubtsAbout } from '../../../lib/api/job/doubtful-settings.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { inEnglish } from '../../../lib/wording/wording.js';

const job = (): JobConfigurationBuilder => JobConfiguration.newBuilder('bill', 1);

/** The doubts about a job's settings at an instant. */
const doubtsAt = (instant: string, builder: JobConfigurationBuilder): readonly string[] =>
  doubtsAbout(builder.build(), new ManualClock(new Date(instant))).map(inEnglish);

test.each([
  job().cron('0 0 0 * * ?').timeZone('GMT+8').failover(true),
  job().monitorExecution(false),
  job().cron('0 1-5/10 0/10 * * ? *'),
  job().cron(' 0  0\t12 * *   ? * '),
])('ordinary settings cause no doubt', (builder) => {
  expect(doubtsAt('2030-01-01T00:00:00Z', builder)).toEqual([]);
});

test('Java refuses a time zone that does not start with GMT, which only matters beside Java', () => {
  const shanghai = job().cron('0 0 0 * * ?').timeZone('Asia/Shanghai');

  expect(doubtsAt('2030-01-01T00:00:00Z', shanghai)).toEqual([]);
  expect(javaDoubtsAbout(job().timeZone('GMT+8').build()).map(inEnglish)).toEqual([]);
  expect(javaDoubtsAbout(shanghai.build()).map(inEnglish)).toEqual([
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

test('a time zone has no effect without a cron expression', () => {
  const zone = 'GMT+8';

  expect(doubtsAt('2030-01-01T00:00:00Z', job().cron('0 0 0 * * ?').timeZone(zone))).toEqual([]);
  expect(doubtsAt('2030-01-01T00:00:00Z', job().timeZone(zone))).toEqual([
    'timeZone has no effect without cron: the job is a one-off job, which runs when it is triggered',
  ]);
});

test('failover without monitorExecution has no effect', () => {
  expect(doubtsAt('2030-01-01T00:00:00Z', job().failover(true).monitorExecution(false))).toEqual([
    'failover has no effect without monitorExecution, by which instances see what others were running',
  ]);
});

test('http.url is read here and not by Java, unless http.uri is set too', () => {
  const url = job().setProperty('http.url', 'http://example.com');

  expect(javaDoubtsAbout(url.build()).map(inEnglish)).toEqual([
    'Java instances cannot run the job, because Java ElasticJob reads the property http.uri and not http.url',
  ]);
  expect(javaDoubtsAbout(url.setProperty('http.uri', 'http://example.com').build()).map(inEnglish)).toEqual([]);
});

test('parameters of items in JSON only matter beside Java', () => {
  const json = job().shardingItemParameters('{"0":"a,b"}');

  expect(doubtsAt('2030-01-01T00:00:00Z', json)).toEqual([]);
  expect(javaDoubtsAbout(json.build()).map(inEnglish)).toEqual([
    'Java instances cannot run the job, because Java ElasticJob refuses shardingItemParameters in JSON, which only Node reads',
  ]);
});

test.each([
  ['org.acme.SyncOrdersJob', true],
  ['Sync$$Lambda/0x1', true],
  ['syncOrders', false],
  ['SCRIPT', false],
  [undefined, false],
])('the text %p of a root node can only be that of a Java class: %p', (text, isJava) => {
  expect(isJavaClass(text)).toBe(isJava);
});

test.each([
  ['CST', 'America/Chicago, and not China: write Asia/Shanghai for that'],
  ['BST', 'Asia/Dhaka, and not Britain in summer: write Europe/London for that'],
])('an abbreviation of several time zones means only one of them: %s', (timeZone, meaning) => {
  expect(doubtsAt('2030-01-01T00:00:00Z', job().cron('0 0 0 * * ?').timeZone(timeZone))).toEqual([
    `the time zone '${timeZone}' means ${meaning}`,
  ]);
  expect(doubtsAt('2030-01-01T00:00:00Z', job().timeZone(timeZone))).not.toContainEqual(
    expect.stringContaining(`the time zone '${timeZone}'`),
  );
});

test('a pause before retries has no effect without retries', () => {
  const pause = job().setProperty('run.retryBackoffMilliseconds', '5');

  expect(doubtsAt('2030-01-01T00:00:00Z', pause)).toEqual([
    'retryBackoffMilliseconds has no effect without maxRetries, which is 0, so that no item is tried again',
  ]);
  expect(doubtsAt('2030-01-01T00:00:00Z', pause.setProperty('run.maxRetries', '1'))).toEqual([]);
});

test('a listener that is named twice is called once', () => {
  expect(doubtsAt('2030-01-01T00:00:00Z', job().jobListenerTypes('AUDIT', 'OTHER', 'audit', 'Audit'))).toEqual([
    'jobListenerTypes names the listener AUDIT several times, but it is called once',
  ]);
});

test('a stored property that begins with run. and is unknown means nothing here', () => {
  const settings = { ...job().build(), props: { 'run.maxRetry': '3' } };

  expect(doubtsAbout(settings, new ManualClock()).map(inEnglish)).toEqual([
    "the property 'run.maxRetry' means nothing to this version; did you mean 'run.maxRetries'?",
  ]);
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

    expect(
      doubtsAbout(settings, new ManualClock())
        .map(inEnglish)
        .filter((doubt) => doubt.includes('never fires')),
    ).toEqual([]);
  },
);
