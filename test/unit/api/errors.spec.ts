import { describe, expect, test } from '@jest/globals';
import {
  DeadlineExceededError,
  type ElasticJobError,
  FiringInterruptedError,
  InvalidConfigurationError,
  ItemTimeoutError,
  JobConflictError,
  JobExecutionError,
  JobStateError,
  JobStoppedError,
  RegistryConflictError,
  RegistryCredentialsError,
  RegistryIncompatibleError,
  RegistryOutcomeUnknownError,
  RegistryRefusedError,
  RegistryUnavailableError,
  SessionLostError,
  TraceRefusedError,
} from '../../../lib/api/errors/errors.js';

const cause = new Error('the cause');

describe('each error has its name, its stable code, a message that says what happened to what, and its cause', () => {
  test.each<[string, ElasticJobError, string, string, unknown]>([
    [
      'JobExecutionError',
      new JobExecutionError('It ended with 1.', { cause }),
      'JOB_EXECUTION',
      'It ended with 1.',
      cause,
    ],
    [
      'FiringInterruptedError',
      new FiringInterruptedError('bill', 'THROW', cause),
      'FIRING_INTERRUPTED',
      "The firing of job 'bill' is interrupted by its error handler THROW: items that have not started are not run.",
      cause,
    ],
    [
      'RegistryUnavailableError',
      new RegistryUnavailableError('read', '/a', cause),
      'REGISTRY_UNAVAILABLE',
      'Could not read /a: the registry centre did not answer. Nothing was changed.',
      cause,
    ],
    [
      'RegistryOutcomeUnknownError',
      new RegistryOutcomeUnknownError('create', '/a', cause),
      'REGISTRY_OUTCOME_UNKNOWN',
      'The connection broke while trying to create /a: the registry centre may have done it or not.',
      cause,
    ],
    [
      'RegistryRefusedError',
      new RegistryRefusedError('create', '/a', 'it is too large', cause),
      'REGISTRY_REFUSED',
      'The registry centre refused to create /a: it is too large.',
      cause,
    ],
    [
      'RegistryCredentialsError',
      new RegistryCredentialsError("namespace 'orders' belongs to other credentials", cause),
      'REGISTRY_CREDENTIALS',
      "The registry centre refuses this client: namespace 'orders' belongs to other credentials. Check " +
        'regCenter.digest or regCenter.sasl, and regCenter.namespace, and start the application again.',
      cause,
    ],
    [
      'RegistryCredentialsError',
      new RegistryCredentialsError('password authentication failed', cause, 'regCenter.url'),
      'REGISTRY_CREDENTIALS',
      'The registry centre refuses this client: password authentication failed. Check regCenter.url, and ' +
        'start the application again.',
      cause,
    ],
    [
      'RegistryIncompatibleError',
      new RegistryIncompatibleError('the tables are of version 7', cause),
      'REGISTRY_INCOMPATIBLE',
      'The registry centre cannot be used by this version of the library: the tables are of version 7.',
      cause,
    ],
    [
      'SessionLostError',
      new SessionLostError('it has expired'),
      'SESSION_LOST',
      'The session with the registry centre is lost: it has expired.',
      undefined,
    ],
    [
      'DeadlineExceededError',
      new DeadlineExceededError('the items', 30),
      'DEADLINE_EXCEEDED',
      'Waited 30 ms in vain for the items.',
      undefined,
    ],
    [
      'ItemTimeoutError',
      new ItemTimeoutError('bill', 2, 500),
      'ITEM_TIMEOUT',
      "Item 2 of job 'bill' has run for 500 ms, which is as long as its run.timeoutMilliseconds allows.",
      undefined,
    ],
    ['JobConflictError', new JobConflictError('taken'), 'JOB_CONFLICT', 'taken', undefined],
    ['JobStateError', new JobStateError('not now', { cause }), 'JOB_STATE', 'not now', cause],
    [
      'JobStoppedError',
      new JobStoppedError('j', 'the application ends'),
      'JOB_STOPPED',
      "Job 'j' is being stopped: the application ends.",
      undefined,
    ],
    [
      'TraceRefusedError',
      new TraceRefusedError('a failure cause is too long.', { cause }),
      'TRACE_REFUSED',
      'The storage of trace events refuses what it was given: a failure cause is too long.',
      cause,
    ],
  ])('%s', (name, error, code, message, kept) => {
    expect(error).toMatchObject({ name, code, message });
    expect(error.cause).toBe(kept);
    expect(String(error)).toBe(`${name}: ${message}`);
  });
});

test.each([
  ['exists', 'The commit was refused as a whole: /a exists already. Nothing was changed.'],
  ['absent', 'The commit was refused as a whole: /a does not exist. Nothing was changed.'],
  ['changed', 'The commit was refused as a whole: /a has been changed meanwhile. Nothing was changed.'],
] as const)('a commit is refused because a path %s', (reason, message) => {
  const error = new RegistryConflictError('/a', reason);

  expect(error).toMatchObject({
    name: 'RegistryConflictError',
    code: 'REGISTRY_CONFLICT',
    path: '/a',
    reason,
    message,
  });
});

describe('faults in settings', () => {
  test('one fault is the message', () => {
    const error = new InvalidConfigurationError(['a: must be 1'], { cause });

    expect(error).toMatchObject({ name: 'InvalidConfigurationError', code: 'INVALID_CONFIGURATION', cause });
    expect(error.message).toBe('a: must be 1');
  });

  test('several faults stand on a line each', () => {
    expect(new InvalidConfigurationError(['a: must be 1', 'b: must be 2']).message).toBe(
      '\n  a: must be 1\n  b: must be 2',
    );
  });

  test('the faults can be read, but Node does not print them a second time', () => {
    const error = new InvalidConfigurationError(['a: must be 1']);

    expect(error.faults).toEqual(['a: must be 1']);
    expect(Object.keys(error)).not.toContain('faults');
  });
});
