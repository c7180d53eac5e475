import { describeFailure } from '../api/text/describe-cause.js';
import { DeadlineExceededError } from '../api/errors/errors.js';
import { writeEntry } from '../api/text/log-entry.js';
import { type JobLogger } from '../api/text/logger.js';
import { backoffMs } from '../async/backoff.js';
import { Mailbox } from '../async/mailbox.js';
import { RateLimit } from '../async/rate-limit.js';
import { abortable, sleep } from '../async/wait.js';
import { parseTaskId } from '../layout/task-id.js';
import { type Clock } from '../time/clock.js';

/** Executions of an instance that has died. */
export interface DeadInstance {
  readonly jobName: string;
  readonly jobInstanceId: string;
  /** Executions that have started later are left alone: the instance may have come back. */
  readonly startedBefore: Date;
  /** The reason why they have not succeeded, for people. */
  readonly failureCause: string;
  readonly completeTime: Date;
}

/** The methods of a storage besides those that take events. `RdbTraceStorage` has all of them. */
export interface MaintainedStorage {
  /** Completes the rows of an instance that has died. @returns the number of rows */
  completeOrphans(orphans: DeadInstance, signal: AbortSignal): Promise<number>;
  /** A page of executions of a job that have no end. */
  executions(
    filter: { readonly jobName: string; readonly outcome: 'running'; readonly pageSize: number },
    signal: AbortSignal,
  ): Promise<{ readonly rows: readonly { readonly taskId: string }[] }>;
  /** Deletes rows that are older than `before`, records of operations included if it has them. */
  deleteOld(
    retention: { readonly before: Date },
    signal: AbortSignal,
  ): Promise<{ readonly executions: number; readonly statuses: number; readonly operations?: number }>;
}

/** The options of the upkeep of a storage. */
export interface TraceUpkeepOptions {
  readonly storage: MaintainedStorage;
  readonly logger: JobLogger;
  readonly clock: Clock;
  /** Rows are deleted after this number of days; `undefined`: never. */
  readonly retentionDays: number | undefined;
  /** True if this instance is to delete old rows now. */
  readonly isCleaner: () => boolean;
  /** Name of the storage in log entries, if there are several. Default: none. */
  readonly name?: string;
}

/** The time between two deletions of old rows, and from the start to the first one; in milliseconds. */
const RETENTION_EVERY_MS = 3_600_000;
const FIRST_RETENTION_MS = 60_000;

/** The longest time of one piece of work, in milliseconds. */
const TIMEOUT_MS = 60_000;
/** Deletion goes on for at most this time, in small batches; the rows that are left then are deleted next time. */
const RETENTION_TIMEOUT_MS = 1_800_000;

const RETRY = { baseMs: 1_000, maxMs: 60_000 };
/** The most attempts of one piece of work. With these pauses, they take about ten minutes. */
const MOST_ATTEMPTS = 15;
/** The most pieces of work that may wait. If more come, the database is away, and rows stay without an end. */
const MOST_WAITING = 1_000;

/** The time in which a Java instance that has stopped can complete its rows itself, in milliseconds. */
const JAVA_COMPLETES_MS = 5_000;

/** The time between two log entries about too much waiting work, in milliseconds. */
const LOGGED_EVERY_MS = 60_000;

const OPEN_EXECUTIONS = 1_000;
const DAY_MS = 86_400_000;

/** The fate of an instance, as the middle of a sentence. */
const DIED = 'has died, or lost its session,';
const GONE = 'of Java has stopped, died, or lost its session,';

/** An instance that is gone. */
interface Loss {
  readonly jobName: string;
  readonly jobInstanceId: string;
  readonly at: Date;
  readonly fate: typeof DIED | typeof GONE;
}

/** Ends the rows of instances that have died, and deletes old ones: one piece of work at a time, in the background. */
export class TraceUpkeep {
  readonly #options: TraceUpkeepOptions;
  readonly #work = new Mailbox();
  readonly #end = new AbortController();
  readonly #overflows: RateLimit;
  #waiting = 0;
  #cancelRetention: () => void = () => undefined;
  /** Each cancels a piece of work that has not begun. */
  readonly #delays = new Set<() => void>();

  constructor(options: TraceUpkeepOptions) {
    this.#options = options;
    this.#overflows = new RateLimit(options.clock, LOGGED_EVERY_MS);
    if (options.retentionDays !== undefined) this.#scheduleRetention(FIRST_RETENTION_MS);
  }

  /** An instance of the job has died: its rows get an end. */
  noteCrash(jobName: string, jobInstanceId: string, at: Date): void {
    this.#do(`the executions of ${jobInstanceId}, which has died, could not be completed`, (signal) =>
      this.#complete({ jobName, jobInstanceId, at, fate: DIED }, signal),
    );
  }

  /** A Java instance of the job has stopped or died: the rows that it does not complete itself get an end. */
  noteJavaInstance(jobName: string, jobInstanceId: string, at: Date): void {
    const cancel = this.#options.clock.after(JAVA_COMPLETES_MS, () => {
      this.#delays.delete(cancel);
      this.#do(`the executions of ${jobInstanceId}, which is gone, could not be completed`, (signal) =>
        this.#complete({ jobName, jobInstanceId, at, fate: GONE }, signal),
      );
    });
    this.#delays.add(cancel);
  }

  /**
   * Only these instances of the job live: rows of others get an end. That finds instances that died when no other
   * instance lived.
   */
  noteLiving(jobName: string, living: readonly string[], at: Date): void {
    this.#do(`executions of instances that have died could not be completed`, async (signal) => {
      const filter = { jobName, outcome: 'running', pageSize: OPEN_EXECUTIONS } as const;
      const { rows } = await this.#options.storage.executions(filter, signal);
      const ids = new Set(rows.flatMap(({ taskId }) => parseTaskId(taskId)?.jobInstanceId ?? []));
      for (const id of ids)
        if (!living.includes(id)) await this.#complete({ jobName, jobInstanceId: id, at, fate: DIED }, signal);
    });
  }

  /** Gives up the work that is not done. */
  stop(): void {
    this.#cancelRetention();
    for (const cancel of this.#delays) cancel();
    this.#end.abort(new Error('the process is being stopped'));
  }

  async #complete({ jobName, jobInstanceId, at, fate }: Loss, signal: AbortSignal): Promise<void> {
    const failureCause = `The instance ${jobInstanceId} ${fate} before the item ended.`;
    const orphans = { jobName, jobInstanceId, startedBefore: at, failureCause, completeTime: at };
    await this.#options.storage.completeOrphans(orphans, signal);
  }

  #scheduleRetention(afterMs: number): void {
    const { clock, isCleaner } = this.#options;
    this.#cancelRetention = clock.after(afterMs, () => {
      this.#scheduleRetention(RETENTION_EVERY_MS);
      if (isCleaner())
        this.#do('old rows could not be deleted', (signal) => this.#deleteOld(signal), RETENTION_TIMEOUT_MS);
    });
  }

  async #deleteOld(signal: AbortSignal): Promise<void> {
    const { storage, clock, retentionDays = Infinity } = this.#options;
    const before = new Date(clock.now() - retentionDays * DAY_MS);
    const { executions, statuses, operations = 0 } = await storage.deleteOld({ before }, signal);
    const records = operations === 0 ? '' : `, and ${operations} records of operations,`;
    if (executions + statuses + operations > 0)
      this.#write(
        'log',
        `deleted ${executions} executions and ${statuses} states${records} older than ${retentionDays} days.`,
      );
  }

  #do(failure: string, work: (signal: AbortSignal) => Promise<void>, timeoutMs = TIMEOUT_MS): void {
    if (this.#end.signal.aborted) return;
    if (this.#waiting >= MOST_WAITING) return this.#noteOverflow(failure);
    this.#waiting++;
    const done = (): void => void this.#waiting--;
    this.#work.post(() => this.#attempt(failure, work, timeoutMs)).then(done, done);
  }

  #noteOverflow(failure: string): void {
    if (this.#overflows.admit() === undefined) return;
    this.#write('warn', `${failure}: ${MOST_WAITING} tasks wait for the database already.`);
  }

  /** Never rejects. */
  async #attempt(failure: string, work: (signal: AbortSignal) => Promise<void>, timeoutMs: number): Promise<void> {
    const { signal: end } = this.#end;
    for (let attempts = 1; !end.aborted; attempts++) {
      try {
        return await this.#inTime(work, timeoutMs);
      } catch (error) {
        if (end.aborted) return;
        if (attempts === MOST_ATTEMPTS) return this.#write('warn', `${failure}: ${describeFailure(error)}.`);
        await sleep(this.#options.clock, backoffMs(attempts, RETRY), end).catch(() => undefined);
      }
    }
  }

  async #inTime(work: (signal: AbortSignal) => Promise<void>, timeoutMs: number): Promise<void> {
    const overdue = new AbortController();
    const cancel = this.#options.clock.after(timeoutMs, () =>
      overdue.abort(new DeadlineExceededError('the storage of trace events', timeoutMs)),
    );
    const onEnd = (): void => overdue.abort(this.#end.signal.reason);
    this.#end.signal.addEventListener('abort', onEnd, { once: true });
    try {
      // If a storage does not heed the signal, the work behind it goes on.
      await abortable(work(overdue.signal), overdue.signal);
    } finally {
      cancel();
      this.#end.signal.removeEventListener('abort', onEnd);
    }
  }

  #write(level: 'log' | 'warn', message: string): void {
    const { logger, name } = this.#options;
    const place = name === undefined ? '' : `Data source '${name}': `;
    writeEntry(logger, { level, message: `${place}Tracing: ${message}`, jobName: undefined, instance: '' });
  }
}
