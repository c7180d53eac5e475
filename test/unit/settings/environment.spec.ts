/** The settings of environment variables. */
import { describe, expect, test } from '@jest/globals';
import { type EnvironmentReading, originKey, readEnvironment } from '../../../lib/settings/environment.js';

const read = (environment: Record<string, string | undefined>): EnvironmentReading =>
  readEnvironment(environment, {
    jobs: new Map([['syncOrders', ['email.host', 'apiKey']]]),
    regCenters: ['reportsDb'],
  });

test.each<[variable: string, tree: object]>([
  ['ELASTICJOB_ENABLED', { enabled: 'x' }],
  ['ELASTICJOB_AUTO_START', { autoStart: 'x' }],
  ['ELASTICJOB_REGCENTERS_REPORTS_DB_URL', { regCenters: { reportsDb: { url: 'x' } } }],
  ['ELASTICJOB_REG_CENTERS_REPORTSDB_SERVER_LISTS', { regCenters: { reportsDb: { serverLists: 'x' } } }],
  ['ELASTICJOB_REGCENTERS_REPORTSDB_TLS_CA', { regCenters: { reportsDb: { tls: { ca: 'x' } } } }],
  ['ELASTICJOB_REGCENTERS_NEW_ONE_MAX_RETRIES', { regCenters: { new_one: { maxRetries: 'x' } } }],
  ['elasticjob.regCenters.newOne.url', { regCenters: { newOne: { url: 'x' } } }],
  // Refused later as an unknown key.
  ['ELASTICJOB_REGCENTERS_REPORTSDB_NAMESPAC', { regCenters: { reportsDb: { namespac: 'x' } } }],
  ['ELASTICJOB_PREFERRED_NETWORK_IP', { preferredNetworkIp: 'x' }],
  ['ELASTICJOB__AUTO__START_', { autoStart: 'x' }],
  ['elasticjob.auto_start', { autoStart: 'x' }],
  ['ELASTICJOB_REGCENTER_DIGEST', { regCenter: { digest: 'x' } }],
  ['ELASTICJOB_REG_CENTER_TLS_REJECT_UNAUTHORIZED', { regCenter: { tls: { rejectUnauthorized: 'x' } } }],
  ['ELASTICJOB_REGCENTER_SASL_USERNAME', { regCenter: { sasl: { username: 'x' } } }],
  // Names that are nearly right are left to the check of names, which refuses them.
  ['ELASTICJOB_REGCENTER_TLS_SERVER_NAMES', { regCenter: { tls: { 'server-names': 'x' } } }],
  ['ELASTICJOB_REGCENTER_NAMSPACE', { regCenter: { namspace: 'x' } }],
  ['ELASTICJOB_DUMP_PORT', { dump: { port: 'x' } }],
  ['ELASTICJOB_DUMP_PROT', { dump: { prot: 'x' } }],
  ['ELASTICJOB_JOBS_SYNC_ORDERS_JOB_PARAMETER', { jobs: { syncOrders: { jobParameter: 'x' } } }],
  ['ELASTICJOB_JOBS_SYNCORDERS_FAIL_OVR', { jobs: { syncOrders: { 'fail-ovr': 'x' } } }],
  ['ELASTICJOB_JOBS_SYNCORDERS_PROPS_EMAIL_HOST', { jobs: { syncOrders: { props: { 'email.host': 'x' } } } }],
  ['ELASTICJOB_JOBS_SYNCORDERS_PROPS_API_KEY', { jobs: { syncOrders: { props: { apiKey: 'x' } } } }],
  ['ELASTICJOB_JOBS_SYNCORDERS_PROPS_EMAIL_PORT', { jobs: { syncOrders: { props: { 'email.port': 'x' } } } }],
  // Without the key of a property it is no setting: `props` is not set as a whole.
  ['ELASTICJOB_JOBS_SYNCORDERS_PROPS', { jobs: { syncOrders: { props: 'x' } } }],
  ['ELASTICJOB_JOBS_NEW_JOB_CRON', { jobs: { new_job: { cron: 'x' } } }],
  // Words with small letters, and all words between dots, are spelt as they are meant.
  ['ELASTICJOB_JOBS_newJob_CRON', { jobs: { newJob: { cron: 'x' } } }],
  ['elasticjob.jobs.newJob.cron', { jobs: { newJob: { cron: 'x' } } }],
  ['elasticjob.jobs.NEW_JOB.cron', { jobs: { NEW_JOB: { cron: 'x' } } }],
  ['elasticjob.jobs.newJob.props.email.useSsl', { jobs: { newJob: { props: { 'email.useSsl': 'x' } } } }],
  ['ELASTICJOB_JOBS_newJob_PROPS_EMAIL_HOST', { jobs: { newJob: { props: { 'email.host': 'x' } } } }],
])('%s', (variable, tree) => {
  expect(read({ [variable]: 'x' })).toMatchObject({
    tree,
    problems: [],
    unrelatedVariables: [],
    misspeltVariables: [],
  });
});

test('a name of more than 100 words means nothing', () => {
  const ofWords = (count: number): string => `ELASTICJOB_JOBS_${'A_'.repeat(count - 2)}CRON`;

  expect(read({ [ofWords(100)]: 'x' }).tree).toEqual({ jobs: { [Array(98).fill('a').join('_')]: { cron: 'x' } } });
  for (const variable of [ofWords(101), ofWords(60_000), `ELASTICJOB_JOBS_SYNCORDERS_${'CRON_'.repeat(100)}`])
    expect(read({ [variable]: 'x' })).toMatchObject({ tree: {}, problems: [], unrelatedVariables: [variable] });
});

test('each setting has its variable as its origin; several stand side by side', () => {
  const { tree, origins } = read({
    ELASTICJOB_JOBS_SYNCORDERS_CRON: 'a',
    ELASTICJOB_JOBS_SYNCORDERS_LABEL: 'b',
    ELASTICJOB_REGCENTER_NAMESPACE: 'c',
    ELASTICJOB_ENABLED: undefined,
  });

  expect(tree).toEqual({ jobs: { syncOrders: { cron: 'a', label: 'b' } }, regCenter: { namespace: 'c' } });
  expect(origins).toEqual(
    new Map([
      [originKey(['jobs', 'syncOrders', 'cron']), 'ELASTICJOB_JOBS_SYNCORDERS_CRON'],
      [originKey(['jobs', 'syncOrders', 'label']), 'ELASTICJOB_JOBS_SYNCORDERS_LABEL'],
      [originKey(['regCenter', 'namespace']), 'ELASTICJOB_REGCENTER_NAMESPACE'],
    ]),
  );
});

test('the name of a new job is spelt as in one of its variables, whichever comes first', () => {
  const { tree, folded } = read({
    ELASTICJOB_JOBS_SIMPLEJOB_SHARDINGTOTALCOUNT: '1',
    ELASTICJOB_JOBS_OTHER_JOB_CRON: '',
    ELASTICJOB_JOBS_OTHER_JOB_LABEL: 'x',
    'elasticjob.jobs.simpleJob.cron': 'y',
  });

  expect(tree).toEqual({ jobs: { simpleJob: { cron: 'y', shardingTotalCount: '1' }, other_job: { label: 'x' } } });
  expect(folded).toEqual(new Map([['other_job', 'ELASTICJOB_JOBS_OTHER_JOB_LABEL']]));
});

test('a setting that is misspelt is a problem also of a job that the environment alone defines', () => {
  const { tree } = read({ ELASTICJOB_JOBS_NEW_CRN: 'x', ELASTICJOB_JOBS_NEW_ELASTICJOBTYPE: 'y' });

  expect(tree).toEqual({ jobs: { new: { crn: 'x', elasticJobType: 'y' } } });
});

describe('a variable that is no setting', () => {
  test.each([
    ['ELASTICJOB_REGCENTER', "'regCenter' is a section; its settings are ELASTICJOB_REGCENTER_<SETTING>"],
    ['ELASTICJOB_REGCENTER_TLS', "'tls' is a section; its settings are ELASTICJOB_REGCENTER_TLS_<SETTING>"],
    ['ELASTICJOB_REGCENTERS', "'regCenters' is a section; its settings are ELASTICJOB_REGCENTERS_<NAME>_<SETTING>"],
    [
      'ELASTICJOB_REGCENTERS_REPORTSDB',
      'is not a setting of a registry centre; its settings are ELASTICJOB_REGCENTERS_<NAME>_<SETTING>',
    ],
    ['ELASTICJOB_DUMP', "'dump' is a section; its settings are ELASTICJOB_DUMP_<SETTING>"],
    ['ELASTICJOB_JOBS', "'jobs' is a section; its settings are ELASTICJOB_JOBS_<NAME>_<SETTING>"],
    ['ELASTICJOB_AUTO_STRAT', "unknown key 'auto-strat'; did you mean 'autoStart'?"],
    ['ELASTICJOB_JOBZ_SYNCORDERS_CRON', "unknown key 'jobz-syncorders-cron'; did you mean 'jobs'?"],
    ['ELASTICJOB_REG_CENTRE_NAMESPACE', "unknown key 'reg-centre-namespace'; did you mean 'regCenter'?"],
    ['ELASTICJOB_JOBS_SYNCORDERS', "is not a setting of a job; a job's settings are ELASTICJOB_JOBS_<NAME>_<SETTING>"],
  ])('but resembles one is a problem: %s', (variable, problem) => {
    expect(read({ [variable]: 'x' })).toMatchObject({
      tree: {},
      problems: [`${variable}: ${problem}`],
      unrelatedVariables: [],
    });
  });

  test.each([
    'ELASTICJOB_UI_PORT',
    'ELASTICJOB_DUMP_FOO_BAR',
    'ELASTICJOB_TRACING_ENDPOINT',
    'ELASTICJOB_REGCENTER_FOO_BAR',
    'ELASTICJOB_REGCENTER_TLS_FOO_BAR',
    'ELASTICJOB_JOBS_FOO_BAR',
    'ELASTICJOB_JOBS_SYNCORDERS_FOO_BAR',
  ])('and resembles none may belong to another program: %s', (variable) => {
    expect(read({ [variable]: 'x' })).toMatchObject({
      ...{ tree: {}, problems: [], misspeltVariables: [] },
      unrelatedVariables: [variable],
    });
  });

  /** The variables that Kubernetes gives each container for a Service of its namespace. */
  const service = (name: string): Record<string, string> => ({
    [`${name}_SERVICE_HOST`]: '10.96.0.1',
    [`${name}_SERVICE_PORT`]: '80',
    [`${name}_SERVICE_PORT_HTTP`]: '80',
    [`${name}_PORT`]: 'tcp://10.96.0.1:80',
    [`${name}_PORT_80_TCP`]: 'tcp://10.96.0.1:80',
    [`${name}_PORT_80_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_80_TCP_PORT`]: '80',
    [`${name}_PORT_80_TCP_ADDR`]: '10.96.0.1',
    [`${name}_PORT_53_UDP_ADDR`]: '10.96.0.1',
  });

  test.each(['ELASTICJOB', 'ELASTICJOB_DUMP', 'ELASTICJOB_JOBS', 'ELASTICJOB_REGCENTER_PORT', 'ELASTIC_JOB'])(
    'because Kubernetes made it for a Service is not looked at: %s',
    (name) => {
      const nothing = { tree: {}, problems: [], unrelatedVariables: [], misspeltVariables: [] };

      expect(read(service(name))).toMatchObject(nothing);
    },
  );

  test('but has the port of the dump beside a Service of that name is a setting', () => {
    const variables = { ...service('ELASTICJOB_DUMP'), ELASTICJOB_DUMP_PORT: '9888' };

    expect(read(variables)).toMatchObject({ tree: { dump: { port: '9888' } }, problems: [], unrelatedVariables: [] });
  });

  test('and is called as for a Service that there is not may belong to another program', () => {
    expect(read({ ELASTICJOB_JOBS_PORT_80_TCP: 'x' }).unrelatedVariables).toEqual(['ELASTICJOB_JOBS_PORT_80_TCP']);
  });

  test.each([
    'ELASTICJOB_ENABLED',
    'ELASTICJOB_UI_PORT',
    'ELASTICJOB_ENABLD',
    'ELASTIC_JOB_ENABLED',
    'ELASTICJOB_JOBS',
  ])('because it is empty says nothing: %s', (variable) => {
    expect(read({ [variable]: '' })).toMatchObject({
      tree: {},
      problems: [],
      unrelatedVariables: [],
      misspeltVariables: [],
    });
  });

  test.each(['ELASTIC_JOB_ENABLED', 'ELASTICJOBS_ENABLED', 'ELASTCJOB.ENABLED', 'elastic-job-enabled', 'ELASTICJOB-X'])(
    'because its first words are almost right is listed: %s',
    (variable) => {
      expect(read({ [variable]: 'x' })).toMatchObject({ tree: {}, problems: [], misspeltVariables: [variable] });
      expect(read({ [variable]: undefined }).misspeltVariables).toEqual([]);
    },
  );

  test.each(['PATH', 'JOB_ELASTIC', 'ELASTICSEARCH_URL', 'MY_ELASTICJOB_ENABLED', 'ELASTIC_SEARCH', '_'])(
    'and is called otherwise is not looked at: %s',
    (variable) => {
      expect(read({ [variable]: 'x' })).toMatchObject({
        tree: {},
        problems: [],
        unrelatedVariables: [],
        misspeltVariables: [],
      });
    },
  );
});
