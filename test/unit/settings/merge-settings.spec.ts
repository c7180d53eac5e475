import { describe, expect, test } from '@jest/globals';
import { type JobConfiguration, withDefaults } from '../../../lib/api/job/job-configuration.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { type MergedSettings, mergeSettings } from '../../../lib/settings/merge-settings.js';
import { type RegCenterSettings } from '../../../lib/settings/reg-center-settings.js';
import { RefusedText } from '../../../lib/settings/files/refused-text.js';

/** The settings with those of the default registry centre. */
interface Merged extends MergedSettings {
  readonly regCenter: RegCenterSettings;
}

interface Given {
  /** The settings of decorators by job name; the weakest source. */
  readonly decorated?: Readonly<Record<string, object>>;
  readonly options?: unknown;
  readonly file?: unknown;
  readonly environment?: Record<string, string | undefined>;
}

const syncOrders = { syncOrders: { shardingTotalCount: 3 } };

const merge = ({ decorated = syncOrders, options = {}, file, environment = {} }: Given): Merged => {
  const merged = mergeSettings({ code: [{ jobs: decorated }, options], file, environment })!;
  return { ...merged, regCenter: merged.regCenters.get('default')! };
};

const problemsOf = (given: Given): readonly string[] => {
  const { problems, jobs } = merge(given);
  return [...problems, ...[...jobs.values()].flatMap((job) => job.problems)];
};

/** The configuration of the first job. */
const configurationOf = (given: Given): JobConfiguration => {
  const [name, { settings }] = [...merge(given).jobs][0]!;
  return withDefaults(name, settings);
};

describe('precedence', () => {
  test('the environment wins over the file, the file over code, code over the decorator, field by field', () => {
    const configuration = configurationOf({
      decorated: {
        syncOrders: {
          shardingTotalCount: 1,
          jobParameter: 'decorator',
          description: 'decorator',
          label: 'decorator',
        },
      },
      options: { jobs: { syncOrders: { jobParameter: 'code', description: 'code', shardingTotalCount: 2 } } },
      file: { jobs: { syncOrders: { description: 'file', shardingTotalCount: 3 } } },
      environment: { ELASTICJOB_JOBS_SYNCORDERS_SHARDINGTOTALCOUNT: '4' },
    });

    expect(configuration).toMatchObject({
      label: 'decorator',
      jobParameter: 'code',
      description: 'file',
      shardingTotalCount: 4,
    });
  });

  test('parameters of items are replaced as a whole, in whichever form they are', () => {
    const decorated = {
      syncOrders: { shardingTotalCount: 2, shardingItemParameters: { 0: 'Beijing', 1: 'Shanghai' } },
    };
    const file = { jobs: { syncOrders: { shardingItemParameters: ['Lisbon'] } } };
    const environment = { ELASTICJOB_JOBS_SYNC_ORDERS_SHARDINGITEMPARAMETERS: '1=Porto' };

    expect(configurationOf({ decorated }).shardingItemParameters).toBe('0=Beijing,1=Shanghai');
    expect(configurationOf({ decorated, file }).shardingItemParameters).toBe('0=Lisbon');
    expect(configurationOf({ decorated, file, environment }).shardingItemParameters).toBe('1=Porto');
  });

  test('properties are merged key by key, however they are nested', () => {
    const { props } = configurationOf({
      decorated: { syncOrders: { shardingTotalCount: 1, props: { 'email.host': 'a', 'email.port': '1', own: 'x' } } },
      options: { jobs: { syncOrders: { props: { email: { port: 2 } } } } },
      environment: { ELASTICJOB_JOBS_SYNC_ORDERS_PROPS_EMAIL_HOST: 'b' },
    });

    expect(props).toEqual({ 'email.host': 'b', 'email.port': '2', own: 'x' });
  });

  test('properties that are wrong are a problem, and do not hide those of another source', () => {
    const right = { syncOrders: { shardingTotalCount: 1, props: { a: '1' } } };
    const wrong = { syncOrders: { shardingTotalCount: 1, props: { a: [] } } };
    const problem = /^elasticjob\.jobs\.syncOrders\.props: must be keys with texts \(key: text\), but 'a' is /;

    expect(problemsOf({ decorated: right, file: { jobs: wrong } })).toEqual([expect.stringMatching(problem)]);
    expect(problemsOf({ decorated: wrong, file: { jobs: right } })).toEqual([expect.stringMatching(problem)]);
  });

  test('TLS and SASL of one source do not replace those of another', () => {
    const { regCenter } = merge({
      options: { regCenter: { sasl: { username: 'jobs' } } },
      file: { regCenter: { sasl: { password: 'secret' } } },
    });

    expect({ ...regCenter.sasl }).toEqual({ username: 'jobs', password: 'secret' });
  });

  test('a wrong value that is overridden by a right one is no problem', () => {
    expect(
      configurationOf({
        options: { jobs: { syncOrders: { shardingTotalCount: 'three' } } },
        environment: { ELASTICJOB_JOBS_SYNCORDERS_SHARDINGTOTALCOUNT: '3' },
      }).shardingTotalCount,
    ).toBe(3);
  });

  test('an empty text removes the setting of a weaker source', () => {
    const decorated = { syncOrders: { shardingTotalCount: 1, cron: '0/5 * * * * ?' } };

    expect(configurationOf({ decorated, file: { jobs: { syncOrders: { cron: '' } } } }).cron).toBeUndefined();
  });
});

describe('relaxed names', () => {
  test.each([
    ['ELASTICJOB_REGCENTER_SERVERLISTS'],
    ['ELASTICJOB_REG_CENTER_SERVER_LISTS'],
    ['elasticjob.reg-center.server-lists'.replaceAll('-', '')],
    ['elasticjob.regCenter.serverLists'],
    ['elasticjob_reg_center_serverLists'],
  ])('the variable %s', (variable) => {
    const { regCenter } = merge({
      options: { regCenter: { namespace: 'n' } },
      environment: { [variable]: 'zoo:2181' },
    });

    expect(regCenter).toEqual({ namespace: 'n', serverLists: 'zoo:2181' });
  });

  test.each([
    ['regCenter', 'serverLists'],
    ['reg-center', 'server-lists'],
    ['reg_center', 'server_lists'],
    ['REGCENTER', 'ServerLists'],
  ])('the keys %s and %s', (section, key) => {
    const { regCenter } = merge({ file: { [section]: { [key]: 'zoo', namespace: 'n' } } });

    expect(regCenter).toEqual({ namespace: 'n', serverLists: 'zoo' });
  });

  test.each([
    ['sync-orders', 'ELASTICJOB_JOBS_SYNCORDERS_JOBPARAMETER'],
    ['sync-orders', 'ELASTICJOB_JOBS_SYNC_ORDERS_JOB_PARAMETER'],
    ['sync.orders', 'ELASTICJOB_JOBS_SYNC_ORDERS_JOB_PARAMETER'],
    ['同步', 'ELASTICJOB_JOBS_同步_JOBPARAMETER'],
    ['job', 'ELASTICJOB_JOBS_JOB_JOBPARAMETER'],
  ])('the job %s in the variable %s', (jobName, variable) => {
    const decorated = { [jobName]: { shardingTotalCount: 1 } };

    expect(configurationOf({ decorated, environment: { [variable]: 'x' } }).jobParameter).toBe('x');
  });

  test('a job whose name begins with another job’s name is a job of its own', () => {
    const decorated = { sync: { shardingTotalCount: 1 }, syncOrders: { shardingTotalCount: 1 } };
    const { jobs } = merge({ decorated, environment: { ELASTICJOB_JOBS_SYNC_ORDERS_LABEL: 'x' } });

    expect([...jobs.values()].map(({ settings }) => settings.label)).toEqual([undefined, 'x']);
  });

  test('a variable that may mean two jobs is refused', () => {
    const decorated = { 'a-b': { shardingTotalCount: 1 }, ab: { shardingTotalCount: 1 } };

    expect(problemsOf({ decorated, environment: { ELASTICJOB_JOBS_AB_LABEL: 'x' } })).toEqual([
      "ELASTICJOB_JOBS_AB_LABEL: may mean the job 'a-b' or the job 'ab'; set it in code or in a file",
    ]);
  });

  test('two variables for one setting are refused', () => {
    const environment = { ELASTICJOB_REGCENTER_NAMESPACE: 'a', ELASTICJOB_REG_CENTER_NAMESPACE: 'b' };

    expect(problemsOf({ environment })).toEqual([
      'elasticjob.regCenter.namespace: is given twice, by ELASTICJOB_REGCENTER_NAMESPACE and ELASTICJOB_REG_CENTER_NAMESPACE',
    ]);
  });

  test('two spellings of one key in a file are refused', () => {
    expect(problemsOf({ file: { regCenter: { namespace: 'a', NAMESPACE: 'b' } } })).toEqual([
      "elasticjob.regCenter.NAMESPACE: is given twice in one place, under different spellings of 'namespace'",
    ]);
  });

  test('brackets around the name of a job in a file are Spring’s and not part of the name', () => {
    const decorated = { 'sync orders': { shardingTotalCount: 1 } };
    const file = { jobs: { '[sync orders]': { jobParameter: 'x' } } };

    expect(configurationOf({ decorated, file })).toMatchObject({ jobName: 'sync orders', jobParameter: 'x' });
    expect(problemsOf({ decorated, file: { jobs: { ...file.jobs, 'sync orders': {} } } })).toEqual([
      'elasticjob.jobs["sync orders"]: is given twice in one place, with brackets and without',
    ]);
  });

  test('names of jobs are exact in a file', () => {
    expect([...merge({ file: { jobs: { 'sync-orders': { shardingTotalCount: 1 } } } }).jobs.keys()]).toEqual([
      'syncOrders',
      'sync-orders',
    ]);
  });
});

describe('text', () => {
  test('of a file or the environment stands for numbers, booleans and lists', () => {
    const given = {
      file: {
        autoStart: 'False',
        shutdownGracePeriodMilliseconds: '5',
        regCenter: { maxRetries: '007', namespace: 5 },
        jobs: { syncOrders: { shardingTotalCount: '3', jobParameter: 7, description: true } },
      },
      environment: { ELASTICJOB_JOBS_SYNCORDERS_FAILOVER: 'true', ELASTICJOB_JOBS_SYNCORDERS_MAXTIMEDIFFSECONDS: '-1' },
    };
    const { module, regCenter } = merge(given);

    expect(module).toEqual({ autoStart: false, shutdownGracePeriodMilliseconds: 5 });
    expect(regCenter).toEqual({ maxRetries: 7, namespace: '5' });
    expect(configurationOf(given)).toMatchObject({
      shardingTotalCount: 3,
      jobParameter: '7',
      description: 'true',
      failover: true,
      maxTimeDiffSeconds: -1,
    });
  });

  test.each([
    ['SHARDINGTOTALCOUNT', 'three', 'shardingTotalCount: must be an integer of at least 1, got "three"'],
    ['SHARDINGTOTALCOUNT', '3.0', 'shardingTotalCount: must be an integer of at least 1, got "3.0"'],
    ['SHARDINGTOTALCOUNT', '1e3', 'shardingTotalCount: must be an integer of at least 1, got "1e3"'],
    ['SHARDINGTOTALCOUNT', '0x10', 'shardingTotalCount: must be an integer of at least 1, got "0x10"'],
    ['SHARDINGTOTALCOUNT', ' 3', 'shardingTotalCount: must be an integer of at least 1, got " 3"'],
    ['SHARDINGTOTALCOUNT', '0', 'shardingTotalCount: must be an integer of at least 1, got 0'],
    [
      'SHARDINGTOTALCOUNT',
      '99999999999999999999',
      'shardingTotalCount: must be an integer of at least 1, got "99999999999999999999"',
    ],
    ['FAILOVER', 'yes', 'failover: must be true or false, got "yes"'],
    ['FAILOVER', '1', 'failover: must be true or false, got "1"'],
    ['FAILOVER', 'tRue', 'failover: must be true or false, got "tRue"'],
  ])('that is not written like one is refused: %s=%p', (key, value, said) => {
    const variable = `ELASTICJOB_JOBS_SYNCORDERS_${key}`;

    expect(problemsOf({ environment: { [variable]: value } })).toEqual([
      `elasticjob.jobs.syncOrders.${said} (from environment variable ${variable})`,
    ]);
  });

  test.each([
    ['A', ['A']],
    ['A, B ,C', ['A', 'B', 'C']],
    ['[ A, B ]', ['A', 'B']],
    ['[]', []],
    [' ', []],
  ])('that stands for a list is split at commas: %p', (value, types) => {
    const environment = { ELASTICJOB_JOBS_SYNCORDERS_JOBLISTENERTYPES: value };

    expect(configurationOf({ environment }).jobListenerTypes).toEqual(types);
  });

  test.each([
    ['+5', 5],
    ['-1', -1],
    ['000000000000005', 5],
  ])('that is written like an integer of at most 15 digits is one: %s', (value, expected) => {
    const environment = { ELASTICJOB_JOBS_SYNCORDERS_RECONCILEINTERVALMINUTES: value };

    expect(configurationOf({ environment }).reconcileIntervalMinutes).toBe(expected);
  });

  test('that has more digits is none, as numbers of that size are not exact', () => {
    expect(problemsOf({ file: { shutdownGracePeriodMilliseconds: '0000000000000005' } })).toEqual([
      'elasticjob.shutdownGracePeriodMilliseconds: must be an integer of at least 0, got "0000000000000005"',
    ]);
  });

  test('of code stands for text only', () => {
    expect(problemsOf({ options: { enabled: 'true', jobs: { syncOrders: { shardingTotalCount: '3' } } } })).toEqual([
      'elasticjob.enabled: must be true or false, got "true"',
      'elasticjob.jobs.syncOrders.shardingTotalCount: must be an integer of at least 1, got "3"',
    ]);
  });

  test('a file whose section has no lines is a file without it', () => {
    expect(problemsOf({ file: { regCenter: null, jobs: null } })).toEqual([]);
    expect(problemsOf({ file: { jobs: { syncOrders: null } } })).toEqual([]);
  });
});

describe('unknown keys', () => {
  test('are named up to a hundred in one place, and counted beyond', () => {
    const regCenter = Object.fromEntries(Array.from({ length: 20_000 }, (_, number) => [`key${number}`, 1]));

    const problems = problemsOf({ file: { regCenter } });

    expect(problems).toHaveLength(101);
    expect(problems).toContain('elasticjob.regCenter: has 19900 more unknown keys');
  });

  test.each<[Given, string]>([
    [
      { options: { regCenter: { namspace: 'x' } } },
      "elasticjob.regCenter.namspace: unknown key; did you mean 'namespace'?",
    ],
    [{ file: { 'reg-centre': {} } }, "elasticjob.reg-centre: unknown key; did you mean 'regCenter'?"],
    [{ options: { foo: 1 } }, 'elasticjob.foo: unknown key'],
    [{ options: JSON.parse('{"__proto__": {"enabled": false}}') }, 'elasticjob.__proto__: unknown key'],
    [
      { options: { jobs: { syncOrders: { corn: 'x' } } } },
      "elasticjob.jobs.syncOrders.corn: unknown key; did you mean 'cron'?",
    ],
    [{ options: { jobs: { syncOrders: { toString: 'x' } } } }, 'elasticjob.jobs.syncOrders.toString: unknown key'],
    [{ file: { strategies: [] } }, 'elasticjob.strategies: unknown key; it can be set in code only'],
    [
      { environment: { ELASTICJOB_JOBS_SYNCORDERS_SHARDINGTOTALCONT: '3' } },
      "elasticjob.jobs.syncOrders.shardingtotalcont: unknown key; did you mean 'shardingTotalCount'? (from environment variable ELASTICJOB_JOBS_SYNCORDERS_SHARDINGTOTALCONT)",
    ],
    [
      { environment: { ELASTICJOB_REGCENTER_NAMSPACE: 'x' } },
      "elasticjob.regCenter.namspace: unknown key; did you mean 'namespace'? (from environment variable ELASTICJOB_REGCENTER_NAMSPACE)",
    ],
    [{ file: { serverLists: 'a:1' } }, 'elasticjob.serverLists: unknown key; it belongs to elasticjob.regCenter'],
    [
      { file: { syncOrders: { cron: 'x' } } },
      "elasticjob.syncOrders: unknown key; did you mean 'elasticjob.jobs.syncOrders'?",
    ],
    [
      { file: { regCenter: { hosts: 'a:1' } } },
      'elasticjob.regCenter.hosts: unknown key; known are: required, dataSource, serverLists, namespace, baseSleepTimeMilliseconds, maxSleepTimeMilliseconds, maxRetries, sessionTimeoutMilliseconds, connectionTimeoutMilliseconds, digest, tls, sasl, type, url, schema, connections, notify, endpoints, username, password, maxTxnOps',
    ],
    [
      { environment: { ELASTICJOB_REG_CENTER_SERVER_LISTS: 'garbage:', ELASTICJOB_REGCENTER_NAMESPACE: 'n' } },
      `elasticjob.regCenter.serverLists: must be servers like 'host1:2181,host2:2181', which 'garbage:' is not, got "garbage:" (from environment variable ELASTICJOB_REG_CENTER_SERVER_LISTS)`,
    ],
    [
      { environment: { ELASTICJOB_JOBS_SYNCORDER_CRON: 'x' }, options: { jobs: { syncOrders: {} } } },
      "ELASTICJOB_JOBS_SYNCORDER_CRON: there is no job 'syncorder'; jobs are: syncOrders; did you mean 'syncOrders'?",
    ],
    [
      { environment: { ELASTICJOB_REGCENTRE_NAMESPACE: 'x' } },
      "ELASTICJOB_REGCENTRE_NAMESPACE: unknown key 'regcentre-namespace'; did you mean 'regCenter'?",
    ],
    [
      { environment: { ELASTICJOB_TRACING_TYPE: 'KAFKA' } },
      'elasticjob.tracing.type: must be RDB, which records runs in a database by TypeORM, got "KAFKA" (from environment variable ELASTICJOB_TRACING_TYPE)',
    ],
    [
      { environment: { ELASTICJOB_JOBS: 'x' } },
      "ELASTICJOB_JOBS: 'jobs' is a section; its settings are ELASTICJOB_JOBS_<NAME>_<SETTING>",
    ],
    [
      { environment: { ELASTICJOB_REG_CENTER: 'x' } },
      "ELASTICJOB_REG_CENTER: 'regCenter' is a section; its settings are ELASTICJOB_REGCENTER_<SETTING>",
    ],
    [{ environment: { ELASTICJOB_ENABLD: 'x' } }, "ELASTICJOB_ENABLD: unknown key 'enabld'; did you mean 'enabled'?"],
    [
      { environment: { ELASTICJOB_JOBS_SYNCORDERS: 'x' } },
      "ELASTICJOB_JOBS_SYNCORDERS: is not a setting of a job; a job's settings are ELASTICJOB_JOBS_<NAME>_<SETTING>",
    ],
  ])('are refused: %j', (given, said) => {
    expect(problemsOf(given)).toEqual([said]);
  });

  test('variables that resemble no setting, and those for jobs of other applications, only cause warnings', () => {
    const environment = { ELASTICJOB_UI_PORT: '8088', ELASTICJOBS: 'x', PATH: 'y', ELASTICJOB_JOBS_BILLING_CRON: 'x' };

    expect(problemsOf({ environment })).toEqual([]);
    expect(merge({ environment }).warnings).toEqual([
      'These environment variables are not settings of ElasticJob and are ignored: ELASTICJOB_UI_PORT.',
      'These environment variables are ignored, as they name jobs that this application does not have (its jobs are syncOrders): ELASTICJOB_JOBS_BILLING_CRON.',
      'These environment variables are ignored, as names of settings begin with ELASTICJOB_: ELASTICJOBS.',
    ]);
  });
});

test.each([
  [{ cron: '0 0 0 * * ?' }, 'elasticjob.cron: unknown key; it belongs to elasticjob.jobs.<name>'],
  [{ jobErrorHandlerType: 'LOG' }, 'elasticjob.jobErrorHandlerType: unknown key; it belongs to elasticjob.jobs.<name>'],
  [{ 'retention-days': 3 }, 'elasticjob.retention-days: unknown key; it belongs to elasticjob.tracing'],
  [{ port: 3 }, 'elasticjob.port: unknown key; it belongs to elasticjob.dump'],
  [{ jobs: { j: { maxRetry: 3 } } }, "elasticjob.jobs.j.maxRetry: unknown key; did you mean 'maxRetries'?"],
  [{ jobs: { j: { krone: 'x' } } }, "elasticjob.jobs.j.krone: unknown key; did you mean 'cron'?"],
  [{ jobs: { j: { xyzzy: null } } }, 'elasticjob.jobs.j.xyzzy: unknown key'],
])('a key in the wrong place, or with a wrong name, is refused with the right one: %j', (file, problem) => {
  expect(merge({ decorated: {}, file }).problems).toEqual([problem]);
});

test('an empty value of a file says nothing, whatever the setting is', () => {
  const decorated = { syncOrders: { shardingTotalCount: 3, cron: '0 0 0 * * ?', props: { a: 'b' } } };
  const file = {
    ...{ regCenter: { digest: null, serverLists: null, tls: null }, tracing: { includeJobNames: null }, dump: null },
    ...{ shutdownGracePeriodMilliseconds: '', enabled: '' },
    jobs: {
      syncOrders: { cron: null, shardingTotalCount: '', props: { a: null, c: { d: null } }, jobListenerTypes: null },
    },
  };

  expect(problemsOf({ decorated, file })).toEqual([]);
  expect(configurationOf({ decorated, file })).toMatchObject({
    ...{ cron: '0 0 0 * * ?', shardingTotalCount: 3, props: { a: 'b' } },
  });
});

test('in code, a setting that is null is refused', () => {
  expect(problemsOf({ options: { jobs: { syncOrders: { cron: null } } } })).toEqual([
    expect.stringMatching(/cron: must be a cron expression .+, got null$/),
  ]);
});

test('an integer of a file that begins with 0 is refused, as Java reads it as an octal number', () => {
  expect(problemsOf({ file: { jobs: { syncOrders: { shardingTotalCount: '010' } } } })).toEqual([
    'elasticjob.jobs.syncOrders.shardingTotalCount: must not begin with 0, got "010": Java reads it as an octal number; write 10 if that is meant',
  ]);
});

describe('a placeholder without a value', () => {
  const unresolved = new RefusedText('has no value');

  test('is the only problem of its setting, wherever it stands', () => {
    const file = {
      ...{ autoStart: unresolved, dump: { port: unresolved } },
      regCenter: { serverLists: unresolved, namespace: unresolved, digest: unresolved, tls: { ca: unresolved } },
      tracing: { includeJobNames: unresolved, type: unresolved },
      jobs: {
        syncOrders: {
          ...{ shardingTotalCount: unresolved, cron: unresolved, shardingItemParameters: unresolved },
          ...{ jobListenerTypes: [unresolved], props: { a: { b: unresolved } } },
        },
      },
    };

    expect(problemsOf({ file })).toEqual([
      'elasticjob.autoStart: has no value',
      'elasticjob.regCenter.serverLists: has no value',
      'elasticjob.regCenter.namespace: has no value',
      'elasticjob.regCenter.digest: has no value',
      'elasticjob.regCenter.tls.ca: has no value',
      'elasticjob.tracing.includeJobNames: has no value',
      'elasticjob.tracing.type: has no value',
      'elasticjob.dump.port: has no value',
      'elasticjob.jobs.syncOrders.shardingTotalCount: has no value',
      'elasticjob.jobs.syncOrders.cron: has no value',
      'elasticjob.jobs.syncOrders.shardingItemParameters: has no value',
      'elasticjob.jobs.syncOrders.jobListenerTypes: has no value',
      'elasticjob.jobs.syncOrders.props.a.b: has no value',
    ]);
    expect(problemsOf({ file: { regCenter: unresolved } })).toEqual(['elasticjob.regCenter: has no value']);
  });

  test('does not matter if a stronger source has the setting', () => {
    const file = { regCenter: { serverLists: unresolved, namespace: 'n' } };
    const environment = { ELASTICJOB_REGCENTER_SERVERLISTS: 'zoo:2181' };

    expect(problemsOf({ file, environment })).toEqual([]);
    expect(merge({ file, environment }).regCenter).toEqual({ serverLists: 'zoo:2181', namespace: 'n' });
  });
});

describe('wrong values', () => {
  const SERVERS = "elasticjob.regCenter.serverLists: must be servers like 'host1:2181,host2:2181'";
  const PLACEHOLDERS = 'must not have placeholders such as ${…}, which are replaced in files only';
  const CHROOT =
    "elasticjob.regCenter.serverLists: must end with a path such as '/team', without empty or odd names in it, if with any";
  const JOB = 'elasticjob.jobs.syncOrders';
  const NAMESPACE = "elasticjob.regCenter.namespace: must be a name like 'orders', or names joined by '/'";

  test.each<[unknown, string]>([
    [null, 'elasticjob: must be keys with values (key: value), got null'],
    [[], 'elasticjob: must be keys with values (key: value), got a list'],
    ['text', 'elasticjob: must be keys with values (key: value), got a string that is not shown'],
    [{ jobs: [] }, 'elasticjob.jobs: must be keys with values (key: value), got a list'],
    [{ jobs: null }, 'elasticjob.jobs: must be keys with values (key: value), got null'],
    [
      { jobs: { syncOrders: 3 } },
      'elasticjob.jobs.syncOrders: must be keys with values (key: value), got a number that is not shown',
    ],
    [
      { regCenter: 'zoo:2181' },
      'elasticjob.regCenter: must be keys with values (key: value), got a string that is not shown',
    ],
    [{ regCenter: { serverLists: '', namespace: 'n' } }, `${SERVERS}, got ""`],
    [{ regCenter: { serverLists: 'a b', namespace: 'n' } }, `${SERVERS}, which 'a b' is not, got "a b"`],
    [{ regCenter: { serverLists: 'a:0', namespace: 'n' } }, `${SERVERS}, which 'a:0' is not, got "a:0"`],
    [{ regCenter: { serverLists: 'a:65536', namespace: 'n' } }, `${SERVERS}, which 'a:65536' is not, got "a:65536"`],
    [
      { regCenter: { serverLists: 'a:1,', namespace: 'n' } },
      `${SERVERS}, without commas that separate nothing, got "a:1,"`,
    ],
    [
      { regCenter: { serverLists: '::1:2181', namespace: 'n' } },
      `${SERVERS}, which '::1:2181' is not; an IPv6 address stands in brackets: '[::1]:2181', got "::1:2181"`,
    ],
    [
      { regCenter: { serverLists: '${ZK:localhost}', namespace: 'n' } },
      `elasticjob.regCenter.serverLists: ${PLACEHOLDERS}, got "\${ZK:localhost}"`,
    ],
    [
      { regCenter: { namespace: '${ENV}-orders' } },
      `elasticjob.regCenter.namespace: ${PLACEHOLDERS}, got "\${ENV}-orders"`,
    ],
    [
      { regCenter: { digest: '${USER}:${PASSWORD}' } },
      `elasticjob.regCenter.digest: ${PLACEHOLDERS}, got a string that is not shown`,
    ],
    [{ regCenter: { serverLists: 'me@zoo:1', namespace: 'n' } }, `${SERVERS}, which 'me@zoo:1' is not, got "me@zoo:1"`],
    [{ regCenter: { serverLists: 'a:1/b//c', namespace: 'n' } }, `${CHROOT}, got "a:1/b//c"`],
    [{ regCenter: { serverLists: 'a:1/../c', namespace: 'n' } }, `${CHROOT}, got "a:1/../c"`],
    [{ regCenter: { serverLists: 'a:1/\u0000', namespace: 'n' } }, `${CHROOT}, got "a:1/\\u0000"`],
    [
      { strategies: ['X', 'x'].map((type) => ({ type, sharding: () => new Map() })) },
      'elasticjob.strategies: must not have the type "X" twice; case does not count, got [keys with values,keys with values]',
    ],
    [
      { jobs: { other: { shardingTotalCount: 1, elasticJobType: [Symbol('x')] } } },
      'elasticjob.jobs.other.elasticJobType: must be a text, got [a symbol]',
    ],
    [
      { jobs: { syncOrders: { elasticJobClass: -1 } } },
      `${JOB}.elasticJobClass: must be the class name of a provider, got -1`,
    ],
    [
      { jobs: { syncOrders: { elasticJobClass: '' } } },
      `${JOB}.elasticJobClass: must be the class name of a provider, got ""`,
    ],
    [{ jobs: { syncOrders: { '': 1 } } }, `${JOB}[""]: unknown key`],
    [{ regCenter: { serverLists: ['a:1'], namespace: 'n' } }, `${SERVERS}, got ["a:1"]`],
    [
      { regCenter: { serverLists: 'a:1' } },
      "elasticjob.regCenter.namespace: is required with serverLists or url or endpoints and must be a name like 'orders'; set it in forRoot({ regCenter: { namespace } }), as elasticjob.regCenter.namespace in the file, or as ELASTICJOB_REGCENTER_NAMESPACE",
    ],
    [{ regCenter: { namespace: '' } }, `${NAMESPACE}, got ""`],
    [{ regCenter: { namespace: '/a' } }, `${NAMESPACE}, got "/a"`],
    [{ regCenter: { namespace: 'a//b' } }, `${NAMESPACE}, got "a//b"`],
    [{ regCenter: { namespace: '..' } }, `${NAMESPACE}, got ".."`],
    [{ regCenter: { namespace: 5 } }, `${NAMESPACE}, got 5`],
    [
      { regCenter: { digest: 'hunter2' } },
      'elasticjob.regCenter.digest: must be of the form user:password, got a string that is not shown',
    ],
    [
      { regCenter: { digest: ['hunter2'] } },
      'elasticjob.regCenter.digest: must be of the form user:password, got a list',
    ],
    [{ regCenter: { maxRetries: 30 } }, 'elasticjob.regCenter.maxRetries: must be an integer of at most 29, got 30'],
    [
      { regCenter: { connectionTimeoutMilliseconds: 2 ** 31 } },
      'elasticjob.regCenter.connectionTimeoutMilliseconds: must be 0 (the default) or an integer of at most 2147483647, got 2147483648',
    ],
    [
      { regCenter: { sessionTimeoutMilliseconds: -1 } },
      'elasticjob.regCenter.sessionTimeoutMilliseconds: must be 0 (the default) or an integer of at least 1000, got -1',
    ],
    [
      { shutdownGracePeriodMilliseconds: NaN },
      'elasticjob.shutdownGracePeriodMilliseconds: must be an integer of at least 0, got NaN',
    ],
    [{ autoStart: 1 }, 'elasticjob.autoStart: must be true or false, got 1'],
    [{ enabled: null }, 'elasticjob.enabled: must be true or false, got null'],
    [
      { strategies: [{ type: 'X' }] },
      "elasticjob.strategies: must be a list of objects with a 'type' and sharding(), got [keys with values]",
    ],
    [
      { executors: {} },
      "elasticjob.executors: must be a list of objects with a 'type' and process(), got keys with values",
    ],
    [
      { errorHandlers: [null] },
      "elasticjob.errorHandlers: must be a list of objects with a 'type' and handleException(), got [null]",
    ],
    [
      { classedExecutors: [{ accepts: () => true, process: () => undefined }] },
      "elasticjob.classedExecutors: must be a list of objects with accepts(), process() and a text 'requirement', which names " +
        'what accepts() looks for, got [keys with values]',
    ],
    [{ observers: {} }, 'elasticjob.observers: must be a list of objects with onRunEvent(), got keys with values'],
    [{ interceptors: [null] }, 'elasticjob.interceptors: must be a list of objects with around(), got [null]'],
    [
      { logger: {} },
      'elasticjob.logger: must be false (nothing is logged) or an object with the methods debug(), log(), warn(), error(), got keys with values',
    ],
    [
      { registryCenter: 'x' },
      'elasticjob.registryCenter: must be an object with the methods connect(), mirror(), commit(), close(), got "x"',
    ],
    [{ tracing: { typ: 'RDB' } }, "elasticjob.tracing.typ: unknown key; did you mean 'type'?"],
    [{ dump: { port: 65_536 } }, 'elasticjob.dump.port: must be an integer of at most 65535, got 65536'],
    [
      { dump: { host: '0.0.0.0' } },
      `elasticjob.dump.host: has no effect without the dump's port: set elasticjob.dump.port too, or remove it, got "0.0.0.0"`,
    ],
    [{ dump: { password: 'hunter2' } }, 'elasticjob.dump.password: unknown key; known are: enabled, port, host'],
    [
      { jobs: { syncOrders: { autoStart: 'no' } } },
      'elasticjob.jobs.syncOrders.autoStart: must be true or false, got "no"',
    ],
    [
      { jobs: { 'a/b': { elasticJobClass: 'SyncOrdersJob', shardingTotalCount: 1 } } },
      `elasticjob.jobs["a/b"]: the job's name must not contain '/', as it names a node of the registry centre, got "a/b"`,
    ],
    [
      { jobs: JSON.parse('{"__proto__": {"elasticJobClass": "SyncOrdersJob", "shardingTotalCount": 1}}') as unknown },
      `elasticjob.jobs.__proto__: the job's name must be another name, as this one has a special meaning, got "__proto__"`,
    ],
  ])('are a problem: %j', (options, said) => {
    expect(problemsOf({ options })).toEqual([said]);
  });

  test('what is switched off in a file that a Java application shares is no problem', () => {
    expect(problemsOf({ file: { dump: { enabled: false }, tracing: null } })).toEqual([]);
    expect(problemsOf({ file: { dump: { enabled: 'false' } } })).toEqual([]);
  });

  test.each<[settings: object, problem: string | undefined]>([
    [{ elasticJobType: ' ' }, 'elasticJobType: must be the type of an executor, got " "'],
    [{ elasticJobType: 'SCRIPT' }, undefined],
    [{ elasticJobClass: ' ' }, 'elasticJobClass: must be the class name of a provider, got " "'],
    [{ elasticJobClass: class SyncOrdersJob {} }, undefined],
    [
      { jobClassName: 'org.acme.A B' },
      'jobClassName: must be a class name without blanks, such as \'org.acme.SyncOrdersJob\', got "org.acme.A B"',
    ],
    [{ jobClassName: 'org.acme.AB' }, undefined],
    [{ jobClassName: '' }, undefined],
  ])('that name the work of a job: %p', (settings, problem) => {
    expect(problemsOf({ options: { jobs: { syncOrders: settings } } })).toEqual(
      problem === undefined ? [] : [`elasticjob.jobs.syncOrders.${problem}`],
    );
  });

  test('a registry centre outside this process that is required and missing', () => {
    const missing =
      'elasticjob.regCenter: needs serverLists, url or endpoints, as elasticjob.regCenter.required is true; ' +
      'without a registry centre, each process would run all items by itself';
    const zooKeeper = { serverLists: 'zoo:2181', namespace: 'n' };
    const own = { connect: () => undefined, mirror: () => undefined, commit: () => undefined, close: () => undefined };

    expect(problemsOf({ options: { regCenter: { required: true } } })).toEqual([missing]);
    expect(problemsOf({ options: { regCenter: { required: true, ...zooKeeper } } })).toEqual([]);
    expect(problemsOf({ options: { regCenter: { required: true }, registryCenter: own } })).toEqual([]);
    const registryCenter = new EmbeddedRegistryCenter();
    expect(problemsOf({ options: { regCenter: { required: true, ...zooKeeper }, registryCenter } })).toEqual([missing]);
  });

  test('of all sources are listed together', () => {
    const problems = problemsOf({
      options: { regCenter: { namspace: 'x' }, jobs: { other: {} } },
      file: { jobs: { syncOrders: { shardingTotalCount: 'three' } } },
      environment: { ELASTICJOB_JOBS_SYNCORDERS_FAILOVER: 'perhaps' },
    });

    expect(problems).toEqual([
      "elasticjob.regCenter.namspace: unknown key; did you mean 'namespace'?",
      'elasticjob.jobs.syncOrders.shardingTotalCount: must be an integer of at least 1, got "three"',
      'elasticjob.jobs.syncOrders.failover: must be true or false, got "perhaps" (from environment variable ELASTICJOB_JOBS_SYNCORDERS_FAILOVER)',
      'elasticjob.jobs.other.shardingTotalCount: is required and must be an integer of at least 1',
    ]);
  });

  test('under the name of a prototype change no prototype', () => {
    problemsOf({
      options: JSON.parse('{"__proto__": {"polluted": 1}, "jobs": {"__proto__": {"polluted": 1}}}') as unknown,
    });
    problemsOf({
      environment: { ELASTICJOB_JOBS___PROTO___LABEL: '1', 'ELASTICJOB_JOBS_SYNCORDERS_PROPS.__proto__.polluted': '1' },
    });

    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

test('a variable for a job causes a warning in an application without jobs', () => {
  const given = { decorated: {}, environment: { ELASTICJOB_JOBS_NOPE_CRON: 'x' } };

  expect(problemsOf(given)).toEqual([]);
  expect(merge(given).warnings).toEqual([
    'These environment variables are ignored, as they name jobs that this application does not have (it has none): ELASTICJOB_JOBS_NOPE_CRON.',
  ]);
});

test('a job that variables in capitals alone define has a name in lower case, and a warning says how to spell it', () => {
  const folded = {
    ELASTICJOB_JOBS_SIMPLEJOB_ELASTICJOBTYPE: 'SCRIPT',
    ELASTICJOB_JOBS_SIMPLEJOB_SHARDINGTOTALCOUNT: '1',
  };
  const exact = { 'elasticjob.jobs.simpleJob.elasticJobType': 'SCRIPT', ELASTICJOB_JOBS_SIMPLEJOB_CRON: '0 0 0 * * ?' };

  expect([...merge({ environment: folded }).jobs.keys()]).toEqual(['syncOrders', 'simplejob']);
  expect(merge({ environment: folded }).warnings).toEqual([
    expect.stringMatching(
      /^Environment variable ELASTICJOB_JOBS_SIMPLEJOB_ELASTICJOBTYPE defines the job 'simplejob', .+elasticjob\.jobs\.simplejob\.cron\.$/,
    ),
  ]);
  expect([...merge({ environment: exact }).jobs.keys()]).toEqual(['syncOrders', 'simpleJob']);
  expect(merge({ environment: exact }).warnings).toEqual([]);
});

test.each([['ELASTICJOBCLASS'], ['ELASTICJOBTYPE'], ['WORKER']])(
  'variables alone can define a job, if one of them says what does its work: %s',
  (setting) => {
    const environment = { ELASTICJOB_JOBS_NEW_SHARDINGTOTALCOUNT: '1', [`ELASTICJOB_JOBS_NEW_${setting}`]: './x.js' };

    expect(problemsOf({ environment })).toEqual([]);
    expect([...merge({ environment }).jobs.keys()]).toEqual(['syncOrders', 'new']);
  },
);

test('a problem that is found later is followed by the variable from which the value came, once', () => {
  const { withOrigin } = merge({ environment: { ELASTICJOB_JOBS_SYNCORDERS_CRON: '0 0 0 * * ?' } });
  const problem = 'elasticjob.jobs.syncOrders.cron: must be: something else';

  expect(withOrigin(problem)).toBe(`${problem} (from environment variable ELASTICJOB_JOBS_SYNCORDERS_CRON)`);
  expect(withOrigin(withOrigin(problem))).toBe(withOrigin(problem));
  expect(withOrigin('elasticjob.jobs.syncOrders.label: must be a text')).toBe(
    'elasticjob.jobs.syncOrders.label: must be a text',
  );
});

test('the two names of the thread pool’s setting are refused together', () => {
  const file = { jobs: { syncOrders: { 'job-executor-service-handler-type': 'SINGLE_THREAD' } } };
  const options = { jobs: { syncOrders: { jobExecutorThreadPoolSizeProviderType: 'CPU' } } };

  expect(problemsOf({ file, options })).toEqual([
    'elasticjob.jobs.syncOrders: jobExecutorServiceHandlerType and jobExecutorThreadPoolSizeProviderType are two names of one setting, got "SINGLE_THREAD" and "CPU"',
  ]);
});

test('switched off, nothing else is checked', () => {
  const code = [{ jobs: 5, regCenter: { namspace: 1 } }];

  expect(mergeSettings({ code, file: undefined, environment: { ELASTICJOB_ENABLED: 'false' } })).toBeUndefined();
});

describe('of the environment', () => {
  const JOB = 'ELASTICJOB_JOBS_SYNCORDERS_';
  const QUOTES =
    'must not stand in quotes: nothing removes them here, so that they would be part of the value; leave them out, or set it in YAML or in code if they are meant';

  test.each<[variable: string, value: string, said: string]>([
    [`${JOB}CRON`, '"0 0 2 * * ?"', `elasticjob.jobs.syncOrders.cron: ${QUOTES}`],
    [`${JOB}SHARDINGTOTALCOUNT`, "'3'", `elasticjob.jobs.syncOrders.shardingTotalCount: ${QUOTES}`],
    [`${JOB}JOBPARAMETER`, '"north"', `elasticjob.jobs.syncOrders.jobParameter: ${QUOTES}`],
    [`${JOB}PROPS_EMAIL_HOST`, '"smtp"', `elasticjob.jobs.syncOrders.props.email.host: ${QUOTES}`],
    ['ELASTICJOB_TRACING_EXCLUDEJOBNAMES', '"a","b"', `elasticjob.tracing.excludeJobNames: ${QUOTES}`],
    ['ELASTICJOB_ENABLED', '"true"', `elasticjob.enabled: ${QUOTES}`],
  ])('%s in quotes, %s, is refused, as nothing removes them', (variable, value, said) => {
    expect(problemsOf({ environment: { [variable]: value } })).toEqual([
      `${said} (from environment variable ${variable})`,
    ]);
  });

  test.each(['"a" or "b"', "'", '"', 'say "x"', `"x'`])(
    'a value with quotes in other places, %s, is taken as it is',
    (value) => {
      expect(configurationOf({ environment: { [`${JOB}JOBPARAMETER`]: value } }).jobParameter).toBe(value);
    },
  );

  test('a command line may be a program in quotes', () => {
    const environment = { [`${JOB}PROPS_SCRIPT_COMMAND_LINE`]: '"/opt/my job/run"' };

    expect(configurationOf({ environment }).props).toEqual({ 'script.command.line': '"/opt/my job/run"' });
  });

  test('capitals spell each property that the library reads', () => {
    const environment = {
      [`${JOB}PROPS_EMAIL_USESSL`]: 'true',
      [`${JOB}PROPS_EMAIL_USE_SSL_`]: '',
      [`${JOB}PROPS_RUN_MAX_RETRIES`]: '2',
      [`${JOB}PROPS_GRAPH_AFTERITEMS`]: 'same',
      [`${JOB}PROPS_HTTP_FAILONERRORSTATUS`]: 'true',
      [`${JOB}PROPS_MY_KEY`]: 'x',
    };

    expect(configurationOf({ environment }).props).toEqual({
      'email.useSsl': 'true',
      'run.maxRetries': '2',
      'graph.afterItems': 'same',
      'http.failOnErrorStatus': 'true',
      'my.key': 'x',
    });
  });

  test('names of jobs after which a job runs have commas between them', () => {
    const environment = { [`${JOB}AFTER`]: 'importA, importB', [`${JOB}AFTER_ITEMS`]: 'same', [`${JOB}CRON`]: '' };

    expect(configurationOf({ environment }).props).toEqual({
      'graph.after': 'importA,importB',
      'graph.afterItems': 'same',
    });
    expect(merge({ environment }).warnings).toEqual([]);
  });

  test('a variable of blanks counts as not set', () => {
    const environment = { [`${JOB}CRON`]: '  ', ELASTICJOB_REGCENTER_SERVERLISTS: '\t', [`${JOB}JOBPARAMETER`]: ' ' };

    expect(problemsOf({ environment })).toEqual([]);
    expect(merge({ environment }).warnings).toEqual([expect.stringContaining('names its cron, which is empty')]);
  });

  test("Kubernetes' placeholders that it has left are refused where they can mean nothing, and told elsewhere", () => {
    const refused = {
      [`${JOB}CRON`]: '$(CRON)',
      ELASTICJOB_REGCENTER_SERVERLISTS: '$(ZK):2181',
      ELASTICJOB_REGCENTER_NAMESPACE: '$(NS)',
    };
    const told = {
      [`${JOB}JOBPARAMETER`]: 'x-$(REGION)',
      [`${JOB}DESCRIPTION`]: '${A}',
      [`${JOB}PROPS_SCRIPT_COMMAND_LINE`]: '$(A)',
    };

    expect(problemsOf({ environment: refused })).toEqual([
      expect.stringContaining(
        'elasticjob.regCenter.serverLists: must not have $(ZK), which Kubernetes leaves as it is if the container',
      ),
      expect.stringContaining('elasticjob.regCenter.namespace: must not have $(NS), which Kubernetes'),
      expect.stringContaining('elasticjob.jobs.syncOrders.cron: must not have $(CRON), which Kubernetes'),
    ]);
    expect(problemsOf({ environment: told })).toEqual([]);
    expect(merge({ environment: told }).warnings).toEqual([
      expect.stringMatching(
        /^Environment variable .*_DESCRIPTION has placeholders such as \$\{…\}, which are replaced in files only\.$/,
      ),
      expect.stringMatching(
        /^Environment variable .*_JOBPARAMETER has \$\(REGION\), which Kubernetes leaves as it is /,
      ),
    ]);
  });
});

test('a job whose name has dots, without brackets, is refused with how to write it', () => {
  expect(problemsOf({ file: { jobs: { org: { acme: { sync: { cron: 'x' } } } } } })[0]).toBe(
    "elasticjob.jobs.org.acme: unknown key; if 'org.acme…' is the name of one job, write it in brackets: jobs[org.acme…]",
  );
});

describe('registry centres that variables alone describe', () => {
  const names = (environment: Record<string, string>, options: unknown = {}): readonly string[] => [
    ...merge({ environment, options }).regCenters.keys(),
  ];
  const namespace = { ELASTICJOB_REGCENTERS_REPORTS_NAMESPACE: 'reports' };

  test.each(['SERVERLISTS=zk:2181', 'URL=postgres://db/app', 'ENDPOINTS=http://etcd:2379', 'DATASOURCE=main'])(
    'are there for jobs that are added later, if they have a namespace and a place (%s)',
    (place) => {
      const [setting = '', value = ''] = place.split('=');
      const environment = { ...namespace, [`ELASTICJOB_REGCENTERS_REPORTS_${setting}`]: value };

      expect(names(environment)).toContain('reports');
      expect(merge({ environment })).toMatchObject({ problems: [], warnings: [] });
    },
  );

  test.each<[string, Record<string, string>]>([
    ['a namespace', namespace],
    ['a place', { ELASTICJOB_REGCENTERS_REPORTS_SERVERLISTS: 'zk:2181' }],
  ])('are left out with a warning, if no job names them and they have only %s', (_, environment) => {
    expect(names(environment)).not.toContain('reports');
    expect(merge({ environment }).warnings).toEqual([
      expect.stringContaining('they name registry centres that no job of this application uses'),
    ]);
  });

  test('are a mistake, if their names resemble one of the application', () => {
    const environment = { ...namespace, ELASTICJOB_REGCENTERS_REPORTS_SERVERLISTS: 'zk:2181' };

    const options = { regCenters: { report: { serverLists: 'zk:2181', namespace: 'n' } } };

    expect(problemsOf({ environment, options })).toContainEqual(
      expect.stringMatching(/^ELASTICJOB_REGCENTERS_REPORTS_.*there is no registry centre 'reports'.*'report'\?/),
    );
    expect(names(environment, options)).not.toContain('reports');
  });
});
