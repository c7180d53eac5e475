import { describe, expect, test } from '@jest/globals';
import {
  DeadlineExceededError,
  RegistryConflictError,
  RegistryOutcomeUnknownError,
  RegistryRefusedError,
  RegistryUnavailableError,
  SessionLostError,
} from '../../../lib/api/errors/errors.js';
import {
  isDisconnection,
  isLostRace,
  isOutage,
  isOutcomeUnknown,
  isTransient,
} from '../../../lib/api/errors/registry-errors.js';

const CASES: readonly [string, unknown, readonly string[]][] = [
  ['A commit that does not fit', new RegistryConflictError('/a', 'changed'), ['lost race', 'transient']],
  [
    'A registry centre that does not answer',
    new RegistryUnavailableError('read', '/a'),
    ['outage', 'transient', 'disconnection'],
  ],
  [
    'A write whose answer was lost',
    new RegistryOutcomeUnknownError('create', '/a'),
    ['outcome unknown', 'outage', 'transient', 'disconnection'],
  ],
  ['A lost session', new SessionLostError('it expired'), ['disconnection']],
  ['A refusal', new RegistryRefusedError('create', '/a', 'a quota is exceeded'), []],
  ['A deadline', new DeadlineExceededError('the hold', 1), []],
  ['An error of someone else with a code', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), []],
  ['What is no error', { code: 'REGISTRY_CONFLICT' }, []],
  ['Nothing', undefined, []],
  [
    'An error of another copy of the package',
    Object.assign(new Error('x'), { code: 'REGISTRY_CONFLICT' }),
    ['lost race', 'transient'],
  ],
];

describe('A failure of the registry centre', () => {
  test.each(CASES)('%s is classified', (_, error, expected) => {
    const classes = {
      'lost race': isLostRace(error),
      'outcome unknown': isOutcomeUnknown(error),
      outage: isOutage(error),
      transient: isTransient(error),
      disconnection: isDisconnection(error),
    };

    expect(Object.entries(classes).flatMap(([name, is]) => (is ? [name] : []))).toEqual(expected);
  });
});
