import { wording } from '../../../wording/wording.js';
import { type ExecutionFigures, type OutcomeCounts } from '../../../tracing/rdb/index.js';
import { type RunStatistics } from '../../contract/jobs.js';
import { ConsoleProblem } from '../../answers/console-problem.js';

/** The range and the job of statistics; times in milliseconds since 1970. */
export interface StatisticsQuery {
  readonly jobName?: string | undefined;
  readonly from: number;
  readonly to: number;
  /** Length of a part. Default: a sixtieth of the time, at least a minute. */
  readonly bucketMs?: number | undefined;
}

const LONGEST_MS = 31 * 86_400_000;
const LEAST_BUCKET_MS = 60_000;
const MOST_BUCKETS = 300;

/** The length of a part. @throws ConsoleProblem 400 if the range or the parts are invalid */
export function bucketMsOf({ from, to, bucketMs }: StatisticsQuery): number {
  if (!(from < to) || to - from > LONGEST_MS) throw new ConsoleProblem(400, 'bad-range', wording('range-31-days'));
  const least = Math.max(1_000, Math.ceil((to - from) / MOST_BUCKETS));
  if (bucketMs === undefined) return Math.max(LEAST_BUCKET_MS, Math.ceil((to - from) / 60));
  if (Number.isInteger(bucketMs) && bucketMs >= least) return bucketMs;
  throw new ConsoleProblem(400, 'bad-bucket', wording('bucket', { least, got: bucketMs }));
}

/** The start times of the parts of a range. */
export function partsOf({ from, to, bucketMs }: StatisticsQuery & { readonly bucketMs: number }): readonly number[] {
  const parts: number[] = [];
  for (let at = from - (from % bucketMs); at < to; at += bucketMs) parts.push(at);
  return parts;
}

/** The statistics of a range that begins its parts at these times. */
export function statisticsOf(
  { counts, earliest, durations }: ExecutionFigures,
  { from, to, parts }: StatisticsQuery & { readonly parts: readonly number[] },
): RunStatistics {
  const sum = (outcome: keyof OutcomeCounts): number => counts.reduce((total, each) => total + each[outcome], 0);
  return {
    ...{ from, to, succeeded: sum('succeeded'), failed: sum('failed'), running: sum('running') },
    ...(earliest && { runsFrom: earliest.getTime() }),
    ...(durations && { p50Ms: durations.p50Ms, p95Ms: durations.p95Ms }),
    ...(durations?.sample && {
      durationsOf: { runs: durations.sample.size, from: durations.sample.from.getTime() },
    }),
    buckets: parts.map((at, part) => ({
      at,
      succeeded: counts[part]?.succeeded ?? 0,
      failed: counts[part]?.failed ?? 0,
    })),
  };
}
