import { type TraceResult } from './jobs.js';
import { type TlsChange, type TlsInfo } from './registries.js';

/**
 * A row of JOB_EXECUTION_LOG: `GET
 * /api/v1/trace/executions?ds=&job=&ip=&result=&source=&item=&taskId=&from=&to=&limit=&cursor=`.
 */
export interface ExecutionRow {
  readonly id: string;
  readonly jobName: string;
  readonly taskId: string;
  readonly hostname: string;
  readonly ip: string;
  readonly item: number;
  readonly source: 'NORMAL_TRIGGER' | 'MISFIRE' | 'FAILOVER';
  readonly result: TraceResult;
  readonly startedAt: number;
  readonly completedAt?: number;
  readonly durationMs?: number;
  /** The exact cause of the run: `dependency` if it ran after other jobs; absent for rows of Java's. */
  readonly cause?: 'schedule' | 'misfire' | 'catch-up' | 'dependency' | 'failover' | 'manual';
  /** The scheduled instant; absent for a manual run, and for rows of Java's. */
  readonly scheduledAt?: number;
  /** The jobs after whose rounds of that instant it ran; absent if it ran after none. */
  readonly upstreams?: readonly string[];
  /** The first line of the failure; `GET /api/v1/trace/executions/{id}` has all of it. */
  readonly failure?: string;
}

export interface ExecutionDetail extends ExecutionRow {
  readonly failureCause?: string;
}

/** A row of JOB_STATUS_TRACE_LOG: `GET /api/v1/trace/statuses?ds=&job=&state=&taskId=&from=&to=&limit=&cursor=`. */
export interface StatusRow {
  readonly id: string;
  readonly jobName: string;
  readonly taskId: string;
  readonly originalTaskId?: string;
  readonly source: string;
  readonly executionType: string;
  readonly shardingItems: string;
  readonly state: string;
  readonly message?: string;
  readonly createdAt: number;
}

/** The executions of one firing: `GET /api/v1/trace/firings?ds=&job=&from=&to=&limit=&cursor=`. */
export interface FiringRow {
  /** The start of its first item. */
  readonly startedAt: number;
  readonly completedAt?: number;
  readonly source: ExecutionRow['source'];
  readonly succeeded: number;
  readonly failed: number;
  readonly running: number;
  readonly items: readonly ExecutionRow[];
}

/** A database that holds the tables of event tracing: `GET /api/v1/data-sources`. */
export interface DataSourceInfo {
  readonly name: string;
  readonly driver: DataSourceDriver;
  readonly host?: string;
  readonly port?: number;
  readonly database: string;
  readonly username?: string;
  readonly hasPassword: boolean;
  /** The TLS of its connections; absent if they are not encrypted. */
  readonly tls?: TlsInfo;
  readonly origin: 'settings' | 'application' | 'console';
  readonly isActivated: boolean;
  readonly state: 'connected' | 'failed' | 'unused';
  readonly reason?: string;
}

export type DataSourceDriver = 'postgres' | 'mysql' | 'mariadb' | 'sqljs';

export interface DataSourceChange {
  readonly name: string;
  readonly driver: DataSourceDriver;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly username?: string;
  /** An omitted password is kept. */
  readonly password?: string;
  /** Omitted settings are kept. `null` turns encryption off. */
  readonly tls?: TlsChange | null;
}

/** `GET /api/v1/data-sources/{name}/schema`; `POST` creates the missing tables. */
export interface SchemaCheck {
  readonly tables: readonly { readonly name: string; readonly exists: boolean }[];
  /** The statements that create the missing tables. */
  readonly sql: readonly string[];
}
