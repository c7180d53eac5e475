import { type ShardingContext } from '../api/sharding-context.js';
import { type Clock } from '../time/clock.js';

/**
 * The state of a run: `running`, `completed`, `failed` (the work threw an error), or `lost` (the test killed its
 * instance during the run).
 */
export type RunOutcome = 'running' | 'completed' | 'failed' | 'lost';

/** One run of an item on an instance of a test's cluster. */
export interface Run {
  /** The name of the instance. */
  readonly instance: string;
  readonly item: number;
  /** The context that the job received. */
  readonly context: ShardingContext;
  /** The instant for which the run was scheduled. `undefined` if an operator triggered it manually. */
  readonly scheduledAt: Date | undefined;
  /** The same in short, for comparisons: `HH:mm:ss` in UTC, or `by hand` if an operator triggered the run. */
  readonly at: string;
  /** When the run began and ended, in milliseconds since the cluster's start. */
  readonly startedMs: number;
  readonly endedMs: number | undefined;
  readonly outcome: RunOutcome;
  /** The error that the work threw. `undefined` if it threw none. */
  readonly error: unknown;
}

/** Does the work of an item on the instance with that name. */
export type Work = (instance: string, context: ShardingContext) => void | Promise<void>;

/** The begin or the end of a run. */
export interface RunEvent {
  readonly type: 'run-started' | 'run-ended';
  readonly instance: string;
  readonly item: number;
  readonly run: Run;
}

type OpenRun = { -readonly [Key in keyof Run]: Run[Key] };

/** The runs of a test's cluster, in the order in which they began. */
export class RunBook {
  readonly runs: Run[] = [];
  readonly #clock: Clock;
  readonly #work: Work;
  readonly #notify: (event: RunEvent) => void;
  readonly #open = new Set<OpenRun>();

  constructor(clock: Clock, work: Work, notify: (event: RunEvent) => void) {
    this.#clock = clock;
    this.#work = work;
    this.#notify = notify;
  }

  /** Does the work of one item, and records the run. Rejects as the work does. */
  async execute(instance: string, context: ShardingContext): Promise<void> {
    const run = this.#begin(instance, context);
    try {
      await this.#work(instance, context);
      this.#end(run, 'completed');
    } catch (error) {
      run.error = error;
      this.#end(run, 'failed');
      throw error;
    }
  }

  /** Records that all open runs of the instance are lost. */
  lose(instance: string): void {
    for (const run of this.#open) if (run.instance === instance) this.#end(run, 'lost');
  }

  #begin(instance: string, context: ShardingContext): OpenRun {
    const { shardingItem: item, scheduledAt } = context;
    const run: OpenRun = {
      instance,
      item,
      context,
      scheduledAt,
      at: scheduledAt?.toISOString().slice(11, 19) ?? 'by hand',
      startedMs: this.#clock.monotonic(),
      endedMs: undefined,
      outcome: 'running',
      error: undefined,
    };
    this.runs.push(run);
    this.#open.add(run);
    this.#notify({ type: 'run-started', instance, item, run });
    return run;
  }

  #end(run: OpenRun, outcome: RunOutcome): void {
    // The work of a killed instance may still end. Its run stays lost.
    if (!this.#open.delete(run)) return;
    run.outcome = outcome;
    run.endedMs = this.#clock.monotonic();
    this.#notify({ type: 'run-ended', instance: run.instance, item: run.item, run });
  }
}
