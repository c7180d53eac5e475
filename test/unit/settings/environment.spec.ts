/** Which setting an environment variable means. */
import { describe, expect, test } from '@jest/globals';
import { type EnvironmentReading, originKey, readEnvironment } from '../../../lib/settings/environment.js';

const read = (environment: Record<string, string | undefined>): EnvironmentReading =>
  readEnvironment(environment, new Map([['syncOrders', ['email.host', 'apiKey']]]));

test.each<[variable: string, tree: object]>([
  ['ELASTICJOB_ENABLED', { enabled: 'x' }],
  ['ELASTICJOB_AUTO_START', { autoStart: 'x' }],
  ['ELASTICJOB_PREFERRED_NETWORK_IP', { preferredNetworkIp: 'x' }],
  ['ELASTICJOB__AUTO__START_', { autoStart: 'x' }],
  ['elasticjob.auto_start', { autoStart: 'x' }],
  ['ELASTICJOB_REGCENTER_DIGEST', { regCenter: { digest: 'x' } }],
  ['ELASTICJOB_REG_CENTER_TLS_REJECT_UNAUTHORIZED', { regCenter: { tls: { rejectUnauthorized: 'x' } } }],
  ['ELASTICJOB_REGCENTER_SASL_USERNAME', { regCenter: { sasl: { username: 'x' } } }],
  ['ELASTICJOB_REGCENTER_TLS_FOO_BAR', { regCenter: { tls: { 'foo-bar': 'x' } } }],
  ['ELASTICJOB_REGCENTER_FOO_BAR', { regCenter: { 'foo-bar': 'x' } }],
  ['ELASTICJOB_DUMP_PORT', { dump: { port: 'x' } }],
  ['ELASTICJOB_DUMP_FOO_BAR', { dump: { 'foo-bar': 'x' } }],
  ['ELASTICJOB_JOBS_SYNC_ORDERS_JOB_PARAMETER', { jobs: { syncOrders: { jobParameter: 'x' } } }],
  ['ELASTICJOB_JOBS_SYNCORDERS_FOO_BAR', { jobs: { syncOrders: { 'foo-bar': 'x' } } }],
  ['ELASTICJOB_JOBS_SYNCORDERS_PROPS_EMAIL_HOST', { jobs: { syncOrders: { props: { 'email.host': 'x' } } } }],
  ['ELASTICJOB_JOBS_SYNCORDERS_PROPS_API_KEY', { jobs: { syncOrders: { props: { apiKey: 'x' } } } }],
  ['ELASTICJOB_JOBS_SYNCORDERS_PROPS_EMAIL_PORT', { jobs: { syncOrders: { props: { 'email.port': 'x' } } } }],
  // Without the key of a property it is no setting: `props` is not set as a whole.
  ['ELASTICJOB_JOBS_SYNCORDERS_PROPS', { jobs: { syncOrders: { props: 'x' } } }],
  ['ELASTICJOB_JOBS_NEW_JOB_CRON', { jobs: { new_job: { cron: 'x' } } }],
])('%s', (variable, tree) => {
  expect(read({ [variable]: 'x' })).toMatchObject({ tree, problems: [], strangers: [], lookalikes: [] });
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

describe('a variable that is no setting', () => {
  test.each([
    ['ELASTICJOB_REGCENTER', "'regCenter' is a section; its settings are ELASTICJOB_REGCENTER_<SETTING>"],
    ['ELASTICJOB_REGCENTER_TLS', "'tls' is a section; its settings are ELASTICJOB_REGCENTER_TLS_<SETTING>"],
    ['ELASTICJOB_DUMP', "'dump' is a section; its settings are ELASTICJOB_DUMP_<SETTING>"],
    ['ELASTICJOB_JOBS', "'jobs' is a section; its settings are ELASTICJOB_JOBS_<NAME>_<SETTING>"],
    ['ELASTICJOB_AUTO_STRAT', "unknown key 'auto-strat'; did you mean 'autoStart'?"],
    ['ELASTICJOB_JOBZ_SYNCORDERS_CRON', "unknown key 'jobz-syncorders-cron'; did you mean 'jobs'?"],
    ['ELASTICJOB_REG_CENTRE_NAMESPACE', "unknown key 'reg-centre-namespace'; did you mean 'regCenter'?"],
    ['ELASTICJOB_JOBS_FOO_BAR', "is not a setting of a job; a job's settings are ELASTICJOB_JOBS_<NAME>_<SETTING>"],
  ])('but resembles one is a problem: %s', (variable, problem) => {
    expect(read({ [variable]: 'x' })).toMatchObject({ tree: {}, problems: [`${variable}: ${problem}`], strangers: [] });
  });

  test('and resembles none may belong to another program', () => {
    expect(read({ ELASTICJOB_UI_PORT: 'x', ELASTICJOB_: 'x', ELASTICJOB___: 'x' })).toMatchObject({
      tree: {},
      problems: [],
      strangers: ['ELASTICJOB_UI_PORT'],
    });
  });

  test.each(['ELASTIC_JOB_ENABLED', 'ELASTICJOBS_ENABLED', 'ELASTCJOB.ENABLED', 'elastic-job-enabled', 'ELASTICJOB-X'])(
    'because its first words are almost right is listed: %s',
    (variable) => {
      expect(read({ [variable]: 'x' })).toMatchObject({ tree: {}, problems: [], lookalikes: [variable] });
      expect(read({ [variable]: undefined }).lookalikes).toEqual([]);
    },
  );

  test.each(['PATH', 'JOB_ELASTIC', 'ELASTICSEARCH_URL', 'MY_ELASTICJOB_ENABLED', 'ELASTIC_SEARCH', '_'])(
    'and is called otherwise is not looked at: %s',
    (variable) => {
      expect(read({ [variable]: 'x' })).toMatchObject({ tree: {}, problems: [], strangers: [], lookalikes: [] });
    },
  );
});
