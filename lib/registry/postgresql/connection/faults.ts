/** The faults of PostgreSQL, in words for people, and their meaning for a registry centre. */
import { MissingPackageError } from '../../missing-package.js';

/** A problem with the server, and whether waiting can cure it. */
export interface PostgresFault {
  /** Such as `ECONNREFUSED 127.0.0.1:5432`. */
  readonly reason: string;
  /**
   * True if the server has refused this client's identity or rights, or a package is missing: waiting cures none of
   * that.
   */
  readonly isRefusal: boolean;
}

/** Invalid authorization, invalid password, no such database, no such schema, insufficient privilege. */
const REFUSALS: ReadonlySet<string> = new Set(['28000', '28P01', '3D000', '3F000', '42501']);

/** A statement that was prepared is unknown, or is there already: a pooler lends connections to several clients. */
const POOLED: ReadonlySet<string> = new Set(['26000', '42P05']);

/**
 * The codes after which a session is not kept: the server will give the same answer until somebody changes something.
 * A read-only database; no space, memory or connections; tables or rights that are gone; faults of files; corruption.
 */
const LASTING = /^(?:25006|53|3F|42|58|XX)/;

/** The server is too old, or its tables do not fit this version of the library, or some of them are gone. */
export class IncompatibleDatabaseError extends Error {
  override readonly name = 'IncompatibleDatabaseError';
}

/** The server is a replica. */
export class StandbyError extends Error {
  override readonly name = 'StandbyError';
  constructor() {
    super('it is a standby, which takes no writes');
  }
}

/** The server takes writes on a timeline that a promotion has ended: see `Timelines`. */
export class FormerPrimaryError extends Error {
  override readonly name = 'FormerPrimaryError';
  constructor(timeline: number, successor: number) {
    super(`it is a former primary: it takes writes on timeline ${timeline}, and timeline ${successor} has begun`);
  }
}

/** The error of one of several hosts. */
export interface HostError {
  /** `host:port` of the server. */
  readonly place: string;
  readonly error: unknown;
}

/** No host of the URL can be used. Its cause is the first error by which a host refuses this client for good. */
export class HostsError extends Error {
  override readonly name = 'HostsError';
  /** True if all hosts that could be the primary refuse this client for good. */
  readonly isRefusal: boolean;

  constructor(errors: readonly HostError[]) {
    const faults = errors.map(({ error, place }) => ({ error, ...faultOf(error, place) }));
    super(faults.map(({ reason }) => reason).join('; '), { cause: faults.find(({ isRefusal }) => isRefusal)?.error });
    const judged = faults.filter(({ error }) => !isPassedOver(error));
    this.isRefusal = judged.length > 0 && judged.every(({ isRefusal }) => isRefusal);
  }
}

/** One error for the errors of all hosts: itself if it is of this library or its packages, whatever the host. */
export function errorOfHosts(errors: readonly HostError[]): unknown {
  const [only, ...others] = errors;
  if (others.length === 0) return only?.error;
  const all = new HostsError(errors);
  return all.isRefusal && (all.cause instanceof IncompatibleDatabaseError || all.cause instanceof MissingPackageError)
    ? all.cause
    : all;
}

function isPassedOver(error: unknown): boolean {
  return error instanceof StandbyError || error instanceof FormerPrimaryError;
}

/** A statement whose connection broke before the answer came. */
export class LinkBrokenError extends Error {
  override readonly name = 'LinkBrokenError';
  /** True if the server may have received the statement, and may have carried it out. */
  readonly wasSent: boolean;

  constructor(reason: string, statement: 'sent' | 'not sent') {
    super(reason);
    this.wasSent = statement === 'sent';
  }
}

/** @param place `host:port` of the server */
export function faultOf(error: unknown, place: string): PostgresFault {
  if (error instanceof HostsError) return { reason: error.message, isRefusal: error.isRefusal };
  const { code, message, errors } = readable(error);
  // Node tries all addresses of a name, and collects the fault of each.
  const [first] = errors;
  if (message === '' && first !== undefined) return faultOf(first, place);
  if (error instanceof IncompatibleDatabaseError || error instanceof MissingPackageError)
    return { reason: message, isRefusal: true };
  if (POOLED.has(code))
    return {
      reason: `a pooler gives each transaction another connection, so that regCenter.notify must be false: ${message} (${place})`,
      isRefusal: true,
    };
  const isSystemError = /^E[A-Z_]+$/.test(code);
  return { reason: isSystemError ? `${code} ${place}` : `${message} (${place})`, isRefusal: REFUSALS.has(code) };
}

/**
 * True if the server itself has answered that it did not carry out the request: the connection goes on, and nothing was
 * changed.
 */
export function isServerAnswer(error: unknown): boolean {
  const { code, severity } = readable(error);
  // FATAL ends the connection, so the missing answer may be that of the statement before.
  return /^[0-9A-Z]{5}$/.test(code) && severity === 'ERROR';
}

/** True if the server refuses the request because the role lacks a right. */
export function isMissingRight(error: unknown): boolean {
  return readable(error).code === '42501';
}

/** True if the server answers so until somebody changes something there: see `LASTING`. */
export function isLasting(error: unknown): boolean {
  return isServerAnswer(error) && LASTING.test(readable(error).code);
}

function readable(error: unknown): {
  readonly code: string;
  readonly message: string;
  readonly severity: string;
  readonly errors: readonly unknown[];
} {
  const { code, message, severity, errors } = (error ?? {}) as Readonly<Record<string, unknown>>;
  return {
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' ? message : String(error),
    severity: typeof severity === 'string' ? severity : '',
    errors: Array.isArray(errors) ? errors : [],
  };
}
