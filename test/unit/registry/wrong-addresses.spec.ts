/** Addresses and names of registry centres that cannot work are refused before anything connects. */
import { expect, test } from '@jest/globals';
import { connectionProblem, EtcdError, Status } from '../../../lib/registry/etcd/client/etcd-error.js';
import { resolveEtcdConfiguration } from '../../../lib/registry/etcd/etcd-configuration.js';
import { resolvePostgresqlConfiguration } from '../../../lib/registry/postgresql/postgresql-configuration.js';
import { resolveZookeeperConfiguration } from '../../../lib/registry/zookeeper/zookeeper-configuration.js';

function refusalOf(resolve: () => unknown): string {
  try {
    resolve();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing is refused';
}

const atPostgresql = (url: string, schema = 'elasticjob'): string =>
  refusalOf(() => resolvePostgresqlConfiguration({ url, schema, namespace: 'orders' }));

test.each([
  [
    'postgres://jobs@db:99999/app',
    'PostgresqlRegistryCenter.url: must have hosts that a URL can have, with ports up to 65535',
  ],
  ['postgres://jobs@[::1/app', 'PostgresqlRegistryCenter.url: must have hosts that a URL can have'],
  ['postgres://jobs@one:5432,two:host/app', 'PostgresqlRegistryCenter.url: must have hosts that a URL can have'],
  [
    'postgres://jobs@db/app?sslmode=maybe',
    'PostgresqlRegistryCenter.url: must have one of disable, prefer, require, verify-ca, verify-full, no-verify as sslmode',
  ],
  ['redis://localhost:6379', 'PostgresqlRegistryCenter.url: must be a URL such as postgres://user@host:5432/database'],
  ['localhost:2181', 'PostgresqlRegistryCenter.url: must be a URL such as postgres://user@host:5432/database'],
  ['', 'PostgresqlRegistryCenter.url: must be a URL such as postgres://user@host:5432/database'],
])('%p is no URL of a PostgreSQL', (url, problem) => {
  expect(atPostgresql(url)).toContain(problem);
});

test.each([
  ...[
    'postgres://jobs@db/app?sslmode=verify-full',
    'postgresql://a,b:5433/app',
    'postgres:///app?host=/run/postgresql',
  ],
  'postgres://jobs:p%zz@db/app',
])('%p is one', (url) => {
  expect(atPostgresql(url)).toBe('nothing is refused');
});

test('a schema whose name PostgreSQL keeps for itself is refused', () => {
  expect(atPostgresql('postgres://db/app', 'pg_jobs')).toContain(
    'PostgresqlRegistryCenter.schema: must not begin with pg_, which PostgreSQL keeps for itself, got "pg_jobs"',
  );
});

test.each([
  ['serverLists', (text: string) => resolveZookeeperConfiguration({ serverLists: text, namespace: 'orders' })],
  ['endpoints', (text: string) => resolveEtcdConfiguration({ endpoints: text, namespace: 'orders' })],
])('%s with the URL of a PostgreSQL is refused without its password', (setting, resolve) => {
  const refusal = refusalOf(() => resolve('postgres://jobs:s3cr3t@db:5432/app'));

  expect(refusal).toContain(`.${setting}: must be `);
  expect(refusal).not.toContain('s3cr3t');
});

test('the problem with a server that is no etcd is the same at each attempt', () => {
  const error = new EtcdError(
    Status.unavailable,
    'No connection established. Last error: Failed to connect (2026-11-27T07:45:23.113Z). Resolution note: ',
  );

  expect(connectionProblem(error)).toBe('the server ends the connection at once, as one does that is no etcd');
});
