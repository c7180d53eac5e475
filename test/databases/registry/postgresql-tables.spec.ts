/** The tables of the registry centre on PostgreSQL: versions, locks, clocks, and what they cannot store. */
import { describe, expect, test } from '@jest/globals';
import { loadPostgresDriver } from '../../../lib/registry/postgresql/connection/driver.js';
import { until } from '../../support/until.js';
import { asAdministrator, newName, openPostgresql, proxiedPostgresql } from '../support/postgresql-centres.js';
import { serverOf } from '../support/servers.js';

const server = serverOf('postgres');
const { port } = server;

/** A connection that has locked rows, until `release`. */
async function locking(text: string, values: readonly unknown[]): Promise<{ readonly release: () => Promise<void> }> {
  const { Client } = await loadPostgresDriver();
  const client = new Client({
    connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
    ...{ connectionTimeoutMillis: 10_000, application_name: 'test', keepAlive: false },
  });
  await client.connect();
  await client.query({ text: 'BEGIN' });
  await client.query({ text, values });
  return { release: () => client.end() };
}

describe('The tables', () => {
  test('are created once by processes that start together', async () => {
    const options = { schema: newName(), namespace: 'orders' };

    const centres = await Promise.all(Array.from({ length: 6 }, () => openPostgresql(server, options)));

    await Promise.all(centres.map(({ centre }, index) => centre.create(`/job/${index}`, '')));
    expect(await centres[0]!.centre.children('/job')).toHaveLength(6);
    await Promise.all(centres.map((each) => each.close()));
  });

  test('of a newer version are refused with what to do', async () => {
    const options = { schema: newName(), namespace: 'orders' };
    await (await openPostgresql(server, options)).close();
    await asAdministrator(port, `UPDATE ${options.schema}.ej_schema SET version = 7`);

    await using late = await proxiedPostgresql(server, options);
    late.centre.connect();
    await until(() => late.centre.session.state.phase === 'closed', 'the centre has given up');

    expect(late.centre.session.state).toMatchObject({
      refusal: { code: 'REGISTRY_INCOMPATIBLE' },
      reason: expect.stringMatching(/are of version 7, and this version .* works with version 3/),
    });
  });

  test('are not created by a server that is too old, which is refused with its version and the one that is needed', async () => {
    const role = newName();
    // Such a server is not among Debian's packages: to this role, ours says that it is one.
    await asAdministrator(port, `CREATE ROLE ${role} LOGIN SUPERUSER`);
    await asAdministrator(port, `CREATE SCHEMA ${role}`);
    await asAdministrator(
      port,
      `CREATE FUNCTION ${role}.current_setting(name text) RETURNS text LANGUAGE sql AS
        $$ SELECT CASE name WHEN 'server_version' THEN '12.22' WHEN 'server_version_num' THEN '120022' END $$`,
    );
    await asAdministrator(port, `ALTER ROLE ${role} SET search_path = ${role}, pg_catalog`);
    await using stage = await proxiedPostgresql(server, { role, schema: newName() });
    stage.centre.connect();

    await until(() => stage.centre.session.state.phase === 'closed', 'the centre is refused');

    expect(stage.centre.session.state).toMatchObject({
      refusal: { code: 'REGISTRY_INCOMPATIBLE' },
      reason:
        'PostgreSQL is of version 12.22, and version 13 or later is needed: upgrade the server, or name another one in ' +
        'regCenter.url',
    });
  });

  test('of two schemas, and of two namespaces, do not see each other', async () => {
    const [schema, namespace] = [newName(), 'orders'];
    await using one = await openPostgresql(server, { schema, namespace });
    await using other = await openPostgresql(server, { schema, namespace: 'orders2' });
    await using third = await openPostgresql(server, { schema: newName(), namespace });

    await one.centre.create('/job', '');

    expect(await other.centre.children('/')).toEqual([]);
    expect(await third.centre.children('/')).toEqual([]);
  });
});

describe('A commit', () => {
  test('waits for the commits of its own job alone', async () => {
    const namespace = newName();
    await using stage = await openPostgresql(server, { namespace });
    for (const job of ['/locked', '/free']) await stage.centre.create(job, '');
    const lock = await locking("SELECT 1 FROM elasticjob.ej_job WHERE namespace = $1 AND job = 'locked' FOR UPDATE", [
      namespace,
    ]);
    let isWritten = false;

    const waiting = stage.centre.put('/locked', 'x').then(() => (isWritten = true));
    await stage.centre.put('/free', 'x');

    expect(isWritten).toBe(false);
    await lock.release();
    await waiting;
  });

  test('that cannot get its turn in time is refused, and changes nothing', async () => {
    const namespace = newName();
    await using stage = await openPostgresql(server, { namespace, connectionTimeoutMilliseconds: 500 });
    await stage.centre.create('/job', 'before');
    const lock = await locking('SELECT 1 FROM elasticjob.ej_job WHERE namespace = $1 FOR UPDATE', [namespace]);

    await expect(stage.centre.put('/job', 'after')).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });

    await lock.release();
    expect(await stage.centre.get('/job')).toBe('before');
  });

  test('has a greater revision than all before it, also if the clock was set back', async () => {
    const namespace = newName();
    await using stage = await openPostgresql(server, { namespace });
    await stage.centre.create('/job', '');
    const future = 8_000_000_000_000_000;
    await asAdministrator(port, 'UPDATE elasticjob.ej_job SET revision = $2 WHERE namespace = $1', [namespace, future]);

    expect(await stage.centre.commit([{ type: 'set', path: '/job', value: 'x' }])).toBe(future + 1);
  });

  test('of many sessions at once, on jobs in different orders, never ends in a deadlock', async () => {
    const namespace = newName();
    const centres = await Promise.all(Array.from({ length: 4 }, () => openPostgresql(server, { namespace })));
    const jobs = Array.from({ length: 5 }, (_, number) => `/job${number}`);

    for (const job of jobs) await centres[0]!.centre.create(job, '');

    const writes = centres.flatMap(({ centre }, index) =>
      Array.from({ length: 20 }, () =>
        centre.commit(
          (index % 2 === 0 ? jobs : [...jobs].reverse()).map(
            (path) => ({ type: 'set', path, value: String(index) }) as const,
          ),
        ),
      ),
    );
    const revisions = await Promise.all(writes);

    expect(new Set(revisions).size).toBe(80);
    await Promise.all(centres.map((each) => each.close()));
  });

  test('under a database whose default isolation is serializable goes by READ COMMITTED all the same', async () => {
    const user = newName();
    const schema = newName();
    await asAdministrator(port, `CREATE ROLE ${user} LOGIN SUPERUSER`);
    await asAdministrator(port, `ALTER ROLE ${user} SET default_transaction_isolation = 'serializable'`);
    const options = { url: `postgres://${user}@127.0.0.1:${port}/postgres`, schema, namespace: newName() };
    const centres = await Promise.all(Array.from({ length: 3 }, () => openPostgresql(server, options)));

    const writes = centres.flatMap(({ centre }) => Array.from({ length: 20 }, () => centre.put('/job', 'x')));
    await Promise.all(writes);

    const [node] = await centres[0]!.centre.getAll(['/job']);
    expect(node?.version).toBe(59);
    await Promise.all(centres.map((each) => each.close()));
  });
});

describe('What PostgreSQL cannot store is refused with a reason', () => {
  test.each([
    ['a NUL character in a value', '/job', 'a\0b', 'no text with a NUL character'],
    ['half of a surrogate pair', '/job', 'a\ud800b', 'half of a surrogate pair'],
    ['a path longer than an index takes', `/${'x'.repeat(2_001)}`, '', 'a path may have 2000 bytes'],
  ])('%s', async (_, path, value, reason) => {
    await using stage = await openPostgresql(server);

    for (const refused of [stage.centre.put(path, value), stage.centre.commit([{ type: 'create', path, value }])])
      await expect(refused).rejects.toMatchObject({
        code: 'REGISTRY_REFUSED',
        message: expect.stringContaining(reason),
      });
    expect(await stage.centre.children('/')).toEqual([]);
  });

  test('paths with two thousand bytes, and texts of all kinds, are stored', async () => {
    await using stage = await openPostgresql(server);
    const path = `/${'ö'.repeat(999)}`;
    const value = '\u0001\u001f"\\ \u2028 😀 \ufffd $$ \' %s';

    await stage.centre.put(path, value);

    expect(await stage.centre.get(path)).toBe(value);
  });
});
