/** The list of jobs: filtered, sorted and cut into pages in memory. */
import { type Page } from '../../contract/common.js';
import { type ConsoleJobStatus, type JobRow } from '../../contract/jobs.js';
import { ConsoleProblem } from '../../http/console-problem.js';
import { type LiveJobs } from '../live/live-jobs.js';
import { jobRow } from './job-rows.js';
import { staleness } from './live-lookup.js';

/** Which jobs are wanted, and in which order. */
export interface JobListQuery {
  /** Part of the name, the description or the label, in any case. */
  readonly q?: string | undefined;
  /** One state, or several separated by commas. */
  readonly status?: string | undefined;
  readonly label?: string | undefined;
  readonly server?: string | undefined;
  /** One of `SORTS`; with a hyphen before it, descending. Default: by name. */
  readonly sort?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

type Key = string | number | undefined;

/** By what jobs can be sorted. */
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
    'SHARDING_FLAG',
    'DISABLED',
    'PARTIALLY_DISABLED',
    'HIDDEN',
    'UNKNOWN',
    'OK',
  ] as const),
];

/** What a list is made of. */
interface Listing {
  readonly query: JobListQuery;
  readonly now: number;
  readonly lastRun: (jobName: string) => JobRow['lastRun'];
  readonly key: (row: JobRow) => Key;
  readonly sort: string;
}

/** A page of jobs. @throws ConsoleProblem 400 if the order or the cursor is none */
export function jobPage(
  live: LiveJobs,
  query: JobListQuery,
  { now, lastRun }: Pick<Listing, 'now' | 'lastRun'>,
): Page<JobRow> {
  const sort = query.sort ?? 'name';
  const key = SORTS[sort.replace(/^-/, '')];
  if (key === undefined || !Object.hasOwn(SORTS, sort.replace(/^-/, '')))
    throw new ConsoleProblem(
      400,
      'unknown-sort',
      `sort must be one of ${Object.keys(SORTS).join(', ')}, or one with a hyphen before it.`,
    );
  const rows = remembered(live, { query, now }, () => found(live, { query, now, lastRun, key, sort }));
  const start = startOf(query.cursor);
  const items = rows.slice(start, start + query.limit);
  const next = start + items.length;
  return {
    items,
    ...(next < rows.length && { nextCursor: cursorAt(next) }),
    total: rows.length,
    ...staleness(live),
  };
}

function found(live: LiveJobs, { query, now, lastRun, key, sort }: Listing): readonly JobRow[] {
  const isWanted = filterOf(query);
  const rows = live.jobs
    .map((job) => {
      const run = lastRun(job.jobName);
      const row = jobRow(job, now);
      return run === undefined ? row : { ...row, lastRun: run };
    })
    .filter(isWanted);
  sortBy(rows, key, sort.startsWith('-') ? -1 : 1);
  return rows;
}

/** How long the rows of a list serve its other pages, in milliseconds. */
const FRESH_MS = 1_000;

interface Remembered {
  readonly about: string;
  readonly revision: number;
  readonly at: number;
  readonly rows: readonly JobRow[];
}

/** The latest list of each registry centre: its pages are asked for one after the other. */
const latest = new WeakMap<LiveJobs, Remembered>();

function remembered(
  live: LiveJobs,
  { query, now }: Pick<Listing, 'query' | 'now'>,
  make: () => readonly JobRow[],
): readonly JobRow[] {
  const { revision } = live;
  const about = JSON.stringify({ ...query, cursor: undefined, limit: undefined });
  const known = latest.get(live);
  const isFresh = known?.revision === revision && now >= known.at && now - known.at < FRESH_MS;
  if (isFresh && known.about === about) return known.rows;
  const rows = make();
  latest.set(live, { about, revision, at: now, rows });
  return rows;
}

function filterOf({ q = '', status, label, server }: JobListQuery): (row: JobRow) => boolean {
  const text = q.trim().toLowerCase();
  const states = status === undefined || status === '' ? undefined : new Set(status.split(','));
  return (row) =>
    (states === undefined || states.has(row.status)) &&
    (label === undefined || label === '' || row.label === label) &&
    (server === undefined || server === '' || row.servers.includes(server)) &&
    (text === '' ||
      [row.jobName, row.description, row.label].some((each) => each?.toLowerCase().includes(text) === true));
}

/** What is not known comes last in both directions; the name decides among equals. */
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
