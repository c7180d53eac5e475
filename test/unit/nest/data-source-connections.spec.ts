/** The connection of a registry centre that takes the address of a TypeORM DataSource. */
import { expect, test } from '@jest/globals';
import { connectedRegCenters } from '../../../lib/nest/centers/data-source-connections.js';
import { elasticJob, refusalOf } from './application.js';

/** As much of a DataSource as is looked at. */
const dataSource = (options: object) => ({
  createQueryRunner: () => undefined,
  destroy: () => undefined,
  options: { type: 'postgres', ...options },
});

const connected = (options: object) => {
  const settings = { dataSource: dataSource(options), namespace: 'n' };
  const { regCenters, problems } = connectedRegCenters(new Map([['reports', settings]]), []);
  return { ...regCenters.get('reports'), problems };
};

test.each<[what: string, options: object, url: string]>([
  ['nothing', {}, 'postgres://localhost/'],
  [
    'the parts of an address, with characters that a URL escapes',
    { host: 'db', port: 5433, username: 'a@b', password: 'p/w:%', database: 'jobs/1' },
    'postgres://a%40b:p%2Fw%3A%25@db:5433/jobs%2F1',
  ],
  ['an address of IPv6', { host: '::1', database: 'jobs' }, 'postgres://[::1]/jobs'],
  [
    'a socket',
    { host: '/var/run/postgresql', username: 'a', database: 'jobs' },
    'postgres://a@localhost/jobs?host=%2Fvar%2Frun%2Fpostgresql',
  ],
  [
    'a URL, which the other options complete',
    { url: 'postgres://db:5433/jobs', host: 'other', port: 1, username: 'a', password: 'b', database: 'other' },
    'postgres://a:b@db:5433/jobs',
  ],
  [
    'replication, whose master is meant',
    { host: 'replica', replication: { master: { host: 'db', database: 'jobs' }, slaves: [] } },
    'postgres://db/jobs',
  ],
])('%s', (_, options, url) => {
  expect(connected(options)).toEqual({ url, namespace: 'n', problems: [] });
});

test('TLS is that of the DataSource, from its options or from those of the pool', () => {
  const ssl = { ca: 'PEM', rejectUnauthorized: true };

  expect(connected({ ssl })).toMatchObject({ ssl });
  expect(connected({ ssl: true })).toMatchObject({ ssl: true });
  expect(connected({ extra: { ssl } })).toMatchObject({ ssl });
  expect(connected({ ssl: false, extra: { ssl } })).toMatchObject({ ssl: false });
});

const PATH = 'elasticjob.regCenter.dataSource';

test.each<[what: string, regCenter: object, refusal: string]>([
  [
    'a DataSource of another database',
    { dataSource: dataSource({ type: 'mysql' }) },
    `${PATH}: must be a DataSource of PostgreSQL, whose type is postgres, but its type is mysql`,
  ],
  [
    'a password that is a function',
    { dataSource: dataSource({ password: () => 'secret' }) },
    `${PATH}: its password must be a text, not a function: give the registry centre a url`,
  ],
  [
    'a URL that is none',
    { dataSource: dataSource({ url: 'postgres://[' }) },
    `${PATH}: its url must be like postgres://user:password@host:5432/database, got one that is not shown`,
  ],
  [
    'an unknown name',
    { dataSource: 'reports' },
    `${PATH}: the application has no TypeORM DataSource "reports"; it has none`,
  ],
  [
    'a value that means none',
    { dataSource: { host: 'db' } },
    `${PATH}: must be the name of a TypeORM DataSource that is a provider of the application.`,
  ],
  [
    'a URL beside it',
    { dataSource: dataSource({}), url: 'postgres://localhost/a' },
    `${PATH}: must not be set beside url, as both say where PostgreSQL is; give only one of them`,
  ],
  [
    'servers of ZooKeeper beside it',
    { dataSource: dataSource({}), serverLists: 'zk:2181' },
    'elasticjob.regCenter.serverLists: is a setting of ZooKeeper, and the registry centre is PostgreSQL; remove it',
  ],
])('%s is refused', async (_, regCenter, refusal) => {
  expect(await refusalOf({ imports: [elasticJob({ regCenter })] })).toEqual(
    expect.arrayContaining([expect.stringContaining(refusal)]),
  );
});
