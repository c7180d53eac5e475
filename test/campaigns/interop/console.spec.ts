/** Operations in the console, and their effect on the Java and the Node instance that share the job. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Browser } from '../../console/support/browser.js';
import { ConsoleApp, USERS } from '../../console/support/console-app.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { MixedCluster } from './support/mixed-cluster.js';
import { areOver, fire, itemsOf, sharedJob, untilSharedAnew, untilTaken } from './support/triggered-job.js';

const MEMBERS = ['N1', 'J1'] as const;
const zooKeeper = sharedZooKeeper();

let cluster: MixedCluster;
let app: ConsoleApp;
let browser: Browser;

beforeAll(async () => {
  cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
  for (const name of MEMBERS) await cluster.start(name, { job: false });
  const registries = [{ name: 'shop', serverLists: zooKeeper.servers, namespace: cluster.namespace }];
  app = await ConsoleApp.start({ console: { users: USERS, registries } });
  browser = await Browser.loggedIn(app, 'anna');
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

/** Carries out an operation on the job. @returns the answer's body */
async function act(job: MixedCluster, action: string, body: object = {}): Promise<Readonly<Record<string, unknown>>> {
  const { status, text, json } = await browser.post(pathOf(job, action), { reason: 'a test', ...body });
  if (status >= 300) throw new Error(`${action}: ${status} ${text}`);
  return json;
}

const pathOf = ({ job }: MixedCluster, rest = ''): string =>
  `/api/v1/registries/shop/jobs/${job.jobName}${rest === '' ? '' : `/${rest}`}`;

const see = async (job: MixedCluster): Promise<Readonly<Record<string, unknown>>> =>
  (await browser.get(pathOf(job))).json;

/** The instances that the page shows for the items. */
async function ownersSeen(job: MixedCluster): Promise<readonly string[]> {
  const { json } = await browser.get(pathOf(job, 'shards'));
  const items = (json as { readonly items?: readonly { readonly instanceId?: string }[] }).items ?? [];
  return items.map(({ instanceId }) => (instanceId === undefined ? '-' : job.nameOf(instanceId)));
}

test('the page shows both kinds of instances, and the items of each', async () => {
  await using job = await sharedJob(cluster, MEMBERS);
  const owners = await job.owners();
  const expected = itemsOf(job).map((item) => MEMBERS.find((name) => owners[name]?.includes(item)));

  await until(async () => (await ownersSeen(job)).join() === expected.join(), 'the page to show the owners');

  const { json } = await browser.get(pathOf(job, 'instances'));
  const kinds = (json as { readonly items: readonly { readonly instanceId: string; readonly kind: string }[] }).items;
  expect(Object.fromEntries(kinds.map(({ instanceId, kind }) => [job.nameOf(instanceId), kind]))).toEqual({
    N1: 'node',
    J1: 'java',
  });
  expect(await see(job)).toMatchObject({ status: 'OK', kinds: expect.arrayContaining(['node', 'java']) });
});

test('a trigger runs each item once, on both', async () => {
  await using job = await sharedJob(cluster, MEMBERS);
  const since = Date.now();

  await act(job, 'trigger');

  await job.untilRan('all items', (runs) => areOver(runs, 4), since);
  expect(job.ran(since)).toEqual(await job.owners());
});

test('a trigger with a parameter is refused, as Java instances would not be given it', async () => {
  await using job = await sharedJob(cluster, MEMBERS);

  await expect(act(job, 'trigger', { parameter: 'only Beijing' })).rejects.toThrow('would run without the');
});

test('a disabled job runs nowhere, and an enabled one on both again', async () => {
  await using job = await sharedJob(cluster, MEMBERS);
  const since = Date.now();

  await act(job, 'disable');
  await until(async () => (await see(job))['status'] === 'DISABLED', 'the page to show it');
  await job.operate('trigger', job.job.jobName);
  await until(async () => (await job.leader()) === undefined, 'the leader to abdicate');
  expect(job.ran(since)).toEqual({});

  await act(job, 'enable');
  await until(async () => (await job.leader()) !== undefined, 'a leader to be elected');
  await untilSharedAnew(job, MEMBERS);
  await until(async () => (await see(job))['status'] === 'OK', 'the page to show it');
});

test.each([
  ['J1', 'N1'],
  ['N1', 'J1'],
])('when %s is disabled, %s runs everything', async (disabled, other) => {
  await using job = await sharedJob(cluster, MEMBERS);

  await act(job, 'disable', { server: job.peer(disabled).ip });
  await untilTaken(job, [other]);

  expect(await fire(job)).toEqual({ [other]: [0, 1, 2, 3] });
});

test('a disabled item is left out by its instance of either kind', async () => {
  await using job = await sharedJob(cluster, MEMBERS);
  const owners = await job.owners();
  const excluded = MEMBERS.map((name) => owners[name]![0]!);

  for (const item of excluded) await act(job, `shards/${item}/disable`);
  await fire(
    job,
    itemsOf(job).filter((item) => !excluded.includes(item)),
  );
  for (const item of excluded) await act(job, `shards/${item}/enable`);

  expect(await fire(job)).toEqual(await job.owners());
});

test('when the Java instance is shut down, the Node instance runs everything, and the page shows it alone', async () => {
  await using job = await sharedJob(cluster, MEMBERS);

  await act(job, 'shutdown', { server: job.peer('J1').ip });
  await untilTaken(job, ['N1']);

  expect(await fire(job)).toEqual({ N1: [0, 1, 2, 3] });
  await until(async () => (await see(job))['instanceCount'] === 1, 'the page to show it');
});

test('both go by changed settings', async () => {
  await using job = await sharedJob(cluster, MEMBERS);
  const stored = await browser.get(pathOf(job, 'config'));
  const { configuration } = stored.json as { readonly configuration: object };

  const changed = await browser.request(pathOf(job, 'config'), {
    method: 'PUT',
    body: { ...configuration, cron: '0/2 * * * * ?' },
    headers: { 'if-match': stored.headers.get('etag') ?? '' },
  });
  const since = Date.now() + 1_000;

  expect(changed.status).toBe(200);
  await job.untilRan('two firings of all items', (runs) => areOver(runs, 8), since);
  expect(Object.keys(job.ran(since)).sort()).toEqual(['J1', 'N1']);
});

test('a removed job is left by both, and the page knows it no more', async () => {
  await using job = await sharedJob(cluster, MEMBERS);

  const { status } = await browser.request(pathOf(job), {
    method: 'DELETE',
    body: { confirm: job.job.jobName, living: true, reason: 'a test' },
  });

  expect(status).toBe(200);
  await until(async () => (await browser.get(pathOf(job))).status === 404, 'the page to know it no more');
  expect(await job.nodes(/./)).toEqual([]);
});
