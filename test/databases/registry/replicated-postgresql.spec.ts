import { expect, test } from '@jest/globals';
import { PostgresqlRegistryCenter } from '../../../lib/registry/postgresql/postgresql-registry-center.js';
import { until } from '../../support/until.js';
import { ReplicatedPostgresql } from '../support/replicated-postgresql.js';

test('a session, its nodes and every commit outlive a failover to a synchronous standby', async () => {
  await using servers = await ReplicatedPostgresql.start();
  await using centre = connectedTo(servers.address);
  const isConnected = (): boolean => centre.session.state.phase === 'connected';
  await until(isConnected, 'the centre to be connected');
  const { state } = centre.session;
  await centre.create('/job/mine', '', 'session');
  const before = await centre.commit([{ type: 'create', path: '/job/a', value: '1' }]);

  await servers.primary.end('SIGKILL');
  await until(() => !isConnected(), 'the session to be suspended');
  await servers.promoteStandby();
  await until(isConnected, 'the centre to be connected to the new primary');

  expect(centre.session.state).toEqual(state);
  const after = await centre.commit([{ type: 'create', path: '/job/b', value: '2' }]);
  expect(after).toBeGreaterThan(before);
  const values = await centre.getAll(['/job/mine', '/job/a', '/job/b']);
  expect(values.map((node) => node?.value)).toEqual(['', '1', '2']);
});

function connectedTo(address: string): PostgresqlRegistryCenter & AsyncDisposable {
  const centre = new PostgresqlRegistryCenter({
    url: `postgres://postgres@${address}/postgres`,
    namespace: 'failover',
    sessionTimeoutMilliseconds: 60_000,
  });
  centre.connect();
  return Object.assign(centre, { [Symbol.asyncDispose]: () => centre.close() });
}
