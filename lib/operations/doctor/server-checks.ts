/** Judges the state of a registry centre's servers: pure functions of the facts that they report. */
import { type CodeValues } from '../explain/codes.js';
import { type EtcdReport, type PostgresqlReport, type ServerReport } from '../../api/servers/server-report.js';
import { isOldEtcd, OLDEST_ETCD } from '../../api/servers/server-versions.js';
import { type Finding, type FindingType, type Severity } from './finding.js';

/** The kinds of findings about servers, each of which is also the code of its sentences. */
export type ServerFindingType = Extract<FindingType, `postgresql-${string}` | `etcd-${string}` | 'slow-registry'>;

/** One request takes some milliseconds; with this many, a firing takes seconds. */
const SLOW_MS = 500;
/** The share of connections or of space in use from which it is reported. */
const NEARLY_FULL = 0.9;
/** The limit of etcd unless `--quota-backend-bytes` is given. */
const DEFAULT_QUOTA = 2 * 1024 ** 3;
const MANY_DEAD_ROWS = 100_000;

/** Finds problems of the servers. */
export function serverFindings(report: ServerReport): readonly Finding[] {
  const { latencyMs } = report;
  return [
    ...findingsOf(report),
    ...(latencyMs < SLOW_MS
      ? []
      : [
          finding('slow-registry', 'warning', { latencyMs }, [
            `The registry centre takes ${latencyMs} ms for one request.`,
            'A firing makes several requests one after the other, and begins late by as much.',
            'Look for load, slow disks and the network between this machine and the registry centre.',
          ]),
        ]),
  ];
}

function findingsOf(report: ServerReport): readonly Finding[] {
  switch (report.kind) {
    case 'POSTGRESQL':
      return postgresqlFindings(report);
    case 'ETCD':
      return etcdFindings(report);
    case 'OTHER':
      return [];
  }
}

function postgresqlFindings(report: PostgresqlReport): readonly Finding[] {
  const { isStandby, unsafeSettings = [], asynchronousStandbys: standbys = 0, connections, notifications } = report;
  const unsafe = unsafeSettings.join(', ');
  const { used, most } = connections ?? { used: 0, most: 1 };
  return [
    ...when(isStandby === true, 'postgresql-standby', 'critical', {}, [
      'The PostgreSQL is a standby, which takes no writes.',
      'No instance can start, and no job runs.',
      'Name the primary in regCenter.url.',
    ]),
    ...when(unsafe !== '', 'postgresql-unsafe', 'warning', { settings: unsafe }, [
      `PostgreSQL runs without ${unsafe}.`,
      'A crash of the server can lose commits that were confirmed: items may run twice, and fencing tokens may repeat.',
      `Switch on ${unsafe}.`,
    ]),
    ...when(standbys > 0, 'postgresql-asynchronous', 'notice', { standbys }, [
      `No standby confirms commits; standbys that follow: ${standbys}.`,
      'A failover to a standby can lose the latest commits: items may run twice. Fencing tokens grow by a day.',
      'Set synchronous_standby_names, if failovers are to lose nothing.',
    ]),
    ...when(used >= most * NEARLY_FULL, 'postgresql-connections', 'warning', { used, most }, [
      `PostgreSQL has ${used} of ${most} connections in use.`,
      'Instances that start, or connect again after an outage, may find none free.',
      'Raise max_connections, or lower regCenter.connections of the applications.',
    ]),
    ...when(notifications === 'polled', 'postgresql-polled', 'notice', {}, [
      'Changes are polled twice a second, as regCenter.notify is false.',
      'Instances react half a second later, and the database has more requests.',
      'Without a pooler of transactions in between, remove regCenter.notify.',
    ]),
    ...when(notifications === 'lost', 'postgresql-pooled', 'warning', {}, [
      'The connection that should listen to changes listens to nothing: a pooler lends it to others.',
      'Instances learn of changes only by their heartbeats, seconds later.',
      'Connect to the server itself, use a pooler of sessions, or set regCenter.notify to false.',
    ]),
    ...vacuumFindings(report),
  ];
}

function vacuumFindings({ isAutovacuumOn, dead }: PostgresqlReport): readonly Finding[] {
  const { table = '', rows = 0, living = 0 } = dead ?? {};
  const isBloated = rows > Math.max(MANY_DEAD_ROWS, 10 * living);
  return [
    ...when(isAutovacuumOn === false, 'postgresql-vacuum', 'warning', {}, [
      'autovacuum or track_counts is off.',
      'Each run leaves dead rows, which nobody removes: the tables grow, and requests become slow.',
      'Switch both on.',
    ]),
    ...when(isBloated, 'postgresql-bloat', 'warning', { table, rows }, [
      `The table ${table} has ${rows} dead rows, many more than living ones.`,
      'Requests become slow.',
      `Look for transactions that stay open (pg_stat_activity), which keep autovacuum from removing them; then VACUUM ${table}.`,
    ]),
  ];
}

function etcdFindings(report: EtcdReport): readonly Finding[] {
  const { alarms = [], space, members, maxTxnOps, hasUsers, isHistoryKept } = report;
  const raised = alarms.join(', ');
  const { bytes = 0, limit = DEFAULT_QUOTA } = space ?? {};
  const { configured } = maxTxnOps;
  const megabytes = Math.round(bytes / 1024 ** 2);
  return [
    ...when(raised !== '', 'etcd-alarm', 'critical', { alarms: raised }, [
      `etcd has raised the alarm ${raised}.`,
      'It takes no writes: no instance can start, and no job runs.',
      'NOSPACE: compact and defragment the database, then disarm (etcdctl alarm disarm). CORRUPT: replace that member.',
    ]),
    ...when(bytes >= limit * NEARLY_FULL, 'etcd-space', 'warning', { megabytes, limit: limit / 1024 ** 2 }, [
      `The database of etcd has ${megabytes} MB; its limit, unless --quota-backend-bytes says otherwise, is ${Math.round(limit / 1024 ** 2)} MB.`,
      'When it is full, etcd takes no writes, and no job runs.',
      'Compact and defragment it, and switch on --auto-compaction-retention.',
    ]),
    ...when(maxTxnOps.isAccepted === false, 'etcd-max-txn-ops', 'critical', { configured }, [
      `The servers accept fewer operations in one transaction than regCenter.maxTxnOps says (${configured}).`,
      'Commits of jobs with many items are refused.',
      "Set regCenter.maxTxnOps to the servers' --max-txn-ops, or start them with a greater one.",
    ]),
    ...when(!hasUsers, 'etcd-open', 'notice', {}, [
      'etcd asks for no user.',
      'Anyone who reaches the servers can change, end or remove jobs.',
      'Switch users on (etcdctl auth enable), or keep others from the servers by certificates or the network.',
    ]),
    ...when(members === 1, 'etcd-single', 'notice', {}, [
      'etcd has one member.',
      'While it is down, no job begins; if its disk is lost, all settings are.',
      'Run three members, or five.',
    ]),
    ...memberFindings(report),
    ...when(isHistoryKept === true, 'etcd-history', 'warning', {}, [
      'etcd keeps its history of more than a million changes.',
      'The database grows until its limit, upon which etcd takes no writes.',
      'Switch on --auto-compaction-retention.',
    ]),
  ];
}

function memberFindings({ versions = new Map<string, string>(), silent = [] }: EtcdReport): readonly Finding[] {
  const listed = (some: readonly (readonly [string, string])[]): string =>
    some.map(([member, version]) => `${member} ${version}`).join(', ');
  const [all, old] = [[...versions], [...versions].filter(([, version]) => isOldEtcd(version))];
  const minors = new Set(all.map(([, version]) => version.split('.', 2).join('.')));
  return [
    ...when(silent.length > 0, 'etcd-members', 'warning', { members: silent.join(', ') }, [
      `Members of etcd do not answer: ${silent.join(', ')}.`,
      'Instances use the others. Without a majority of its members etcd takes no writes, and no job runs.',
      'Start the member, or remove its address from regCenter.endpoints.',
    ]),
    ...when(old.length > 0, 'etcd-version', 'critical', { members: listed(old) }, [
      `Members of etcd are older than ${OLDEST_ETCD}: ${listed(old)}.`,
      'Instances cannot use these members.',
      'Upgrade etcd, one minor version after the other.',
    ]),
    ...when(minors.size > 1, 'etcd-mixed', 'notice', { members: listed(all) }, [
      `The members of etcd have different versions: ${listed(all)}.`,
      'etcd supports that only during an upgrade, and works as the oldest version does.',
      'Bring all members to one version.',
    ]),
  ];
}

type Sentences = readonly [sentence: string, consequence: string, cure: string];

function when(
  is: boolean,
  ...[type, severity, values, sentences]: readonly [ServerFindingType, Severity, CodeValues, Sentences]
): readonly Finding[] {
  return is ? [finding(type, severity, values, sentences)] : [];
}

function finding(
  type: ServerFindingType,
  severity: Severity,
  values: CodeValues,
  [sentence, consequence, cure]: Sentences,
): Finding {
  const common = { type, code: type, values, severity, jobName: undefined, subject: '', fix: undefined };
  return { ...common, sentence, consequence, cure };
}
