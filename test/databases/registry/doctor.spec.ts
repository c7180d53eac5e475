import { expect, test } from '@jest/globals';
import { DoctorAPI } from '../../../lib/operations/doctor-api.js';
import { asAdministrator, newName, openPostgresql } from '../support/postgresql-centres.js';
import { serverOf } from '../support/servers.js';

const server = serverOf('postgres');

test('the doctor examines the server, and says which of its settings can lose commits', async () => {
  await using jobs = await openPostgresql(server, { namespace: newName() });
  await using polling = await openPostgresql(server, { namespace: newName(), notify: false });

  const report = await jobs.centre.serverReport();
  const { findings, unknown } = await new DoctorAPI(polling.centre).examine();

  expect(report).toMatchObject({
    kind: 'POSTGRESQL',
    isStandby: false,
    notifications: 'notified',
    isAutovacuumOn: true,
  });
  expect(findings.map(({ type }) => type)).toContain('postgresql-polled');
  expect(unknown).toEqual([]);
});

test('the doctor examines the rest if the role lacks rights, and says which GRANT each part needs', async () => {
  const role = newName();
  await asAdministrator(server.port, `CREATE ROLE ${role} LOGIN`);
  await asAdministrator(server.port, `CREATE DATABASE ${role} OWNER ${role}`);
  const refuse = (right: string): Promise<unknown> =>
    asAdministrator(server.port, `REVOKE ${right} FROM PUBLIC`, [], role);
  await refuse('SELECT ON pg_stat_database, pg_stat_replication, pg_stat_user_tables');
  await refuse('EXECUTE ON FUNCTION pg_listening_channels()');
  await using jobs = await openPostgresql(server, { role, database: role });

  const { findings, unknown } = await new DoctorAPI(jobs.centre).examine();

  expect(unknown).toEqual([
    `PostgreSQL does not report its standbys: permission denied for view pg_stat_replication. To permit it: GRANT SELECT ON pg_stat_replication TO ${role};`,
    `PostgreSQL does not report how many of its connections are in use: permission denied for view pg_stat_database. To permit it: GRANT SELECT ON pg_stat_database TO ${role};`,
    `PostgreSQL does not report whether this connection listens to changes: permission denied for function pg_listening_channels. To permit it: GRANT EXECUTE ON FUNCTION pg_listening_channels() TO ${role};`,
    `PostgreSQL does not report the dead rows of its tables: permission denied for view pg_stat_user_tables. To permit it: GRANT SELECT ON pg_stat_user_tables TO ${role};`,
  ]);
  const report = await jobs.centre.serverReport();
  expect(report).toMatchObject({ isStandby: false, isAutovacuumOn: true });
  expect(report).not.toHaveProperty('notifications');
  expect(findings.map(({ type }) => type)).not.toContain('postgresql-pooled');
});

test('PostgreSQL without track_counts has dead rows that nobody counts: they are unknown, and autovacuum does not work', async () => {
  const role = newName();
  await asAdministrator(server.port, `CREATE ROLE ${role} SUPERUSER LOGIN`);
  await asAdministrator(server.port, `ALTER ROLE ${role} SET track_counts = off`);
  await using jobs = await openPostgresql(server, { role });

  const { findings, unknown } = await new DoctorAPI(jobs.centre).examine();

  expect(unknown).toEqual([
    'PostgreSQL does not report the dead rows of its tables, as track_counts is off. Switch it on.',
  ]);
  expect(findings.map(({ type }) => type)).toContain('postgresql-vacuum');
});
