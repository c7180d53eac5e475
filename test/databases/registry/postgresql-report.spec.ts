/** What a registry centre on PostgreSQL reports of its server, for the doctor. */
import { expect, test } from '@jest/globals';
import { FailoverStage, SYNCHRONOUS } from '../support/failover-stage.js';
import { asAdministrator, newName, openPostgresql, openTransaction } from '../support/postgresql-centres.js';
import { serverOf } from '../support/servers.js';

test('the connections of all roles are counted, by a role that may not see what they do', async () => {
  const { port } = serverOf('postgres');
  const [schema, role] = [newName(), newName()];
  await asAdministrator(port, `CREATE ROLE ${role} LOGIN; CREATE SCHEMA ${schema} AUTHORIZATION ${role}`);
  const url = `postgres://${role}@127.0.0.1:${port}/postgres`;
  await using stage = await openPostgresql(serverOf('postgres'), { schema, url });
  const others = await Promise.all([1, 2, 3, 4, 5].map(() => openTransaction(port, 'SELECT 1')));

  const { connections } = (await stage.centre.serverReport()) as { readonly connections: { readonly used: number } };

  expect(connections.used).toBeGreaterThanOrEqual(others.length + 1);
  await Promise.all(others.map((each) => each[Symbol.asyncDispose]()));
});

test.each([
  ['on', 0],
  ['remote_apply', 0],
  ['remote_write', 1],
  ['local', 1],
])('with synchronous_commit = %s, standbys that confirm no commit: %i', async (setting, asynchronousStandbys) => {
  await using of = await FailoverStage.start(SYNCHRONOUS);
  await asAdministrator(of.primary.port, `ALTER ROLE postgres SET synchronous_commit = ${setting}`);

  const centre = await of.open({ port: of.primary.port });

  expect(await centre.serverReport()).toMatchObject({ asynchronousStandbys });
});
