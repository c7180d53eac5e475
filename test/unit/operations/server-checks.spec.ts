import { expect, test } from '@jest/globals';
import { serverFindings } from '../../../lib/operations/doctor/server-checks.js';
import { type EtcdReport, type PostgresqlReport } from '../../../lib/api/servers/server-report.js';

const postgresql: PostgresqlReport = {
  ...{ kind: 'POSTGRESQL', latencyMs: 1, unknown: [], isStandby: false, unsafeSettings: [] },
  ...{ asynchronousStandbys: 0, connections: { used: 8, most: 97 }, notifications: 'notified' },
  ...{ isAutovacuumOn: true, dead: { table: 'ej_node', rows: 2_000_000, living: 1_000_000 } },
};
const etcd: EtcdReport = {
  ...{ kind: 'ETCD', latencyMs: 1, unknown: [], alarms: [], space: { bytes: 1_000_000, limit: undefined } },
  ...{ versions: new Map(Object.entries({ m1: '3.5.17', m2: '3.5.1' })), silent: [] },
  ...{ members: 3, maxTxnOps: { configured: 128, isAccepted: true }, hasUsers: true, isHistoryKept: false },
};

test('servers in order have no findings', () => {
  expect(serverFindings(postgresql)).toEqual([]);
  expect(serverFindings(etcd)).toEqual([]);
});

test.each<[string, string, Partial<PostgresqlReport>]>([
  ['slow-registry', 'warning', { latencyMs: 500 }],
  ['postgresql-standby', 'critical', { isStandby: true }],
  ['postgresql-unsafe', 'warning', { unsafeSettings: ['fsync', 'synchronous_commit'] }],
  ['postgresql-asynchronous', 'notice', { asynchronousStandbys: 1 }],
  ['postgresql-connections', 'warning', { connections: { used: 90, most: 100 } }],
  ['postgresql-polled', 'notice', { notifications: 'polled' }],
  ['postgresql-pooled', 'warning', { notifications: 'lost' }],
  ['postgresql-vacuum', 'warning', { isAutovacuumOn: false }],
  ['postgresql-bloat', 'warning', { dead: { table: 'ej_node', rows: 100_001, living: 10_000 } }],
])('a PostgreSQL with %s is found, with a cure', (type, severity, facts) => {
  expect(serverFindings({ ...postgresql, ...facts })).toMatchObject([{ type, code: type, severity }]);
});

test.each<[string, string, Partial<EtcdReport>]>([
  ['slow-registry', 'warning', { latencyMs: 500 }],
  ['etcd-alarm', 'critical', { alarms: ['NOSPACE'] }],
  ['etcd-space', 'warning', { space: { bytes: 1024 ** 3, limit: 1024 ** 3 } }],
  ['etcd-space', 'warning', { space: { bytes: 2 * 1024 ** 3, limit: undefined } }],
  ['etcd-max-txn-ops', 'critical', { maxTxnOps: { configured: 128, isAccepted: false } }],
  ['etcd-open', 'notice', { hasUsers: false }],
  ['etcd-single', 'notice', { members: 1 }],
  ['etcd-members', 'warning', { silent: ['m2 at 10.0.0.2:2379 (ECONNREFUSED)'] }],
  ['etcd-version', 'critical', { versions: new Map([['m1', '3.3.27']]) }],
  ['etcd-mixed', 'notice', { versions: new Map(Object.entries({ m1: '3.4.23', m2: '3.5.17', m3: '3.5.1' })) }],
  ['etcd-history', 'warning', { isHistoryKept: true }],
])('an etcd with %s is found, with a cure', (type, severity, facts) => {
  expect(serverFindings({ ...etcd, ...facts })).toMatchObject([{ type, code: type, severity }]);
});

test('facts that a server does not report are not taken for good or bad', () => {
  const untold: EtcdReport = {
    ...{ kind: 'ETCD', latencyMs: 1, unknown: ['alarms', 'space', 'members'], hasUsers: true },
    maxTxnOps: { configured: 128, isAccepted: undefined },
  };

  expect(serverFindings(untold)).toEqual([]);
  expect(serverFindings({ kind: 'POSTGRESQL', latencyMs: 1, unknown: ['all'] })).toEqual([]);
});
