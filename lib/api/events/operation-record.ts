/** What operators have done: the records that each operation leaves, and who receives them. */

/** What an operation does. */
export type OperationName =
  | 'update-configuration'
  | 'remove-job'
  | 'trigger'
  | 'disable'
  | 'enable'
  | 'shutdown'
  | 'remove'
  | 'prune-servers'
  | 'disable-item'
  | 'enable-item'
  | 'fix';

/** Who does something, and why. */
export interface OperationContext {
  /** Who does it, for the record. Default: the `operator` of the API. */
  readonly by?: string;
  /** Why, for the record. It is kept nowhere else. Default: none. */
  readonly reason?: string;
}

/** One operation: who has done what, when and why, and what it has changed. */
export interface OperationRecord {
  /** Unique. */
  readonly id: string;
  readonly operation: OperationName;
  /** The job that was named; `undefined` if only a server was. */
  readonly jobName: string | undefined;
  /** The server that was named. */
  readonly serverIp: string | undefined;
  /** The item that was named. */
  readonly item: number | undefined;
  /** Who has done it. */
  readonly operator: string;
  readonly reason: string | undefined;
  /** When it began, by the clock of this process. */
  readonly startedAt: Date;
  /**
   * What it has changed, as it was before: values by path within the namespace, or by name of the setting; secrets
   * are hidden. What was not there is not in it.
   */
  readonly before: Readonly<Record<string, string>>;
  /** The same things as they are after it. What it has removed is not in it. */
  readonly after: Readonly<Record<string, string>>;
  /** `unknown`: the answer of the registry centre was lost, so that it may have been carried out or not. */
  readonly outcome: 'done' | 'failed' | 'unknown';
  /** Why it was not carried out, or only in part; `undefined` if it is `done`. */
  readonly error: string | undefined;
}

/**
 * Receives a record of each operation of this process. One that throws, or never ends, hurts no operation and no job.
 */
export interface OperationListener {
  onOperation(record: OperationRecord): void | Promise<void>;
}
