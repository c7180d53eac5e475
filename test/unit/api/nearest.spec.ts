/** The probable meaning of a misspelt name. */
import { describe, expect, test } from '@jest/globals';
import { isNearly, knownNames, nearest, relaxed, suggestion } from '../../../lib/api/text/nearest.js';

test('case and separators do not count', () => {
  expect(['reg-center', 'regCenter', 'REG_CENTER', 'reg.center'].map(relaxed)).toEqual(Array(4).fill('regcenter'));
  expect(nearest('REG_CENTER', ['reg-center'])).toBe('reg-center');
});

describe('a name is nearly another one', () => {
  test.each([
    ['cron', 'cron'],
    ['crn', 'cron'],
    ['croon', 'cron'],
    ['cran', 'cron'],
    ['corn', 'cron'],
    ['rcon', 'cron'],
    ['crno', 'cron'],
    ['CR-ON', 'cro'],
    ['a', ''],
    ['', 'a'],
  ])('with at most one letter too many, too few or wrong, or two swapped: %p, %p', (name, other) => {
    expect(isNearly(name, other)).toBe(true);
  });

  test.each([
    ['cn', 'cron'],
    ['crooon', 'cron'],
    ['crab', 'cron'],
    ['norc', 'cron'],
    ['nrco', 'cron'],
    ['ncro', 'cron'],
    // No swap: only one of the two letters comes back.
    ['ab', 'xa'],
    ['ab', 'bx'],
    ['cxro', 'crxx'],
    ['abcd', 'xbad'],
    ['abcd', 'badc'],
    ['', 'ab'],
  ])('not with more: %p, %p', (name, other) => {
    expect(isNearly(name, other)).toBe(false);
  });
});

describe('of several candidates', () => {
  test('the one with the fewest letters to change is meant, the first if there are two', () => {
    expect(nearest('jobParametr', ['jobPara', 'jobParameters', 'jobParameter'])).toBe('jobParameter');
    expect(nearest('abcdef', ['abcdxy', 'abcdef', 'abcdxz'])).toBe('abcdef');
    expect(nearest('abcdex', ['abcdef', 'abcdeg'])).toBe('abcdef');
  });

  test('none is meant if more than a third of the letters differ', () => {
    expect(nearest('abcxyz', ['abcdef'])).toBeUndefined();
    expect(nearest('abcdxy', ['abcdef'])).toBe('abcdef');
    expect(nearest('xyzdef', ['abcdef'])).toBeUndefined();
    // The shorter name counts: two letters of four are too many.
    expect(nearest('abcd', ['abcdef'])).toBeUndefined();
    expect(nearest('ab', ['b'])).toBe('b');
    expect(nearest('cron', [])).toBeUndefined();
  });
});

test('a suggestion is the end of a sentence, or nothing', () => {
  expect(suggestion('namespce', ['namespace', 'serverLists'])).toBe("; did you mean 'namespace'?");
  expect(suggestion('else', ['namespace'])).toBe('');
});

test('an unknown name is followed by what it probably means, or else by the names that are known, unless there are too many', () => {
  const names = Array.from({ length: 21 }, (_, index) => `name${index}`);

  expect(knownNames('namespce', ['namespace', 'serverLists'])).toBe("; did you mean 'namespace'?");
  expect(knownNames('else', ['namespace', 'serverLists'])).toBe('; known are: namespace, serverLists');
  expect(knownNames('else', names)).toBe(`; known are: ${names.join(', ')}`);
  expect(knownNames('else', [...names, 'one more'])).toBe('');
});

test('the only name that begins with an unknown one is meant, unless another one differs in one letter', () => {
  const meant = (name: string, names: readonly string[]): string =>
    knownNames(name, names).replaceAll(/.*'(.*)'.*/g, '$1');

  expect(meant('connectTimeout', ['connectTimeoutMilliseconds', 'retries'])).toBe('connectTimeoutMilliseconds');
  expect(meant('email.user', ['email.useSsl', 'email.username'])).toBe('email.username');
  expect(meant('email.user', ['email.uses', 'email.username'])).toBe('email.uses');
  expect(meant('connect', ['connectTimeout', 'connectRetries'])).toContain('known are');
  expect(meant('conne', ['connectTimeout'])).toContain('known are');
});

// Names come from files and variables of the environment, where anything may stand. To compare all letters takes
// minutes.
test('only the first letters of a very long name are compared', () => {
  const endless = 'x'.repeat(1_000_000);

  expect(isNearly(endless, 'y'.repeat(1_000))).toBe(false);
  expect(suggestion(endless, ['y'.repeat(1_000)])).toBe('');
});
