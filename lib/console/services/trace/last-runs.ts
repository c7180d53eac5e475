/**
 * The last firing of each job in the activated data source: its worst item decides its result, and a firing that cannot
 * be read is unknown.
 *
 * ```
 *  list, overview, job page ──read(jobs)──▶ LastRuns ──one index look-up a job──▶ database
 *  live table: a job has changed ─expect──▶    │ again after 2, 4 and 6 s, as rows are written late
 *                                              └──▶ listeners: the jobs whose last run is another one
 * ```
 * Without a data source that can be read, the last firing of every job is unknown, which is not the same as no firing.
 */
import { DeadlineExceededError } from '../../../api/errors/errors.js';
import { Limiter } from '../../../async/limiter.js';
import { Listeners } from '../../../async/listeners.js';
import { NamedTimers } from '../../../async/named-timers.js';
import { withDeadline } from '../../../async/wait.js';
import { type Clock } from '../../../time/clock.js';
import { type LatestExecution } from '../../../tracing/rdb/index.js';
import { type JobRow, type LastFiring, type LastRun } from '../../contract/jobs.js';
import { type DataSources } from './data-sources.js';
import { durationOf, groupFirings } from './trace-rows.js';

/** A job, with the number of its items if that is known. */
export interface JobItems {
  readonly jobName: string;
  readonly items: number | undefined;
}

/** The last firing of a job, for the list of jobs. */
export type JobRuns = Pick<JobRow, 'lastRun' | 'failedFirings'>;

interface Known extends JobRuns {
  /** In milliseconds of the monotonic clock. */
  readonly readAt: number;
}

/** The milliseconds for which a last run need not be read again. */
const FRESH_MS = 5_000;

/** A call that waited for another one does not read jobs again that were read within this many milliseconds. */
const JUST_NOW_MS = 500;

/** The milliseconds without queries after a failure: a database without indexes would otherwise do nothing else. */
const REST_MS = 30_000;

/** The most milliseconds that a list waits for the last runs of its jobs. */
const WAIT_MS = 1_000;

/** The repeated readings after a job has changed, and the pause between them: instances write their rows late. */
const LATER = { times: 3, pauseMs: 2_000 };

/** The most rows that are read for one job, and by one call. */
const MOST_ROWS = 20_000;

/** The most firings that are read to count the failed ones in a row. */
const MOST_FIRINGS = 10;

/** The last runs of all jobs. */
export class LastRuns {
  readonly #sources: DataSources;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();
  readonly #expected = new Map<string, { readonly items: number | undefined; left: number }>();
  readonly #listeners: Listeners<ReadonlySet<string>>;
  readonly #timers: NamedTimers<'later'>;
  readonly #oneAtATime = new Limiter(1);
  /** In milliseconds of the monotonic clock. */
  #restUntil = -Infinity;
  /** The last runs of the items of one job: the one that was read last. */
  #items:
    | {
        readonly jobName: string;
        readonly source: unknown;
        readonly readAt: number;
        readonly runs: ReadonlyMap<number, LastRun>;
      }
    | undefined;
  /** The data source of all these runs. */
  #of: unknown;

  constructor(sources: DataSources, clock: Clock, onError: (error: unknown) => void) {
    this.#sources = sources;
    this.#clock = clock;
    this.#listeners = new Listeners({ onError });
    this.#timers = new NamedTimers(clock);
  }

  /** The last firing of a job; empty if it is unknown. */
  of(jobName: string): JobRuns {
    const { lastRun, failedFirings } = this.#known.get(jobName) ?? {};
    return { ...(lastRun && { lastRun }), ...(failedFirings !== undefined && { failedFirings }) };
  }

  /** Calls the listener with the names of the jobs whose last firing has changed. */
  onChange(listener: (jobNames: ReadonlySet<string>) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Reads the last runs of these jobs, unless they have just been read. Waits for them at most a second, and never
   * rejects.
   */
  async read(jobs: readonly JobItems[]): Promise<void> {
    const oldest = this.#clock.monotonic() - FRESH_MS;
    this.#forgetOthers();
    const wanted = jobs.filter(({ jobName }) => (this.#known.get(jobName)?.readAt ?? -Infinity) <= oldest);
    if (wanted.length === 0) return;
    const late = (): Error => new DeadlineExceededError('the last runs', WAIT_MS);
    // A list of jobs does not wait for a slow database; its data source reports the failure.
    await withDeadline(this.#clock, this.#readAll(wanted), WAIT_MS, late).catch(() => undefined);
  }

  /** The last run of each item of a job that is among the job's latest rows. */
  async ofItems(job: JobItems): Promise<ReadonlyMap<number, LastRun>> {
    const known = this.#items;
    const now = this.#clock.monotonic();
    // The pages of a large job follow one another, so they share one reading.
    if (known?.jobName === job.jobName && known.source === this.#sources.activated && now - known.readAt < FRESH_MS)
      return known.runs;
    const runs = await this.#readItems(job);
    this.#items = { jobName: job.jobName, source: this.#sources.activated, readAt: now, runs };
    return runs;
  }

  async #readItems({ jobName, items = 1 }: JobItems): Promise<ReadonlyMap<number, LastRun>> {
    const source = this.#sources.activated;
    const found = new Map<number, LastRun>();
    if (source === undefined) return found;
    const rows = Math.min(MOST_ROWS, Math.max(1_000, items * 2));
    const read = source.use((storage, signal) => storage.latest({ jobs: [{ jobName, rows }] }, signal));
    const late = (): Error => new DeadlineExceededError('the last runs', WAIT_MS);
    const latest = await withDeadline(this.#clock, read, WAIT_MS, late).catch(() => undefined);
    for (const row of latest?.get(jobName) ?? [])
      if (!found.has(row.shardingItem)) found.set(row.shardingItem, lastRunOf(row));
    return found;
  }

  /** Reads the last run of a job again soon, as the job has changed. */
  expect({ jobName, items }: JobItems): void {
    if (this.#sources.activated === undefined) return;
    this.#expected.set(jobName, { items, left: LATER.times });
    this.#later();
  }

  stop(): void {
    this.#timers.cancelAll();
    this.#expected.clear();
    this.#listeners.clear();
  }

  #later(): void {
    if (this.#timers.isSet('later') || this.#expected.size === 0) return;
    this.#timers.set('later', LATER.pauseMs, () => {
      const jobs = [...this.#expected].map(([jobName, { items }]) => ({ jobName, items }));
      for (const [jobName, expected] of this.#expected) if (--expected.left <= 0) this.#expected.delete(jobName);
      void this.#readAll(jobs)
        .catch(() => undefined)
        .then(() => this.#later());
    });
  }

  /** Forgets all runs if another data source is activated. */
  #forgetOthers(): void {
    const { activated } = this.#sources;
    if (this.#of === activated) return;
    this.#known.clear();
    this.#restUntil = -Infinity;
    this.#of = activated;
  }

  /** One call after the other, so that a slow database has only one statement of all pages at a time. */
  #readAll(jobs: readonly JobItems[]): Promise<void> {
    return this.#oneAtATime.run(() => this.#readNow(jobs));
  }

  async #readNow(wanted: readonly JobItems[]): Promise<void> {
    const now = this.#clock.monotonic();
    this.#forgetOthers();
    if (now < this.#restUntil) return;
    // Another page may have read the same jobs meanwhile.
    const jobs = wanted.filter(({ jobName }) => now - (this.#known.get(jobName)?.readAt ?? -Infinity) > JUST_NOW_MS);
    const source = this.#sources.activated;
    if (source === undefined) return;
    for (const some of batches(jobs)) {
      let latest: ReadonlyMap<string, readonly LatestExecution[]>;
      try {
        // One after the other, to limit the load on the database.
        latest = await source.use((storage, signal) => this.#latest(storage, some, signal));
      } catch (error) {
        this.#restUntil = this.#clock.monotonic() + REST_MS;
        // The last runs may have changed since, so they are now unknown.
        this.#take(new Map(jobs.map(({ jobName }) => [jobName, undefined])));
        throw error;
      }
      if (this.#of !== source) return;
      this.#take(new Map(some.map(({ jobName }) => [jobName, runsOf(latest.get(jobName) ?? [])])));
    }
  }

  /** The rows of the last two firings of each job; of ten firings if the last one failed. */
  async #latest(
    storage: {
      latest: (
        filter: { jobs: { jobName: string; rows: number }[] },
        signal: AbortSignal,
      ) => Promise<ReadonlyMap<string, readonly LatestExecution[]>>;
    },
    jobs: readonly JobItems[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly LatestExecution[]>> {
    const rowsOf = (firings: number) => (job: JobItems) => ({
      jobName: job.jobName,
      rows: Math.min(MOST_ROWS, firings * itemsOf(job)),
    });
    const found = await storage.latest({ jobs: jobs.map(rowsOf(2)) }, signal);
    const failing = jobs.filter(({ jobName }) => runsOf(found.get(jobName) ?? []).failedFirings !== undefined);
    if (failing.length === 0) return found;
    return new Map([...found, ...(await storage.latest({ jobs: failing.map(rowsOf(MOST_FIRINGS)) }, signal))]);
  }

  #take(runs: ReadonlyMap<string, JobRuns | undefined>): void {
    const readAt = this.#clock.monotonic();
    const changed = new Set<string>();
    for (const [jobName, now] of runs) {
      const before = this.of(jobName);
      if (now === undefined) this.#known.delete(jobName);
      else this.#known.set(jobName, { ...now, readAt });
      if (JSON.stringify(before) !== JSON.stringify(this.of(jobName))) changed.add(jobName);
    }
    if (changed.size > 0) this.#listeners.notify(changed);
  }
}

const itemsOf = ({ items }: JobItems): number => Math.max(1, items ?? 1);

/** Splits jobs into batches with a bounded number of rows. */
function* batches(jobs: readonly JobItems[]): Generator<readonly JobItems[]> {
  let some: JobItems[] = [];
  let rows = 0;
  for (const job of jobs) {
    rows += 2 * itemsOf(job);
    if (some.length > 0 && (rows > MOST_ROWS || some.length >= 500)) {
      yield some;
      some = [];
      rows = 2 * itemsOf(job);
    }
    some.push(job);
  }
  if (some.length > 0) yield some;
}

const RESULTS = { succeeded: 'ok', failed: 'failed', running: 'running' } as const;

function lastRunOf(row: LatestExecution): LastRun {
  const durationMs = durationOf(row);
  return {
    at: row.startTime.getTime(),
    result: RESULTS[row.outcome],
    ...(durationMs !== undefined && { durationMs }),
  };
}

/** @param rows the latest first */
function runsOf(rows: readonly LatestExecution[]): JobRuns {
  const firings = groupFirings(
    rows.map((row) => ({
      ...{ item: row.shardingItem, source: row.source, result: RESULTS[row.outcome] },
      startedAt: row.startTime.getTime(),
      ...(row.completeTime && { completedAt: row.completeTime.getTime() }),
    })),
  );
  const [last] = firings;
  if (last === undefined) return { lastRun: { result: 'none' } };
  const { startedAt, completedAt, failed, running, items } = last;
  const lastRun: LastFiring = {
    at: startedAt,
    result: failed > 0 ? 'failed' : running > 0 ? 'running' : 'ok',
    ...(completedAt !== undefined && { durationMs: Math.max(0, completedAt - startedAt) }),
    ...{ items: items.length, failed, running },
  };
  // A running firing has not failed yet, and does not end a series of failures either.
  const decided = firings.filter((firing) => firing.failed > 0 || firing.running === 0);
  const firstGood = decided.findIndex((firing) => firing.failed === 0);
  const failedFirings = firstGood < 0 ? decided.length : firstGood;
  return { lastRun, ...(failedFirings > 0 && { failedFirings: Math.min(MOST_FIRINGS, failedFirings) }) };
}
