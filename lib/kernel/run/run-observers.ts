import { describeCause, stackOf } from '../../api/describe-cause.js';
import { type RunEvent, type RunObserver } from '../../api/run-events.js';
import { type JobLog } from '../job/job-log.js';

/** Notifies the observers of runs. An observer that throws, or whose promise rejects or never settles, hurts no job. */
export class RunObservers {
  readonly #observers: readonly RunObserver[];
  readonly #logger: JobLog;

  constructor(observers: readonly RunObserver[], logger: JobLog) {
    this.#observers = observers;
    this.#logger = logger;
  }

  /** Notifies all observers, in order. Never throws. */
  notify(event: RunEvent): void {
    for (const observer of this.#observers) {
      try {
        const handled: unknown = observer.onRunEvent(event);
        if (handled instanceof Promise) handled.catch((error: unknown) => this.#report(error, event));
      } catch (error) {
        this.#report(error, event);
      }
    }
  }

  #report(error: unknown, { type }: RunEvent): void {
    this.#logger.error(`a run observer failed at '${type}'; the job goes on: ${describeCause(error)}`, stackOf(error));
  }
}
