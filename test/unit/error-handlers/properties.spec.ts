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
