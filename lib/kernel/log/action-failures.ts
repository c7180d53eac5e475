import { describeCause } from '../../api/text/describe-cause.js';
import { type Action } from '../rules/plan-input.js';
import { type JobContext } from '../job/job-context.js';

/** How often a failure that repeats is logged, in milliseconds. */
const LOGGED_EVERY_MS = 3_600_000;

interface ActionFailure {
  readonly reason: string;
  readonly loggedAt: number;
}

/** Failures of actions, which are tried again and again: each is logged once, and then once an hour. */
export class ActionFailures {
  readonly #context: Pick<JobContext, 'clock' | 'logger'>;
  readonly #failures = new Map<Action['type'], ActionFailure>();

  constructor(context: Pick<JobContext, 'clock' | 'logger'>) {
    this.#context = context;
  }

  /** Reason of the first of these actions whose latest attempt failed; `undefined` if none failed. */
  of(...types: readonly Action['type'][]): string | undefined {
    return types.map((type) => this.#failures.get(type)?.reason).find((reason) => reason !== undefined);
  }

  /** Notes that an attempt has failed, and is repeated. */
  failed(type: Action['type'], cause: unknown): void {
    const { clock, logger } = this.#context;
    const reason = describeCause(cause);
    const now = clock.monotonic();
    const former = this.#failures.get(type);
    const isNew = former?.reason !== reason || now - former.loggedAt >= LOGGED_EVERY_MS;
    this.#failures.set(type, { reason, loggedAt: isNew ? now : former.loggedAt });
    const line = `${type} failed, and is tried again: ${reason}`;
    if (isNew) logger.error(line);
    else logger.debug(line);
  }

  /** Notes that the action was performed. */
  succeeded(type: Action['type']): void {
    this.#failures.delete(type);
  }
}
