import { describe, expect, test } from '@jest/globals';
import { JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { notifyingErrorHandlers } from '../../../lib/error-handlers/notifying-error-handlers.js';
import { CompleteLog } from '../../support/failures.js';

const handlers = notifyingErrorHandlers({ logger: new CompleteLog() });

function problems(type: string, props: Readonly<Record<string, string>>): readonly string[] | undefined {
  const configuration = { ...JobConfiguration.newBuilder('bill', 1).build(), props };
  return handlers.find((handler) => handler.type === type)?.validate?.(configuration);
}

const required = (...keys: readonly string[]): readonly string[] =>
  keys.map((key) => `The property \`${key}\` is required.`);

const EMAIL = {
  'email.host': 'smtp.example.com',
  'email.port': '465',
  'email.username': 'jobs',
  'email.password': 's3cret',
  'email.from': 'jobs@example.com',
  'email.to': 'one@example.com,two@example.com',
};
const WECHAT = { 'wechat.webhook': 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=s3cret' };
const DINGTALK = { 'dingtalk.webhook': 'https://oapi.dingtalk.com/robot/send?access_token=s3cret' };

describe('accepted are', () => {
  test.each([
    ['EMAIL', EMAIL],
    ['EMAIL', { ...EMAIL, 'email.password': '', 'email.useSsl': 'FALSE', 'email.ssl.trust': '*' }],
    ['EMAIL', { ...EMAIL, 'email.useSsl': 'TRUE', 'email.debug': '', 'email.port': '65535', 'email.host': '::1' }],
    [
      'EMAIL',
      { ...EMAIL, 'email.from': 'Jobs <jobs@example.com>', 'email.to': 'one@example.com, Two <two@localhost>,' },
    ],
    ['EMAIL', { ...EMAIL, 'email.cc': '"Doe; Jane, PhD" <jane@example.com>,b@c', 'email.bcc': '' }],
    ['WECHAT', WECHAT],
    ['WECHAT', { ...WECHAT, 'wechat.connectTimeoutMilliseconds': '1', 'wechat.connectTimeout': 'ignored' }],
    ['DINGTALK', DINGTALK],
    ['DINGTALK', { ...DINGTALK, 'dingtalk.keyword': 'Job', 'dingtalk.secret': 'SEC', 'other.key': 'x' }],
  ])('the properties of %s: %j', (type, props) => {
    expect(problems(type, props)).toEqual([]);
  });
});

describe('refused are', () => {
  test.each([
    ['EMAIL', {}, required('email.host', 'email.port', 'email.username', 'email.password', 'email.from', 'email.to')],
    ['EMAIL', { ...EMAIL, 'email.port': 'smtp' }, ['The property `email.port` should be integer.']],
    ['EMAIL', { ...EMAIL, 'email.port': '0' }, ['The property `email.port` should be positive.']],
    ['EMAIL', { ...EMAIL, 'email.port': '99999999999' }, ['The property `email.port` should be integer.']],
    ...['yes', '1', 'on', 'false ', 'no'].flatMap((value) =>
      ['email.useSsl', 'email.debug'].map(
        (key) =>
          [
            'EMAIL',
            { ...EMAIL, [key]: value },
            [`The property \`${key}\` must be true or false, got "${value}".`],
          ] as const,
      ),
    ),
    [
      'EMAIL',
      { ...EMAIL, 'email.port': '65536' },
      ['The property `email.port` must be a port from 1 to 65535, got "65536".'],
    ],
    ...['smtp://mail', 'mail:25', '', 'mail server', '[::1]', 'jobs@mail'].map(
      (host) =>
        [
          'EMAIL',
          { ...EMAIL, 'email.host': host },
          [
            `The property \`email.host\` must be the name or the IP address of a server alone, such as smtp.example.com, without protocol and port, got "${host}".`,
          ],
        ] as const,
    ),
    ...['nobody', 'a@b, c@d', 'Jobs jobs@example.com', ''].map(
      (from) =>
        [
          'EMAIL',
          { ...EMAIL, 'email.from': from },
          [
            `The property \`email.from\` must be a mail address such as jobs@example.com or Jobs <jobs@example.com>, got "${from}".`,
          ],
        ] as const,
    ),
    ...['email.to', 'email.cc', 'email.bcc'].flatMap((key) =>
      ['a@b.c;d@e.f', 'a@b.c d@e.f', 'a@b.c,nobody'].map(
        (value) =>
          [
            'EMAIL',
            { ...EMAIL, [key]: value },
            [
              `The property \`${key}\` must be mail addresses such as jobs@example.com, separated by commas, got "${value}".`,
            ],
          ] as const,
      ),
    ),
    [
      'EMAIL',
      { ...EMAIL, 'email.to': ' , ' },
      ['The property `email.to` must have at least one mail address, got " , ".'],
    ],
    ['WECHAT', {}, required('wechat.webhook')],
    ['DINGTALK', {}, required('dingtalk.webhook')],
    ...(['wechat', 'dingtalk'] as const).flatMap((prefix) => {
      const webhook = { [`${prefix}.webhook`]: 'http://127.0.0.1/?key=s3cret' };
      return ['connectTimeoutMilliseconds', 'readTimeoutMilliseconds', 'digestIntervalMilliseconds'].flatMap((name) =>
        [
          ['', 'integer'],
          ['1.5', 'integer'],
          ['-1', 'positive'],
        ].map(
          ([value, rule]) =>
            [
              prefix.toUpperCase(),
              { ...webhook, [`${prefix}.${name}`]: String(value) },
              [`The property \`${prefix}.${name}\` should be ${String(rule)}.`],
            ] as const,
        ),
      );
    }),
    ['WECHAT', { 'wechat.webhook': 's3cret' }, ['The property `wechat.webhook` should be an http or https URL.']],
    [
      'DINGTALK',
      { 'dingtalk.webhook': 'file:///s3cret' },
      ['The property `dingtalk.webhook` should be an http or https URL.'],
    ],
  ] as const)('the properties of %s: %j', (type, props, expected) => {
    expect(problems(type, props)).toEqual(expected);
  });
});

describe('allowed, but probably not intended, are', () => {
  const doubts = (type: string, props: Readonly<Record<string, string>>): readonly string[] | undefined =>
    handlers
      .find((handler) => handler.type === type)
      ?.doubts?.({ ...JobConfiguration.newBuilder('bill', 1).build(), props });

  test.each([
    ['EMAIL', EMAIL],
    ['EMAIL', { ...EMAIL, 'email.username': '', 'email.password': '', 'dingtalk.keywords': 'x' }],
    ['WECHAT', { ...WECHAT, 'email.user': 'x', 'wechat.digestIntervalMilliseconds': '5' }],
    ['DINGTALK', { ...DINGTALK, 'dingtalk.keyword': '', 'dingtalk.secret': 'SEC' }],
  ])('none of the properties of %s: %j', (type, props) => {
    expect(doubts(type, props)).toEqual([]);
  });

  test.each([
    [
      'EMAIL',
      { 'email.user': 'x' },
      "the property 'email.user' means nothing to the error handler EMAIL; did you mean 'email.username'?",
    ],
    ['EMAIL', { 'email.useSSL': 'false' }, "did you mean 'email.useSsl'?"],
    ['EMAIL', { 'email.subjct': 'x' }, "did you mean 'email.subject'?"],
    [
      'EMAIL',
      { ...EMAIL, 'email.password': '' },
      'the property email.password is empty, and most servers refuse a login without password',
    ],
    ['DINGTALK', { 'dingtalk.keywords': 'x' }, "did you mean 'dingtalk.keyword'?"],
    ['DINGTALK', { 'dingtalk.secret': '' }, 'the property dingtalk.secret is empty, so that messages are not signed'],
    ['WECHAT', { 'wechat.connectTimeout': '3000' }, "did you mean 'wechat.connectTimeoutMilliseconds'?"],
    [
      'WECHAT',
      { wechat: 'x' },
      "the property 'wechat' means nothing to the error handler WECHAT; known are: wechat.webhook",
    ],
  ])('properties of %s: %j', (type, props, doubt) => {
    expect(doubts(type, props)).toEqual([expect.stringContaining(doubt)]);
  });
});
