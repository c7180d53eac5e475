import { describeCause, stackOf, stackWithCauses } from '../../api/text/describe-cause.js';
import { type JobErrorHandler, type JobFailure } from '../../api/extensions/error-handler.js';
import { DeadlineExceededError, FiringInterruptedError } from '../../api/errors/errors.js';
import { runCode } from '../../api/job/running-code.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { withDeadline } from '../../async/wait.js';
import { type Clock } from '../../time/clock.js';
import { type JobLog } from '../job/job-log.js';
import { describeJobFailure, failureFields } from './error-handlers.js';
import { type Extensions } from './extensions.js';

/** How long an error handler may take for one failure, in milliseconds, before that is logged. */
const HANDLER_TIMEOUT_MS = 30_000;

/** How long an error handler may take to release a job, in milliseconds. */
const RELEASE_TIMEOUT_MS = 5_000;

/** Most failures of a job that the error handler may be working on. Further ones are only logged. */
const MOST_PENDING = 100;

/** Dependencies of `FailureReports`. */
export interface FailureReportsDeps {
  readonly extensions: Extensions;
  readonly clock: Clock;
  readonly logger: JobLog;
  /** Id of this instance. */
  readonly me: string;
}

/** Passes the failures of a job to its error handler. The run does not wait for the handler. */
export class FailureReports {
  readonly #deps: FailureReportsDeps;
  readonly #pending = new Set<Promise<void>>();
  /** The handler that was given the last failure. */
  #current: { readonly handler: JobErrorHandler; readonly jobName: string } | undefined;

  constructor(deps: FailureReportsDeps) {
    this.#deps = deps;
  }

  /** Passes the failure on. Never throws: a failure of the handler itself is logged with the failure. */
  report(failure: JobFailure): void {
    if (this.#pending.size >= MOST_PENDING) {
      this.#log(failure, `its error handler is still busy with ${MOST_PENDING} failures, so this one is only logged`);
      return;
    }
    const handled = this.#handle(failure).finally(() => this.#pending.delete(handled));
    this.#pending.add(handled);
  }

  /**
   * The error with which the firing ends at a failure, if the job's error handler interrupts firings; `undefined` if
   * the firing goes on.
   */
  interruption(configuration: JobConfiguration, cause: unknown): FiringInterruptedError | undefined {
    const handler = this.#handlerOf(configuration);
    if (handler?.afterFailure !== 'interrupt') return undefined;
    return new FiringInterruptedError(configuration.jobName, handler.type, cause);
  }

  /** Resolves when the handler has dealt with all failures reported so far, or its time is up. */
  async drained(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Lets the handler release the job, which ends on this instance. Never rejects, and takes 5 seconds at most. */
  close(): Promise<void> {
    return this.#use(undefined);
  }

  async #handle(failure: JobFailure): Promise<void> {
    const { extensions, clock, me } = this.#deps;
    const { configuration } = failure;
    const { jobName } = configuration;
    try {
      const handler = extensions.errorHandler(configuration);
      void this.#use({ handler, jobName });
      const code = {
        jobName,
        instanceId: me,
        part: 'error-handler',
        what: `the error handler ${handler.type}`,
      } as const;
      const handled = runCode(code, () => handler.handleException(failure));
      await withDeadline(clock, handled, HANDLER_TIMEOUT_MS, () => {
        const what = `the error handler ${configuration.jobErrorHandlerType ?? ''} of job '${configuration.jobName}' to return`;
        return new DeadlineExceededError(what, HANDLER_TIMEOUT_MS);
      });
    } catch (error) {
      // The handler failed, or its type became unknown at run time: the failure itself must not get lost.
      const isPassedOn =
        error === failure.cause || (error instanceof Error && 'cause' in error && error.cause === failure.cause);
      this.#log(failure, isPassedOn ? undefined : `its error handler: ${describeCause(error)}`);
    }
  }

  #handlerOf(configuration: JobConfiguration): JobErrorHandler | undefined {
    try {
      return this.#deps.extensions.errorHandler(configuration);
    } catch {
      // Its type became unknown at run time. The report of the failure itself says so.
      return undefined;
    }
  }

  /** Makes this handler the one that is given the failures. If the former one is another, it releases the job. */
  async #use(next: { readonly handler: JobErrorHandler; readonly jobName: string } | undefined): Promise<void> {
    const former = this.#current;
    if (former?.handler === next?.handler) return;
    this.#current = next;
    if (former === undefined) return;
    const { handler, jobName } = former;
    const { clock, logger } = this.#deps;
    const what = `the error handler ${handler.type} to let go of job '${jobName}'`;
    const timeout = (): Error => new DeadlineExceededError(what, RELEASE_TIMEOUT_MS);
    const release = async (): Promise<void> => handler.release?.(jobName);
    await withDeadline(clock, release(), RELEASE_TIMEOUT_MS, timeout).catch((error: unknown) =>
      logger.error(`its error handler ${handler.type}: ${describeCause(error)}`, stackOf(error)),
    );
  }

  /** @param andThen the failure of the error handler; `undefined` if it threw the failure itself, as THROW does */
  #log(failure: JobFailure, andThen: string | undefined): void {
    const text = describeJobFailure(failure) + (andThen === undefined ? '' : `; ${andThen}`);
    this.#deps.logger.error(text, stackWithCauses(failure.cause), failureFields(failure));
  }
}
