/** All settings of one job, with Java's names and defaults (manual §6.2.2). What is unset is absent. */
export interface JobConfiguration {
  readonly jobName: string;
  /** Number of sharding items, at least 1. */
  readonly shardingTotalCount: number;
  /** Quartz cron expression. Absent for a one-off job. */
  readonly cron?: string;
  /** `GMT+08:00`, `GMT+8`, or an IANA name (Java peers refuse those). Default: the time zone of the process. */
  readonly timeZone?: string;
  /** `0=Beijing,1=Shanghai`; default: empty. */
  readonly shardingItemParameters: string;
  readonly jobParameter: string;
  readonly monitorExecution: boolean;
  readonly failover: boolean;
  readonly misfire: boolean;
  readonly maxTimeDiffSeconds: number;
  readonly reconcileIntervalMinutes: number;
  readonly jobShardingStrategyType?: string;
  readonly jobExecutorThreadPoolSizeProviderType?: string;
  readonly jobErrorHandlerType?: string;
  readonly jobListenerTypes: readonly string[];
  readonly description: string;
  readonly props: Readonly<Record<string, string>>;
  readonly disabled: boolean;
  readonly overwrite: boolean;
  readonly label?: string;
  readonly staticSharding: boolean;
}
