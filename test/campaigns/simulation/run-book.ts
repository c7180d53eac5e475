import { ItemTimeoutError } from '../../../lib/api/errors/errors.js';
import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';
import { Random } from '../../support/random.js';
import { type Behaviour, type OtherJob } from './history.js';
import { poison } from './poison.js';
import { type Run, type RunEnd } from './recording.js';
import { type Machine, START, type World } from './world.js';

/** Runs are over before the calm is. */
const LONGEST_RUN_MS = 12_000;

type OpenRun = { -readonly [Key in keyof Run]: Run[Key] };

/** The user code of one simulated job, and the record of what it did. */
export class RunBook {
  readonly runs: OpenRun[] = [];
  /** From now on, all items are quick. */
  isCalm = false;
  readonly #seed: number;
  readonly #job: OtherJob;
  readonly #world: () => World;
  readonly #open = new Map<OpenRun, Machine>();
  readonly #timesBegun = new Map<number, number>();

  constructor(seed: number, job: OtherJob, world: () => World) {
    this.#seed = seed;
    this.#job = job;
    this.#world = world;
  }

  async execute(machine: Machine, context: ShardingContext): Promise<void> {
    // A process that was killed in the middle of a turn gets no further.
    if (machine.clock.isDead) return new Promise(() => undefined);
    const run = context.attempt > 1 ? this.#goOn(machine, context) : this.#begin(machine, context);
    const behaviour = this.isCalm ? 'quick' : (this.#job.behaviours[run.item] ?? 'quick');
    const { signal } = context;
    try {
      await new Promise<void>((resolve, reject) => {
        const onAbort = (): void => {
          run.abortedMs = this.#nowMs;
          run.isTimeUp = howAborted(signal) === 'timed-out';
          if (behaviour !== 'stubborn') reject(signal.reason as Error);
        };
        if (signal.aborted) onAbort();
        else signal.addEventListener('abort', onAbort, { once: true });
        machine.clock.after(this.#durationMs(run.item, behaviour), resolve);
      });
      if (behaviour === 'failing') throw new Error(`item ${run.item} fails as it always does`);
      if (behaviour === 'poisonous') throw poison(run.token);
      this.#end(run, run.abortedMs === undefined ? 'completed' : howAborted(signal));
    } catch (error) {
      this.#end(run, run.abortedMs === undefined ? 'failed' : howAborted(signal));
      throw error;
    }
  }

  /** Nothing that runs there comes to an end any more. */
  lose(machine: Machine): void {
    for (const [run, other] of this.#open) if (other === machine) this.#end(run, 'lost');
  }

  #begin(machine: Machine, context: ShardingContext): OpenRun {
    const run: OpenRun = {
      instance: machine.name,
      item: context.shardingItem,
      scheduledMs: context.scheduledAt === undefined ? undefined : context.scheduledAt.getTime() - START,
      token: context.fencingToken,
      begunMs: this.#nowMs,
      ...{ abortedMs: undefined, endedMs: undefined, end: undefined, attempts: 1 },
    };
    if (context.signal.aborted) run.abortedMs = this.#nowMs;
    this.runs.push(run);
    this.#open.set(run, machine);
    this.#timesBegun.set(run.item, (this.#timesBegun.get(run.item) ?? 0) + 1);
    return run;
  }

  /** The item is tried again: its run has not ended yet. */
  #goOn(machine: Machine, context: ShardingContext): OpenRun {
    const { shardingItem, fencingToken } = context;
    const run = this.runs.findLast(
      ({ instance, item, token }) => instance === machine.name && item === shardingItem && token === fencingToken,
    );
    if (run === undefined) throw new Error(`item ${shardingItem} is retried on ${machine.name}, and has not run there`);
    Object.assign(run, { endedMs: undefined, end: undefined, attempts: context.attempt });
    this.#open.set(run, machine);
    return run;
  }

  #end(run: OpenRun, end: RunEnd): void {
    if (!this.#open.delete(run)) return;
    run.end = end;
    run.endedMs = this.#nowMs;
  }

  #durationMs(item: number, behaviour: Behaviour): number {
    const random = new Random(this.#seed * 1009 + item * 31 + (this.#timesBegun.get(item) ?? 0));
    const periodMs = this.#job.job.periodSeconds * 1000;
    const isQuick = behaviour !== 'slow' && behaviour !== 'stubborn';
    if (this.isCalm) return random.integer(0, 5);
    return isQuick ? random.integer(0, 200) : random.integer(periodMs / 2, Math.min(2.4 * periodMs, LONGEST_RUN_MS));
  }

  get #nowMs(): number {
    return this.#world().nowMs;
  }
}

function howAborted({ reason }: AbortSignal): RunEnd {
  return reason instanceof ItemTimeoutError ? 'timed-out' : 'aborted';
}

/** A run as messages name it. */
export function nameOf({ item, instance, scheduledMs, begunMs }: Run): string {
  const what = scheduledMs === undefined ? 'manual' : `for ${seconds(scheduledMs)}`;
  return `item ${item} ${what} on ${instance} (begun ${seconds(begunMs)})`;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)}s`;
}
