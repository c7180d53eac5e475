import { describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  hashPassword,
  isPasswordHash,
  isShippedDefault,
  needsRehash,
  passwordProblem,
  verifyPassword,
} from '../../../../lib/console/security/passwords/password-hash.js';
import { english } from '../../../support/english.js';

const CHEAP = '$scrypt$ln=10,r=8,p=1$EYZuLZTPHAa1DTlI32lr8A$6GwffGpPp1JpDEfuHbclfFxQ+pCUjegMhy43sR88a80';

describe('a password', () => {
  test('is kept as a hash that says how it was made, another one each time', async () => {
    const [one, other] = [await hashPassword('correct horse battery'), await hashPassword('correct horse battery')];

    expect(one).toMatch(/^\$scrypt\$ln=\d+,r=8,p=1\$[A-Za-z\d+/]{22}\$[A-Za-z\d+/]{43}$/);
    expect(one).not.toBe(other);
    expect(await verifyPassword('correct horse battery', one)).toBe(true);
    expect(await verifyPassword('correct horse batterz', one)).toBe(false);
    expect(needsRehash(one)).toBe(false);
  });

  test('is hashed at costs of 128 MiB, but in the processes of tests', async () => {
    const module = new URL('../../../../lib/console/security/passwords/password-hash.ts', import.meta.url).href;
    const program = `
      const { hashPassword, needsRehash } = await import('${module}');
      const hash = await hashPassword('correct horse battery');
      console.log(JSON.stringify({ hash, isOld: needsRehash(hash) }));`;
    const loader = fileURLToPath(new URL('../../../../.config/typescript.mjs', import.meta.url));
    const args = ['--import', loader, '--input-type=module', '--eval', program];

    const { stdout } = await promisify(execFile)(process.execPath, args);

    const { hash, isOld } = JSON.parse(stdout) as { readonly hash: string; readonly isOld: boolean };
    expect(hash).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/);
    expect(isOld).toBe(false);
    expect(await verifyPassword('correct horse battery', hash)).toBe(true);
    expect(needsRehash(hash)).toBe(true);
  });

  test('is right by a hash of other costs too, which is to be made again', async () => {
    expect(await verifyPassword('correct horse battery', CHEAP)).toBe(true);
    expect(needsRehash(CHEAP)).toBe(true);
    expect(needsRehash('nonsense')).toBe(true);
  });

  test('is the same however its letters are composed', async () => {
    const stored = await hashPassword('cafe\u0301 cafe\u0301 cafe');

    expect(await verifyPassword('caf\u00e9 caf\u00e9 cafe', stored)).toBe(true);
  });

  test('is never right without a hash, or with one that cannot be read', async () => {
    expect(await verifyPassword('', undefined)).toBe(false);
    expect(await verifyPassword('correct horse battery', 'nonsense')).toBe(false);
  });

  test.each([
    ['too short', 'eleven char', 'must have at least 12 characters'],
    ['too long', 'x'.repeat(1_025), 'must have at most 1024 characters'],
    ['no text', 4711, 'must be a text'],
    ['the name and little more', 'annabel-Doe123', undefined],
    ['the name again', 'maximilian12', 'must not be the name of the user with a few characters added'],
    ['long enough', 'twelve chars', undefined],
  ])('that is %s: %s', (_, password, problem) => {
    expect(english(passwordProblem('maximilian', password))).toBe(problem);
  });

  test.each([
    ['root', 'root', true],
    ['guest', 'guest', true],
    ['root', 'guest', false],
    ['anna', 'anna', false],
  ])('of %s, %s: shipped as a default, %s', (username, password, expected) => {
    expect(isShippedDefault(username, password)).toBe(expected);
  });

  test.each([
    CHEAP.replace('ln=10', 'ln=9'),
    CHEAP.replace('ln=10', 'ln=21'),
    CHEAP.replace('r=8', 'r=17'),
    CHEAP.replace('r=8', 'r=0'),
    CHEAP.replace('p=1', 'p=5'),
    CHEAP.replace('p=1', 'p=0'),
    CHEAP.slice(0, -1),
    `${CHEAP} `,
    undefined,
  ])('has no hash such as %s', (text) => {
    expect(isPasswordHash(text)).toBe(false);
  });
});
