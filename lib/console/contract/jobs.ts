import { type Page, type SettingProblem, type Wording } from './common.js';

/** The status of a job in the console. */
export type ConsoleJobStatus =
  | 'OK'
  /** The job is otherwise OK, but its last firing has failed. */
  | 'FAILING'
  /** All its servers are disabled. */
  | 'DISABLED'
  /** Some of its servers are disabled. */
  | 'PARTIALLY_DISABLED'
  /** The items will be assigned at the next firing, as an owner is gone or there is none yet. */
  | 'SHARDING_FLAG'
  /** No instance lives. */
  | 'CRASHED'
  /** The stored settings cannot be read, or no instance can schedule the job by them. */
  | 'CONFIG_ERROR'
  /** These credentials may not read the job. */
  | 'HIDDEN'
  /** The registry centre is out of reach. */
  | 'UNKNOWN';

/** The status of an item; `ItemStatus` of the operations has the same ones. */
export type ConsoleItemStatus = 'DISABLED' | 'RUNNING' | 'SHARDING_FLAG' | 'PENDING';

/** A job in the list: `GET /api/v1/registries/{r}/jobs`. */
export interface JobRow {
  readonly jobName: string;
  readonly status: ConsoleJobStatus;
  /** Why the settings cannot be used. */
  readonly problem?: string;
  /** A `cron` job fires by its schedule, an `after` job after others; a `one-off` job runs when it is triggered. */
  readonly type?: 'cron' | 'after' | 'one-off';
  /** The jobs after which it runs; absent if there are none. */
  readonly after?: readonly string[];
  readonly cron?: string;
  readonly timeZone?: string;
  readonly description?: string;
  readonly label?: string;
  readonly shardingTotalCount?: number;
  readonly instanceCount: number;
  readonly servers: readonly string[];
  readonly runningItems: number;
  readonly disabledItems: number;
  /** The next instant at which it fires; absent if it never does, or is disabled. */
  readonly nextFireAt?: number;
  /**
   * The last firing, or `NoFiring` if none is recorded; absent if it is unknown, for instance without a data source
   * that can be read.
   */
  readonly lastRun?: LastFiring | NoFiring;
  /**
   * The number of failed firings in a row, up to the last one that has ended, at most 10; absent if that one has not
   * failed, or if it is unknown.
   */
  readonly failedFirings?: number;
}

/** The last firing of a job. Its worst item decides: `failed` if one has failed, `running` if one still runs. */
export interface LastFiring extends LastRun {
  /** The number of its items that are recorded. */
  readonly items: number;
  readonly failed: number;
  readonly running: number;
}

/** The activated data source has no run of the job. */
export interface NoFiring {
  readonly result: 'none';
  readonly at?: undefined;
  readonly durationMs?: undefined;
}

export interface LastRun {
  readonly at: number;
  readonly result: TraceResult;
  readonly durationMs?: number;
}

export type TraceResult = 'ok' | 'failed' | 'running';

/** `GET /api/v1/registries/{r}/jobs/{job}`. */
export interface JobDetail extends JobRow {
  /** The kinds of instances that take part. A trigger with a parameter is refused while Java instances take part. */
  readonly kinds: readonly ('node' | 'java' | 'unknown')[];
  readonly leader?: string;
  /** The jobs that run after it, by name. */
  readonly successors: readonly string[];
  readonly serverStates: readonly {
    readonly serverIp: string;
    readonly isDisabled: boolean;
    readonly instanceCount: number;
  }[];
}

/** `GET …/jobs/{job}/shards`: all items in ascending order. */
export interface ShardRow {
  readonly item: number;
  readonly parameter?: string;
  readonly serverIp?: string;
  readonly instanceId?: string;
  readonly status: ConsoleItemStatus;
  readonly failover: boolean;
  /** The instance that runs the item instead of its owner. */
  readonly takenOverBy?: string;
  readonly disabled: boolean;
  /** True if a firing found the item still running, so that it runs again afterwards. */
  readonly misfired: boolean;
  readonly lastRun?: LastRun;
}

/** `GET …/jobs/{job}/instances`. */
export interface InstanceRow {
  readonly instanceId: string;
  readonly serverIp: string;
  readonly pid?: string;
  readonly kind: 'node' | 'java' | 'unknown';
  /** A field of Java's instances that Java 3.0 never sets. */
  readonly labels?: string;
  readonly isLeader: boolean;
  /** The number of items that it owns. */
  readonly items: number;
}

/** Settings as they are stored: Java's keys, `props` as a map. Unknown keys are kept as they are. */
export interface JobConfigurationDto {
  readonly jobName: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly shardingTotalCount: number;
  readonly shardingItemParameters?: string;
  readonly jobParameter?: string;
  readonly monitorExecution?: boolean;
  readonly failover?: boolean;
  readonly misfire?: boolean;
  readonly maxTimeDiffSeconds?: number;
  readonly reconcileIntervalMinutes?: number;
  readonly jobShardingStrategyType?: string;
  readonly jobExecutorThreadPoolSizeProviderType?: string;
  readonly jobErrorHandlerType?: string;
  readonly jobListenerTypes?: readonly string[];
  readonly description?: string;
  readonly props?: Readonly<Record<string, string>>;
  readonly disabled?: boolean;
  readonly overwrite?: boolean;
  readonly label?: string;
  readonly staticSharding?: boolean;
}

/** `GET …/jobs/{job}/config`; `version` is also the `ETag`, and `PUT` requires it as `If-Match`. */
export interface StoredConfiguration {
  readonly version: number;
  /** Secrets are shown as `******`; a value that is sent back as shown is unchanged. */
  readonly configuration: JobConfigurationDto;
  /** As it is stored, with secrets masked. */
  readonly yaml: string;
  /** True if the settings in the code overwrite these when an instance starts. */
  readonly isOverwritten: boolean;
  readonly problem?: string;
}

/** `POST …/jobs/{job}/config/validate`: the problems and changes of a `PUT`, without storing. */
export interface ConfigurationCheck {
  readonly problems: readonly SettingProblem[];
  readonly warnings: readonly SettingProblem[];
  /** The changes by setting. */
  readonly changes: readonly { readonly setting: string; readonly before?: string; readonly after?: string }[];
  readonly nextFires: readonly number[];
}

/** `POST …/trigger`, and, without `items`, `POST …/shards/{item}/rerun`. */
export interface TriggerRequest {
  readonly parameter?: string;
  /** The only items that run. Default: all. */
  readonly items?: readonly number[];
  readonly reason?: string;
}

export interface TriggerAnswer {
  readonly instances: readonly {
    readonly instanceId: string;
    readonly answer: 'taken' | 'busy' | 'waiting' | 'gone';
    readonly willRun: boolean;
  }[];
}

/** `POST …/enable`, `/disable`, `/shutdown`; without a server, all servers of the job. */
export interface ServerAction {
  readonly server?: string;
  readonly reason?: string;
}

/** `DELETE …/jobs/{job}`. */
export interface RemoveRequest {
  /** The name of the job again, as a confirmation. */
  readonly confirm?: string;
  /** True ends its living instances. Default: false, which refuses to remove a job that has any. */
  readonly living?: boolean;
  readonly reason?: string;
}

/** `POST …/jobs/batch`. */
export interface BatchRequest {
  readonly action: 'enable' | 'disable' | 'trigger';
  readonly names: readonly string[];
  readonly reason?: string;
}

export interface BatchAnswer {
  readonly results: readonly { readonly name: string; readonly isOk: boolean; readonly error?: string }[];
}

/** `POST /api/v1/cron/preview` and `GET …/jobs/{job}/fires`. */
export interface FiresPreview {
  readonly fires: readonly number[];
  readonly timeZone: string;
  /** In words, in the language that was asked for by `lang`. */
  readonly words?: string;
  readonly problem?: string;
  /** The code of `problem`. */
  readonly wording?: Wording;
}

/** `GET …/jobs/{job}/tree`: the nodes in the order of their paths. */
export interface TreeNode {
  readonly path: string;
  readonly value: string;
  readonly version: number;
  readonly isEphemeral: boolean;
}

/** Answer of `GET …/jobs/{job}/explain?item=&at=`. */
export interface Explanation {
  /** The reason's English sentence. */
  readonly sentence: string;
  readonly reason: ExplainedReason;
  /** Further reasons, the most decisive one first. */
  readonly others: readonly ExplainedReason[];
  /** Facts that would matter and cannot be known here. */
  readonly unknown: readonly CodedSentence[];
  /** The instant that was asked about; absent for the present. */
  readonly at?: number;
  /** The time zone of the job's schedule. */
  readonly timeZone?: string;
}

/** A reason with its cure. */
export interface ExplainedReason extends CodedSentence {
  /** `item-disabled`, `owner-gone`, …: its kind; `code` has one word for each sentence about it. */
  readonly type: string;
  /** The items that have this reason, such as `0-3,7`; empty for the whole job. */
  readonly items: string;
  /**
   * `then`: the reason is on record for the instant that was asked about. `now`: it holds now, and may not have held
   * then.
   */
  readonly holds: 'then' | 'now';
  readonly cure?: CodedSentence & {
    /** The command line of the cure, or the first of several. */
    readonly command?: string;
  };
}

/** An English sentence, and its code for the page's own wording. */
export interface CodedSentence extends Wording {
  readonly sentence: string;
}

/** `GET …/servers`. */
export interface ServerRow {
  readonly serverIp: string;
  readonly instanceCount: number;
  readonly jobCount: number;
  readonly disabledJobCount: number;
  readonly state: 'online' | 'offline' | 'disabled' | 'partially-disabled';
}

/** `GET …/servers/{ip}/jobs`. */
export interface ServerJobRow {
  readonly jobName: string;
  readonly isDisabled: boolean;
  readonly instanceCount: number;
  readonly items: number;
}

/** `POST …/servers/prune`. */
export interface PruneRequest {
  readonly dryRun: boolean;
  readonly includeDisabled?: boolean;
  readonly reason?: string;
}

export interface PruneAnswer {
  readonly servers: readonly { readonly jobName: string; readonly serverIp: string }[];
}

/** `GET …/overview?windowMs=`. */
export interface Overview {
  readonly jobsByStatus: Readonly<Partial<Record<ConsoleJobStatus, number>>>;
  readonly serverCount: number;
  readonly runningItems: number;
  /** From the activated data source; absent without one. */
  readonly runs?: RunStatistics;
  /** The findings of the doctor; absent until it has examined the registry centre. */
  readonly problems?: readonly ProblemRow[];
  readonly nextFires: readonly { readonly jobName: string; readonly at: number }[];
  readonly staleSince?: number;
}

/** A finding of the doctor. */
export interface ProblemRow extends Wording {
  readonly type: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly jobName?: string;
  readonly subject: string;
  readonly consequence: string;
  readonly cure: string;
  /** A command line that solves the problem, if there is one. */
  readonly command?: string;
}

export interface RunStatistics {
  readonly from: number;
  readonly to: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly running: number;
  /** The start of the earliest recorded run in the window, from which on the counts are; absent without any run. */
  readonly runsFrom?: number;
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  /**
   * If the durations are only of the latest runs: their number, and the start of the earliest of them; absent if they
   * are of all.
   */
  readonly durationsOf?: { readonly runs: number; readonly from: number };
  readonly buckets: readonly { readonly at: number; readonly succeeded: number; readonly failed: number }[];
}

/** `GET …/schedule?from=&to=`: a day or a week. */
export interface SchedulePage extends Page<ScheduleLane> {
  /** Runs before this time are not shown, as there are too many; absent if all recorded runs are shown. */
  readonly runsFrom?: number;
  /**
   * `false` if the past runs are unknown, as there is no data source that can be read; absent if the range has no past.
   */
  readonly hasRuns?: boolean;
}

/** A job of the schedule. */
export interface ScheduleLane {
  readonly jobName: string;
  readonly fires: readonly number[];
  /** The interval of the firings in milliseconds, if there are too many to list. */
  readonly everyMs?: number;
  readonly runs: readonly { readonly from: number; readonly to?: number; readonly result: TraceResult }[];
}
