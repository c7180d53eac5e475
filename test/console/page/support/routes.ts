import { type Permission, type Role } from '../../../../lib/console/contract/common.js';
import { type InstanceRow, type JobRow, type ShardRow } from '../../../../lib/console/contract/jobs.js';
import * as fixtures from './fixtures.js';
import * as graphs from './graphs.js';

/** The data that a test may change while the page is open. */
export interface Knowledge {
  role: Role | undefined;
  isSetupNeeded: boolean;
  isEmpty: boolean;
  jobs: JobRow[];
  shards: ShardRow[];
  instances: InstanceRow[];
  version: number;
  isGraphPaused: boolean;
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly body: unknown;
    readonly headers: Readonly<Record<string, unknown>>;
  }[];
}

export interface Answer {
  readonly status?: number;
  readonly body?: unknown;
}

const PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  guest: ['read'],
  operator: ['read', 'operate'],
  admin: ['read', 'operate', 'write', 'manage', 'admin'],
};

const CONFIGURATION = {
  jobName: 'settle-invoices',
  cron: '0 0/5 * * * ?',
  timeZone: 'Europe/Berlin',
  shardingTotalCount: 24,
  shardingItemParameters: '0=Berlin,1=Paris,2=Madrid',
  jobParameter: '',
  monitorExecution: true,
  failover: true,
  misfire: true,
  maxTimeDiffSeconds: -1,
  reconcileIntervalMinutes: 10,
  description: 'Settles open invoices of each region',
  props: { 'mail.password': '******', 'batch.size': '500' },
  label: 'billing',
};

const page = (items: readonly unknown[]): Answer => ({ body: { items } });
const problem = (status: number, code: string, detail: string, more: object = {}): Answer => ({
  status,
  body: { type: 'about:blank', title: code, status, code, detail, requestId: 'req-4711', ...more },
});

/** Answers one request of `/api/v1`. */
export function answer(known: Knowledge, method: string, path: string, query: URLSearchParams, body: unknown): Answer {
  if (path === 'auth/providers')
    return { body: { isSetupNeeded: known.isSetupNeeded, local: true, oidc: [{ name: 'casdoor', title: 'Casdoor' }] } };
  if (path === 'auth/login') return logIn(known, body as { username: string; password: string });
  if (path === 'setup') return setUp(known, body as { code: string });
  if (known.role === undefined) return problem(401, 'not-logged-in', 'Log in first.');
  if (method !== 'GET') return change(known, method, path, body);
  return read(known, path, query);
}

function logIn(known: Knowledge, { username, password }: { username: string; password: string }): Answer {
  if (password !== 'correct horse battery')
    return problem(401, 'login-failed', 'The user name or the password is wrong.');
  known.role = username as Role;
  return { status: 204 };
}

function setUp(known: Knowledge, { code }: { code: string }): Answer {
  if (code !== 'ABCD-1234')
    return problem(403, 'wrong-code', 'This is not the code that stands in the log of the console.');
  known.isSetupNeeded = false;
  known.role = 'admin';
  return { status: 204 };
}

function change(known: Knowledge, method: string, path: string, body: unknown): Answer {
  if (path === 'auth/logout') known.role = undefined;
  if (path.endsWith('/config/validate')) return validate(body as typeof CONFIGURATION);
  if (method === 'PUT' && path.endsWith('/config')) {
    const wanted = known.requests.at(-1)?.headers['if-match'];
    if (wanted !== `"${known.version}"`)
      return problem(412, 'stale-version', 'Somebody else has changed the settings.');
    known.version++;
    return { body: { version: known.version } };
  }
  if (path.includes('/graphs/')) {
    if (/\/(?:pause|resume)$/.test(path)) known.isGraphPaused = path.endsWith('/pause');
    const isBegun = /\/(?:trigger|again)$/.test(path);
    return isBegun ? { body: { instant: fixtures.NOW + 1, jobs: ['build-report'] } } : { status: 204 };
  }
  if (path.endsWith('/trigger') || path.endsWith('/rerun'))
    return { body: { instances: [{ instanceId: 'a', answer: 'taken', willRun: true }] } };
  if (path.endsWith('/dump'))
    return { body: { text: `/settle-invoices | com.example.Job at ${(body as { port: number }).port}` } };
  if (path.endsWith('/batch'))
    return {
      body: {
        results: (body as { names: string[] }).names.map((name, index) => ({
          name,
          isOk: index > 0,
          ...(index === 0 && { error: 'No living instance.' }),
        })),
      },
    };
  if (path.endsWith('/prune')) return { body: { servers: [{ jobName: 'import-orders', serverIp: '10.0.0.99' }] } };
  if (path === 'auth/tokens')
    return {
      body: {
        id: 't2',
        name: 'ci',
        owner: 'admin',
        provider: 'local',
        role: 'guest',
        createdAt: fixtures.NOW,
        expiresAt: fixtures.NOW + 1e9,
        token: 'ejc_0123456789abcdef',
      },
    };
  if (path === 'data-sources' && (body as { host: string }).host === 'nowhere')
    return problem(422, 'target-name-unknown', 'The name nowhere has no address.');
  if (path.endsWith('/test')) return { body: { isOk: false, reason: 'refused' } };
  return { status: 204 };
}

function validate(configuration: typeof CONFIGURATION): Answer {
  const isBad = configuration.cron === 'nonsense';
  const changes = Object.entries(configuration)
    .filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(CONFIGURATION[key as keyof typeof CONFIGURATION]),
    )
    .map(([setting, after]) => ({
      setting,
      before: JSON.stringify(CONFIGURATION[setting as keyof typeof CONFIGURATION]),
      after: JSON.stringify(after),
    }));
  return {
    body: {
      problems: isBad ? [{ setting: 'cron', message: "cron must have six or seven fields, got 'nonsense'." }] : [],
      warnings: [],
      changes,
      nextFires: isBad ? [] : Array.from({ length: 10 }, (_, index) => fixtures.NOW + (index + 1) * 300_000),
    },
  };
}

function read(known: Knowledge, path: string, query: URLSearchParams): Answer {
  const none = known.isEmpty;
  if (path === 'auth/session')
    return {
      body: {
        username: known.role,
        role: known.role,
        permissions: PERMISSIONS[known.role ?? 'guest'],
        provider: 'local',
        expiresAt: fixtures.NOW + 1e7,
      },
    };
  if (path === 'meta')
    return { body: { version: '1.0.0', environment: 'staging', nodeVersion: 'v20.19.0', canAddConnections: true } };
  if (path === 'registries')
    return {
      body: [
        registry('main'),
        {
          ...registry('old', 'lost'),
          status: { phase: 'lost', since: fixtures.NOW - 900_000, reason: 'No server of zk-old:2181 answers.' },
        },
      ],
    };
  const below = /^registries\/([^/]+)\/(.+)$/.exec(path);
  if (below) return readRegistry(known, (below[2] ?? '').split('/').map(decodeURIComponent), query);
  const rows = LISTS[path];
  if (rows !== undefined) return none ? page([]) : { body: rows() };
  if (path.startsWith('trace/') && none) return problem(409, 'no-data-source', 'No data source is activated.');
  if (path === 'trace/executions')
    return page(
      fixtures
        .executions()
        .filter(
          ({ result, jobName }) =>
            (query.get('result') ?? result) === result && (query.get('job') ?? jobName) === jobName,
        ),
    );
  if (path.startsWith('trace/executions/'))
    return {
      body: {
        ...fixtures.execution(0, 'settle-invoices', fixtures.NOW, 0),
        failureCause:
          'java.sql.SQLTransientConnectionException: <script>alert(1)</script>\n    at com.example.Settle.run(Settle.java:42)',
      },
    };
  if (path === 'trace/firings') return page(fixtures.firings(query.get('job') ?? ''));
  if (path === 'trace/suggest') return page(['settle-invoices', 'import-orders']);
  if (path.endsWith('/schema'))
    return {
      body: {
        tables: [
          { name: 'JOB_EXECUTION_LOG', exists: true },
          { name: 'JOB_STATUS_TRACE_LOG', exists: false },
        ],
        sql: ['CREATE TABLE JOB_STATUS_TRACE_LOG (id VARCHAR(40))'],
      },
    };
  return problem(404, 'unknown-route', `There is no route ${path}.`);
}

const registry = (name: string, phase = 'connected'): object => ({
  name,
  serverLists: 'zk1:2181,zk2:2181',
  namespace: 'production-jobs',
  hasDigest: true,
  origin: name === 'main' ? 'application' : 'console',
  status: { phase, since: fixtures.NOW - 9e6, latencyMs: 2 },
  jobCount: 10,
});

const LISTS: Readonly<Record<string, () => readonly unknown[] | object>> = {
  'data-sources': () => [
    {
      name: 'tracing',
      driver: 'postgres',
      host: 'db',
      port: 5432,
      database: 'jobs',
      username: 'reader',
      hasPassword: true,
      origin: 'settings',
      isActivated: true,
      state: 'connected',
    },
  ],
  users: () =>
    ['admin', 'operator', 'guest'].map((username, index) => ({
      username,
      role: username,
      isEnabled: index < 2,
      origin: index === 0 ? 'settings' : 'console',
      createdAt: fixtures.NOW - 1e9,
      lastLoginAt: fixtures.NOW - 1e7 * index,
    })),
  'oidc-users': () => [
    {
      id: 'o1',
      username: 'nora',
      role: 'operator',
      provider: 'casdoor',
      issuer: 'https://casdoor.example.com',
      sub: '4711',
      isBlocked: false,
      firstLoginAt: fixtures.NOW - 1e9,
      lastLoginAt: fixtures.NOW - 1e6,
    },
  ],
  'auth/tokens': () => [
    {
      id: 't1',
      name: 'nightly <script>',
      owner: 'admin',
      provider: 'local',
      role: 'operator',
      createdAt: fixtures.NOW - 1e9,
      expiresAt: fixtures.NOW + 1e9,
    },
  ],
  sessions: () => [
    {
      id: 's1',
      username: 'admin',
      role: 'admin',
      provider: 'local',
      createdAt: fixtures.NOW - 1e6,
      seenAt: fixtures.NOW - 1e3,
      ip: '10.1.1.1',
      agent: 'Mozilla/5.0 (X11; Linux)',
      isOwn: true,
    },
    {
      id: 's2',
      username: 'operator',
      role: 'operator',
      provider: 'casdoor',
      createdAt: fixtures.NOW - 1e7,
      seenAt: fixtures.NOW - 1e5,
      ip: '10.1.1.2',
      agent: 'curl',
      isOwn: false,
    },
  ],
  audit: () => ({
    items: ['job.trigger', 'job.config.update', 'auth.login', 'job.disable'].map((action, index) => ({
      id: `a${index}`,
      at: fixtures.NOW - index * 1e6,
      username: 'admin',
      role: 'admin',
      provider: 'local',
      ip: '10.1.1.1',
      action,
      registry: 'main',
      target: 'settle-invoices',
      reason: index === 1 ? 'more regions' : undefined,
      outcome: index === 2 ? 'refused' : 'done',
      before: { shardingTotalCount: '16' },
      after: { shardingTotalCount: '24' },
      requestId: 'req-1',
    })),
  }),
  'trace/statuses': () => ({
    items: ['TASK_FINISHED', 'TASK_RUNNING', 'TASK_STAGING', 'TASK_ERROR'].map((state, index) => ({
      id: `s${index}`,
      jobName: 'settle-invoices',
      taskId: 'settle-invoices@-@0@-@READY',
      source: 'LITE_EXECUTOR',
      executionType: 'READY',
      shardingItems: '[0, 1, 2]',
      state,
      createdAt: fixtures.NOW - index * 1e4,
    })),
  }),
};

function readRegistry(known: Knowledge, [what, name, part]: readonly string[], query: URLSearchParams): Answer {
  if (what === 'overview')
    return {
      body: known.isEmpty
        ? { jobsByStatus: {}, serverCount: 0, runningItems: 0, problems: [], nextFires: [] }
        : fixtures.overview(),
    };
  if (what === 'schedule') return page(known.isEmpty ? [] : fixtures.schedule(Number(query.get('from'))));
  if (what === 'graphs') {
    if (name === undefined) return page(known.isEmpty ? [] : graphs.graphs(known.isGraphPaused));
    if (name !== 'nightly') return problem(404, 'unknown-graph', `There is no graph ${name}.`);
    return part === 'rounds' ? page(graphs.rounds()) : { body: graphs.graph(known.isGraphPaused) };
  }
  if (what === 'servers') return readServers(known, name, part);
  if (name === undefined) {
    const start = Number(query.get('cursor') ?? 0);
    const next = start + Number(query.get('limit') ?? 50);
    return {
      body: {
        items: known.jobs.slice(start, next),
        total: known.jobs.length,
        ...(next < known.jobs.length && { nextCursor: String(next) }),
      },
    };
  }
  const job = known.jobs.find(({ jobName }) => jobName === name);
  if (job === undefined) return problem(404, 'unknown-job', `There is no job ${name}.`);
  if (part === undefined)
    return {
      body: {
        ...job,
        kinds: ['node'],
        leader: fixtures.instanceId(1),
        successors: ['mail-invoices'],
        serverStates: [],
      },
    };
  if (part === 'shards') return page(known.shards);
  if (part === 'instances') return page(known.instances);
  if (part === 'config')
    return {
      body: {
        version: known.version,
        configuration: { ...CONFIGURATION, jobName: name },
        yaml: 'jobName: settle-invoices\ncron: 0 0/5 * * * ?',
        isOverwritten: true,
      },
    };
  if (part === 'explain')
    return {
      body: {
        sentence: 'Item 3 runs since 12:00:04 on 10.0.0.11, and is not late.',
        reason: {
          ...{ type: 'still-running', code: 'still-running.made-up-for', items: '3', holds: 'now' },
          sentence: 'Item 3 runs since 12:00:04 on 10.0.0.11, and is not late.',
          values: { instanceId: fixtures.instanceId(0), since: { instant: fixtures.NOW }, missed: 'made-up-for' },
          cure: { code: 'lasting-run', values: {}, sentence: 'Look at its log.' },
        },
        others: [
          {
            ...{ type: 'item-disabled', code: 'item-disabled', items: '4', holds: 'now' },
            sentence: 'Item 4 is disabled, by opal at 2030-01-01T00:00:00.000Z (a broken disk).',
            values: { by: 'opal', byAt: { instant: fixtures.NOW }, byWhy: 'a broken disk' },
            cure: {
              ...{
                code: 'enable-item',
                values: {},
                sentence: 'Enable it: npx elasticjob enable settle-invoices --item 4.',
              },
              command: 'npx elasticjob enable settle-invoices --item 4',
            },
          },
          {
            ...{ type: 'brand-new', code: 'brand-new', items: '5', holds: 'now', values: {} },
            sentence: 'Item 5 rests, as a later server says.',
          },
        ],
        unknown: [{ code: 'untraced', values: {}, sentence: 'Runs of the past are not known.' }],
        timeZone: 'Asia/Kathmandu',
      },
    };
  return page(
    [
      'config',
      'instances',
      `instances/${fixtures.instanceId(0)}`,
      'sharding',
      'sharding/0',
      'sharding/0/instance',
      'servers',
      'servers/10.0.0.11',
    ].map((path, index) => ({
      path: `/settle-invoices/${path}`,
      value: index === 0 ? 'jobName: settle-invoices\ncron: 0 0/5 * * * ?' : '',
      version: index,
      isEphemeral: index === 2,
    })),
  );
}

function readServers(known: Knowledge, ip: string | undefined, part: string | undefined): Answer {
  const rows = [
    ...fixtures
      .instances()
      .map(({ serverIp }) => ({ serverIp, instanceCount: 7, jobCount: 9, disabledJobCount: 0, state: 'online' })),
    { serverIp: '10.0.0.99', instanceCount: 0, jobCount: 4, disabledJobCount: 1, state: 'offline' },
  ];
  if (ip === undefined) return page(known.isEmpty ? [] : rows);
  if (part === 'jobs')
    return page(
      known.jobs
        .slice(0, 6)
        .map(({ jobName }, index) => ({ jobName, isDisabled: index === 3, instanceCount: 1, items: 8 })),
    );
  return { body: rows.find(({ serverIp }) => serverIp === ip) };
}
