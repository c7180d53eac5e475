/**
 * A history: what happens to a cluster, and when. It is data, made from a seed by `history()`, played by `play()`, cut
 * down by `minimise()`, and printed by `scenario()`. Each step has its own moment, so that leaving out one moves no
 * other; a step that makes no sense when its moment comes (the instance is not there any more) does nothing.
 */
import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';

/** The behaviour of an item's user code. */
export type Behaviour =
  /** Done within a fifth of a second. */
  | 'quick'
  /** Takes about as long as a period, or longer. */
  | 'slow'
  /** Quick, and throws in the end. */
  | 'failing'
  /** As slow, and does not react to the abort signal. */
  | 'stubborn'
  /** Quick, and in the end throws something that throws when it is described. */
  | 'poisonous';

/** The job that an operator's event concerns: one of `History.others` by its name; absent: the first job. */
interface OfJob {
  readonly job?: string;
}

/** The events of a cluster. Instances are named A, B, C …, and a name is never used twice. */
export type Event =
  | { readonly type: 'join'; readonly name: string; readonly skewMs: number }
  | { readonly type: 'leave' | 'kill' | 'expire'; readonly name: string }
  | ({ readonly type: 'terminate' | 'disable' | 'enable'; readonly name: string } & OfJob)
  | { readonly type: 'kill-at-write'; readonly name: string; readonly nth: number; readonly when: 'before' | 'after' }
  | {
      readonly type: 'lose-write';
      readonly name: string;
      readonly nth: number;
      readonly outcome: 'applied' | 'not-applied';
    }
  | { readonly type: 'suspend' | 'freeze'; readonly name: string; readonly ms: number }
  | {
      readonly type: 'cut';
      readonly name: string;
      readonly ms: number;
      readonly direction: 'both' | 'sending' | 'receiving';
    }
  /** Its mirrors hear of changes only every so often, or when they ask, as if all notifications were lost. */
  | { readonly type: 'hear-late'; readonly name: string; readonly ms: number; readonly everyMs: number }
  /** The registry gives all sessions that it has not heard of for a while their whole time again. */
  | { readonly type: 'prolong-sessions' }
  | { readonly type: 'set-clock'; readonly name: string; readonly skewMs: number }
  | ({ readonly type: 'disable-item' | 'enable-item'; readonly item: number } & OfJob)
  | ({ readonly type: 'reconfigure'; readonly change: Change } & OfJob)
  /** Triggers all items, or one, whose owner alone gets the trigger. */
  | ({ readonly type: 'trigger'; readonly item?: number } & OfJob)
  /** The registry loses all sessions and all nodes, and cannot be reached for a while. */
  | { readonly type: 'wipe'; readonly ms: number }
  /** The strategy UNRELIABLE throws for a while. */
  | { readonly type: 'fail-strategy'; readonly ms: number }
  /** The logger of an instance throws for a while. */
  | { readonly type: 'fail-logger'; readonly name: string; readonly ms: number };

/** The changes of an operator while the job runs. */
export type Change = Partial<
  Pick<
    JobConfiguration,
    'shardingTotalCount' | 'cron' | 'failover' | 'misfire' | 'monitorExecution' | 'jobShardingStrategyType' | 'props'
  >
>;

/** Something that happens at a moment. */
export type Step = Event & {
  /** Milliseconds since the beginning of the history. */
  readonly atMs: number;
};

/** The job as it is at the beginning. */
export interface Job {
  readonly periodSeconds: number;
  readonly shardingTotalCount: number;
  readonly failover: boolean;
  readonly misfire: boolean;
  readonly monitorExecution: boolean;
  readonly jobShardingStrategyType: string;
  /** Absent: none. */
  readonly props?: Readonly<Record<string, string>>;
}

/** A further job on the same instances, with a name of its own. */
export interface OtherJob {
  readonly name: string;
  /** If its `props` say after which jobs it runs, its period says only how long slow items take. */
  readonly job: Job;
  /** By item. */
  readonly behaviours: readonly Behaviour[];
}

/** The name of the first job of each history. */
export const FIRST_JOB = 'bill';

/** The job's listener that is called once in the cluster. */
export interface OnceListenerTraits {
  /** As in its constructor; 0: no limit. */
  readonly startedTimeoutMs: number;
  readonly completedTimeoutMs: number;
  /** Longest time that a call takes. */
  readonly slowestCallMs: number;
}

/** Everything that is needed to play it again. */
export interface History {
  readonly seed: number;
  readonly job: Job;
  /** By item. */
  readonly behaviours: readonly Behaviour[];
  /** How many items of one instance may run at once. */
  readonly poolSize: number;
  readonly slowestMessageMs: number;
  /** Names of the kinds of trouble that its seed has drawn beside the ordinary; absent: none. */
  readonly features?: readonly string[];
  /** Absent: the job has no listener. */
  readonly onceListener?: OnceListenerTraits;
  /** Most operations of one commit. Absent: as many as ZooKeeper accepts. */
  readonly operationsACommit?: number;
  /** How much later than its time a session may end at the registry. Absent: not at all. */
  readonly sweepLateMs?: number;
  /** Absent: the job is alone. */
  readonly others?: readonly OtherJob[];
  readonly steps: readonly Step[];
}

/** All jobs of a history, the first one included. */
export function jobsOf({ job, behaviours, others = [] }: History): readonly OtherJob[] {
  return [{ name: FIRST_JOB, job, behaviours }, ...others];
}

/** The job that an event concerns; `undefined` if it concerns an instance, the registry or all jobs. */
export function jobOf(event: Event): string | undefined {
  switch (event.type) {
    case 'terminate':
    case 'disable':
    case 'enable':
    case 'disable-item':
    case 'enable-item':
    case 'reconfigure':
    case 'trigger':
      return event.job ?? FIRST_JOB;
    default:
      return undefined;
  }
}

/** How long a server waits for a silent instance. */
export const SESSION_TIMEOUT_MS = 4_000;
export const MOST_INSTANCES = 7;
export const MOST_ITEMS = 20;
