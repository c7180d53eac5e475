import { type FiringCause, type ItemOutcome, type RunEvent, type RunObserver } from '../api/events/run-events.js';
import { type ShardingContext } from '../api/job/sharding-context.js';
import { type RoundOutcome } from '../layout/x-node/round-record.js';
import { type Clock } from '../time/clock.js';

/**
 * State of a run:
 *
 * - `running`: it has not ended
 * - `completed`: the work ended
 * - `failed`: the work threw an error
 * - `aborted`: its `context.signal` aborted, and the work ended
 * - `timed-out`: its time limit passed
 * - `lost`: the test killed its instance during the run
 */
export type RunOutcome = 'running' | 'completed' | 'failed' | 'aborted' | 'timed-out' | 'lost';

/** One run of an item on an instance of a test's cluster. */
export interface Run {
  /** The name of the instance. */
  readonly instance: string;
  readonly item: number;
  /** The cause of the firing. */
  readonly cause: FiringCause;
  /** The context that the job received. */
  readonly context: ShardingContext;
  /** The instant for which the run was scheduled. `undefined` if an operator triggered it manually. */
  readonly scheduledAt: Date | undefined;
  /** The same in short, for comparisons: `HH:mm:ss` in UTC, or `manual` if an operator triggered the run. */
  readonly at: string;
  /** When the run began and ended, in milliseconds since the cluster's start. */
  readonly startedMs: number;
  readonly endedMs: number | undefined;
  readonly outcome: RunOutcome;
  /** The error that the work threw, or the reason why it was aborted. `undefined` if there is none. */
  readonly error: unknown;
}

/** A round of a job of a test's cluster: everything that the job does for one instant. */
export interface TestRound {
  readonly scheduledAt: Date;
  /** The same in short, as `Run` has it. */
  readonly at: string;
  readonly outcome: RoundOutcome;
  /** Items that have failed, after their retries. */
  readonly failed: readonly number[];
}

/** An instant in short, for comparisons: `HH:mm:ss` in UTC. */
export function atText(instant: Date): string {
  return instant.toISOString().slice(11, 19);
}

/** Does the work of an item on the instance with that name. */
export type Work = (instance: string, context: ShardingContext) => void | Promise<void>;

/** The begin or the end of a run. */
export interface RunHappening {
  readonly type: 'run-started' | 'run-ended';
  readonly instance: string;
  readonly item: number;
  readonly run: Run;
}

type OpenRun = { -readonly [Key in keyof Run]: Run[Key] };

const OUTCOMES = {
  succeeded: 'completed',
  failed: 'failed',
  aborted: 'aborted',
  'timed-out': 'timed-out',
} as const satisfies Record<ItemOutcome['type'], RunOutcome>;

/** The runs of one job in a test's cluster, in the order in which they began, as its instances' observers see them. */
export class RunBook {
  readonly runs: Run[] = [];
  readonly #jobName: string;
  readonly #clock: Clock;
  readonly #notify: (happening: RunHappening) => void;
  /** By run and item. */
  readonly #open = new Map<string, OpenRun>();

  constructor(jobName: string, clock: Clock, notify: (happening: RunHappening) => void) {
    this.#jobName = jobName;
    this.#clock = clock;
    this.#notify = notify;
  }

  /** Records the runs of the instance with that name. */
  observer(instance: string): RunObserver {
    return {
      onRunEvent: (event) => {
        if (event.run.jobName === this.#jobName) this.#record(instance, event);
      },
    };
  }

  /** Records that all open runs of the instance are lost. */
  lose(instance: string): void {
    for (const [key, run] of this.#open) if (run.instance === instance) this.#end(key, 'lost');
  }

  #record(instance: string, event: RunEvent): void {
    if (event.type === 'item-started') this.#begin(instance, event.run, event.context);
    if (event.type === 'item-ended') {
      const { item, outcome } = event;
      const error = outcome.type === 'succeeded' ? undefined : outcome.cause;
      this.#end(`${event.run.runId} ${item.item}`, OUTCOMES[outcome.type], error);
    }
  }

  #begin(instance: string, { runId, cause }: RunEvent['run'], context: ShardingContext): void {
    const { shardingItem: item, scheduledAt } = context;
    const run: OpenRun = {
      instance,
      item,
      cause,
      context,
      scheduledAt,
      at: scheduledAt === undefined ? 'manual' : atText(scheduledAt),
      startedMs: this.#clock.monotonic(),
      endedMs: undefined,
      outcome: 'running',
      error: undefined,
    };
    this.runs.push(run);
    this.#open.set(`${runId} ${item}`, run);
    this.#notify({ type: 'run-started', instance, item, run });
  }

  #end(key: string, outcome: RunOutcome, error?: unknown): void {
    const run = this.#open.get(key);
    // The work of a killed instance may still end. Its run stays lost.
    if (run === undefined) return;
    this.#open.delete(key);
    Object.assign(run, { outcome, error, endedMs: this.#clock.monotonic() });
    this.#notify({ type: 'run-ended', instance: run.instance, item: run.item, run });
  }
}
