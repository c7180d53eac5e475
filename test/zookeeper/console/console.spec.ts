/** The console on a ZooKeeper: what is written there by others is on the page within a second. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { whenConnected } from '../../../lib/registry/session-state.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { Browser } from '../../console/support/browser.js';
import { ConsoleApp, USERS } from '../../console/support/console-app.js';
import { EventReader } from '../../console/support/event-reader.js';
import { storeJob } from '../../console/support/job-stage.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';

const zooKeeper = sharedZooKeeper();
const JOBS = '/api/v1/registries/main/jobs';
const A = '10.0.0.1@-@11';

let namespace: string;
let instances: ZookeeperRegistryCenter;

async function connected(digest?: string): Promise<ZookeeperRegistryCenter> {
  const centre = new ZookeeperRegistryCenter({ serverLists: zooKeeper.servers, namespace, ...(digest && { digest }) });
  centre.connect();
  await whenConnected(centre.session, new AbortController().signal);
  return centre;
}

function consoleOn(serverLists: string): Promise<ConsoleApp> {
  return ConsoleApp.start({ console: { users: USERS, registries: [{ name: 'main', serverLists, namespace }] } });
}

beforeEach(async () => {
  namespace = zooKeeper.namespace();
  instances = await connected();
});

afterEach(() => instances.close());

describe('the console on ZooKeeper', () => {
  test('lists jobs, and tells what changes without being asked', async () => {
    const paths = await storeJob(instances, 'orders', {});
    await using app = await consoleOn(zooKeeper.servers);
    const browser = await Browser.loggedIn(app, 'otto');
    expect((await browser.get(JOBS)).json).toMatchObject({
      total: 1,
      items: [{ jobName: 'orders', status: 'CRASHED' }],
    });
    using reader = new EventReader(app, browser, '/api/v1/registries/main/events?job=orders');
    await reader.next('shards');

    await instances.create(paths.instance(A), '', 'session');
    await instances.put(paths.item(1, 'running'), A);
    const shards = await reader.next('shards', ({ shards: changed }) =>
      (changed as { item: number; status: string }[]).some(({ item, status }) => item === 1 && status === 'RUNNING'),
    );

    expect(shards.data).toMatchObject({ jobName: 'orders' });
    expect((await browser.get(`${JOBS}/orders/instances`)).json).toMatchObject({
      items: [{ instanceId: A, serverIp: '10.0.0.1' }],
    });
    expect((await browser.post(`${JOBS}/orders/shards/0/disable`, { reason: 'bad data' })).status).toBe(204);
    expect(await instances.get(paths.item(0, 'disabled'))).toBe('');
  });

  test('shows a job of other credentials as hidden, and all others', async () => {
    await storeJob(instances, 'orders', {});
    const owner = await connected('app:right');
    await storeJob(owner, 'secret', {});
    await owner.close();
    await using app = await consoleOn(zooKeeper.servers);
    const browser = await Browser.loggedIn(app, 'otto');

    expect((await browser.get(JOBS)).json).toMatchObject({
      total: 2,
      items: [
        { jobName: 'orders', status: 'CRASHED' },
        { jobName: 'secret', status: 'HIDDEN' },
      ],
    });
    expect((await browser.get(`${JOBS}/secret/shards`)).json).toMatchObject({ status: 403, code: 'hidden-job' });
    await storeJob(instances, 'bills', {});
    await until(async () => (await browser.get(JOBS)).json['total'] === 3);
  });

  test('says why a registry centre cannot be reached', async () => {
    await using app = await consoleOn('127.0.0.1:1');
    const browser = await Browser.loggedIn(app, 'otto');

    const jobs = await browser.get(JOBS);

    expect(jobs.json).toMatchObject({
      status: 503,
      code: 'registry-offline',
      detail: expect.stringContaining('127.0.0.1:1') as unknown,
    });
    expect((await browser.get('/api/v1/registries/main/status')).json).toMatchObject({
      phase: 'connecting',
      reason: expect.any(String) as unknown,
    });
  });
});
