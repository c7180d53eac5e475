import { AbstractDistributeOnceElasticJobListener } from '../../../lib/api/extensions/job-listener.js';
import { type ShardingContexts } from '../../../lib/api/job/sharding-contexts.js';
import { Random } from '../../support/random.js';
import { type History, type OnceListenerTraits } from './history.js';
import { type Call } from './recording.js';
import { type Machine, START, type World } from './world.js';

/** The type by which the simulated job names its listener. */
export const ONCE_LISTENER_TYPE = 'ONCE';

type OpenCall = { -readonly [Key in keyof Call]: Call[Key] };

/** The listener of the simulated job that is called once in the cluster, and the record of its calls. */
export class CallBook {
  readonly calls: OpenCall[] = [];
  /** From now on, all calls are quick. */
  isCalm = false;
  readonly #history: History;
  readonly #world: () => World;
  readonly #open = new Map<OpenCall, Machine>();

  constructor(history: History, world: () => World) {
    this.#history = history;
    this.#world = world;
  }

  /** The listener as one machine has it. */
  listenerOf(machine: () => Machine, traits: OnceListenerTraits): AbstractDistributeOnceElasticJobListener {
    return new RecordedListener(traits, (phase, contexts) => this.#carryOut(machine(), phase, contexts));
  }

  /** The process of the machine is gone: its calls never end. */
  lose(machine: Machine): void {
    for (const [call, other] of this.#open) if (other === machine) this.#end(call, 'lost');
  }

  async #carryOut(machine: Machine, phase: Call['phase'], contexts: ShardingContexts): Promise<void> {
    // A process that was killed in the middle of a turn gets no further.
    if (machine.clock.isDead) return new Promise(() => undefined);
    const { scheduledAt, shardingItemParameters, signal } = contexts;
    const call: OpenCall = {
      ...{ instance: machine.name, phase },
      scheduledMs: scheduledAt === undefined ? undefined : scheduledAt.getTime() - START,
      items: [...shardingItemParameters.keys()],
      ...{ begunMs: this.#world().nowMs, endedMs: undefined, end: undefined },
    };
    this.calls.push(call);
    this.#open.set(call, machine);
    const durationMs = this.#durationMs();
    await new Promise<void>((resolve) => {
      if (signal.aborted) return resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
      machine.clock.after(durationMs, resolve);
    });
    this.#end(call, signal.aborted ? 'aborted' : 'completed');
  }

  #end(call: OpenCall, end: Call['end']): void {
    if (!this.#open.delete(call)) return;
    call.end = end;
    call.endedMs = this.#world().nowMs;
  }

  #durationMs(): number {
    const { seed, onceListener } = this.#history;
    const slowestMs = this.isCalm ? 5 : (onceListener?.slowestCallMs ?? 0);
    return new Random(seed * 1013 + this.calls.length).integer(0, slowestMs);
  }
}

class RecordedListener extends AbstractDistributeOnceElasticJobListener {
  override readonly type = ONCE_LISTENER_TYPE;
  readonly #carryOut: (phase: Call['phase'], contexts: ShardingContexts) => Promise<void>;

  constructor(
    { startedTimeoutMs, completedTimeoutMs }: OnceListenerTraits,
    carryOut: (phase: Call['phase'], contexts: ShardingContexts) => Promise<void>,
  ) {
    super(startedTimeoutMs, completedTimeoutMs);
    this.#carryOut = carryOut;
  }

  doBeforeJobExecutedAtLastStarted(contexts: ShardingContexts): Promise<void> {
    return this.#carryOut('before', contexts);
  }

  doAfterJobExecutedAtLastCompleted(contexts: ShardingContexts): Promise<void> {
    return this.#carryOut('after', contexts);
  }
}
