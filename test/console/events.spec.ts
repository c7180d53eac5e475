import { describe, expect, test } from '@jest/globals';
import { ManualClock, settle } from '../../lib/testing/manual-clock.js';
import { until } from '../support/until.js';
import { Browser } from './support/browser.js';
import { ConsoleApp, SERVERS, USERS } from './support/console-app.js';
import { EventReader, type ReadEvent } from './support/event-reader.js';
import { JobStage } from './support/job-stage.js';

const A = '10.0.0.1@-@11';
const EVENTS = '/api/v1/registries/main/events';

async function consoleOf(stage: JobStage, server: (typeof SERVERS)[number] = 'express'): Promise<ConsoleApp> {
  const registries = [{ name: 'main', registryCenter: stage.console }];
  return ConsoleApp.start({ server, console: { users: USERS, registries, events: { perSession: 2 } } });
}

describe.each(SERVERS)('live events on %s', (server) => {
  test('say what changes, with the headers that keep proxies from holding them back', async () => {
    await using stage = await JobStage.open();
    const paths = await stage.add('orders', { owners: { [A]: [0, 1] } });
    await using app = await consoleOf(stage, server);
    const browser = await Browser.loggedIn(app, 'gina');
    using reader = new EventReader(app, browser, `${EVENTS}?job=orders`);
    expect((await reader.next('registry')).data).toMatchObject({ status: { phase: 'connected' } });
    await reader.next('shards');

    await stage.instances.create(paths.item(1, 'running'), A, 'session');
    const shards = await reader.next(
      'shards',
      ({ shards: some }) => (some as { status: string }[])[0]?.status === 'RUNNING',
    );
    const job = await reader.next('job', ({ job: row }) => (row as { runningItems: number }).runningItems === 1);

    expect(shards.data).toMatchObject({ jobName: 'orders', shards: [{ item: 1 }] });
    expect(job.data).toMatchObject({ job: { jobName: 'orders', runningItems: 1 } });
    expect(job.id).toMatch(/^[\w-]+\.\d+$/);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(reader.headers['content-security-policy']).toContain("default-src 'self'");
    expect(reader.text).toMatch(/^retry: 3000\n\n/);
  });

  test('end when the session ends, and tell the page not to come back', async () => {
    await using stage = await JobStage.open();
    await using app = await consoleOf(stage, server);
    const browser = await Browser.loggedIn(app, 'gina');
    using reader = new EventReader(app, browser, EVENTS);
    await reader.next('registry');

    await browser.post('/api/v1/auth/logout');

    expect((await reader.next('bye')).data).toEqual({ reason: 'logged-out' });
    await until(() => reader.isEnded);
  });
});

test('events tell jobs that come and go, other settings, other instances and other servers', async () => {
  await using stage = await JobStage.open();
  const paths = await stage.add('orders');
  await using app = await consoleOf(stage);
  using reader = new EventReader(app, await Browser.loggedIn(app, 'gina'), EVENTS);
  await reader.next('registry');

  await stage.add('bills');
  await reader.next('job', ({ job }) => (job as { jobName: string }).jobName === 'bills');
  await stage.instances.remove('/bills');
  await reader.next('job-removed', ({ jobName }) => jobName === 'bills');
  await stage.add('orders', { cron: '0 0 1 * * ?', owners: { [A]: [0, 1] } });

  expect((await reader.next('config', ({ jobName }) => jobName === 'orders')).data).toEqual({
    jobName: 'orders',
    version: 1,
  });
  expect((await reader.next('instances', ({ jobName }) => jobName === 'orders')).data).toEqual({ jobName: 'orders' });
  expect((await reader.next('servers')).data).toEqual({});
  expect(reader.events.filter(({ type }) => type === 'shards')).toEqual([]);
  expect(await stage.instances.get(paths.server('10.0.0.1'))).toBe('ENABLED');
});

test('a stream that was interrupted takes up where it was, and reads everything again if too much has happened', async () => {
  await using stage = await JobStage.open();
  await stage.add('orders');
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');
  let lastId: string | undefined;
  {
    using first = new EventReader(app, browser, EVENTS);
    await first.next('registry');
    await stage.add('bills');
    lastId = (await first.next('job')).id;
  }
  await stage.add('mails');

  using second = new EventReader(app, browser, EVENTS, lastId);
  await second.next('job', ({ job }) => (job as { jobName: string }).jobName === 'mails');
  using other = new EventReader(app, browser, EVENTS, 'elsewhere.17');
  await other.next('resync');

  expect(second.events.map(({ type }) => type)).not.toContain('resync');
});

test('a job that changes all the time is told at most four times a second', async () => {
  await using stage = await JobStage.open();
  const paths = await stage.add('orders', { owners: { [A]: [0, 1] } });
  const clock = new ManualClock();
  const registries = [{ name: 'main', registryCenter: stage.console }];
  await using app = await ConsoleApp.start({ console: { users: USERS, registries, clock } });
  using reader = new EventReader(app, await Browser.loggedIn(app, 'gina'), `${EVENTS}?job=orders`);
  await until(async () => {
    await clock.advance(250);
    return reader.events.some(({ type }) => type === 'shards');
  }, 'the items to be told');
  const before = reader.events.filter(({ type }) => type === 'shards').length;

  for (let change = 0; change < 20; change++) {
    if (change % 2 === 0) await stage.instances.create(paths.item(0, 'running'), A, 'session');
    else await stage.instances.remove(paths.item(0, 'running'));
    await clock.advance(50);
    await settle();
  }
  await stage.instances.create(paths.item(1, 'running'), A, 'session');
  await settle();
  await clock.advance(250);

  const isLast = ({ shards }: ReadEvent['data']): boolean =>
    (shards as { readonly item: number }[]).some(({ item }) => item === 1);
  await reader.next('shards', isLast);
  const told = reader.events.filter(({ type }) => type === 'shards').length - before;
  expect(told).toBeGreaterThan(1);
  // The last of them is that of the change after the second.
  expect(told).toBeLessThanOrEqual(5);
});

test('a session has no more streams than the settings allow, and a stream that was closed makes room', async () => {
  await using stage = await JobStage.open();
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');
  using one = new EventReader(app, browser, EVENTS);
  const two = new EventReader(app, browser, EVENTS);
  await Promise.all([one.next('registry'), two.next('registry')]);

  const refused = await browser.get(EVENTS);
  two[Symbol.dispose]();
  await until(async () => {
    using three = new EventReader(app, browser, EVENTS);
    await until(() => three.status !== 0);
    return three.status === 200;
  });

  expect(refused.json).toMatchObject({ status: 429, code: 'too-many-streams' });
});

test('an application that stops ends its streams', async () => {
  await using stage = await JobStage.open();
  const app = await consoleOf(stage);
  using reader = new EventReader(app, await Browser.loggedIn(app, 'gina'), EVENTS);
  await reader.next('registry');

  await app[Symbol.asyncDispose]();

  expect((await reader.next('bye')).data).toEqual({ reason: 'stopping' });
});
