import { describe, expect, test } from '@jest/globals';
import {
  errorOfHosts,
  faultOf,
  FormerPrimaryError,
  HostsError,
  IncompatibleDatabaseError,
  StandbyError,
} from '../../../lib/registry/postgresql/connection/faults.js';
import { MissingPackageError } from '../../../lib/registry/missing-package.js';

const missing = new MissingPackageError(
  'a registry centre on PostgreSQL needs the package pg',
  ['pg'],
  'it is not there',
  {
    cause: undefined,
  },
);

const withCode = (code: string, message: string): Error => Object.assign(new Error(message), { code });

test.each<[Error, string, boolean]>([
  [withCode('ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:5432'), 'ECONNREFUSED db:5432', false],
  [withCode('57P03', 'the database system is starting up'), 'the database system is starting up (db:5432)', false],
  [withCode('28P01', 'password authentication failed'), 'password authentication failed (db:5432)', true],
  [withCode('42501', 'permission denied for schema public'), 'permission denied for schema public (db:5432)', true],
  [new IncompatibleDatabaseError('the tables are of version 7'), 'the tables are of version 7', true],
  [missing, 'a registry centre on PostgreSQL needs the package pg: npm install pg (it is not there)', true],
  ...['42P05', '26000'].map((code): [Error, string, boolean] => [
    withCode(code, 'prepared statement "ej_attach" already exists'),
    'a pooler gives each transaction another connection, so that regCenter.notify must be false: prepared statement "ej_attach" already exists (db:5432)',
    true,
  ]),
  [
    Object.assign(new AggregateError([withCode('ECONNREFUSED', 'connect ECONNREFUSED ::1:5432')], ''), {}),
    'ECONNREFUSED db:5432',
    false,
  ],
])('%s has a reason for people, and waiting cures it or not', (error, reason, isRefusal) => {
  expect(faultOf(error, 'db:5432')).toEqual({ reason, isRefusal });
});

describe('Of several hosts', () => {
  const at = (...errors: readonly Error[]) => errors.map((error, index) => ({ place: `db${index + 1}:5432`, error }));
  const refused = withCode('42501', 'permission denied');
  const incompatible = new IncompatibleDatabaseError('the tables are of version 7');

  test.each<[string, Error, boolean]>([
    ['a standby', new StandbyError(), true],
    ['a former primary', new FormerPrimaryError(1, 2), true],
    ['a host that refuses as well', refused, true],
    ['a host that cannot be reached', withCode('ECONNREFUSED', 'connect'), false],
  ])('one that refuses this client beside %s is final or not', (_, other, isRefusal) => {
    const error = errorOfHosts(at(other, refused));

    expect(error).toBeInstanceOf(HostsError);
    expect(error).toMatchObject({ cause: refused });
    expect(faultOf(error, 'all')).toEqual({ reason: (error as Error).message, isRefusal });
  });

  test('none refuses if all are standbys', () => {
    expect(faultOf(errorOfHosts(at(new StandbyError(), new StandbyError())), 'all').isRefusal).toBe(false);
  });

  test.each([incompatible, missing])('%s is thrown as it is, if no other host can be the primary', (error) => {
    expect(errorOfHosts(at(new StandbyError(), error))).toBe(error);
    expect(errorOfHosts(at(withCode('ECONNREFUSED', 'connect'), error))).toBeInstanceOf(HostsError);
  });
});
