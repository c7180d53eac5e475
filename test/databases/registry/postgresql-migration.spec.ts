/** Tables of another version of the library, and tables that somebody has dropped or emptied. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { SingleConnection } from '../../../lib/registry/postgresql/connection/single-connection.js';
import { provideTables } from '../../../lib/registry/postgresql/schema/migration.js';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { root } from '../../support/program.js';
import { until } from '../../support/until.js';
import { started } from '../../unit/nest/application.js';
import { application } from '../support/nest-application.js';
import { asAdministrator, newName, openPostgresql, proxiedPostgresql } from '../support/postgresql-centres.js';
import { DatabaseServer, serverOf } from '../support/servers.js';

const server = serverOf('postgres');
const { port } = server;

const FIRST_VERSION = readFileSync(join(root, 'test/databases/fixtures/tables-version-1.sql'), 'utf8');

/** A schema with the tables of version 1, and a namespace in it with a job and a living session. */
async function firstVersion(): Promise<{
  readonly place: { readonly schema: string; readonly namespace: string };
  readonly session: string;
}> {
  const [schema, namespace, session] = [newName(), 'orders', randomUUID()];
  await asAdministrator(port, `CREATE SCHEMA ${schema}; ${FIRST_VERSION.replaceAll(':schema', schema)}`);
  await asAdministrator(port, `SELECT ${schema}.ej_attach($1, $2, 60000, true)`, [namespace, session]);
  await asAdministrator(port, `SELECT ${schema}.ej_commit($1, $2, 1, 1, '[["put", "/job/config", "x"]]', NULL)`, [
    ...[namespace, session],
  ]);
  return { place: { schema, namespace }, session };
}

/** As `firstVersion`, of version 2, whose functions take what those of this version take. */
async function secondVersion(): ReturnType<typeof firstVersion> {
  const [schema, namespace, session] = [newName(), 'orders', randomUUID()];
  await (await openPostgresql(server, { schema, namespace })).close();
  await asAdministrator(port, `SELECT ${schema}.ej_attach($1, $2, 60000, NULL, NULL)`, [namespace, session]);
  await asAdministrator(
    port,
    `ALTER TABLE ${schema}.ej_namespace DROP COLUMN met_at; UPDATE ${schema}.ej_schema SET version = 2`,
  );
  return { place: { schema, namespace }, session };
}

const connection = (): Promise<SingleConnection> =>
  SingleConnection.open(`postgres://postgres@127.0.0.1:${port}/postgres`, 10_000, 'test');

/** The tables of a schema that somebody holds who waits for another table of it; `undefined` if nobody waits. */
async function heldWhileWaiting(schema: string): Promise<readonly unknown[] | undefined> {
  const locks = `SELECT pid, granted, relname FROM pg_locks JOIN pg_class ON relation = pg_class.oid
    WHERE relnamespace = '${schema}'::regnamespace`;
  const rows = await asAdministrator(
    port,
    `WITH locks AS (${locks}) SELECT DISTINCT relname, granted FROM locks
     WHERE pid IN (SELECT pid FROM locks WHERE NOT granted) ORDER BY relname`,
  );
  return rows.length === 0 ? undefined : rows.filter(({ granted }) => granted).map(({ relname }) => relname);
}

const versionOf = async (schema: string): Promise<unknown> =>
  (await asAdministrator(port, `SELECT version FROM ${schema}.ej_schema`))[0]?.['version'];

describe('Tables of an older version', () => {
  test('are migrated once by processes that start together, with all that they hold', async () => {
    const { place } = await firstVersion();

    const centres = await Promise.all(Array.from({ length: 4 }, () => openPostgresql(server, place)));

    expect(await versionOf(place.schema)).toBe(3);
    expect(await centres[0]!.centre.get('/job/config')).toBe('x');
    await Promise.all(centres.map(({ centre }, index) => centre.create(`/job/${index}`, '', 'session')));
    expect(await centres[0]!.centre.children('/job')).toHaveLength(5);
    await Promise.all(centres.map((each) => each.close()));
  });

  test('have functions as new ones have, so that what an older process still sends has no effect', async () => {
    const { place, session } = await firstVersion();
    await using stage = await openPostgresql(server, place);
    const commit = `SELECT ${place.schema}.ej_commits($1, $2, 1, '[[2, [["put", "/job/config", "old"]], false]]', NULL) AS answer`;

    const committed = asAdministrator(port, commit, [place.namespace, session]);
    const attach = asAdministrator(port, `SELECT ${place.schema}.ej_attach($1, $2, 60000, false)`, [
      ...[place.namespace, session],
    ]);

    await expect(committed).rejects.toThrow('does not exist');
    await expect(attach).rejects.toThrow('does not exist');
    expect(await stage.centre.get('/job/config')).toBe('x');
  });

  test('end the sessions of older processes whose calls are the same in this version', async () => {
    const { place, session } = await secondVersion();
    await using stage = await openPostgresql(server, place);
    const ask = async (call: string): Promise<unknown> =>
      (await asAdministrator(port, `SELECT ${place.schema}.${call} AS answer`, [place.namespace, session]))[0]?.[
        'answer'
      ];

    const beat = await ask(`ej_beat($1, $2, 1, '1')`);
    const commit = await ask(`ej_commits($1, $2, 1, '[[2, [["put", "/job/config", "old"]], false]]', '{}', NULL)`);

    expect(beat).toEqual({ session: 'gone' });
    expect(commit).toMatchObject({ answers: [{ session: 'gone' }] });
    expect(await stage.centre.get('/job/config')).toBeUndefined();
  });

  test('are migrated after a transaction that holds some of them and goes on to others', async () => {
    const { place } = await secondVersion();
    const [other, migrating] = [await connection(), await connection()];
    await other.query({ text: 'BEGIN' });
    await other.query({ text: `SELECT FROM ${place.schema}.ej_namespace` });

    const migrated = provideTables(migrating, place.schema);
    await until(async () => (await heldWhileWaiting(place.schema)) !== undefined, 'the migration waits');
    await other.query({ text: `SELECT FROM ${place.schema}.ej_session` });
    await other.query({ text: 'COMMIT' });
    await migrated;
    await Promise.all([other.end(), migrating.end()]);

    expect(await versionOf(place.schema)).toBe(3);
  });

  test('that this role may not change are refused, and stay as they are', async () => {
    const { place } = await firstVersion();
    const user = newName();
    await asAdministrator(
      port,
      `CREATE ROLE ${user} LOGIN; GRANT ALL ON SCHEMA ${place.schema} TO ${user}; GRANT ALL ON ALL TABLES IN SCHEMA ${place.schema} TO ${user}`,
    );
    await using late = await proxiedPostgresql(server, {
      ...place,
      url: `postgres://${user}@127.0.0.1:${port}/postgres`,
    });

    late.centre.connect();
    await until(() => late.centre.session.state.phase === 'closed', 'the centre has given up');

    expect(late.centre.session.state).toMatchObject({
      reason: `the tables in schema ${place.schema} are of version 1; their owner must run npx elasticjob registry migrate --grant-to ${user}`,
      refusal: { code: 'REGISTRY_INCOMPATIBLE' },
    });
    expect(await versionOf(place.schema)).toBe(1);
    const [row] = await asAdministrator(
      port,
      'SELECT count(*) AS n FROM information_schema.columns WHERE table_schema = $1 AND column_name = $2',
      [place.schema, 'floor'],
    );
    expect(Number(row?.['n'])).toBe(0);
  });
});

describe('In the order in which a migration locks the tables, that of sessions comes first, also for', () => {
  test.each([
    ['a heartbeat', `ej_beat('orders', gen_random_uuid(), 1, '1')`],
    ['a new session', `ej_attach('orders', gen_random_uuid(), 60000, NULL, NULL)`],
    ['one that comes back', `ej_attach('orders', gen_random_uuid(), 60000, '{"beats": 0, "commits": []}', NULL)`],
    ['the end of a session', `ej_end('orders', gen_random_uuid(), NULL)`],
    ['a commit', `ej_commits('orders', gen_random_uuid(), 1, '[[1, [["put", "/job", ""]], false]]', '{}', NULL)`],
    ['the search for sessions that are over', `ej_sweep('orders', NULL)`],
    ['the search for sessions that are gone', `ej_sweep_orphans('orders', NULL)`],
  ])('%s', async (_, call) => {
    const schema = newName();
    const other = await connection();
    await provideTables(other, schema);
    await other.query({ text: `BEGIN; LOCK TABLE ${schema}.ej_session` });

    const calling = asAdministrator(port, `SELECT ${schema}.${call}`);
    await until(async () => (await heldWhileWaiting(schema)) !== undefined, 'the call waits');
    const held = await heldWhileWaiting(schema);
    await other.query({ text: 'ROLLBACK' });
    await Promise.all([calling, other.end()]);

    expect(held).toEqual([]);
  });
});

describe('Tables that a role may only read', () => {
  test('are refused for good by the first process that starts with it', async () => {
    const [schema, user] = [newName(), newName()];
    await (await openPostgresql(server, { schema })).close();
    await asAdministrator(
      port,
      `CREATE ROLE ${user} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${user}; GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${user}`,
    );
    const url = `postgres://${user}@127.0.0.1:${port}/postgres`;
    await using late = await proxiedPostgresql(server, { schema, url });

    late.centre.connect();
    await until(() => late.centre.session.state.phase === 'closed', 'the centre has given up');

    expect(late.centre.session.state).toMatchObject({
      ...{ reason: expect.stringContaining('permission denied'), refusal: { code: 'REGISTRY_CREDENTIALS' } },
    });
  });
});

describe('Somebody', () => {
  let own: DatabaseServer;
  const administrate = (text: string) => asAdministrator(own.port, text);
  const reasonOf = (centre: RegistryCenter): string => centre.session.reason ?? '';
  beforeEach(async () => void (own = await DatabaseServer.start('postgres')));
  afterEach(() => own[Symbol.asyncDispose]());

  test.each(['ej_node', 'ej_session', 'ej_job', 'ej_namespace', 'ej_change'])(
    'who truncates %s is told why not',
    async (table) => {
      await using stage = await openPostgresql(own.address);
      await stage.centre.create('/job', 'x', 'session');

      await expect(administrate(`TRUNCATE elasticjob.${table}`)).rejects.toMatchObject({
        message: `the processes of nestjs-elasticjob would not notice that ${table} is empty`,
        hint: expect.stringContaining('drop the schema'),
      });

      expect(await stage.centre.get('/job')).toBe('x');
    },
  );

  test('who removes a session ends it, with its nodes', async () => {
    await using stage = await openPostgresql(own.address, { sessionTimeoutMilliseconds: 1_000 });
    await stage.centre.create('/job/mine', '', 'session');
    const states: string[] = [];
    stage.centre.session.onChange(({ phase }) => states.push(phase));
    const orphan = randomUUID();
    await administrate(
      `INSERT INTO elasticjob.ej_node SELECT namespace, '/job/orphan', '/job', '', 0, 1, '${orphan}'
       FROM elasticjob.ej_node WHERE path = '/job/mine'`,
    );

    await administrate('DELETE FROM elasticjob.ej_session');
    await until(() => states.at(-1) === 'connected', 'the centre has a new session');

    expect(states.filter((phase) => phase !== 'connecting')).toEqual(['suspended', 'lost', 'connected']);
    expect(await stage.centre.get('/job/mine')).toBeUndefined();
    await until(async () => (await stage.centre.get('/job/orphan')) === undefined, 'the orphan is swept');
  });

  test('who drops the schema has the jobs register again, and no item runs twice for an instant', async () => {
    const namespace = newName();
    const regCenter = {
      ...{ url: `postgres://postgres@127.0.0.1:${own.port}/postgres`, namespace },
      sessionTimeoutMilliseconds: 6_000,
    };
    const applications = [application(regCenter), application(regCenter)];
    await using first = await started(applications[0]!.metadata);
    await using second = await started(applications[1]!.metadata);
    const runs = () => applications.flatMap(({ ran }) => ran);
    await until(() => applications.every(({ ran }) => ran.length >= 4), 'both run items');

    // DROP locks the tables in an order of its own, so that the server might end it as a deadlock.
    await administrate('LOCK TABLE elasticjob.ej_session; DROP SCHEMA elasticjob CASCADE');
    const before = applications.map(({ ran }) => ran.length);
    await until(() => applications.every(({ ran }, index) => ran.length >= before[index]! + 8), 'both run items again');

    const firings = runs().map(({ item, scheduledAt }) => `${item} at ${scheduledAt}`);
    expect(new Set(firings).size).toBe(firings.length);
    expect([first, second]).toHaveLength(2);
  });

  test('who drops a table learns from the reason what is missing, and what to do; then the jobs go on', async () => {
    const options = { namespace: newName(), sessionTimeoutMilliseconds: 2_000 };
    await using stage = await openPostgresql(own.address, options);
    await using late = await proxiedPostgresql(own.address, options);

    await administrate('DROP TABLE elasticjob.ej_session; DROP FUNCTION elasticjob.ej_prune');
    await until(() => reasonOf(stage.centre).includes('lacks ej_session'), 'the reason names the table');
    late.centre.connect();
    await until(() => late.centre.session.state.phase === 'closed', 'another one gives up');

    expect(reasonOf(stage.centre)).toMatch(/schema elasticjob lacks ej_session, .* DROP SCHEMA elasticjob CASCADE/);
    expect(late.centre.session.state).toMatchObject({ refusal: { code: 'REGISTRY_INCOMPATIBLE' } });
    await administrate('DROP SCHEMA elasticjob CASCADE');
    await until(() => stage.centre.session.state.phase === 'connected', 'the centre is connected again');
    await stage.centre.put('/job', 'x');
  });

  test('who drops a function learns it as well', async () => {
    const options = { namespace: newName(), sessionTimeoutMilliseconds: 2_000 };
    await (await openPostgresql(own.address, options)).close();
    await administrate('DROP FUNCTION elasticjob.ej_prune');
    await using late = await proxiedPostgresql(own.address, options);

    late.centre.connect();
    await until(() => late.centre.session.state.phase === 'closed', 'it gives up');

    expect(reasonOf(late.centre)).toMatch(/schema elasticjob lacks ej_prune, which somebody has dropped/);
  });
});
