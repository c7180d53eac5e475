import { type ShardingContext } from '../../api/job/sharding-context.js';
import { type Abort } from '../../async/abort.js';

/** The facts in an item's context, without its signals. */
export type ItemFacts = Omit<ShardingContext, 'signal' | 'softStop'>;

/** The aborts of an item's run. */
export interface ItemAborts {
  readonly stop: Abort;
  readonly softStop: Abort;
}

/**
 * The context of one item, whose signals are made when the job reads them. They are own properties: `{ ...context }`
 * has them too. A literal with two getters would add a fifth to the processor's time of a run.
 */
export class ItemContext implements ShardingContext {
  readonly jobName: string;
  readonly taskId: string;
  readonly shardingTotalCount: number;
  readonly jobParameter: string;
  readonly shardingItem: number;
  readonly shardingParameter: string | undefined;
  readonly scheduledAt: Date | undefined;
  readonly attempt: number;
  declare readonly signal: AbortSignal;
  declare readonly softStop: AbortSignal;
  readonly fencingToken: number;
  readonly #aborts: ItemAborts;

  constructor(facts: ItemFacts, aborts: ItemAborts) {
    this.jobName = facts.jobName;
    this.taskId = facts.taskId;
    this.shardingTotalCount = facts.shardingTotalCount;
    this.jobParameter = facts.jobParameter;
    this.shardingItem = facts.shardingItem;
    this.shardingParameter = facts.shardingParameter;
    this.scheduledAt = facts.scheduledAt;
    this.attempt = facts.attempt;
    this.fencingToken = facts.fencingToken;
    this.#aborts = aborts;
    Object.defineProperty(this, 'signal', SIGNAL);
    Object.defineProperty(this, 'softStop', SOFT_STOP);
    // A job that writes to its context by mistake would pass wrong facts to interceptors and error handlers.
    Object.freeze(this);
  }

  static abortsOf(context: ItemContext): ItemAborts {
    return context.#aborts;
  }
}

const SIGNAL: PropertyDescriptor & ThisType<ItemContext> = {
  enumerable: true,
  get() {
    return ItemContext.abortsOf(this).stop.signal;
  },
};

const SOFT_STOP: PropertyDescriptor & ThisType<ItemContext> = {
  enumerable: true,
  get() {
    return ItemContext.abortsOf(this).softStop.signal;
  },
};
