import { describe, expect, test } from '@jest/globals';
import { KeyRing } from '../../../../lib/console/security/sessions/key-ring.js';
import { ConsoleSecrets } from '../../../../lib/console/store/console-secrets.js';

const KEY = 'a random text of more than 32 characters';

describe('a secret', () => {
  test('is encrypted otherwise each time, and decrypted with the same key for the same place', () => {
    const secrets = new ConsoleSecrets(KEY);
    const [one, other] = [
      secrets.seal('data-sources/orders', 'pässword'),
      secrets.seal('data-sources/orders', 'pässword'),
    ];

    expect(one).not.toBe(other);
    expect(one).not.toContain('pässword');
    expect(new ConsoleSecrets(KEY).open('data-sources/orders', one)).toBe('pässword');
  });

  test.each([
    ['another key', new ConsoleSecrets(`${KEY}!`), 'a', (text: string) => text],
    ['another place', new ConsoleSecrets(KEY), 'b', (text: string) => text],
    ['a changed text', new ConsoleSecrets(KEY), 'a', (text: string) => text.replace(/.{4}$/, 'AAAA')],
    ['a text that is cut off', new ConsoleSecrets(KEY), 'a', (text: string) => text.slice(0, 20)],
    ['another version', new ConsoleSecrets(KEY), 'a', (text: string) => text.replace('v1.', 'v2.')],
  ])('is not decrypted with %s', (_, secrets, place, change) => {
    const sealed = new ConsoleSecrets(KEY).seal('a', 'a password that is long');

    expect(() => secrets.open(place, change(sealed))).toThrow(
      expect.objectContaining({ status: 409, code: 'wrong-secret-key' }),
    );
  });

  test('is neither taken nor given without a key', () => {
    const secrets = new ConsoleSecrets(undefined);
    const refusal: unknown = expect.objectContaining({ status: 409, code: 'no-secret-key' });

    expect(secrets.canSeal).toBe(false);
    expect(new ConsoleSecrets(KEY).canSeal).toBe(true);
    expect(() => secrets.seal('a', 'b')).toThrow(refusal);
    expect(() => secrets.open('a', 'b')).toThrow(refusal);
  });
});

describe('a signature', () => {
  const [first, second] = ['1', '2'].map((digit) => digit.repeat(32)) as [string, string];

  test('is that of the first key, and is accepted by all keys', () => {
    const signed = new KeyRing([first]).sign('session', 'a.b');

    expect(new KeyRing([second, first]).verify('session', signed)).toBe('a.b');
    expect(new KeyRing([second]).verify('session', signed)).toBeUndefined();
    expect(new KeyRing([first]).verify('session', new KeyRing([second, first]).sign('session', 'a.b'))).toBeUndefined();
  });

  test('counts for its purpose alone', () => {
    const ring = new KeyRing([first]);

    expect(ring.verify('oidc', ring.sign('session', 'a'))).toBeUndefined();
  });

  test('is of a key that nobody knows if there is none', () => {
    const signed = new KeyRing([]).sign('session', 'a');

    expect(new KeyRing([]).verify('session', signed)).toBeUndefined();
    expect(new KeyRing(['']).verify('session', signed)).toBeUndefined();
  });

  test.each(['', 'a', '.', 'a.', 'a.!', '.a.b'])('is not in %j', (text) => {
    expect(new KeyRing([first]).verify('session', text)).toBeUndefined();
  });
});
