/** A PostgreSQL that answers, and cannot do what it is asked: read-only, full, without connections, at another time. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { loadPostgresDriver, type PostgresClient } from '../../../lib/registry/postgresql/connection/driver.js';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { until } from '../../support/until.js';
import { started } from '../../unit/nest/application.js';
import { application } from '../support/nest-application.js';
import { asAdministrator, newName, openPostgresql, proxiedPostgresql } from '../support/postgresql-centres.js';
import { DatabaseServer, serverOf } from '../support/servers.js';

const phaseOf = (centre: RegistryCenter): string => centre.session.state.phase;
const reasonOf = (centre: RegistryCenter): string => centre.session.reason ?? '';
const untilConnected = (centre: RegistryCenter): Promise<void> =>
  until(() => phaseOf(centre) === 'connected', 'the centre is connected');

let server: DatabaseServer | undefined;
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = undefined;
});

const start = async (settings: readonly string[] = [], env = {}): Promise<DatabaseServer> =>
  (server = await DatabaseServer.start('postgres', settings, env));

describe('A database that becomes read-only', () => {
  test('suspends the session, which says why, and goes on when it takes writes again', async () => {
    const { port, address } = await start();
    await using stage = await openPostgresql(address, { sessionTimeoutMilliseconds: 60_000 });
    const { centre } = stage;
    await centre.create('/job/mine', '', 'session');
    const { state } = centre.session;

    await asAdministrator(port, 'ALTER SYSTEM SET default_transaction_read_only = on');
    await asAdministrator(port, 'SELECT pg_reload_conf()');
    const write = async (): Promise<unknown> => centre.put('/job', 'x').catch((error: unknown) => error);
    await until(async () => (await write()) !== undefined, 'a write is refused');
    await until(() => phaseOf(centre) === 'suspended', 'the centre is suspended');
    expect(reasonOf(centre)).toContain('in a read-only transaction');
    expect(await write()).toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });

    await asAdministrator(port, 'ALTER SYSTEM RESET default_transaction_read_only');
    await asAdministrator(port, 'SELECT pg_reload_conf()');
    await untilConnected(centre);
    expect(centre.session.state).toEqual(state);
    expect(await centre.children('/job')).toEqual(['mine']);
    expect(await write()).toBeUndefined();
  });

  test('has the health of an application name it, and its jobs run again without a restart, once for each instant', async () => {
    const { port } = await start();
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    const { metadata, ran } = application({ url, namespace: newName(), sessionTimeoutMilliseconds: 6_000 });
    await using app = await started(metadata);
    const report = () => app.get(ElasticJobHealth).report;
    await until(() => ran.length >= 4, 'the items run');

    await asAdministrator(port, 'ALTER SYSTEM SET default_transaction_read_only = on');
    await asAdministrator(port, 'SELECT pg_reload_conf()');
    await until(() => report().reason?.includes('read-only transaction') === true, 'health names the fault');
    expect(report()).toMatchObject({ live: true, ready: false });
    await until(() => report().session === 'lost', 'the session is lost');

    await asAdministrator(port, 'ALTER SYSTEM RESET default_transaction_read_only');
    await asAdministrator(port, 'SELECT pg_reload_conf()');
    const before = ran.length;
    await until(() => ran.length >= before + 8, 'the items run again');
    expect(report()).toMatchObject({ live: true, ready: true });
    const firings = ran.map(({ item, scheduledAt }) => `${item} at ${scheduledAt}`);
    expect(new Set(firings).size).toBe(firings.length);
  });
});

(canMount() ? describe : describe.skip)('A full disk', () => {
  test('suspends the session, which says why, until there is space', async () => {
    const { port, address } = await start();
    using disk = smallDisk();
    await asAdministrator(port, `CREATE TABLESPACE small LOCATION '${disk.folder}'`);
    await asAdministrator(port, 'ALTER ROLE postgres SET default_tablespace = small');
    await using stage = await openPostgresql(address, { sessionTimeoutMilliseconds: 60_000 });
    const { centre } = stage;
    await centre.create('/job/mine', '', 'session');
    const { state } = centre.session;
    // Not compressible.
    const value = (): string => Array.from({ length: 30_000 }, () => Math.random().toString(36).slice(2)).join('');

    let failure: unknown;
    for (let n = 0; failure === undefined && n < 200; n++)
      failure = await centre.put(`/job/${n}`, value()).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'REGISTRY_UNAVAILABLE',
      message: expect.stringContaining('No space left on device'),
    });
    await until(() => reasonOf(centre).includes('No space left on device'), 'the session says so');
    expect(phaseOf(centre)).toBe('suspended');

    disk.grow();
    await untilConnected(centre);
    await centre.put('/job/later', value());
    expect(centre.session.state).toEqual(state);
    await stage.close();
    await server?.end();
  });
});

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'elasticjob-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'pipe' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false; // as in most containers
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A disk of eight megabytes. */
function smallDisk(): Disposable & { readonly folder: string; readonly grow: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'elasticjob-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]);
  server?.own(folder);
  return {
    folder,
    grow: () => void execFileSync('mount', ['-o', 'remount,size=200m', folder]),
    [Symbol.dispose]: () => {
      // Files may still be open.
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe('A role whose statement_timeout is one millisecond', () => {
  test('does no harm, as a process sets its own', async () => {
    const shared = serverOf('postgres');
    const user = await roleWithTimeout(shared.port);
    const url = `postgres://${user}@127.0.0.1:${shared.port}/postgres`;
    await using stage = await openPostgresql(shared, { url, schema: newName() });

    for (let n = 0; n < 20; n++) await stage.centre.put(`/job/${n}`, 'x'.repeat(10_000));

    expect(phaseOf(stage.centre)).toBe('connected');
  });

  test('is named where a pooler keeps a process from setting its own, until it is mended', async () => {
    const shared = serverOf('postgres');
    const user = await roleWithTimeout(shared.port);
    const url = `postgres://${user}@127.0.0.1:${shared.port}/postgres`;
    await using stage = await proxiedPostgresql(shared, { url, schema: newName(), notify: false });

    stage.centre.connect();
    await until(() => reasonOf(stage.centre).includes('statement timeout'), 'the reason names the timeout');
    await asAdministrator(shared.port, `ALTER ROLE ${user} RESET statement_timeout`);

    await untilConnected(stage.centre);
  });

  async function roleWithTimeout(port: number): Promise<string> {
    const user = newName();
    await asAdministrator(port, `CREATE ROLE ${user} LOGIN SUPERUSER`);
    await asAdministrator(port, `ALTER ROLE ${user} SET statement_timeout = '1ms'`);
    return user;
  }
});

describe('A server without connections to spare', () => {
  test('is named as the reason, by those that start and those that need one more, until there is one', async () => {
    const { address, port } = await start(['max_connections=6', 'superuser_reserved_connections=0']);
    await using stage = await openPostgresql(address, { sessionTimeoutMilliseconds: 60_000 });
    await using late = await proxiedPostgresql(address);
    const { state } = stage.centre.session;
    const others = await fill(port);

    late.centre.connect();
    await until(() => reasonOf(late.centre).includes('too many clients'), 'the reason names it');
    const written = await stage.centre.put('/job', 'x').catch((error: unknown) => error);
    expect(written).toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
    await until(() => reasonOf(stage.centre).includes('too many clients'), 'the other one says it, too');

    await Promise.all(others.map((each) => each.end()));
    await untilConnected(late.centre);
    await untilConnected(stage.centre);
    expect(stage.centre.session.state).toEqual(state);
    await stage.centre.put('/job', 'x');
  });

  /** Makes connections until there are no more. */
  async function fill(port: number): Promise<readonly PostgresClient[]> {
    const { Client } = await loadPostgresDriver();
    const connected: PostgresClient[] = [];
    try {
      for (;;) {
        const client = new Client({
          connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
          ...{ connectionTimeoutMillis: 10_000, application_name: 'test', keepAlive: false },
        });
        client.on('error', () => undefined);
        await client.connect();
        connected.push(client);
      }
    } catch {
      return connected;
    }
  }
});

/** Of Debian's package faketime. */
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

(existsSync(FAKETIME) ? describe : describe.skip)("The database's clock", () => {
  async function shifted(): Promise<{ readonly server: DatabaseServer; readonly set: (offset: string) => void }> {
    const file = join(mkdtempSync(join(tmpdir(), 'elasticjob-clock-')), 'offset');
    const set = (offset: string): void => writeFileSync(file, `${offset}\n`, { mode: 0o644 });
    set('+0');
    execFileSync('chmod', ['755', join(file, '..')]);
    const env = {
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
    };
    return { server: await start([], env), set };
  }

  test('that is set back ends no session, and revisions grow all the same', async () => {
    const { server: of, set } = await shifted();
    await using stage = await openPostgresql(of.address, { sessionTimeoutMilliseconds: 2_000 });
    await stage.centre.create('/job/mine', '', 'session');
    const states: string[] = [];
    stage.centre.session.onChange(({ phase }) => states.push(phase));
    const before = await stage.centre.commit([{ type: 'set', path: '/job', value: '0' }]);
    const beats = async (): Promise<number> =>
      Number((await asAdministrator(of.port, 'SELECT max(beats) AS n FROM elasticjob.ej_session'))[0]?.['n']);

    set('-1h');
    await until(async () => (await stage.centre.time()) < Date.now() - 3_000_000, 'the clock is set back');
    const then = await beats();
    await until(async () => (await beats()) >= then + 3, 'the session outlasts its timeout');

    expect(await stage.centre.commit([{ type: 'set', path: '/job', value: '1' }])).toBeGreaterThan(before);
    expect(states).toEqual([]);
    expect(await stage.centre.children('/job')).toEqual(['mine']);
  });

  test('that is set forward ends all sessions, which are followed by new ones', async () => {
    const { server: of, set } = await shifted();
    await using stage = await openPostgresql(of.address, { sessionTimeoutMilliseconds: 4_000 });
    await stage.centre.create('/job/mine', '', 'session');
    const states: string[] = [];
    stage.centre.session.onChange(({ phase }) => states.push(phase));

    set('+1h');
    await until(() => states.at(-1) === 'connected', 'the centre has a new session');

    expect(states.filter((phase) => phase !== 'connecting')).toEqual(['suspended', 'lost', 'connected']);
    expect(await stage.centre.children('/job')).toEqual([]);
  });
});
