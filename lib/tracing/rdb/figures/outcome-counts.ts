/**
 * The numbers of executions that began in each part of a time, by their outcomes; the database counts them:
 *
 * ```
 *  groups   one statement reads the rows of the time once, finds the part of each, and groups by part and outcome
 *  ranges   one count for each part and outcome, each of a range of an index; nothing is sorted
 * ```
 */
import { type Bind, type Value } from '../dialect.js';
import { statement } from '../statement.js';
import { type TraceReader } from '../trace-query.js';

/** The executions that are counted, and the parts of the time in which they are counted. */
export interface CountFilter {
  readonly jobName?: string | undefined;
  /** The beginnings of the parts, in ascending order, and the end of the last one: at least two. */
  readonly bounds: readonly Date[];
}

/** The numbers of executions that began in one part of the time. */
export interface OutcomeCounts {
  readonly succeeded: number;
  readonly failed: number;
  /** Includes executions whose process has died without a trace. */
  readonly running: number;
}

interface Counted {
  readonly part: number;
  readonly outcome: keyof OutcomeCounts;
  readonly count: number;
}

/** @returns the counts of each part, in order */
export async function countOutcomes(reader: TraceReader, filter: CountFilter): Promise<readonly OutcomeCounts[]> {
  const counted = await (reader.dialect.countsBy === 'ranges' ? byRanges(reader, filter) : byGroups(reader, filter));
  const parts = filter.bounds.slice(1).map(() => ({ succeeded: 0, failed: 0, running: 0 }));
  for (const { part, outcome, count } of counted) {
    const counts = parts[part];
    if (counts !== undefined) counts[outcome] += count;
  }
  return parts;
}

/** The columns that decide how an execution ended. Java inserts some failures without the time of their end. */
function isOpen({ rows }: TraceReader): string {
  return `${rows.reference('complete_time')} IS NULL AND ${rows.reference('failure_cause')} IS NULL`;
}

async function byGroups(reader: TraceReader, filter: CountFilter): Promise<readonly Counted[]> {
  const { dialect, run, rows } = reader;
  const { bounds } = filter;
  const time = rows.reference(rows.timeColumn);
  const query = statement(dialect, (bind) => {
    /** A tree of comparisons, so that each row is compared only a few times, for any number of parts. */
    const partOf = (from: number, to: number): string => {
      if (to - from === 1) return String(from);
      const middle = Math.floor((from + to) / 2);
      const bound = bind(bounds[middle] ?? null);
      return `CASE WHEN ${time} < ${bound} THEN ${partOf(from, middle)} ELSE ${partOf(middle, to)} END`;
    };
    const part = partOf(0, bounds.length - 1);
    const open = `CASE WHEN ${isOpen(reader)} THEN 1 ELSE 0 END`;
    const selected = `SELECT ${part} AS part_, ${rows.reference('is_success')} AS success_, ${open} AS open_`;
    const where = [...jobIs(reader, filter, bind), ...within(time, bounds[0], bounds.at(-1), bind)].join(' AND ');
    return (
      `SELECT part_, success_, open_, COUNT(*) AS count_ FROM (${selected} FROM ${rows.target.table} WHERE ${where}) x ` +
      'GROUP BY part_, success_, open_'
    );
  });
  return (await run(query)).rows.map((row) => {
    const hasSucceeded = row['success_'] === true || Number(row['success_']) === 1;
    const outcome = hasSucceeded ? 'succeeded' : Number(row['open_']) === 1 ? 'running' : 'failed';
    return { part: Number(row['part_']), outcome, count: Number(row['count_']) };
  });
}

/** Databases take no more parts of a UNION, and no more parameters, than a few hundred. */
const RANGES_PER_STATEMENT = 100;

async function byRanges(reader: TraceReader, filter: CountFilter): Promise<readonly Counted[]> {
  const counted: Counted[] = [];
  const parts = filter.bounds.slice(1).map((_, part) => part);
  for (let start = 0; start < parts.length; start += RANGES_PER_STATEMENT) {
    const some = parts.slice(start, start + RANGES_PER_STATEMENT);
    // One after the other, on one connection. Few executions run: their statement reads few rows.
    const succeeded = await rangesOf(reader, { ...filter, success: true, isOpenOnly: false }, some);
    const others = await rangesOf(reader, { ...filter, success: false, isOpenOnly: false }, some);
    const running = await rangesOf(reader, { ...filter, success: false, isOpenOnly: true }, some);
    for (const [index, part] of some.entries()) {
      const open = running[index] ?? 0;
      counted.push({ part, outcome: 'succeeded', count: succeeded[index] ?? 0 });
      counted.push({ part, outcome: 'running', count: open });
      counted.push({ part, outcome: 'failed', count: Math.max(0, (others[index] ?? 0) - open) });
    }
  }
  return counted;
}

interface RangeFilter extends CountFilter {
  readonly success: boolean;
  readonly isOpenOnly: boolean;
}

async function rangesOf(
  reader: TraceReader,
  { success, isOpenOnly, ...filter }: RangeFilter,
  parts: readonly number[],
): Promise<readonly number[]> {
  const { dialect, run, rows } = reader;
  const time = rows.reference(rows.timeColumn);
  const query = statement(dialect, (bind) =>
    parts
      .map((part, index) => {
        const where = [
          ...jobIs(reader, filter, bind),
          `${rows.reference('is_success')} = ${bind(success)}`,
          ...within(time, filter.bounds[part], filter.bounds[part + 1], bind),
          ...(isOpenOnly ? [isOpen(reader)] : []),
        ].join(' AND ');
        return `SELECT ${index} AS part_, COUNT(*) AS count_ FROM ${rows.target.table} WHERE ${where}`;
      })
      .join(' UNION ALL '),
  );
  const counts = parts.map(() => 0);
  for (const row of (await run(query)).rows) counts[Number(row['part_'])] = Number(row['count_']);
  return counts;
}

/** The condition that a row is of the job; none for all jobs. */
export function jobIs({ rows }: TraceReader, { jobName }: Pick<CountFilter, 'jobName'>, bind: Bind): readonly string[] {
  return jobName === undefined ? [] : [`${rows.reference('job_name')} = ${bind(rows.text('job_name', jobName))}`];
}

/** The conditions that a time is from one instant on and before another. */
export function within(time: string, from: Value | undefined, to: Value | undefined, bind: Bind): readonly string[] {
  return [`${time} >= ${bind(from ?? null)}`, `${time} < ${bind(to ?? null)}`];
}
