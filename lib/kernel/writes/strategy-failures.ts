import { type JobContext } from '../job/job-context.js';
import { type ShardingStrategyError } from '../types/strategies/owners.js';

/** How often a strategy that goes on failing is logged, in milliseconds. */
const LOGGED_EVERY_MS = 600_000;

/**
 * Handles a sharding strategy that throws, or returns no assignment: the leader calls it again after growing pauses,
 * and at once if instances or settings have changed. The log has the failure when it is new, and then every ten
 * minutes.
 */
export class StrategyFailures {
  readonly #context: JobContext;
  /** The latest failure; `undefined` while the strategy works. */
  #failure: { readonly basis: string; readonly reason: string; readonly loggedAt: number } | undefined;

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** `assignmentBasis` for which the strategy is not asked again yet; `undefined` if it may be asked. */
  get waitsFor(): string | undefined {
    return this.#context.timers.isSet('strategy') ? this.#failure?.basis : undefined;
  }

  /** Reason for which the strategy failed last; `undefined` while it works. */
  get reason(): string | undefined {
    return this.#failure?.reason;
  }

  /** Notes that the strategy has failed for this `assignmentBasis`. */
  note({ message }: ShardingStrategyError, basis: string): void {
    const { timers, requestReconcile, clock, logger } = this.#context;
    timers.setRetry('strategy', requestReconcile);
    const now = clock.monotonic();
    const former = this.#failure;
    const isNew = former?.basis !== basis || now - former.loggedAt >= LOGGED_EVERY_MS;
    this.#failure = { basis, reason: message, loggedAt: isNew ? now : former.loggedAt };
    if (!isNew) return logger.debug(message);
    logger.error(
      `${message}. Until it assigns the items, firings wait. It is asked again every few seconds. Correct the strategy, or set ` +
        `jobShardingStrategyType to one that works, such as AVG_ALLOCATION.`,
    );
  }

  /** Notes that the strategy has assigned the items. */
  end(): void {
    if (this.#failure === undefined) return;
    const { timers, logger } = this.#context;
    this.#failure = undefined;
    timers.cancel('strategy');
    timers.succeeded('strategy');
    logger.log('the sharding strategy works again.');
  }
}
