import { type ShardingContext } from '../../api/job/sharding-context.js';
import { type Abort } from '../../async/abort.js';

/** What an item's context says, but for its signals. */
export type ItemFacts = Omit<ShardingContext, 'signal' | 'softStop'>;

/** The aborts of an item's run. */
export interface ItemAborts {
  readonly stop: Abort;
  readonly softStop: Abort;
}

/**
 * The context of one item, whose signals are made when the job asks for them. They are own properties: `{ ...context }`
 * has them too.
 */
export function itemContext(facts: ItemFacts, { stop, softStop }: ItemAborts): ShardingContext {
  // A job that writes to it by mistake would hand wrong facts to interceptors and error handlers.
  return Object.freeze({
    ...facts,
    get signal() {
      return stop.signal;
    },
    get softStop() {
      return softStop.signal;
    },
  });
}
