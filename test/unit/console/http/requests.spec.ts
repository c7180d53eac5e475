import { describe, expect, test } from '@jest/globals';
import { csvLine } from '../../../../lib/console/answers/csv.js';
import {
  anyText,
  flag,
  integer,
  limit,
  oneOf,
  optional,
  queryText,
  readFields,
  readQuery,
  text,
  time,
} from '../../../../lib/console/http/requests.js';
import { mountOf } from '../../../../lib/console/http/mount-path.js';
import { clearCookie, readCookie, setCookie } from '../../../../lib/console/security/sessions/session-cookie.js';
import { localPath } from '../../../../lib/console/security/sessions/return-to.js';

describe('the fields of a request', () => {
  const readers = { name: text(3), days: integer(1, 9), role: optional(oneOf('a', 'b')), isOn: optional(flag) };

  test('are read by what they must be', () => {
    expect(readFields({ name: 'abc', days: '9', role: 'b', isOn: false, more: 1 }, readers)).toEqual({
      ...{ name: 'abc', days: 9, role: 'b', isOn: false },
    });
    expect(readFields({ name: 'a', days: 1, role: '' }, readers)).toEqual({
      ...{ name: 'a', days: 1, role: undefined, isOn: undefined },
    });
  });

  test.each([
    [{ name: '', days: 1 }, 'name must be a text of 1 to 3 characters.'],
    [{ name: 'abcd', days: 1 }, 'name must be a text of 1 to 3 characters, and has 4.'],
    [{ name: 'a', days: 0 }, 'days must be an integer from 1 to 9, got 0.'],
    [{ name: 'a', days: 10 }, 'days must be an integer from 1 to 9, got 10.'],
    [{ name: 'a', days: '1.5' }, 'days must be an integer from 1 to 9, got "1.5".'],
    [{ name: 'a', days: 1, role: 'c' }, 'role must be one of a, b, got "c".'],
    [{ name: 'a', days: 1, isOn: 'true' }, 'isOn must be true or false.'],
    ['nonsense', 'name must be a text of 1 to 3 characters. days must be an integer from 1 to 9.'],
  ])('%j are refused', (given, detail) => {
    expect(() => readFields(given, readers)).toThrow(
      expect.objectContaining({ status: 422, code: 'invalid-request', message: detail }),
    );
  });
});

describe('the parameters of a query', () => {
  const readers = { job: queryText, limit: limit(), from: optional(time) };

  test('may be absent or empty, and times have two forms', () => {
    expect(readQuery({ job: '', from: '2026-01-01T00:00:00Z' }, readers)).toEqual({ from: Date.UTC(2026, 0) });
    expect(readQuery({ job: 'a', limit: '200', from: '7' }, readers)).toEqual({ job: 'a', limit: 200, from: 7 });
  });

  test.each([
    [{ job: ['a', 'b'] }, 'job must be given once.'],
    [{ limit: '201' }, 'limit must be an integer from 1 to 200, got "201".'],
    [{ from: '-1' }, 'from must be a time such as 1767225600000 or 2026-01-01T00:00:00Z, got "-1".'],
  ])('%j are refused', (given, detail) => {
    expect(() => readQuery(given, readers)).toThrow(
      expect.objectContaining({ status: 400, code: 'bad-request', message: detail }),
    );
  });
});

test('an empty text of a body is one: it is no absent one', () => {
  expect(readFields({ server: '' }, { server: anyText })).toEqual({ server: '' });
  expect(readFields({ server: null }, { server: anyText })).toEqual({ server: undefined });
});

describe('where the console is mounted', () => {
  test.each([
    ['/elasticjob', '/elasticjob', '/elasticjob', ''],
    ['/elasticjob/', '/elasticjob', '/elasticjob', ''],
    ['/ops/elasticjob/jobs/a%20b', '/elasticjob', '/ops/elasticjob', 'jobs/a b'],
    ['/elasticjob-own/elasticjob/x', '/elasticjob', '/elasticjob-own/elasticjob', 'x'],
    ['/elasticjob/jobs/elasticjob', '/elasticjob', '/elasticjob', 'jobs/elasticjob'],
    ['/jobs/x', '/', '', 'jobs/x'],
    ['/elasticjob/%zz', '/elasticjob', '/elasticjob', '%zz'],
  ])('%s below %s is %s and %s', (url, path, base, below) => {
    expect(mountOf(url, path)).toEqual({ base, below });
  });
});

describe('a cookie', () => {
  test.each([
    [true, '__Host-ejc=v; Path=/; HttpOnly; SameSite=Lax; Secure'],
    [false, 'ejc=v; Path=/; HttpOnly; SameSite=Lax'],
  ])('with TLS %s is %s', (isSecure, line) => {
    expect(setCookie('v', { isSecure })).toBe(line);
    expect(clearCookie({ isSecure })).toBe(`${line.replace('=v', '=')}; Max-Age=0`);
  });

  test.each([
    ['ejc=a', 'a'],
    ['x=1; ejc=a ; ejc-oidc=b', 'a'],
    ['__Host-ejc=a', undefined],
    ['ejc=a; ejc=b', undefined],
    [undefined, undefined],
  ])('in %j is %j', (cookie, value) => {
    expect(readCookie({ headers: { cookie } }, { isSecure: false })).toBe(value);
  });

  test('of the same name with a suffix is another one', () => {
    expect(readCookie({ headers: { cookie: 'ejc=a; ejc-oidc=b' } }, { isSecure: false, suffix: '-oidc' })).toBe('b');
  });
});

test.each([
  ['/jobs/a?b=c#d', '/jobs/a?b=c#d'],
  ['/', '/'],
  [undefined, '/'],
  [7, '/'],
  ['jobs', '/'],
  ['//host/a', '/'],
  ['/\\host', '/'],
  ['/a\\b', '/'],
  ['/.//host', '/'],
  ['/a b', '/'],
  [`/${'a'.repeat(2_000)}`, '/'],
])('after a login, %j leads to %s', (returnTo, path) => {
  expect(localPath(returnTo)).toBe(path);
});

test('a formula is none either behind blanks, or by another sign; numbers stay numbers', () => {
  expect(csvLine([' =1+1', '|x', '%x', '\uFEFF=1', -1, undefined])).toBe(`"' =1+1","'|x","'%x","'\uFEFF=1",-1,\r\n`);
});

test('a line of CSV has quotes where needed, and no formulas', () => {
  expect(csvLine(['a', 'b,c', 'd"e', 'f\ng', '=1+1', '@x', '-1', '+1', ''])).toBe(
    `a,"b,c","d""e","f\ng","'=1+1","'@x","'-1","'+1",\r\n`,
  );
});
