import { type Page, type SettingProblem, type Wording } from './common.js';

/**
 * `UNKNOWN`: the registry centre is out of reach. `CONFIG_ERROR`: the stored settings cannot be read, or no instance
 * can schedule the job by them. `FAILING`: it would be fine, but its last firing has failed. `HIDDEN`: these
 * credentials may not read it.
 */
export type ConsoleJobStatus =
  | 'OK'
  | 'FAILING'
  | 'DISABLED'
  | 'PARTIALLY_DISABLED'
  | 'SHARDING_FLAG'
  | 'CRASHED'
  | 'CONFIG_ERROR'
  | 'HIDDEN'
  | 'UNKNOWN';

export type ConsoleItemStatus = 'DISABLED' | 'RUNNING' | 'SHARDING_FLAG' | 'PENDING';

/** A job in the list: `GET /api/v1/registries/{r}/jobs`. */
export interface JobRow {
  readonly jobName: string;
  readonly status: ConsoleJobStatus;
  /** Why the settings cannot be used. */
  readonly problem?: string;
  /** `cron`: fires by itself; `one-off`: runs when it is triggered. */
  readonly type?: 'cron' | 'one-off';
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
   * The last firing, or that none is recorded; absent if it is not known, as without a data source that can be read.
   */
  readonly lastRun?: LastFiring | NoFiring;
  /**
   * How many firings in a row have failed, up to the last one that has ended, at most 10; absent if it has not, or if
   * that is not known.
   */
  readonly failedFirings?: number;
}

/** The last firing of a job. Its worst item decides: `failed` if one has failed, `running` if one still runs. */
export interface LastFiring extends LastRun {
  /** How many of its items are recorded. */
  readonly items: number;
  readonly failed: number;
  readonly running: number;
}

/** The activated data source knows no run of the job. */
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
  /** Which kinds of instances take part; parameters of a trigger are refused while Java instances do. */
  readonly kinds: readonly ('node' | 'java' | 'unknown')[];
  readonly leader?: string;
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
  /** Who runs it in its owner's place. */
  readonly takenOverBy?: string;
  readonly disabled: boolean;
  /** A firing found it still running, and it runs again afterwards. */
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
  /** How many items it owns. */
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

/** `GET …/jobs/{job}/config`; `version` is the `ETag` too, and `PUT` wants it as `If-Match`. */
export interface StoredConfiguration {
  readonly version: number;
  /** Secrets are shown as `******`; a value that is sent back as it was shown stays as it is. */
  readonly configuration: JobConfigurationDto;
  /** As it is stored, with secrets masked. */
  readonly yaml: string;
  /** Whether the code's settings overwrite these when an instance starts. */
  readonly isOverwritten: boolean;
  readonly problem?: string;
}

/** `POST …/jobs/{job}/config/validate`: what `PUT` would say, and do. */
export interface ConfigurationCheck {
  readonly problems: readonly SettingProblem[];
  readonly warnings: readonly SettingProblem[];
  /** What would change, by setting. */
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

/** `POST …/enable`, `/disable`, `/shutdown`; without a server: all of the job's. */
export interface ServerAction {
  readonly server?: string;
  readonly reason?: string;
}

/** `DELETE …/jobs/{job}`. */
export interface RemoveRequest {
  /** The job's name once more. */
  readonly confirm?: string;
  /** Whether its living instances are ended. Default: false, which refuses to remove a job that has any. */
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
  /** `problem` for programs. */
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
  /** Further reasons, the weightiest first. */
  readonly others: readonly ExplainedReason[];
  /** What cannot be known here and would matter. */
  readonly unknown: readonly CodedSentence[];
  /** The instant that was asked about; absent: the present. */
  readonly at?: number;
  /** That of the job's schedule. */
  readonly timeZone?: string;
}

/** Why, and what to do about it. */
export interface ExplainedReason extends CodedSentence {
  /** `item-disabled`, `owner-gone`, …: its kind; `code` has one word for each sentence about it. */
  readonly type: string;
  /** The items that it concerns: `0-3,7`; empty: the whole job. */
  readonly items: string;
  /** `then`: it is on record for the instant that was asked about. `now`: it holds now, and may not have held then. */
  readonly holds: 'then' | 'now';
  readonly cure?: CodedSentence & {
    /** The command line for it, or the first of several. */
    readonly command?: string;
  };
}

/** An English sentence, beside the code by which the page words it itself. */
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
  /** What the doctor has found; absent until it has examined the registry centre. */
  readonly problems?: readonly ProblemRow[];
  readonly nextFires: readonly { readonly jobName: string; readonly at: number }[];
  readonly staleSince?: number;
}

/** Something that is wrong, as the doctor finds it. */
export interface ProblemRow extends Wording {
  readonly type: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly jobName?: string;
  readonly subject: string;
  readonly consequence: string;
  readonly cure: string;
  /** The command line that mends it, if there is one. */
  readonly command?: string;
}

export interface RunStatistics {
  readonly from: number;
  readonly to: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly running: number;
  /**
   * The counts are of all runs of the window that are recorded. The earliest of them began then; absent without any.
   */
  readonly runsFrom?: number;
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  /** The durations are of so many runs only, the latest, which began from then on; absent if they are of all. */
  readonly durationsOf?: { readonly runs: number; readonly from: number };
  readonly buckets: readonly { readonly at: number; readonly succeeded: number; readonly failed: number }[];
}

/** `GET …/schedule?from=&to=`: a day or a week. */
export interface SchedulePage extends Page<ScheduleLane> {
  /** What ran earlier than this is not shown, as there was too much; absent if all that is recorded is shown. */
  readonly runsFrom?: number;
  /** Whether what has run is known: absent without a past, `false` without a data source that can be read. */
  readonly hasRuns?: boolean;
}

/** A job of the schedule. */
export interface ScheduleLane {
  readonly jobName: string;
  readonly fires: readonly number[];
  /** There are more than fit: one every that many milliseconds. */
  readonly everyMs?: number;
  readonly runs: readonly { readonly from: number; readonly to?: number; readonly result: TraceResult }[];
}
