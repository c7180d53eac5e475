import { expect, test } from '@jest/globals';
import { describeValue } from '../../../lib/api/text/describe-value.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { mergeSettings } from '../../../lib/settings/merge-settings.js';

const merged = (code: object, environment: Record<string, string> = {}) => {
  const { regCenters, problems } = mergeSettings({ code: [{ regCenter: code }], file: undefined, environment })!;
  return { regCenter: regCenters.get('default')!, problems };
};

const HERE = import.meta.filename;

test('TLS and SASL are merged key by key, the environment last', () => {
  const { regCenter, problems } = merged(
    { tls: { servername: 'zoo', rejectUnauthorized: true }, sasl: { username: 'jobs', password: 'code' } },
    {
      ELASTICJOB_REG_CENTER_TLS_REJECT_UNAUTHORIZED: 'false',
      ELASTICJOB_REGCENTER_TLS_CA: HERE,
      ELASTICJOB_REGCENTER_SASL_PASSWORD: 'environment',
    },
  );

  expect(problems).toEqual([]);
  expect({ ...regCenter.tls }).toMatchObject({ servername: 'zoo', rejectUnauthorized: false, ca: HERE });
  expect({ ...regCenter.sasl }).toMatchObject({ username: 'jobs', password: 'environment' });
});

test('an empty section means TLS with the authorities that Node knows', () => {
  expect(merged({ tls: {} }).regCenter.tls).toBeDefined();
  expect(merged({}).regCenter.tls).toBeUndefined();
});

const UNREADABLE = 'must be the path of a file that can be read (ENOENT), or a text in PEM format';

test.each<[object, readonly string[]]>([
  [{ tls: { ca: '/no/such.pem' } }, [`tls.ca: ${UNREADABLE}, got "/no/such.pem"`]],
  [{ tls: { cert: HERE } }, [`tls.cert: must be given together with key, got ${describeValue(HERE)}`]],
  [{ tls: { key: HERE } }, ['tls.key: must be given together with cert, got a string that is not shown']],
  [
    { tls: { key: '-----BEGIN PRIVATE KEY-----\nhush' } },
    ['tls.key: must be given together with cert, got a string that is not shown'],
  ],
  [{ tls: { passphrase: 5 } }, ['tls.passphrase: must be a text, got a number that is not shown']],
  [{ tls: { rejectUnauthorised: false } }, ["tls.rejectUnauthorised: unknown key; did you mean 'rejectUnauthorized'?"]],
  [{ tls: { rejectUnauthorized: 'no' } }, ['tls.rejectUnauthorized: must be true or false, got "no"']],
  [{ tls: true }, ['tls: must be keys with values (key: value), got a boolean that is not shown']],
  [{ sasl: {} }, ['sasl.username: is required and must be a text', 'sasl.password: is required and must be a text']],
  [
    { sasl: { username: '', password: 5 } },
    ['sasl.username: must not be empty, got ""', 'sasl.password: must be a text, got a number that is not shown'],
  ],
])('of %j what is wrong is refused, in the same words in a Nest application and without one', (settings, said) => {
  const { problems } = merged(settings);
  const create = () => new ZookeeperRegistryCenter({ serverLists: 'a:1', namespace: 'n', ...settings });

  expect(problems).toEqual(said.map((line) => `elasticjob.regCenter.${line}`));
  if (!('tls' in settings && settings.tls === true))
    expect(create).toThrow(expect.objectContaining({ faults: said.map((line) => `ZookeeperRegistryCenter.${line}`) }));
});

test('an environment variable is named', () => {
  expect(merged({}, { ELASTICJOB_REGCENTER_TLS_KEY: '/no/such.key' }).problems).toEqual([
    `elasticjob.regCenter.tls.key: ${UNREADABLE}, got a string that is not shown (from environment variable ELASTICJOB_REGCENTER_TLS_KEY)`,
  ]);
});

test('the problems of a section come after those of the section above, and each names its own variable', () => {
  const { problems } = merged(
    { maxRetries: 30, sasl: { username: 'jobs' } },
    { ELASTICJOB_REGCENTER_TLS_SERVERNAME: 'a\u2028b', ELASTICJOB_REGCENTER_SESSIONTIMEOUTMILLISECONDS: '5' },
  );

  expect(problems.map((problem) => problem.replace(/: .*?(?= \(from |$)/s, ''))).toEqual([
    'elasticjob.regCenter.maxRetries',
    'elasticjob.regCenter.sessionTimeoutMilliseconds (from environment variable ELASTICJOB_REGCENTER_SESSIONTIMEOUTMILLISECONDS)',
    'elasticjob.regCenter.tls.servername (from environment variable ELASTICJOB_REGCENTER_TLS_SERVERNAME)',
    'elasticjob.regCenter.sasl.password',
  ]);
});

test.each([
  ['ELASTICJOB_REGCENTER_TLS', 'tls'],
  ['ELASTICJOB_REG_CENTER_SASL', 'sasl'],
])('the variable %s is refused, also beside the settings below it', (variable, section) => {
  const name = `ELASTICJOB_REGCENTER_${section.toUpperCase()}`;

  const { problems } = merged({}, { [variable]: 'x', ELASTICJOB_REGCENTER_TLS_CA: HERE });

  expect(problems).toContain(`${variable}: '${section}' is a section; its settings are ${name}_<SETTING>`);
});
