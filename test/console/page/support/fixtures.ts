import {
  type InstanceRow,
  type JobRow,
  type Overview,
  type RunStatistics,
  type ScheduleLane,
  type ShardRow,
} from '../../../../lib/console/contract/jobs.js';
import { type ExecutionRow, type FiringRow } from '../../../../lib/console/contract/trace.js';

/** The data of the tests' back end: a small company's jobs, and hostile names. */

export const HOSTILE = `<img src=x onerror="window.harmed=1"> a/b 50% #?`;
export const NOW = Date.now();
const MINUTE = 60_000;

/** The differences from an ordinary job; `undefined` is an unknown field. */
type Change = { readonly [Field in keyof JobRow]?: JobRow[Field] | undefined };

const NAMES: readonly (readonly [string, Change])[] = [
  [
    'settle-invoices',
    {
      cron: '0 0/5 * * * ?',
      label: 'billing',
      shardingTotalCount: 24,
      runningItems: 9,
      description: 'Settles open invoices of each region',
    },
  ],
  ['import-orders', { cron: '0/30 * * * * ?', label: 'orders', shardingTotalCount: 8, runningItems: 3 }],
  ['refresh-search-index', { cron: '0 0/15 * * * ?', label: 'search', shardingTotalCount: 12 }],
  [
    'send-reminders',
    { cron: '0 0 8 * * ?', label: 'mail', shardingTotalCount: 4, status: 'DISABLED', nextFireAt: undefined },
  ],
  [
    'archive-events',
    {
      cron: '0 30 2 * * ?',
      label: 'data',
      shardingTotalCount: 16,
      lastRun: { at: NOW - 200 * MINUTE, result: 'failed', durationMs: 48_200, items: 3, failed: 1, running: 0 },
    },
  ],
  ['reconcile-payments', { cron: '0 0/10 * * * ?', label: 'billing', shardingTotalCount: 6, status: 'SHARDING_FLAG' }],
  ['warm-caches', { type: 'one-off', shardingTotalCount: 3, nextFireAt: undefined, cron: undefined }],
  [
    'legacy-report',
    { status: 'CRASHED', label: 'java', instanceCount: 0, servers: [], cron: '0 0 1 * * ?', shardingTotalCount: 2 },
  ],
  [
    'broken-settings',
    {
      status: 'CONFIG_ERROR',
      problem: 'The stored settings are no YAML: bad indentation of a mapping entry (3:12).',
      type: undefined,
      cron: undefined,
      nextFireAt: undefined,
      shardingTotalCount: undefined,
    },
  ],
  [HOSTILE, { label: '<b>label</b>', shardingTotalCount: 200, cron: '0 0 0/1 * * ?' }],
];

function job(name: string, index: number, change: Change): JobRow {
  const row = {
    jobName: name,
    status: 'OK',
    type: 'cron',
    timeZone: 'Europe/Berlin',
    instanceCount: 3,
    servers: ['10.0.0.11', '10.0.0.12', '10.0.0.13'],
    runningItems: 0,
    disabledItems: 0,
    nextFireAt: NOW + (index + 1) * 3 * MINUTE,
    lastRun: {
      ...{ at: NOW - (index + 1) * 2 * MINUTE, result: 'ok', durationMs: 830 * (index + 1) },
      ...{ items: 3, failed: 0, running: 0 },
    },
    ...change,
  };
  return JSON.parse(JSON.stringify(row)) as JobRow;
}

export const jobs = (): JobRow[] => NAMES.map(([name, change], index) => job(name, index, change));

/** As many as a large company has. */
export const manyJobs = (count: number): JobRow[] =>
  Array.from({ length: count }, (_, index) =>
    job(`job-${String(index).padStart(4, '0')}`, index % 50, { shardingTotalCount: 3, cron: '0 0/5 * * * ?' }),
  );

const SERVERS = ['10.0.0.11', '10.0.0.12', '10.0.0.13'];
export const instanceId = (index: number): string => `${SERVERS[index]}@-@${4711 + 97 * index}`;

export const instances = (): InstanceRow[] =>
  SERVERS.map((serverIp, index) => ({
    instanceId: instanceId(index),
    serverIp,
    pid: String(4711 + 97 * index),
    kind: index === 2 ? 'java' : 'node',
    ...(index === 0 && { labels: 'zone=a' }),
    isLeader: index === 1,
    items: 8,
  }));

const REGIONS = ['Berlin', 'Paris', 'Madrid', 'Roma', 'Wien', 'Praha', 'Oslo', 'Kyiv'];

export const shards = (count: number): ShardRow[] =>
  Array.from({ length: count }, (_, item) => {
    const owner = Math.floor((item * 3) / count);
    const isRunning = (item * 7) % 5 < 2;
    return {
      item,
      parameter: REGIONS[item % REGIONS.length] ?? '',
      serverIp: SERVERS[owner] ?? '',
      instanceId: instanceId(owner),
      status: item === 13 ? 'DISABLED' : isRunning ? 'RUNNING' : 'PENDING',
      failover: false,
      disabled: item === 13,
      misfired: item === 4,
      ...(item === 20 && { takenOverBy: instanceId(0), status: 'RUNNING' as const }),
      lastRun: { at: NOW - (item + 1) * 20_000, result: item === 9 ? 'failed' : 'ok', durationMs: 400 + item * 90 },
    };
  });

export function execution(index: number, jobName: string, at: number, item: number): ExecutionRow {
  const result = (index * 31 + item * 7) % 23 === 0 ? 'failed' : 'ok';
  const durationMs = 250 + ((index * 37 + item * 91) % 1_900);
  return {
    id: `e${index}-${item}`,
    jobName,
    taskId: `${jobName}@-@${item}@-@READY@-@${instanceId(item % 3)}`,
    hostname: `worker-${item % 3}`,
    ip: SERVERS[item % 3] ?? '',
    item,
    source: index % 17 === 0 ? 'MISFIRE' : 'NORMAL_TRIGGER',
    result,
    startedAt: at,
    completedAt: at + durationMs,
    durationMs,
    ...(result === 'failed' && {
      failure: 'java.sql.SQLTransientConnectionException: connection is not available <script>',
    }),
  };
}

export const executions = (): ExecutionRow[] =>
  Array.from({ length: 60 }, (_, index) =>
    execution(index, NAMES[index % 6]?.[0] ?? '', NOW - index * 41_000, index % 8),
  );

export const firings = (jobName: string): FiringRow[] =>
  Array.from({ length: 48 }, (_, index) => {
    const startedAt = NOW - (index + 1) * 5 * MINUTE;
    const items = Array.from({ length: 24 }, (__, item) => execution(index, jobName, startedAt + item * 3, item));
    const failed = items.filter(({ result }) => result === 'failed').length;
    return {
      startedAt,
      completedAt: startedAt + 2_400,
      source: 'NORMAL_TRIGGER',
      succeeded: 24 - failed,
      failed,
      running: 0,
      items,
    };
  });

export const statistics = (): RunStatistics => ({
  from: NOW - 1_440 * MINUTE,
  to: NOW,
  succeeded: 18_204,
  failed: 97,
  running: 12,
  p50Ms: 640,
  p95Ms: 4_120,
  buckets: Array.from({ length: 48 }, (_, index) => ({
    at: NOW - (48 - index) * 30 * MINUTE,
    succeeded: Math.round(300 + 160 * Math.sin(index / 6) + ((index * 53) % 60)),
    failed: index % 9 === 3 ? 14 : index % 4 === 0 ? 3 : 0,
  })),
});

export const overview = (): Overview => ({
  jobsByStatus: { OK: 6, DISABLED: 1, SHARDING_FLAG: 1, CRASHED: 1, CONFIG_ERROR: 1 },
  serverCount: 3,
  runningItems: 12,
  runs: statistics(),
  problems: [
    {
      ...{ type: 'no-instance', code: 'no-instance', values: {} },
      severity: 'error',
      jobName: 'legacy-report',
      subject: 'The job legacy-report has no living instance.',
      consequence: 'It does not run.',
      cure: 'Start a process that has this job, or remove the job.',
    },
    {
      ...{ type: 'unreadable', code: 'unreadable', values: {} },
      severity: 'error',
      jobName: 'broken-settings',
      subject: 'Its stored settings cannot be read.',
      consequence: 'No instance can start it.',
      cure: 'Save its settings again in the configuration page.',
    },
    {
      ...{ type: 'clock', code: 'clock', values: {} },
      severity: 'warning',
      subject: 'The clock of 10.0.0.12 is 4 s behind.',
      consequence: 'Firings may come late there.',
      cure: 'Synchronise the clocks with NTP.',
    },
  ],
  nextFires: Array.from({ length: 20 }, (_, index) => ({
    jobName: NAMES[index % 6]?.[0] ?? '',
    at: NOW + (index + 1) * 47_000,
  })),
});

export function schedule(from: number): ScheduleLane[] {
  return NAMES.slice(0, 7).map(([jobName], index) => ({
    jobName,
    fires:
      index === 1
        ? [from]
        : Array.from(
            { length: [24, 1, 16, 2, 1, 12, 0][index] ?? 0 },
            (_, hour) => from + hour * (24 / ([24, 1, 16, 2, 1, 12, 1][index] ?? 1)) * 3_600_000,
          ),
    ...(index === 1 && { everyMs: 30_000 }),
    runs: Array.from({ length: index + 2 }, (_, run) => ({
      from: from + run * 2 * 3_600_000,
      to: from + run * 2 * 3_600_000 + 600_000 * (1 + (run % 3)),
      result: run === 3 ? ('failed' as const) : ('ok' as const),
    })),
  }));
}
