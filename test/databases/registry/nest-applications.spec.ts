/** Nest applications that share a job on PostgreSQL, with nothing but a URL in their settings. */
import { expect, test } from '@jest/globals';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { refusalOf, started } from '../../unit/nest/application.js';
import { until } from '../../support/until.js';
import { application } from '../support/nest-application.js';
import { asAdministrator, newName } from '../support/postgresql-centres.js';
import { serverOf } from '../support/servers.js';

const { port } = serverOf('postgres');
const url = `postgres://postgres@127.0.0.1:${port}/postgres`;

test('two applications share the items of a job, and one takes over all of them when the other ends', async () => {
  const regCenter = { url, namespace: newName(), sessionTimeoutMilliseconds: 4_000 };
  const [one, other] = [application(regCenter), application(regCenter)];
  await using first = await started(one.metadata);
  const second = await started(other.metadata);

  const itemsOf = ({ ran }: typeof one): ReadonlySet<number> => new Set(ran.slice(-4).map(({ item }) => item));
  await until(() => itemsOf(one).size === 2 && itemsOf(other).size === 2, 'each runs two items', 20_000);
  await second.close();
  const before = one.ran.length;
  await until(() => new Set(one.ran.slice(before).map(({ item }) => item)).size === 4, 'one runs all items', 20_000);

  const firings = [...one.ran, ...other.ran].map(({ item, scheduledAt }) => `${item} at ${scheduledAt}`);
  expect(new Set(firings).size).toBe(firings.length);
  expect(one.logger.lines.join('\n')).toContain(`PostgreSQL at 127.0.0.1:${port}/postgres, schema 'elasticjob'`);
  expect(first.get(ElasticJobHealth).isHealthy()).toBeDefined();
});

test('a wrong password, database or right is refused at start, with the reason and without the password', async () => {
  const user = newName();
  await asAdministrator(port, `CREATE ROLE ${user} LOGIN`);
  const refusal = async (wrong: string): Promise<string> =>
    (await refusalOf(application({ url: wrong, namespace: 'orders', schema: newName() }).metadata)).join('\n');

  expect(await refusal(`postgres://nobody:secret@127.0.0.1:${port}/postgres`)).toMatch(/role "nobody" does not exist/);
  expect(await refusal(`postgres://postgres:secret@127.0.0.1:${port}/none`)).toMatch(/database "none" does not exist/);
  const noRight = await refusal(`postgres://${user}:secret@127.0.0.1:${port}/postgres`);
  expect(noRight).toMatch(/permission denied for database postgres/);
  expect(noRight).not.toContain('secret');
});

test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
  [
    'a URL of another database',
    { url: 'mysql://localhost/jobs', namespace: 'orders' },
    ['elasticjob.regCenter.url: must be a URL such as postgres://user@host:5432/database'],
  ],
  [
    'settings of ZooKeeper',
    { url, namespace: 'orders', digest: 'a:b', serverLists: 'zoo:2181' },
    [
      'elasticjob.regCenter.serverLists: is a setting of ZooKeeper, and the registry centre is PostgreSQL; remove it',
      'elasticjob.regCenter.digest: is a setting of ZooKeeper, and the registry centre is PostgreSQL; remove it',
    ],
  ],
  [
    'no URL',
    { type: 'POSTGRESQL', namespace: 'orders' },
    [
      "elasticjob.regCenter.url: is required with type POSTGRESQL and must be a URL like 'postgres://user:password@host:5432/database'",
    ],
  ],
  [
    'an unknown type',
    { type: 'REDIS', url, namespace: 'orders' },
    ['elasticjob.regCenter.type: must be ZOOKEEPER or POSTGRESQL'],
  ],
  ['no namespace', { url }, ['elasticjob.regCenter.namespace: is required with serverLists or url']],
  [
    'a schema that is no name',
    { url, namespace: 'orders', schema: 'a"b' },
    ['elasticjob.regCenter.schema: must be a name of lower-case letters, digits and _, such as elasticjob'],
  ],
])('%s is refused at start, with key path and what would be right', async (_, regCenter, refusals) => {
  const lines = await refusalOf(application(regCenter).metadata);

  for (const refusal of refusals) expect(lines).toContainEqual(expect.stringContaining(refusal));
});
