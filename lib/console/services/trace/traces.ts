import { type JobExecutionEvent } from '../../../api/events/trace-events.js';
import { type Clock } from '../../../time/clock.js';
import { type ExecutionFilter, type StatusFilter } from '../../../tracing/rdb/index.js';
import { type Page } from '../../contract/common.js';
import { type RunStatistics } from '../../contract/jobs.js';
import { type ExecutionDetail, type ExecutionRow, type FiringRow, type StatusRow } from '../../contract/trace.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { type DataSources } from './data-sources.js';
import { bucketMsOf, partsOf, statisticsOf, type StatisticsQuery } from './statistics.js';
import { executionDetail, executionRow, groupFirings, statusRow } from './trace-rows.js';

/** The rows that are read at a time. */
const PAGE = 1_000;

/** The most rows for the past of a schedule. */
const SCHEDULE_ROWS = 5_000;

/** The milliseconds for which statistics are remembered. */
const FRESH_MS = 5_000;

/** The most rows of a CSV file. */
const CSV_ROWS = 100_000;

type FiringsQuery = Pick<StatusFilter, 'from' | 'to'> & {
  readonly jobName: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
};

interface Remembered<T> {
  readonly value: Promise<T>;
  readonly until: number;
}

/** The runs within a range of time. */
export interface PastRuns {
  /** The latest first. */
  readonly rows: readonly JobExecutionEvent[];
  /** True if there are earlier runs in the range that were not read. */
  readonly isCut: boolean;
}

/** Reads recorded runs. */
export class Traces {
  readonly #sources: DataSources;
  readonly #clock: Clock;
  readonly #remembered = new Map<string, Remembered<unknown>>();

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
  async firings(ds: string | undefined, { jobName, from, to, limit, cursor }: FiringsQuery): Promise<Page<FiringRow>> {
    const end = cursor === undefined ? to : endOf(cursor);
    const filter = { jobName, pageSize: PAGE, ...(from && { from }), ...(end && { to: end }) };
    const { rows, next } = await this.#read(ds, filter);
    const firings = groupFirings(rows.map(executionRow));
    // The oldest firing may have more rows on the next page.
    const whole = next === undefined || firings.length === 1 ? firings : firings.slice(0, -1);
    const items = whole.slice(0, limit);
    const last = items.at(-1);
    const hasMore = last !== undefined && (next !== undefined || items.length < whole.length);
    return { items, ...(hasMore && { nextCursor: cursorOf(last.startedAt) }) };
  }

  /** Successes, failures and durations within a range of time. */
  statistics(ds: string | undefined, query: StatisticsQuery): Promise<RunStatistics> {
    const bucketMs = bucketMsOf(query);
    // Rounded, so that pages share the answer for about the same range.
    const key = [
      'stats',
      ds,
      query.jobName,
      ...[query.from, query.to].map((at) => Math.floor(at / FRESH_MS)),
      bucketMs,
    ].join('\n');
    return this.#remember(key, async () => {
      const parts = partsOf({ ...query, bucketMs });
      const bounds = [...parts, query.to].map((at) => new Date(Math.max(at, query.from)));
      const filter = { bounds, ...(query.jobName !== undefined && { jobName: query.jobName }) };
      const figures = await this.#sources.find(ds).use((storage, signal) => storage.figures(filter, signal));
      return statisticsOf(figures, { ...query, parts });
    });
  }

  /** Names of jobs, or addresses, that begin with the prefix. */
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

  /**
   * The runs of all jobs within a range of time, the latest first; `undefined` without a data source that can be read.
   */
  async between(from: number, to: number): Promise<PastRuns | undefined> {
    if (this.#sources.activated === undefined) return undefined;
    const key = ['between', Math.floor(from / FRESH_MS), Math.floor(to / FRESH_MS)].join('\n');
    return this.#remember(key, () => this.#readMany({ from: new Date(from), to: new Date(to) })).catch(() => undefined);
  }

  /** All executions that match, a page at a time, for a file. */
  async *all(ds: string | undefined, filter: ExecutionFilter): AsyncGenerator<readonly ExecutionRow[]> {
    let after: string | undefined;
    for (let count = 0; count < CSV_ROWS; count += PAGE) {
      // One page after the other, so that a slow client does not fill the memory.
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

  async #readMany(filter: ExecutionFilter): Promise<PastRuns> {
    const rows: JobExecutionEvent[] = [];
    let after: string | undefined;
    for (let page = 0; page < SCHEDULE_ROWS / PAGE; page++) {
      // One after the other, as each page begins after the last one.
      const found = await this.#read(undefined, { ...filter, pageSize: PAGE, after });
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
