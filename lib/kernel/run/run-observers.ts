import { describeCause, stackOf } from '../../api/text/describe-cause.js';
import { type ObservedHost, type ObserverBacklog } from '../../api/events/observed-host.js';
import {
  type DueFiring,
  type InstanceCrash,
  type InstanceRegistration,
  type JavaInstanceGone,
  type RoundCompletion,
  type RunEvent,
  type RunObserver,
} from '../../api/events/run-events.js';
import { onRejection } from '../../async/rejection.js';
import { type JobLogger } from '../../api/text/logger.js';

/** Notifies the observers of runs. An observer that throws, or whose promise rejects or never settles, hurts no job. */
export class RunObservers {
  readonly #observers: readonly RunObserver[];
  readonly #logger: JobLogger;

  constructor(observers: readonly RunObserver[], logger: JobLogger) {
    this.#observers = observers;
    this.#logger = logger;
  }

  /** True if there is any observer: without one, no event needs to be made. */
  get isAny(): boolean {
    return this.#observers.length > 0;
  }

  /** Notifies all observers, in order. Never throws. */
  notify(event: RunEvent): void {
    this.#notifyAll(event.type, (observer) => observer.onRunEvent(event));
  }

  /** Notifies all observers that another instance has died. Never throws. */
  notifyOfCrash(crash: InstanceCrash): void {
    this.#notifyAll('an instance has crashed', (observer) => observer.onInstanceCrash?.(crash));
  }

  /** Notifies all observers that a Java instance has stopped or died. Never throws. */
  notifyOfJavaInstance(gone: JavaInstanceGone): void {
    this.#notifyAll('a Java instance is gone', (observer) => observer.onJavaInstanceGone?.(gone));
  }

  /** Notifies all observers that this instance has registered. Never throws. */
  notifyOfRegistration(registration: InstanceRegistration): void {
    this.#notifyAll('registration', (observer) => observer.onRegistration?.(registration));
  }

  /** Notifies all observers that a scheduled instant has come. Never throws. */
  notifyOfDueFiring(firing: DueFiring): void {
    this.#notifyAll('a firing is due', (observer) => observer.onFiringDue?.(firing));
  }

  /** Notifies all observers that this instance has put a round on record. Never throws. */
  notifyOfRound(round: RoundCompletion): void {
    this.#notifyAll('a round is complete', (observer) => observer.onRoundCompleted?.(round));
  }

  /** Notifies all observers of the host whose runs they observe. Never throws. */
  notifyOfHost(host: ObservedHost): void {
    this.#notifyAll('a host', (observer) => observer.onHost?.(host));
  }

  /** The backlogs by observer, of those that keep one. */
  get backlogs(): ReadonlyMap<RunObserver, ObserverBacklog> {
    return new Map(
      this.#observers.flatMap((observer) => {
        const backlog = observer.backlog?.();
        return backlog === undefined ? [] : [[observer, backlog] as const];
      }),
    );
  }

  #notifyAll(what: string, call: (observer: RunObserver) => unknown): void {
    for (const observer of this.#observers) {
      try {
        onRejection(call(observer), (error) => this.#report(error, what));
      } catch (error) {
        this.#report(error, what);
      }
    }
  }

  #report(error: unknown, what: string): void {
    this.#logger.error(`a run observer failed at '${what}'; the job goes on: ${describeCause(error)}`, stackOf(error));
  }
}
