import { aDate, listOf, type OptionRules, text } from '../../../api/settings/call-options.js';
import { InvalidConfigurationError } from '../../../api/errors/errors.js';
import { statement } from '../statement.js';
import { readExecutions, type TraceReader } from '../trace-query.js';
import { fromWallClock } from '../wall-clock.js';
import { countOutcomes, type CountFilter, jobIs, type OutcomeCounts, within } from './outcome-counts.js';

/** Figures of the executions that began within a time. */
export interface ExecutionFigures {
  /** The counts of each part of the time, in order. */
  readonly counts: readonly OutcomeCounts[];
  /** The start of the earliest execution; `undefined` if there is none. */
  readonly earliest: Date | undefined;
  /** The durations of the executions; `undefined` if none has ended. */
  readonly durations: DurationFigures | undefined;
}

/** Durations of executions. */
export interface DurationFigures {
  readonly p50Ms: number;
  readonly p95Ms: number;
  /**
   * The executions from which the percentiles are made, if the database has none itself: the latest `size`, which
   * started at `from` or later; otherwise absent.
   */
  readonly sample?: { readonly size: number; readonly from: Date };
}

/** The rules of `CountFilter`. */
export const FIGURES_RULES: OptionRules<CountFilter> = { jobName: text, bounds: listOf(aDate, 'dates') };

/** The number of executions that are read if the database has no percentiles. */
const SAMPLE = 1_000;

/** Figures of a time. @throws InvalidConfigurationError if `bounds` are not at least two dates */
export async function readFigures(reader: TraceReader, filter: CountFilter): Promise<ExecutionFigures> {
  const [from, to] = [filter.bounds[0], filter.bounds.at(-1)];
  if (from === undefined || to === undefined || filter.bounds.length < 2)
    throw new InvalidConfigurationError(['bounds: must be at least two dates, in ascending order.']);
  // One after the other, on one connection.
  const counts = await countOutcomes(reader, filter);
  const isEmpty = counts.every(({ succeeded, failed, running }) => succeeded + failed + running === 0);
  if (isEmpty) return { counts, earliest: undefined, durations: undefined };
  const range = { jobName: filter.jobName, from, to };
  return { counts, earliest: await readEarliest(reader, range), durations: await readDurations(reader, range) };
}

interface Range {
  readonly jobName: string | undefined;
  readonly from: Date;
  readonly to: Date;
}

async function readEarliest(reader: TraceReader, { jobName, from, to }: Range): Promise<Date | undefined> {
  const { dialect, rows, run } = reader;
  const time = rows.reference(rows.timeColumn);
  const query = statement(dialect, (bind) => {
    const where = [...jobIs(reader, { jobName }, bind), ...within(time, from, to, bind)].join(' AND ');
    const earliest = `SELECT MIN(${time}) AS earliest_ FROM ${rows.target.table} WHERE ${where}`;
    return `SELECT ${dialect.timestampText('earliest_')} AS text_ FROM (${earliest}) x`;
  });
  const text = (await run(query)).rows[0]?.['text_'];
  return typeof text === 'string' ? fromWallClock(text) : undefined;
}

async function readDurations(reader: TraceReader, range: Range): Promise<DurationFigures | undefined> {
  const { dialect, rows, run } = reader;
  const { durationPercentiles } = dialect;
  if (durationPercentiles === undefined) return sampledDurations(reader, range);
  const [time, complete] = [rows.reference(rows.timeColumn), rows.reference('complete_time')];
  const query = statement(dialect, (bind) => {
    const conditions = [...jobIs(reader, range, bind), ...within(time, range.from, range.to, bind)];
    const where = [...conditions, `${complete} IS NOT NULL`].join(' AND ');
    return `SELECT ${durationPercentiles(time, complete)} FROM ${rows.target.table} WHERE ${where}`;
  });
  const [row] = (await run(query)).rows;
  const [p50Ms, p95Ms] = [row?.['p50_'], row?.['p95_']].map((value) => Math.max(0, Math.round(Number(value ?? NaN))));
  if (p50Ms === undefined || p95Ms === undefined || Number.isNaN(p50Ms)) return undefined;
  return { p50Ms, p95Ms };
}

async function sampledDurations(reader: TraceReader, range: Range): Promise<DurationFigures | undefined> {
  const { rows } = await readExecutions(reader, { ...range, pageSize: SAMPLE });
  // Clocks may have been set back during an execution.
  const durations = rows
    .flatMap(({ startTime, completeTime }) =>
      completeTime === undefined ? [] : [Math.max(0, completeTime.getTime() - startTime.getTime())],
    )
    .sort((one, other) => one - other);
  const percentile = (part: number): number => durations[Math.max(0, Math.ceil(durations.length * part) - 1)] ?? 0;
  const oldest = rows.at(-1);
  if (durations.length === 0 || oldest === undefined) return undefined;
  const sample = { size: durations.length, from: oldest.startTime };
  // If there are fewer rows than the statement asks for, they are all there are.
  return { p50Ms: percentile(0.5), p95Ms: percentile(0.95), ...(rows.length === SAMPLE && { sample }) };
}
