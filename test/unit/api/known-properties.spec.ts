import { expect, test } from '@jest/globals';
import { unknownKeyDoubts, unknownKeys } from '../../../lib/api/settings/known-properties.js';
import { inEnglish } from '../../../lib/wording/wording.js';

const KNOWN = ['email.host', 'email.username', 'email.ssl.trust'];

test('keys below the same prefix are unknown, and keys that differ in case and separators only', () => {
  const keys = ['email.hots', 'email', 'emailHost', 'EMAIL_HOST', 'email-ssl-trust', 'email.ssl.truts'];

  expect(unknownKeys([...KNOWN, 'emails.host', 'other', 'host'], KNOWN)).toEqual([]);
  expect(unknownKeys(keys, KNOWN)).toEqual(keys);
});

test.each([
  ['email.hots', "; did you mean 'email.host'?"],
  ['emailHost', "; did you mean 'email.host'?"],
  ['email.user', "; did you mean 'email.username'?"],
  ['email.x', '; known are: email.host, email.username, email.ssl.trust'],
  ['email.host.name', "; 'email.host' takes one text, not further keys below it"],
])('the doubt about %s has what is probably meant', (key, hint) => {
  expect(unknownKeyDoubts({ [key]: 'secret' }, KNOWN, 'the mail').map(inEnglish)).toEqual([
    `the property '${key}' means nothing to the mail${hint}`,
  ]);
});
