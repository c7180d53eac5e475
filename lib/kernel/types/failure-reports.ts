import { describeCause, stackWithCauses } from '../../api/describe-cause.js';
import { type JobFailure } from '../../api/error-handler.js';
import { DeadlineExceededError } from '../../api/errors.js';
import { withDeadline } from '../../async/wait.js';
import { type Clock } from '../../time/clock.js';
import { type JobLog } from '../job/job-log.js';
import { describeJobFailure, failureFields } from './error-handlers.js';
import { type Extensions } from './extensions.js';

/** How long an error handler may take for one failure, in milliseconds, before that is logged. */
const HANDLER_TIMEOUT_MS = 30_000;

/** How many failures of a job the error handler may be working on. Further ones are only logged. */
const MOST_PENDING = 100;

/** What handing over failures needs. */
export interface FailureReportsDeps {
  readonly extensions: Extensions;
  readonly clock: Clock;
  readonly logger: JobLog;
}

/** Hands the failures of a job to its error handler. The run does not wait for the handler. */
export class FailureReports {
  readonly #deps: FailureReportsDeps;
  readonly #pending = new Set<Promise<void>>();

  constructor(deps: FailureReportsDeps) {
    this.#deps = deps;
  }

  /** Hands the failure over. Never throws: a failure of the handler itself is logged with the failure. */
  report(failure: JobFailure): void {
    if (this.#pending.size >= MOST_PENDING) {
      this.#log(failure, `its error handler is still busy with ${MOST_PENDING} failures, so this one is only logged`);
      return;
    }
    const handled = this.#handle(failure).finally(() => this.#pending.delete(handled));
    this.#pending.add(handled);
  }

  /** Resolves when the handler has dealt with all failures reported so far, or its time is up. */
  async drained(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #handle(failure: JobFailure): Promise<void> {
    const { extensions, clock } = this.#deps;
    const { configuration } = failure;
    try {
      const handled = extensions.errorHandler(configuration).handleException(failure);
      await withDeadline(clock, Promise.resolve(handled), HANDLER_TIMEOUT_MS, () => {
        const what = `the error handler ${configuration.jobErrorHandlerType ?? ''} of job '${configuration.jobName}' to return`;
        return new DeadlineExceededError(what, HANDLER_TIMEOUT_MS);
      });
    } catch (error) {
      // The handler failed, or its type became unknown at run time: the failure itself must not get lost.
      this.#log(failure, `its error handler: ${describeCause(error)}`);
    }
  }

  #log(failure: JobFailure, andThen: string): void {
    const text = `${describeJobFailure(failure)}; ${andThen}`;
    this.#deps.logger.error(text, stackWithCauses(failure.cause), failureFields(failure));
  }
}
