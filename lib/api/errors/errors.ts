/**
 * The errors of this library. Each has a stable `code`, keeps its `cause`, and says what happened, to what, and what
 * follows. Recognise them by `code`, which survives two copies of the package in one process, rather than `instanceof`.
 */
import { inEnglish, type Wording } from '../../wording/wording.js';

/** The stable codes of all errors thrown by this library. */
export type ElasticJobErrorCode =
  | 'REGISTRY_UNAVAILABLE'
  | 'REGISTRY_OUTCOME_UNKNOWN'
  | 'REGISTRY_CONFLICT'
  | 'REGISTRY_REFUSED'
  | 'REGISTRY_CREDENTIALS'
  | 'REGISTRY_INCOMPATIBLE'
  | 'SESSION_LOST'
  | 'DEADLINE_EXCEEDED'
  | 'INVALID_CONFIGURATION'
  | 'INVALID_CRON'
  | 'JOB_CONFLICT'
  | 'UNKNOWN_JOB'
  | 'UNKNOWN_GRAPH'
  | 'JOB_STATE'
  | 'JOB_STOPPED'
  | 'JOB_EXECUTION'
  | 'ITEM_TIMEOUT'
  | 'FIRING_INTERRUPTED'
  | 'TRACE_REFUSED';

/** Base of every error of this library. */
export abstract class ElasticJobError extends Error {
  constructor(
    /** Stable, machine-readable name of the situation. */
    readonly code: ElasticJobErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/** The registry centre did not answer, and it is certain that the operation had no effect. */
export class RegistryUnavailableError extends ElasticJobError {
  override readonly name = 'RegistryUnavailableError';
  constructor(operation: string, path: string, cause?: unknown, why = 'the registry centre did not answer') {
    super('REGISTRY_UNAVAILABLE', `Could not ${operation} ${path}: ${why}. Nothing was changed.`, { cause });
  }
}

/**
 * The connection broke after a write was sent and before its answer came: it may have been carried out or not.
 * The caller must read the state again before it decides.
 */
export class RegistryOutcomeUnknownError extends ElasticJobError {
  override readonly name = 'RegistryOutcomeUnknownError';
  constructor(operation: string, path: string, cause?: unknown) {
    super(
      'REGISTRY_OUTCOME_UNKNOWN',
      `The connection broke while trying to ${operation} ${path}: the registry centre may have done it or not.`,
      { cause },
    );
  }
}

/**
 * A commit was refused as a whole because one of its operations does not fit the present state. Nothing was changed.
 */
export class RegistryConflictError extends ElasticJobError {
  override readonly name = 'RegistryConflictError';
  constructor(
    /** Path of the first operation that did not fit. */
    readonly path: string,
    /** State of the node at that path. */
    readonly reason: 'exists' | 'absent' | 'changed',
  ) {
    super('REGISTRY_CONFLICT', `The commit was refused as a whole: ${path} ${CONFLICTS[reason]}. Nothing was changed.`);
  }
}

const CONFLICTS = {
  exists: 'exists already',
  absent: 'does not exist',
  changed: 'has been changed meanwhile',
} as const;

/** The registry centre answered and refused: too large a value, a quota, a request it does not know. */
export class RegistryRefusedError extends ElasticJobError {
  override readonly name = 'RegistryRefusedError';
  constructor(operation: string, path: string, reason: string, cause?: unknown) {
    super('REGISTRY_REFUSED', `The registry centre refused to ${operation} ${path}: ${reason}.`, { cause });
  }
}

/**
 * The registry centre refuses this client for good: its credentials, or it has none and needs some; or the client
 * cannot work with the namespace or the database that the settings name, or lacks a package. It does not try again.
 */
export class RegistryCredentialsError extends ElasticJobError {
  override readonly name = 'RegistryCredentialsError';
  /** @param settings those that are to be checked, for the message */
  constructor(
    reason: string,
    cause?: unknown,
    settings = 'regCenter.digest or regCenter.sasl, and regCenter.namespace',
  ) {
    super(
      'REGISTRY_CREDENTIALS',
      `The registry centre refuses this client: ${reason}. Check ${settings}, and start the ` + 'application again.',
      { cause },
    );
  }
}

/**
 * The data in the registry centre are of a version that this version of the library cannot work with, or some of their
 * tables are gone. The client does not try again; the credentials are right.
 */
export class RegistryIncompatibleError extends ElasticJobError {
  override readonly name = 'RegistryIncompatibleError';
  constructor(reason: string, cause?: unknown) {
    super('REGISTRY_INCOMPATIBLE', `The registry centre cannot be used by this version of the library: ${reason}.`, {
      cause,
    });
  }
}

/** The session with the registry centre has ended: its session nodes are gone, peers may have taken over. */
export class SessionLostError extends ElasticJobError {
  override readonly name = 'SessionLostError';
  constructor(what: string) {
    super('SESSION_LOST', `The session with the registry centre is lost: ${what}.`);
  }
}

/** A wait reached its deadline. The message names the object of the wait. */
export class DeadlineExceededError extends ElasticJobError {
  override readonly name = 'DeadlineExceededError';
  constructor(what: string, timeoutMs: number) {
    super('DEADLINE_EXCEEDED', `Waited ${timeoutMs} ms in vain for ${what}.`);
  }
}

/** Settings that cannot be used. The message names key path, value and what is allowed, one line for each fault. */
export class InvalidConfigurationError extends ElasticJobError {
  override readonly name = 'InvalidConfigurationError';
  /** The faults for programs that word them themselves; absent if there are only `faults`. */
  readonly wordings?: readonly Wording[];
  constructor(
    /** One complete sentence for each fault, each starting with its key path. */
    readonly faults: readonly string[],
    options?: { readonly cause?: unknown; readonly wordings?: readonly Wording[] },
  ) {
    super('INVALID_CONFIGURATION', faults.length === 1 ? String(faults[0]) : `\n  ${faults.join('\n  ')}`, options);
    // Enumerable, Node would print each fault twice.
    Object.defineProperty(this, 'faults', { enumerable: false });
    Object.defineProperty(this, 'wordings', { value: options?.wordings, enumerable: false });
  }

  /** Settings that cannot be used for these reasons. */
  static because(wordings: readonly Wording[]): InvalidConfigurationError {
    return new InvalidConfigurationError(wordings.map(inEnglish), { wordings });
  }
}

/** The job's name is taken in the registry centre by another job class, or in this process by another job. */
export class JobConflictError extends ElasticJobError {
  override readonly name = 'JobConflictError';
  constructor(message: string) {
    super('JOB_CONFLICT', message);
  }
}

/** The registry centre has no job of this name. The message names one with nearly the same name. */
export class UnknownJobError extends ElasticJobError {
  override readonly name = 'UnknownJobError';
  constructor(message: string) {
    super('UNKNOWN_JOB', message);
  }
}

/** The registry centre has no graph of this name. The message names one with nearly the same name. */
export class UnknownGraphError extends ElasticJobError {
  override readonly name = 'UnknownGraphError';
  constructor(message: string) {
    super('UNKNOWN_GRAPH', message);
  }
}

/** The operation does not fit the job's present state or kind, such as scheduling a job that has no cron. */
export class JobStateError extends ElasticJobError {
  override readonly name = 'JobStateError';
  /** The reason for the refusal, for programs that word it themselves; `undefined` if there is only the message. */
  readonly because: JobStateReason | undefined;
  constructor(message: string, options: { readonly cause?: unknown; readonly because?: JobStateReason } = {}) {
    super('JOB_STATE', message, options);
    this.because = options.because;
  }
}

/** Reason for which a job's state does not allow an operation: a code, and the values of the sentence about it. */
export interface JobStateReason {
  readonly code: JobStateCode;
  readonly values: Readonly<Record<string, string | number>>;
}

/** The situations in which operators' requests are refused. */
export const JOB_STATE_CODES = [
  'job-lives',
  'no-instance-lives',
  'no-instance-on-server',
  'server-disabled',
  'being-assigned',
  'no-item',
  'item-disabled',
  'item-unowned',
  'item-of-java',
  'item-server-disabled',
  'trigger-pending',
  'java-takes-part',
  'no-server',
  'unknown-server',
  'stored-again',
  'no-configuration',
  'graph-paused',
  'no-round',
  'round-over',
  'round-open',
  'nothing-to-run-again',
] as const;

/** Code of such a situation. */
export type JobStateCode = (typeof JOB_STATE_CODES)[number];

/** Reason of an abort: the job, or the whole process, is being stopped. */
export class JobStoppedError extends ElasticJobError {
  override readonly name = 'JobStoppedError';
  constructor(jobName: string, why: string) {
    super('JOB_STOPPED', `Job '${jobName}' is being stopped: ${why}.`);
  }
}

/**
 * The work of a job without class has failed: its program could not be run or ended with an error, or its request got
 * no answer.
 */
export class JobExecutionError extends ElasticJobError {
  override readonly name = 'JobExecutionError';
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('JOB_EXECUTION', message, options);
  }
}

/** Reason of an abort: the item has run longer than `timeoutMilliseconds` allows. */
export class ItemTimeoutError extends ElasticJobError {
  override readonly name = 'ItemTimeoutError';
  constructor(jobName: string, item: number, timeoutMs: number) {
    super(
      'ITEM_TIMEOUT',
      `Item ${item} of job '${jobName}' has run for ${timeoutMs} ms, which is as long as its run.timeoutMilliseconds allows.`,
    );
  }
}

/** Reason of an abort: a failure of the same firing interrupts it, as the job's error handler demands (`THROW`). */
export class FiringInterruptedError extends ElasticJobError {
  override readonly name = 'FiringInterruptedError';
  constructor(jobName: string, handler: string, cause: unknown) {
    super(
      'FIRING_INTERRUPTED',
      `The firing of job '${jobName}' is interrupted by its error handler ${handler}: items that have not started are not run.`,
      { cause },
    );
  }
}

/**
 * A trace storage works, but cannot hold one of the events it was given: it never will, however often they are
 * delivered.
 */
export class TraceRefusedError extends ElasticJobError {
  override readonly name = 'TraceRefusedError';
  constructor(reason: string, options?: { readonly cause?: unknown }) {
    super('TRACE_REFUSED', `The storage of trace events refuses what it was given: ${reason}`, options);
  }
}
