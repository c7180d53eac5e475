/** The list of jobs: filtered, sorted and cut into pages in memory. */
import { type Page } from '../../contract/common.js';
import { type ConsoleJobStatus, type JobRow } from '../../contract/jobs.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { type LiveJobs } from '../live/live-jobs.js';
import { type JobItems, type LastRuns } from '../trace/last-runs.js';
import { jobRow, withRuns } from '../live/job-rows.js';
import { staleness } from './live-lookup.js';

/** The filter and the order of a list of jobs. */
export interface JobListQuery {
  /** Part of the name, the description or the label, in any case. */
  readonly q?: string | undefined;
  /** One state, or several separated by commas. */
  readonly status?: string | undefined;
  readonly label?: string | undefined;
  readonly server?: string | undefined;
  /** One of `SORTS`; a hyphen before it makes the order descending. Default: by name. */
  readonly sort?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

type Key = string | number | undefined;

/** The sort keys of jobs. */
const SORTS: Readonly<Record<string, (row: JobRow) => Key>> = {
  name: ({ jobName }) => jobName,
  status: ({ status }) => STATUS_ORDER.indexOf(status),
  shards: ({ shardingTotalCount }) => shardingTotalCount,
  instances: ({ instanceCount }) => instanceCount,
  running: ({ runningItems }) => runningItems,
  cron: ({ cron }) => cron,
  label: ({ label }) => label,
  next: ({ nextFireAt }) => nextFireAt,
  last: ({ lastRun }) => lastRun?.at,
};

/** All states of jobs, the worst first. */
export const STATUS_ORDER: readonly ConsoleJobStatus[] = [
  ...([
    'CONFIG_ERROR',
    'CRASHED',
    'FAILING',
    'SHARDING_FLAG',
    'DISABLED',
    'PARTIALLY_DISABLED',
    'HIDDEN',
    'UNKNOWN',
    'OK',
  ] as const),
];

/** The sources of a list of jobs. */
interface Listing {
  readonly query: JobListQuery;
  readonly now: number;
  readonly runs: LastRuns;
}

/** The jobs of a registry centre with the numbers of their items, to read their last runs. */
export function jobItems({ jobs }: LiveJobs): readonly JobItems[] {
  return jobs.map(({ jobName, view }) => ({ jobName, items: view.config?.shardingTotalCount }));
}

/** A page of jobs. @throws ConsoleProblem 400 if the order or the cursor is invalid */
export async function jobPage(
  live: LiveJobs,
  query: JobListQuery,
  { now, runs }: Pick<Listing, 'now' | 'runs'>,
): Promise<Page<JobRow>> {
  checkSort(query);
  const start = startOf(query.cursor);
  // The last runs of all jobs are read only if the filter or the order depends on them.
  if (needsAllRuns(query)) await runs.read(jobItems(live));
  const rows = remembered(live, { query, now }, () => found(live, { query, now, runs }));
  const shown = rows.slice(start, start + query.limit);
  const next = start + shown.length;
  await runs.read(shown.map(({ jobName, shardingTotalCount: items }) => ({ jobName, items })));
  return {
    items: shown.map(({ jobName }) => rowOf(live, jobName, { now, runs })).filter((row) => row !== undefined),
    ...(next < rows.length && { nextCursor: cursorAt(next) }),
    total: rows.length,
    ...staleness(live),
  };
}

function rowOf(live: LiveJobs, jobName: string, { now, runs }: Pick<Listing, 'now' | 'runs'>): JobRow | undefined {
  const job = live.job(jobName);
  return job && withRuns(jobRow(job, now), runs.of(jobName));
}

function needsAllRuns({ sort = '', status = '' }: JobListQuery): boolean {
  return /^-?(?:last|status)$/.test(sort) || status !== '';
}

function checkSort({ sort = 'name' }: JobListQuery): void {
  if (Object.hasOwn(SORTS, sort.replace(/^-/, ''))) return;
  throw new ConsoleProblem(
    400,
    'unknown-sort',
    `sort must be one of ${Object.keys(SORTS).join(', ')}, or one with a hyphen before it.`,
  );
}

function found(live: LiveJobs, { query, now, runs }: Listing): readonly JobRow[] {
  const { sort = 'name' } = query;
  const rows = live.jobs.map((job) => withRuns(jobRow(job, now), runs.of(job.jobName))).filter(filterOf(query));
  sortBy(rows, SORTS[sort.replace(/^-/, '')] ?? (({ jobName }) => jobName), sort.startsWith('-') ? -1 : 1);
  return rows;
}

/** The milliseconds for which the rows of a list are used for its other pages. */
const FRESH_MS = 1_000;

interface Remembered {
  readonly queryKey: string;
  readonly revision: number;
  readonly at: number;
  readonly rows: readonly JobRow[];
}

/** The latest list of each registry centre, as its pages follow one another. */
const latest = new WeakMap<LiveJobs, Remembered>();

function remembered(
  live: LiveJobs,
  { query, now }: Pick<Listing, 'query' | 'now'>,
  make: () => readonly JobRow[],
): readonly JobRow[] {
  const { revision } = live;
  const queryKey = JSON.stringify({ ...query, cursor: undefined, limit: undefined });
  const known = latest.get(live);
  const isFresh = known?.revision === revision && now >= known.at && now - known.at < FRESH_MS;
  if (isFresh && known.queryKey === queryKey) return known.rows;
  const rows = make();
  latest.set(live, { queryKey, revision, at: now, rows });
  return rows;
}

function filterOf({ q = '', status, label, server }: JobListQuery): (row: JobRow) => boolean {
  const text = q.trim().toLowerCase();
  const states = status === undefined || status === '' ? undefined : new Set(status.split(','));
  return (row) =>
    (states === undefined || statesOf(row).some((state) => states.has(state))) &&
    (label === undefined || label === '' || row.label === label) &&
    (server === undefined || server === '' || row.servers.includes(server)) &&
    (text === '' ||
      [row.jobName, row.description, row.label].some((each) => each?.toLowerCase().includes(text) === true));
}

/** The states by which a job is found: a disabled job whose last firing failed has both. */
function statesOf({ status, failedFirings }: JobRow): readonly string[] {
  return failedFirings === undefined ? [status] : [status, 'FAILING'];
}

/** Sorts rows; unknown values come last in both directions, and equal ones are sorted by name. */
function sortBy(rows: JobRow[], key: (row: JobRow) => Key, direction: 1 | -1): void {
  const keys = new Map(rows.map((row) => [row, key(row)]));
  rows.sort((one, other) => {
    const [a, b] = [keys.get(one), keys.get(other)];
    if (a === b) return one.jobName < other.jobName ? -1 : 1;
    if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
    return (a < b ? -1 : 1) * direction;
  });
}

const CURSOR = /^o(\d{1,7})$/;

function cursorAt(start: number): string {
  return Buffer.from(`o${start}`).toString('base64url');
}

function startOf(cursor: string | undefined): number {
  if (cursor === undefined || cursor === '') return 0;
  const start = CURSOR.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  if (start !== undefined) return Number(start);
  throw new ConsoleProblem(400, 'bad-cursor', 'cursor must be the nextCursor of a page before.');
}
