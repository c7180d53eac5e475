import { type AuditRecord } from '../../contract/session.js';
import { type Caller } from '../callers/caller.js';

/** An action, for the audit. */
export interface AuditedAction {
  /** `job.trigger`, `job.config.update`, `auth.login`, … */
  readonly action: string;
  /** The registry centre or data source, if the action concerns one. */
  readonly registry?: string | undefined;
  /** The job, server, user, … */
  readonly target?: string | undefined;
  readonly reason?: string | undefined;
  /** The caller of the action. */
  readonly caller: AuditedCaller;
}

/** The part of a caller that the audit records. Without a login, only the address and the request are known. */
export type AuditedCaller = Pick<Caller, 'ip' | 'requestId'> & Partial<Pick<Caller, 'username' | 'role' | 'provider'>>;

/** Notes the changes of an action while they are made. Secrets must not be noted. */
export interface AuditNotes {
  /**
   * Notes that `what` was `before` and is `after`; `undefined` if there was no value or is none. Values with a secret
   * name are masked.
   */
  note(what: string, before: string | undefined, after: string | undefined): void;
  /** Sets the user, once the login has proved who it is. */
  identify(who: Pick<Caller, 'username' | 'role' | 'provider'>): void;
}

/** A filter of records; all given conditions must match. */
export interface AuditQuery {
  readonly username?: string | undefined;
  /** The action, or the prefix of several actions with a dot at its end: `job.`. */
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly registry?: string | undefined;
  readonly outcome?: AuditRecord['outcome'] | undefined;
  /** Milliseconds since 1970, both included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Records actions and refusals of callers. */
export abstract class ConsoleAudit {
  /**
   * Carries out `task`, and records its result.
   * @returns the result of the task
   * @throws the error of the task
   */
  abstract record<T>(action: AuditedAction, task: (notes: AuditNotes) => T | Promise<T>): Promise<T>;
  /** Records a refused action with the reason. */
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
  /** Records the refusals that are still counted, before the console ends. */
  abstract stop(): Promise<void>;
}
