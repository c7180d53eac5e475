/**
 * Event tracing of a process:
 *
 * ```
 *  runs ──▶ RunTracer ──▶ trace events ──▶ TraceQueue ──▶ storage
 *                              └─────────▶ listeners of users
 * ```
 * Nothing here delays a job: the queue takes events without waiting, and errors of listeners are logged.
 */
import { hostname as nameOfHost } from 'node:os';
import { describeCause, stackOf } from '../api/text/describe-cause.js';
import { InvalidConfigurationError } from '../api/errors/errors.js';
import {
  aClock,
  aFunction,
  aLogger,
  checkOptions,
  integerFrom,
  listOf,
  type OptionRules,
  text,
  withMethods,
} from '../api/settings/call-options.js';
import { writeEntry } from '../api/text/log-entry.js';
import { type JobLogger } from '../api/text/logger.js';
import {
  type InstanceCrash,
  type InstanceRegistration,
  type JavaInstanceGone,
  type RunEvent,
  type RunObserver,
} from '../api/events/run-events.js';
import { type TraceEvent, type TraceStorage, type TracingListener } from '../api/events/trace-events.js';
import { onRejection } from '../async/rejection.js';
import { RateLimit } from '../async/rate-limit.js';
import { type Clock, systemClock } from '../time/clock.js';
import { RunTracer } from './run-tracer.js';
import { TraceQueue, type TraceQueueStatus } from './trace-queue.js';
import { type MaintainedStorage, TraceUpkeep } from './trace-upkeep.js';

/** Options of event tracing. */
export interface TracingOptions {
  /**
   * The storage of trace events. One with the methods of `MaintainedStorage` is maintained, too. Default: none.
   */
  readonly storage?: TraceStorage & Partial<MaintainedStorage>;
  /** The listeners that are notified of trace events. Default: none. */
  readonly listeners?: readonly TracingListener[];
  /** Only these jobs are traced. Excludes `excludeJobNames`. Default: all. */
  readonly includeJobNames?: readonly string[];
  /** These jobs are not traced. Default: none. */
  readonly excludeJobNames?: readonly string[];
  /** Rows are deleted after this number of days. Default: never. */
  readonly retentionDays?: number;
  /** True if this process is to delete old rows now: one process at a time should. Default: always true. */
  readonly isCleaner?: () => boolean;
  /** The most events that may wait for the storage; further events are dropped. Default: 100,000. */
  readonly maxPending?: number;
  /** Name of the database in log entries, if there are several. Default: none. */
  readonly name?: string;
  /** Name of this host. Default: that of the machine. */
  readonly hostname?: string;
  readonly logger: JobLogger;
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
}

const TRACING_RULES: OptionRules<TracingOptions> = {
  storage: withMethods('write'),
  listeners: listOf(withMethods('onTraceEvent'), 'objects with the method onTraceEvent'),
  includeJobNames: listOf(text, 'texts'),
  excludeJobNames: listOf(text, 'texts'),
  retentionDays: integerFrom(1),
  isCleaner: aFunction,
  maxPending: integerFrom(0),
  name: text,
  hostname: text,
  logger: aLogger,
  clock: aClock,
};

/** The shortest time between two log entries about failing listeners, in milliseconds. */
const LOGGED_EVERY_MS = 60_000;

/** Traces the runs of jobs: an observer for `observers` of a `JobHost` or of `forRoot()`. */
export class Tracing implements RunObserver {
  readonly #listeners: readonly TracingListener[];
  readonly #tracer: RunTracer;
  readonly #queue: TraceQueue | undefined;
  readonly #upkeep: TraceUpkeep | undefined;
  readonly #logger: JobLogger;
  readonly #failures: RateLimit;
  readonly #isTraced: (jobName: string) => boolean;

  /**
   * @throws InvalidConfigurationError if both `includeJobNames` and `excludeJobNames` name jobs; if an option is
   * missing, unknown or of a wrong kind
   */
  constructor(options: TracingOptions) {
    checkOptions('new Tracing()', options, TRACING_RULES, { required: ['logger'], example: '{ storage, logger }' });
    const { storage, name, logger, clock = systemClock, hostname = nameOfHost(), maxPending, retentionDays } = options;
    const problem = jobNamesProblem(options);
    if (problem !== undefined) throw new InvalidConfigurationError([problem]);
    this.#logger = logger;
    this.#listeners = options.listeners ?? [];
    this.#failures = new RateLimit(clock, LOGGED_EVERY_MS);
    this.#isTraced = (jobName) => isIncluded(jobName, options);
    this.#tracer = new RunTracer({ hostname, isTraced: this.#isTraced, onTraceEvent: (event) => this.#note(event) });
    if (storage === undefined) return;
    const named = name === undefined ? {} : { name };
    const bound = maxPending === undefined ? {} : { maxPending };
    this.#queue = new TraceQueue({ storage, logger, clock, ...named, ...bound });
    const isCleaner = options.isCleaner ?? ((): boolean => true);
    if (isMaintained(storage))
      this.#upkeep = new TraceUpkeep({ storage, logger, clock, retentionDays, isCleaner, ...named });
  }

  onRunEvent(event: RunEvent): void {
    this.#tracer.onRunEvent(event);
  }

  onInstanceCrash({ jobName, instance, at }: InstanceCrash): void {
    if (this.#isTraced(jobName)) this.#upkeep?.noteCrash(jobName, instance, at);
  }

  onJavaInstanceGone({ jobName, instance, at }: JavaInstanceGone): void {
    if (this.#isTraced(jobName)) this.#upkeep?.noteJavaInstance(jobName, instance, at);
  }

  onRegistration({ jobName, living, livingJava, at }: InstanceRegistration): void {
    // If other Node instances live, they have noticed which ones have died.
    if (living.length - livingJava.length === 1 && this.#isTraced(jobName))
      this.#upkeep?.noteLiving(jobName, living, at);
  }

  /** The state of the queue before the storage; `undefined` without a storage. */
  status(): TraceQueueStatus | undefined {
    return this.#queue?.status();
  }

  /** The events that wait for the storage; `undefined` without a storage. */
  backlog(): TraceQueueStatus | undefined {
    return this.status();
  }

  /**
   * Stores the events that wait, for at most `timeoutMs` milliseconds, and ends. Call it when all jobs have stopped.
   * Never rejects.
   */
  async stop(timeoutMs: number): Promise<void> {
    this.#upkeep?.stop();
    await this.#queue?.stop(timeoutMs);
  }

  #note(event: TraceEvent): void {
    this.#queue?.offer(event);
    for (const listener of this.#listeners) {
      try {
        onRejection(listener.onTraceEvent(event), (error) => this.#report(error));
      } catch (error) {
        this.#report(error);
      }
    }
  }

  #report(error: unknown): void {
    const others = this.#failures.admit();
    if (others === undefined) return;
    const more = others === 0 ? '' : ` So did ${others} more since this was last logged.`;
    const message = `Tracing: a tracing listener failed; the jobs go on: ${describeCause(error)}.${more}`;
    const stack = stackOf(error);
    writeEntry(this.#logger, {
      ...{ level: 'error', message, jobName: undefined, instance: '' },
      ...(stack !== undefined && { stack }),
    });
  }
}

/** The names of the jobs that are traced, or of those that are not. */
export type TracedJobs = Pick<TracingOptions, 'includeJobNames' | 'excludeJobNames'>;

/** @returns the problem with the names of the jobs that are traced, or undefined */
function jobNamesProblem({ includeJobNames = [], excludeJobNames = [] }: TracedJobs): string | undefined {
  if (includeJobNames.length === 0 || excludeJobNames.length === 0) return undefined;
  return 'includeJobNames and excludeJobNames exclude each other: give only one of them';
}

/** True if the names of the jobs that are traced, or are not, let this job be traced. */
export function isIncluded(jobName: string, { includeJobNames = [], excludeJobNames = [] }: TracedJobs): boolean {
  return (includeJobNames.length === 0 || includeJobNames.includes(jobName)) && !excludeJobNames.includes(jobName);
}

function isMaintained(storage: TraceStorage & Partial<MaintainedStorage>): storage is TraceStorage & MaintainedStorage {
  return (['completeOrphans', 'executions', 'deleteOld'] as const).every(
    (method) => typeof storage[method] === 'function',
  );
}
