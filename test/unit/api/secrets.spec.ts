import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSecretName } from '../../../lib/api/text/secret-names.js';
import { givenBack, shownValue, withoutSecrets } from '../../../lib/api/text/secrets.js';
import { processorMsOf } from '../../size/processor-time.js';
import { expectAsyncProperty, expectProperty } from '../../support/property.js';
import { wording } from '../../../lib/wording/wording.js';

describe('a name', () => {
  test.each([
    ...['password', 'email.password', 'db.pwd', 'db.pw', 'DB_PASS', 'PGPASSWORD', 'MYSQL_PWD', 'vault.passphrase'],
    ...['aws.accessKeyId', 'AWS_SECRET_ACCESS_KEY', 'api-key', 'apiKey', 'X-Api-Key', 'wechat.key', 'privateKey.pem'],
    ...['client_secret', 'clientsecret', 'accessToken', 'sasToken', 'dingtalk.webhook', 'credentials', 'Authorization'],
    ...['Set-Cookie', 'basic.auth', 'registry.digest', 'password2', 'X-Amz-Signature', '--db-password', '-Dx.password'],
  ])('of a secret is known: %s', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  test.each([
    ...['monkey.name', 'turkey', 'dingtalk.keyword', 'keyboard.layout', 'sort.key', 'primaryKey', 'key', 'hockey.team'],
    ...['secretary.email', 'tokenizer.model', 'compass', 'bypass', 'passenger.count', 'author', 'digest.algorithm'],
    ...['email.digestIntervalMilliseconds', 'password.length', 'token.ttl', 'TokenExpiredError', 'keystore.location'],
    ...['BadCredentialsException', 'token.js', '', '.', 'http.uri'],
  ])('of something else is shown: %s', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe('secrets', () => {
  test.each([
    // YAML
    ['email.password: hunter2', 'email.password: ******'],
    ["  dingtalk.secret: 'it''s'\ncron: x", '  dingtalk.secret: ******\ncron: x'],
    ['  wechat.webhook: "https://x/?key=\\"1\\""\nlabel: y', '  wechat.webhook: ******\nlabel: y'],
    ['props: {user: u, password: p, size: 10}', 'props: {user: u, password: ******, size: 10}'],
    ["'api-key': abc", "'api-key': ******"],
    ['accessToken: |\n  one\n\n  two\nlabel: y', 'accessToken: ******\nlabel: y'],
    ['password: one, two\n  three\nlabel: y', 'password: ******\nlabel: y'],
    ['- password: x\n  user: u', '- password: ******\n  user: u'],
    ['tokens:\n- a\n- b\nlabel: y', 'tokens:******\nlabel: y'],
    ['props: {tokens: [a, b], size: 1}', 'props: {tokens: ******, size: 1}'],
    ['shardingItemParameters: 0=token:hunter2,1=b', 'shardingItemParameters: 0=token:******,1=b'],
    // JSON
    ['{"user":"a","password":"hunter2","n":1}', '{"user":"a","password":"******","n":1}'],
    ['{"pin":{"secret": {"a":["b}"]}},"n":1}', '{"pin":{"secret": ******}},"n":1}'].map((text) => text) as [
      string,
      string,
    ],
    ['{"token" : 12345}', '{"token" : ******}'],
    [String.raw`"{\"token\":\"a\\\"b\",\"n\":1}"`, String.raw`"{\"token\":\"******\",\"n\":1}"`],
    // names and values apart
    ['{"name":"DB_PASSWORD","value":"x"}', '{"name":"DB_PASSWORD","value":"******"}'],
    ['[{"key": "token", "value": {"a": 1}}]', '[{"key": "token", "value": ******}]'],
    [String.raw`"{\"name\":\"pwd\",\"value\":\"x\"}"`, String.raw`"{\"name\":\"pwd\",\"value\":\"******\"}"`],
    [
      'env:\n- name: DB_PASSWORD\n  value: x\n- name: A\n  value: y',
      'env:\n- name: DB_PASSWORD\n  value: ******\n- name: A\n  value: y',
    ],
    ['<env name="DB_PASSWORD" value="x y">', '<env name="DB_PASSWORD" value=******>'],
    // command lines
    ['dump --password=hunter2 -u root', 'dump --password=****** -u root'],
    ['dump --password hunter2 -v', 'dump --password ****** -v'],
    ["dump --db-password 'hun ter'2 -v", 'dump --db-password ****** -v'],
    ['dump --password --verbose x', 'dump --password --verbose x'],
    ['java -Dspring.datasource.password=hunter2 -jar a.jar', 'java -Dspring.datasource.password=****** -jar a.jar'],
    ['PGPASSWORD=hunter2 psql -h db', 'PGPASSWORD=****** psql -h db'],
    ['curl -u anna:hunter2 https://h/', 'curl -u anna:****** https://h/'],
    ['curl -H "Authorization: Bearer abc1, def" h', 'curl -H "Authorization: ******" h'],
    ["curl -H 'X-Api-Key: abc' h", "curl -H 'X-Api-Key: ******' h"],
    // parameters
    ['user=a,password=hunter2,size=1', 'user=a,password=******,size=1'],
    ['Server=db;User=sa;Password=hun,ter2;Timeout=1', 'Server=db;User=sa;Password=******;Timeout=1'],
    ['secret = "hun ter2" # x', 'secret = ****** # x'],
    ['f?redirect=x%26token%3Dhunter2%26a%3Db', 'f?redirect=x%26token%3D******%26a%3Db'],
    ['user[password]=hunter2&a=b', 'user[password]=******&a=b'],
    ['<user>a</user><password>hunter2</password>', '<user>a</user><password>******</password>'],
    // addresses
    ['url: jdbc:mysql://db/ej?user=u&password=p,q&size=1', 'url: jdbc:mysql://db/ej?user=u&password=******&size=1'],
    ['http.uri: https://me:hunter2@host/path', 'http.uri: https://******@host/path'],
    ['https://hunter2@host/path', 'https://******@host/path'],
    ['https://me:hun/ter2@host/path', 'https://******@host/path'],
    ['https://h/?next=https://me:hunter2@host/', 'https://h/?next=https://******@host/'],
    ['https://h/send?key=hunter2&a=b', 'https://h/send?key=******&a=b'],
    ['https://hooks.example.com/services/T0/B0/hunter2 x', 'https://hooks.example.com/****** x'],
    ['https://chat.example.com/api/webhooks/1/hunter2?wait=1', 'https://chat.example.com/api/webhooks/******?wait=1'],
    ['https://h/bot123456:AAF8sdkjh2387sdhHJK/send', 'https://h/******/send'],
    ['https://h/a/0123456789abcdef0123456789abcdef/b', 'https://h/a/******/b'],
    // shapes
    ['login with Bearer abcdef123 failed', 'login with Bearer ****** failed'],
    ['got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.abc-_ for', 'got ****** for'],
    ['AKIAIOSFODNN7EXAMPLE is refused', '****** is refused'],
    ['a -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- b', 'a ****** b'],
    ['a -----BEGIN PRIVATE KEY-----\nabc', 'a ******'],
    // without an end, nothing more is shown
    ['token: "abc\nlabel: y', 'token: ******'],
  ])('are hidden: %j', (text, hidden) => {
    expect(withoutSecrets(text)).toBe(hidden);
  });

  test.each([
    ...['cron: 0/5 * * * * ?', 'http.uri: https://host:8080/a@b', 'description: the password is elsewhere', 'label: x'],
    ...["Access denied for user 'a'@'h' (using password: YES)", 'monkey.name: Bobo', 'a&b=c', 'x key=orders'],
    'the jobs of elasticjob.jobs.bill.props.email.password: must be a text, got nothing',
    'elasticjob.jobs.bill.props.email.password: must be a text, got nothing',
    'TokenExpiredError: jwt expired\n    at verifyToken (/app/token.js:10:5)',
    'org.example.BadCredentialsException: Bad credentials',
    'It asks for Basic authentication, or for Bearer authentication',
    'https://h/jobs/3f2504e0-4f89-11d3-9a0c-0305e82c3301/runs/2026-01-01?page=2',
    "['//a','b@c']",
    'zookeeper://h1:2181,h2:2181/ns',
    ...['{"name":"region","value":"x"}', '{"token":"******","value":"x"}', 'a name: password. The value: x'],
  ])('are not seen in %s', (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  test('are hidden whole if the name of their setting says so, and are not if there is none', () => {
    expect(shownValue('props.db.pwd', 'hunter2')).toBe('******');
    expect(shownValue('props.db.pwd', '')).toBe('');
    expect(shownValue('props.http.uri', 'https://a:b@h')).toBe('https://******@h');
  });

  test('that are hidden already stay so, whatever the text', () => {
    expectProperty(
      fc.property(hostileText(), (text) => {
        const once = withoutSecrets(text);
        expect(withoutSecrets(once)).toBe(once);
      }),
    );
  });

  test('of a value do not show through, in whatever it stands', () => {
    const frame = fc.constantFrom<readonly [string, string]>(
      ...([
        ['{"a":"b","password":"', '"}'],
        ['props: {a: b, password: "', '"}'],
        ['password: "', '"\nlabel: x'],
        ['x --password "', '" y'],
        ['a=b,password="', '",c=d'],
      ] as const),
    );
    expectProperty(
      fc.property(frame, fc.string(), ([before, after], secret) => {
        const escaped = `hunter2${JSON.stringify(secret).slice(1, -1)}hunter2`;
        expect(withoutSecrets(before + escaped + after)).not.toContain('hunter2');
      }),
    );
  });

  test('take time that grows with the text, and not with its square', async () => {
    await expectAsyncProperty(
      fc.asyncProperty(hostileText(), async (piece) => {
        const text = piece.repeat(Math.ceil(100_000 / piece.length)).slice(0, 100_000);
        expect(await processorMsOf(() => withoutSecrets(text))).toBeLessThan(1_000);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a value that was shown with asterisks', () => {
  test('stays as it was if it comes back so', () => {
    expect(givenBack('https://h/?token=******', 'https://h/?token=a', 'https://h/?token=******')).toEqual({
      value: 'https://h/?token=a',
    });
  });

  test('takes another value without asterisks', () => {
    expect(givenBack('new', 'old', '******')).toEqual({ value: 'new' });
  });

  test('is refused if it was changed beside them', () => {
    expect(givenBack('https://g/?token=******', 'https://h/?token=a', 'https://h/?token=******')).toEqual({
      problem: wording('secret-changed', { hidden: '******' }),
    });
  });

  test.each([
    [undefined, undefined],
    ['a', 'a'],
  ])('is refused if no secret is stored: %j', (stored, shown) => {
    expect(givenBack('******', stored, shown)).toEqual({ problem: wording('secret-unknown', { hidden: '******' }) });
  });
});

/** Pieces that the readers of secrets know, in any order. */
function hostileText(): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    ...[
      'password',
      'token',
      'key',
      'a',
      '.',
      '-',
      '--',
      ':',
      ': ',
      '=',
      ' = ',
      '"',
      "'",
      '\\',
      '\\"',
      ' ',
      '\n',
      '\n  ',
    ],
    ...['{', '}', '[', ']', ',', ';', '|', '&', '?', '//', '/', '@', '%3D', '<', '>', '`', 'Bearer ', 'eyJ', '1', '- '],
    ...['-----BEGIN PRIVATE KEY-----', '-----END ', '-u a:', 'hooks', '******', 'x'],
  );
  return fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));
}

test.each(['console.secretKey: is required', 'EJC_SECRETKEYS: unknown variable', 'auth.token: must be a text'])(
  'the sentence on a setting is shown: %s',
  (sentence) => {
    expect(withoutSecrets(sentence)).toBe(sentence);
  },
);

test('a secret of several lines is hidden as a whole, also behind a sentence on a setting', () => {
  const text = 'console.tls.key: must be a path\npassword: |\n  first line\n  is the second\n';

  expect(withoutSecrets(text)).not.toMatch(/first|second/);
  expect(withoutSecrets(text)).toContain('console.tls.key: must be a path');
});
