import { type AuditRecord } from '../../contract/session.js';
import { type Caller } from '../callers/caller.js';

/** What is done, for the audit. */
export interface AuditedAction {
  /** `job.trigger`, `job.config.update`, `auth.login`, … */
  readonly action: string;
  /** The registry centre or data source, if it is about one. */
  readonly registry?: string | undefined;
  /** The job, server, user, … */
  readonly target?: string | undefined;
  readonly reason?: string | undefined;
  /** Who does it. */
  readonly caller: AuditedCaller;
}

/** What the audit keeps of a caller. Of who is not logged in, only the address and the request are known. */
export type AuditedCaller = Pick<Caller, 'ip' | 'requestId'> & Partial<Pick<Caller, 'username' | 'role' | 'provider'>>;

/** Takes down what changes, while it is being changed. Secrets must not be noted. */
export interface AuditNotes {
  /**
   * Notes that `what` was `before` and is `after`; `undefined` if it was not or is not there. Values are masked if
   * their name says they are secret.
   */
  note(what: string, before: string | undefined, after: string | undefined): void;
  /** Says who does it, once that is proved. */
  identify(who: Pick<Caller, 'username' | 'role' | 'provider'>): void;
}

/** Which records are asked for; all that is given must match. */
export interface AuditQuery {
  readonly username?: string | undefined;
  /** The action, or with a dot at its end all that begin so: `job.`. */
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly registry?: string | undefined;
  readonly outcome?: AuditRecord['outcome'] | undefined;
  /** Milliseconds since 1970, both included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Records what callers do, and what they are refused. */
export abstract class ConsoleAudit {
  /**
   * Carries out `task` and records how it ended.
   * @returns what the task does
   * @throws what the task throws
   */
  abstract record<T>(action: AuditedAction, task: (notes: AuditNotes) => T | Promise<T>): Promise<T>;
  /** Records something that was refused, and why. */
  abstract refused(action: AuditedAction, error: string): Promise<void>;
  /**
   * The records that match, the newest first.
   * @param cursor the `nextCursor` of the page before
   */
  abstract find(
    query: AuditQuery,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<{ readonly items: readonly AuditRecord[]; readonly nextCursor?: string }>;
  /** Calls the listener with each new record. @returns a function that ends this */
  abstract onRecord(listener: (record: AuditRecord) => void): () => void;
  /** Records what is counted still, before the console ends. */
  abstract stop(): Promise<void>;
}
