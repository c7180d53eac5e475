/** The records that the operations of operators leave, and the listeners that receive them. */

/** Kind of an operation. */
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
  | 'fix'
  /** A job was copied to this registry centre from another one. */
  | 'copy-job'
  | 'trigger-graph'
  | 'run-again'
  | 'skip-job'
  | 'stop-round'
  | 'pause-graph'
  | 'resume-graph';

/** The author of an operation, and the reason. */
export interface OperationContext {
  /** Author, for the record. Default: the `operator` of the API. */
  readonly by?: string;
  /** Reason, for the record. It is kept nowhere else. Default: none. */
  readonly reason?: string;
}

/** One operation: its author, time and reason, and its changes. */
export interface OperationRecord {
  /** Unique. */
  readonly id: string;
  readonly operation: OperationName;
  /**
   * The registry centre in the application: `default`, or the name of an entry of `elasticjob.regCenters`. `undefined`
   * outside of Nest, and in rows of tables that have no such column.
   */
  readonly registryCenter: string | undefined;
  /** The job that was named, or the graph; `undefined` if only a server was. */
  readonly jobName: string | undefined;
  /** The server that was named. */
  readonly serverIp: string | undefined;
  /** The item that was named. */
  readonly item: number | undefined;
  /** Author of the operation. */
  readonly operator: string;
  readonly reason: string | undefined;
  /** When it began, by the clock of this process. */
  readonly startedAt: Date;
  /**
   * The changed parts as they were before: values by path within the namespace, or by name of the setting; secrets are
   * hidden. Parts that did not exist are missing.
   */
  readonly before: Readonly<Record<string, string>>;
  /** The same parts as they are after the operation. Parts that it has removed are missing. */
  readonly after: Readonly<Record<string, string>>;
  /** `unknown`: the answer of the registry centre was lost, so that it may have been carried out or not. */
  readonly outcome: 'done' | 'failed' | 'unknown';
  /** The reason for which it was not carried out, or only in part; `undefined` if it is `done`. */
  readonly error: string | undefined;
}

/**
 * Receives a record of each operation of this process. A listener that throws, or never ends, hurts no operation and no
 * job.
 */
export interface OperationListener {
  onOperation(record: OperationRecord): void | Promise<void>;
}
