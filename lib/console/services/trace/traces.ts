import { type JobExecutionEvent } from '../../../api/events/trace-events.js';
import { DeadlineExceededError } from '../../../api/errors/errors.js';
import { withDeadline } from '../../../async/wait.js';
import { type Clock } from '../../../time/clock.js';
import { type ExecutionFilter, type StatusFilter } from '../../../tracing/rdb/index.js';
import { type Page } from '../../contract/common.js';
import { type LastRun, type RunStatistics } from '../../contract/jobs.js';
import { type ExecutionDetail, type ExecutionRow, type FiringRow, type StatusRow } from '../../contract/trace.js';
import { ConsoleProblem } from '../../http/console-problem.js';
import { type DataSources } from './data-sources.js';
import { bucketMsOf, statisticsOf, type StatisticsQuery } from './statistics.js';
import { executionDetail, executionRow, groupFirings, lastRunOf, statusRow } from './trace-rows.js';

/** Rows that are read at a time. */
const PAGE = 1_000;

/** Most rows that statistics are made of. */
const STATISTICS_ROWS = 20_000;

/** How long the last runs, and statistics, are remembered, in milliseconds. */
const FRESH_MS = 5_000;

/** How long a list of jobs waits for their last runs, in milliseconds. */
const LAST_RUNS_MS = 200;

/** Most rows of a CSV file. */
const CSV_ROWS = 100_000;

interface Remembered<T> {
  readonly value: Promise<T>;
  readonly until: number;
}

/** Reads what was recorded of runs. */
export class Traces {
  readonly #sources: DataSources;
  readonly #clock: Clock;
  readonly #remembered = new Map<string, Remembered<unknown>>();
  #lastRuns: ReadonlyMap<string, LastRun> = new Map();

  constructor(sources: DataSources, clock: Clock) {
    this.#sources = sources;
    this.#clock = clock;
  }

  /** The time of the console, in milliseconds since 1970. */
  get now(): number {
    return this.#clock.now();
  }

  async executions(ds: string | undefined, filter: ExecutionFilter): Promise<Page<ExecutionRow>> {
    const { rows, next } = await this.#read(ds, filter);
    return { items: rows.map(executionRow), ...(next !== undefined && { nextCursor: next }) };
  }

  /** @throws ConsoleProblem 404 if there is none with this id */
  async execution(ds: string | undefined, id: string): Promise<ExecutionDetail> {
    const [found] = (await this.#read(ds, { id, pageSize: 1 })).rows;
    if (found !== undefined) return executionDetail(found);
    throw new ConsoleProblem(
      404,
      'unknown-execution',
      `There is no execution '${id}' in the trace: it may have been deleted.`,
    );
  }

  async statuses(ds: string | undefined, filter: StatusFilter): Promise<Page<StatusRow>> {
    const { rows, next } = await this.#sources.find(ds).use((storage, signal) => storage.statuses(filter, signal));
    return { items: rows.map(statusRow), ...(next !== undefined && { nextCursor: next }) };
  }

  /** The firings of a job, latest first. */
  async firings(
    ds: string | undefined,
    { jobName, from, to, limit, cursor }: { jobName: string; from?: Date; to?: Date; limit: number; cursor?: string },
  ): Promise<Page<FiringRow>> {
    const end = cursor === undefined ? to : endOf(cursor);
    const filter = { jobName, pageSize: PAGE, ...(from && { from }), ...(end && { to: end }) };
    const { rows, next } = await this.#read(ds, filter);
    const firings = groupFirings(rows.map(executionRow));
    // The earliest one may go on behind the page.
    const whole = next === undefined || firings.length === 1 ? firings : firings.slice(0, -1);
    const items = whole.slice(0, limit);
    const last = items.at(-1);
    const hasMore = last !== undefined && (next !== undefined || items.length < whole.length);
    return { items, ...(hasMore && { nextCursor: cursorOf(last.startedAt) }) };
  }

  /** Success, failure and durations of a time. */
  statistics(ds: string | undefined, query: StatisticsQuery): Promise<RunStatistics> {
    const bucketMs = bucketMsOf(query);
    // Rounded, so that pages that ask at about the same time share an answer.
    const key = [
      'stats',
      ds,
      query.jobName,
      ...[query.from, query.to].map((at) => Math.floor(at / FRESH_MS)),
      bucketMs,
    ].join('\n');
    return this.#remember(key, async () => {
      const { rows, isCut } = await this.#readMany(ds, {
        from: new Date(query.from),
        to: new Date(query.to),
        ...(query.jobName !== undefined && { jobName: query.jobName }),
      });
      return statisticsOf(rows, { ...query, bucketMs }, isCut);
    });
  }

  /** Names of jobs, or addresses, that begin so. */
  async suggest(
    ds: string | undefined,
    { field, prefix, limit }: { field: 'job' | 'ip'; prefix: string; limit: number },
  ): Promise<readonly string[]> {
    if (field === 'job')
      return this.#sources.find(ds).use((storage, signal) => storage.jobNames({ prefix, limit }, signal));
    const rows = await this.#latest(ds);
    const found = new Set(rows.map(({ ip }) => ip).filter((ip) => ip.startsWith(prefix)));
    return [...found].sort().slice(0, limit);
  }

  /** The last runs of jobs, as far as the latest rows of the activated source go; none without one, or while it cannot be read. */
  async lastRuns(): Promise<ReadonlyMap<string, LastRun>> {
    if (this.#sources.activated === undefined) return new Map();
    const renewed = this.#latest(undefined).then((rows) => {
      const runs = new Map<string, LastRun>();
      for (const row of rows) if (!runs.has(row.jobName)) runs.set(row.jobName, lastRunOf(row));
      return (this.#lastRuns = runs);
    });
    const late = (): Error => new DeadlineExceededError('the last runs', LAST_RUNS_MS);
    // A list of jobs is not to wait for a slow database; its source says what is wrong with it.
    return withDeadline(this.#clock, renewed, LAST_RUNS_MS, late).catch(() => this.#lastRuns);
  }

  /** The last run of each item of a job. */
  async lastRunsOf(jobName: string): Promise<{ readonly job?: LastRun; readonly items: ReadonlyMap<number, LastRun> }> {
    const items = new Map<number, LastRun>();
    if (this.#sources.activated === undefined) return { items };
    const key = `job\n${jobName}`;
    const rows = await this.#remember(
      key,
      async () => (await this.#read(undefined, { jobName, pageSize: PAGE })).rows,
    ).catch(() => []);
    for (const row of rows) if (!items.has(row.shardingItem)) items.set(row.shardingItem, lastRunOf(row));
    const [first] = rows;
    return { items, ...(first && { job: lastRunOf(first) }) };
  }

  /** What ran within a time, of all jobs, the latest first; some only. Nothing without a source. */
  async between(from: number, to: number): Promise<readonly JobExecutionEvent[]> {
    if (this.#sources.activated === undefined) return [];
    const key = ['between', Math.floor(from / FRESH_MS), Math.floor(to / FRESH_MS)].join('\n');
    return this.#remember(
      key,
      async () => (await this.#readMany(undefined, { from: new Date(from), to: new Date(to) }, 5)).rows,
    ).catch(() => []);
  }

  /** All executions that match, a page at a time, for a file. */
  async *all(ds: string | undefined, filter: ExecutionFilter): AsyncGenerator<readonly ExecutionRow[]> {
    let after: string | undefined;
    for (let count = 0; count < CSV_ROWS; count += PAGE) {
      // One page after the other: a slow client is not to fill the memory.
      const { rows, next } = await this.#read(ds, { ...filter, pageSize: PAGE, after });
      yield rows.map(executionRow);
      if (next === undefined) return;
      after = next;
    }
  }

  #read(ds: string | undefined, filter: ExecutionFilter) {
    return this.#sources.find(ds).use((storage, signal) => storage.executions(filter, signal));
  }

  #latest(ds: string | undefined): Promise<readonly JobExecutionEvent[]> {
    return this.#remember(`latest\n${ds ?? ''}`, async () => (await this.#read(ds, { pageSize: PAGE })).rows);
  }

  async #readMany(
    ds: string | undefined,
    filter: ExecutionFilter,
    pages = STATISTICS_ROWS / PAGE,
  ): Promise<{ readonly rows: readonly JobExecutionEvent[]; readonly isCut: boolean }> {
    const rows: JobExecutionEvent[] = [];
    let after: string | undefined;
    for (let page = 0; page < pages; page++) {
      // One after the other: each begins behind the one before.
      const found = await this.#read(ds, { ...filter, pageSize: PAGE, after });
      rows.push(...found.rows);
      if (found.next === undefined) return { rows, isCut: false };
      after = found.next;
    }
    return { rows, isCut: true };
  }

  #remember<T>(key: string, read: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic();
    for (const [other, { until }] of this.#remembered) if (until <= now) this.#remembered.delete(other);
    const name = `${this.#sources.activated?.name ?? ''}\n${key}`;
    const known = this.#remembered.get(name);
    if (known !== undefined) return known.value as Promise<T>;
    const value = read();
    this.#remembered.set(name, { value, until: now + FRESH_MS });
    value.catch(() => this.#remembered.delete(name));
    return value;
  }
}

function cursorOf(at: number): string {
  return Buffer.from(`t${at}`).toString('base64url');
}

function endOf(cursor: string): Date {
  const at = /^t(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  if (at !== undefined) return new Date(Number(at));
  throw new ConsoleProblem(400, 'bad-cursor', 'cursor must be the nextCursor of a page before.');
}
