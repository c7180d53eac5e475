import { type ShardingContext } from '../api/sharding-context.js';
import { type Clock } from '../time/clock.js';

/**
 * How a run ended: `completed`, `failed` (the work threw), `lost` (its instance was killed meanwhile); or that it is
 * still `running`.
 */
export type RunOutcome = 'running' | 'completed' | 'failed' | 'lost';

/** One run of an item on an instance of a test's cluster. */
export interface Run {
  /** Name of the instance. */
  readonly instance: string;
  readonly item: number;
  /** What the job was given. */
  readonly context: ShardingContext;
  /** The instant for which it was scheduled; `undefined` if somebody triggered it by hand. */
  readonly scheduledAt: Date | undefined;
  /** The same in short, for comparisons: `HH:mm:ss` in UTC, or `by hand`. */
  readonly at: string;
  /** When it began and ended, in milliseconds of the cluster's monotonic clock. */
  readonly startedMs: number;
  readonly endedMs: number | undefined;
  readonly outcome: RunOutcome;
  /** What the work threw. */
  readonly error: unknown;
}

/** Does an item's work on the named instance. */
export type Work = (instance: string, context: ShardingContext) => void | Promise<void>;

/** That a run has begun or ended. */
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
  readonly #tell: (event: RunEvent) => void;
  readonly #open = new Set<OpenRun>();

  constructor(clock: Clock, work: Work, tell: (event: RunEvent) => void) {
    this.#clock = clock;
    this.#work = work;
    this.#tell = tell;
  }

  /** Does the work of one item and writes down how it went. Rejects as the work does. */
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

  /** Notes that nothing of what the instance runs will come to an end. */
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
    this.#tell({ type: 'run-started', instance, item, run });
    return run;
  }

  #end(run: OpenRun, outcome: RunOutcome): void {
    // What a killed instance's work does afterwards is of no interest.
    if (!this.#open.delete(run)) return;
    run.outcome = outcome;
    run.endedMs = this.#clock.monotonic();
    this.#tell({ type: 'run-ended', instance: run.instance, item: run.item, run });
  }
}
