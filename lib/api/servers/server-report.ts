/** The state of a registry centre's servers, as far as a client can ask for it: facts, which the doctor judges. */

/** Facts about servers. A fact that could not be learnt is absent, and `unknown` says why. */
export type ServerReport = PostgresqlReport | EtcdReport | OtherReport;

interface Report {
  /** How long one request took, in milliseconds. */
  readonly latencyMs: number;
  /** Parts that could not be examined, as sentences. */
  readonly unknown: readonly string[];
}

/** Facts about servers that the doctor has no checks of their own for, such as ZooKeeper's: the latency alone. */
export interface OtherReport extends Report {
  readonly kind: 'OTHER';
}

/** Facts about a PostgreSQL. */
export interface PostgresqlReport extends Report {
  readonly kind: 'POSTGRESQL';
  /** True on a standby, which takes no writes. */
  readonly isStandby?: boolean;
  /** Settings that are off although commits survive a crash only with them: `fsync`. */
  readonly unsafeSettings?: readonly string[];
  /** The number of standbys that follow, none of which confirms commits; 0 if one confirms them. */
  readonly asynchronousStandbys?: number;
  /** Connections in use, and the most that clients without special rights may have. */
  readonly connections?: { readonly used: number; readonly most: number };
  /** `polled`: as configured. `lost`: this connection listens to nothing, as a pooler gave it to another client. */
  readonly notifications?: 'notified' | 'polled' | 'lost';
  /** False: the server removes no dead rows, as `autovacuum` or `track_counts` is off. */
  readonly isAutovacuumOn?: boolean;
  /** The table of the registry centre that has the most dead rows. */
  readonly dead?: { readonly table: string; readonly rows: number; readonly living: number };
}

/** Facts about an etcd. */
export interface EtcdReport extends Report {
  readonly kind: 'ETCD';
  /** Alarms that are raised: `NOSPACE`, `CORRUPT`. */
  readonly alarms?: readonly string[];
  /** Bytes of the database, and its limit if the server tells it (3.6 or later). */
  readonly space?: { readonly bytes: number; readonly limit: number | undefined };
  /** The number of members that vote. */
  readonly members?: number;
  /** The version of each member that has answered: name, then `3.5.17`. */
  readonly versions?: ReadonlyMap<string, string>;
  /** Members and endpoints of `regCenter.endpoints` that do not answer: `m2 at 10.0.0.2:2379 (ECONNREFUSED)`. */
  readonly silent?: readonly string[];
  /** Operations in one transaction: configured, and whether the servers accept so many. */
  readonly maxTxnOps: { readonly configured: number; readonly isAccepted: boolean | undefined };
  /** True if user and password are asked for. */
  readonly hasUsers: boolean;
  /** True if the revision a million changes ago can still be read: nobody compacts the history. */
  readonly isHistoryKept?: boolean;
}
