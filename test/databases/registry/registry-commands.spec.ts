/** `registry migrate` and `registry copy` with a real PostgreSQL, and a role that may create nothing. */
import { describe, expect, test } from '@jest/globals';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { PostgresqlRegistryCenter } from '../../../lib/registry/postgresql/postgresql-registry-center.js';
import { createRegistryCenter } from '../../../lib/settings/create-registry-center.js';
import { untilConnected } from '../../../lib/testing/contract/stage.js';
import { aConfiguration } from '../../support/views.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { CommandStage, type Outcome } from '../../unit/cli/stage.js';
import { asAdministrator, newName, openPostgresql, openTransaction } from '../support/postgresql-centres.js';
import { serverOf } from '../support/servers.js';

const server = serverOf('postgres');
const { port } = server;
const urlOf = (role: string): string => `postgres://${role}@127.0.0.1:${port}/postgres`;
const urlAt = (proxyPort: number): string => `postgres://postgres@127.0.0.1:${proxyPort}/postgres`;
/** The lock of those who create or migrate tables, as in schema/migration.ts. */
const LOCK = 0x656c6173;

async function run(line: string): Promise<Outcome> {
  await using stage = await CommandStage.open();
  const environment = { ELASTICJOB_REGCENTER_NAMESPACE: 'orders' };
  return stage.run(line, {}, { openRegistry: createRegistryCenter, environment });
}

/** A role that may connect, and create neither schemas nor tables. */
async function restrictedRole(): Promise<string> {
  const role = newName();
  await asAdministrator(port, `CREATE ROLE ${role} LOGIN`);
  return role;
}

describe('registry migrate', () => {
  test('creates the tables once, for all namespaces', async () => {
    const schema = newName();

    const first = await run(`registry migrate --registry ${urlOf('postgres')} --schema ${schema}`);
    expect(first).toEqual({ out: `Created the tables of version 3 in schema ${schema}.\n`, err: '', exitCode: 0 });
    const again = await run(`registry migrate --registry ${urlOf('postgres')} --schema ${schema} --json`);
    expect(JSON.parse(again.out)).toEqual({ schema, version: 3, before: 3, created: false });

    await using opened = await openPostgresql(server, { schema });
    expect(await opened.centre.create('/bill', '')).toBe(true);
  });

  test.each(['--dry-run', ''])(
    'lets an application run whose role may create nothing, with the rights of --grant-to (%s)',
    async (dryRun) => {
      const [schema, role] = [newName(), await restrictedRole()];

      const migrated = await run(
        `registry migrate --registry ${urlOf('postgres')} --schema ${schema} --grant-to ${role} ${dryRun}`,
      );
      expect(migrated).toMatchObject({ err: '', exitCode: 0 });
      if (dryRun !== '') await asAdministrator(port, migrated.out);

      const options = { url: urlOf(role), schema, namespace: 'orders' };
      const [one, other] = [new PostgresqlRegistryCenter(options), new PostgresqlRegistryCenter(options)];
      for (const centre of [one, other]) {
        centre.connect();
        await untilConnected(centre);
      }
      const mirror = await other.mirror('/bill');
      await one.create('/bill/instances/a', '', 'session');
      await one.put('/bill/config', 'settings');
      await one.commit([{ type: 'set', path: '/bill/config', value: 'newer', version: 0 }]);
      await until(() => mirror.nodes.get('/bill/config')?.value === 'newer', 'the mirror shows the commit');
      expect(await one.exclusively('/bill/latch', 5_000, () => Promise.resolve('ran'))).toBe('ran');
      expect(await one.time()).toEqual(expect.any(Number));
      expect(await one.lineage()).toMatchObject({ id: expect.any(String) });
      await one.close();
      await until(() => !mirror.nodes.has('/bill/instances/a'), 'the nodes of the session are gone');
      expect(await other.remove('/bill')).toBe(true);
      await other.close();
    },
  );

  test('says what the role lacks that is to create the tables', async () => {
    const role = await restrictedRole();

    expect(await run(`registry migrate --registry ${urlOf(role)} --schema ${newName()}`)).toEqual({
      out: '',
      err: expect.stringMatching(/permission denied for database postgres.*may CREATE in the database/),
      exitCode: 7,
    });
  });

  test('migrates tables of an older version', async () => {
    const schema = newName();
    await run(`registry migrate --registry ${urlOf('postgres')} --schema ${schema}`);
    await asAdministrator(
      port,
      `ALTER TABLE ${schema}.ej_namespace DROP system, DROP timeline, DROP floor, DROP met_at;
       ALTER TABLE ${schema}.ej_session DROP beats, DROP timeline;
       UPDATE ${schema}.ej_schema SET version = 1`,
    );

    expect(await run(`registry migrate --registry ${urlOf('postgres')} --schema ${schema}`)).toEqual({
      out: `Migrated the tables in schema ${schema} from version 1 to version 3.\n`,
      err: '',
      exitCode: 0,
    });
    await using opened = await openPostgresql(server, { schema });
    expect(await opened.centre.create('/bill', '')).toBe(true);
  });

  test.each([7, 0])('refuses tables of version %i, and leaves them alone', async (version) => {
    const cure = 'use the same version of the library everywhere, or another schema';
    const schema = newName();
    await run(`registry migrate --registry ${urlOf('postgres')} --schema ${schema}`);
    await asAdministrator(port, `UPDATE ${schema}.ej_schema SET version = ${version}`);

    const refused = await run(`registry migrate --registry ${urlOf('postgres')} --schema ${schema}`);

    expect(refused).toEqual({ out: '', err: expect.stringContaining(cure), exitCode: 4 });
    expect(await asAdministrator(port, `SELECT version FROM ${schema}.ej_schema`)).toEqual([{ version }]);
  });

  test.each<[string, number, string]>([
    ['--registry localhost:2181', 2, 'Only a PostgreSQL has tables'],
    ['', 2, 'Which registry centre?'],
    ['--registry postgres://127.0.0.1:1/a --timeout 1s', 6, 'ECONNREFUSED 127.0.0.1:1'],
    ['--registry postgres://127.0.0.1,127.0.0.2/a', 2, 'name that host alone'],
    [`--registry ${urlOf('postgres')} --schema pg_mine`, 2, 'must not begin with pg_'],
    [`--registry ${urlOf('nobody')}`, 7, 'role "nobody" does not exist'],
  ])('%s ends with exit code %i', async (words, exitCode, message) => {
    expect(await run(`registry migrate ${words}`)).toEqual({
      out: '',
      err: expect.stringContaining(message),
      exitCode,
    });
  });
});

describe('registry migrate whose connection', () => {
  const WAITING = `FROM pg_stat_activity
    WHERE application_name = 'elasticjob registry migrate' AND wait_event_type = 'Lock'`;
  const untilWaiting = (schema: string): Promise<void> =>
    until(
      async () => (await asAdministrator(port, `SELECT 1 ${WAITING}`)).length > 0,
      `registry migrate of ${schema} waits`,
    );
  const holdLock = (schema: string): Promise<AsyncDisposable> =>
    openTransaction(port, `SELECT pg_advisory_xact_lock(${LOCK}, hashtext('${schema}'))`);

  test('is ended by the server says so', async () => {
    const schema = newName();
    const blocker = await holdLock(schema);

    const migrated = run(`registry migrate --registry ${urlOf('postgres')} --schema ${schema}`);
    await untilWaiting(schema);
    await asAdministrator(port, `SELECT pg_terminate_backend(pid) ${WAITING}`);

    expect(await migrated).toEqual({
      ...{ out: '', exitCode: 6 },
      err: expect.stringContaining('The tables were not created: terminating connection due to administrator command'),
    });
    await blocker[Symbol.asyncDispose]();
  });

  test('falls silent ends after its deadline, and says that no answer came', async () => {
    const schema = newName();
    await using proxy = await TcpProxy.start(port, 'other');
    await using blocker = await holdLock(schema);

    const migrated = run(`registry migrate --registry ${urlAt(proxy.port)} --schema ${schema} --timeout 4s`);
    await untilWaiting(schema);
    proxy.blackHole('up', 'down');
    await blocker[Symbol.asyncDispose]();

    expect(await migrated).toEqual({
      ...{ out: '', exitCode: 6 },
      err: expect.stringContaining('Waited 5000 ms in vain for an answer of PostgreSQL'),
    });
  });

  test('falls silent when all is done reports what it has done', async () => {
    const [schema, role] = [newName(), await restrictedRole()];
    await run(`registry migrate --registry ${urlOf('postgres')} --schema ${schema}`);
    await using proxy = await TcpProxy.start(port, 'other');
    await using blocker = await openTransaction(port, `GRANT SELECT ON ${schema}.ej_schema TO ${role}`);

    const migrated = run(
      `registry migrate --registry ${urlAt(proxy.port)} --schema ${schema} --grant-to ${role} --timeout 20s`,
    );
    await untilWaiting(schema);
    proxy.blackHole('up');
    await blocker[Symbol.asyncDispose]();

    expect(await migrated).toEqual({
      out: `Schema ${schema} has the tables of version 3 already.\n`,
      ...{ err: '', exitCode: 0 },
    });
  });
});

test('jobs move to a PostgreSQL, and to another namespace there', async () => {
  const [from, to] = [newName(), newName()];
  await using jobs = await openPostgresql(server, { namespace: from });
  await jobs.centre.create('/bill', 'org.acme.Job');
  await jobs.centre.create('/bill/config', toYaml(aConfiguration({ jobName: 'bill', cron: '0 0 * * * ?' })));
  await jobs.centre.create('/bill/sharding/1/disabled', '');
  await using copies = await openPostgresql(server, { namespace: to });

  const copy = await run(
    `registry copy --from ${urlOf('postgres')} --namespace ${from} --to ${urlOf('postgres')} --to-namespace ${to}`,
  );

  expect(copy).toMatchObject({ exitCode: 0 });
  expect(await copies.centre.get('/bill/config')).toBe(await jobs.centre.get('/bill/config'));
  expect(await copies.centre.children('/bill/sharding/1')).toEqual(['disabled']);
});

test('registry copy --dry-run creates nothing in a database without tables, and reads one with tables', async () => {
  const [from, database] = [newName(), newName()];
  await asAdministrator(port, `CREATE DATABASE ${database}`);
  await using jobs = await openPostgresql(server, { namespace: from });
  await jobs.centre.create('/bill', 'org.acme.Job');
  await jobs.centre.create('/bill/config', toYaml(aConfiguration({ jobName: 'bill', cron: '0 0 * * * ?' })));
  const there = `postgres://postgres@127.0.0.1:${port}/${database}`;
  const copy = (words: string): Promise<Outcome> =>
    run(`registry copy --from ${urlOf('postgres')} --namespace ${from} ${words}`);

  const blank = await copy(`--to ${there} --dry-run --json`);
  expect(blank).toMatchObject({ err: '', exitCode: 0 });
  expect(JSON.parse(blank.out)).toMatchObject({
    to: expect.stringContaining(database),
    jobs: [{ jobName: 'bill', outcome: 'would be copied', replaces: false }],
  });
  const untouched = await run(`registry migrate --registry ${there} --json`);
  expect(JSON.parse(untouched.out)).toMatchObject({ created: true });

  expect(await copy(`--to ${there}`)).toMatchObject({ exitCode: 0 });
  expect(await copy(`--to ${there} --dry-run`)).toMatchObject({ exitCode: 4, err: expect.stringContaining('already') });
  expect(await copy(`--to ${urlOf('postgres')} --dry-run`)).toMatchObject({ exitCode: 2 });
  const nowhere = await copy('--to postgres://127.0.0.1:1/a --dry-run --timeout 1s');
  expect(nowhere).toMatchObject({ exitCode: 6, err: expect.stringContaining('No connection to PostgreSQL') });
});
