import {
  AbstractDistributeOnceElasticJobListener,
  type ElasticJobListener,
} from '../../lib/api/extensions/job-listener.js';
import { type ShardingContexts } from '../../lib/api/job/sharding-contexts.js';

/** Notes of the calls of listeners, in order: `A before [0,1]`. */
export class CallNotes {
  readonly lines: string[] = [];
  readonly contexts: ShardingContexts[] = [];

  note(instance: string, what: string, contexts: ShardingContexts): void {
    this.contexts.push(contexts);
    this.lines.push(`${instance} ${what} [${[...contexts.shardingItemParameters.keys()].join(',')}]`);
  }

  /** The lines so far, which are forgotten. */
  take(): readonly string[] {
    this.contexts.length = 0;
    return this.lines.splice(0);
  }
}

/** A listener of every instance that notes when it is called. */
export function listening(
  notes: CallNotes,
  instance: string,
  { type = 'EVERY', order, fails }: { type?: string; order?: number; fails?: 'before' | 'after' } = {},
): ElasticJobListener {
  const note = (phase: 'before' | 'after') => (contexts: ShardingContexts) => {
    notes.note(instance, `${type} ${phase}`, contexts);
    if (fails === phase) throw new Error(`${type} ${phase} on ${instance}`);
  };
  return {
    type,
    ...(order !== undefined && { order: () => order }),
    beforeJobExecuted: note('before'),
    afterJobExecuted: note('after'),
  };
}

/** The work in the calls of an `Once`; by default none. */
export interface Calls {
  readonly started?: (contexts: ShardingContexts) => void | Promise<void>;
  readonly completed?: (contexts: ShardingContexts) => void | Promise<void>;
  readonly startedTimeoutMs?: number;
  readonly completedTimeoutMs?: number;
}

/** A listener that is called once in the cluster, and notes it: `all started`, `all completed`. */
export class Once extends AbstractDistributeOnceElasticJobListener {
  override readonly type: string;
  readonly #notes: CallNotes;
  readonly #instance: string;
  readonly #calls: Calls;

  constructor(notes: CallNotes, instance: string, calls: Calls = {}, type = 'ONCE') {
    super(calls.startedTimeoutMs ?? 0, calls.completedTimeoutMs ?? 0);
    this.#notes = notes;
    this.#instance = instance;
    this.#calls = calls;
    this.type = type;
  }

  doBeforeJobExecutedAtLastStarted(contexts: ShardingContexts): void | Promise<void> {
    this.#notes.note(this.#instance, 'all started', contexts);
    return this.#calls.started?.(contexts);
  }

  doAfterJobExecutedAtLastCompleted(contexts: ShardingContexts): void | Promise<void> {
    this.#notes.note(this.#instance, 'all completed', contexts);
    return this.#calls.completed?.(contexts);
  }
}
