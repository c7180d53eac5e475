import { type JobExecutionEvent } from '../../../api/events/trace-events.js';
import { type RunStatistics } from '../../contract/jobs.js';
import { ConsoleProblem } from '../../http/console-problem.js';
import { lastRunOf, resultOf } from './trace-rows.js';

/** Of what statistics are wanted; times in milliseconds since 1970. */
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

/** The length of a part. @throws ConsoleProblem 400 if the range or the parts are none */
export function bucketMsOf({ from, to, bucketMs }: StatisticsQuery): number {
  if (!(from < to) || to - from > LONGEST_MS)
    throw new ConsoleProblem(
      400,
      'bad-range',
      'from must be before to, and at most 31 days before it, both in milliseconds since 1970.',
    );
  const least = Math.max(1_000, Math.ceil((to - from) / MOST_BUCKETS));
  if (bucketMs === undefined) return Math.max(LEAST_BUCKET_MS, Math.ceil((to - from) / 60));
  if (Number.isInteger(bucketMs) && bucketMs >= least) return bucketMs;
  throw new ConsoleProblem(
    400,
    'bad-bucket',
    `bucket must be at least ${least} milliseconds for this range, got ${bucketMs}.`,
  );
}

/** @param rows the latest first */
export function statisticsOf(
  rows: readonly JobExecutionEvent[],
  { from, to, bucketMs }: StatisticsQuery & { readonly bucketMs: number },
  isCut: boolean,
): RunStatistics {
  const counts = { ok: 0, failed: 0, running: 0 };
  const durations: number[] = [];
  const buckets = new Map<number, { succeeded: number; failed: number }>();
  for (let at = from - (from % bucketMs); at < to; at += bucketMs) buckets.set(at, { succeeded: 0, failed: 0 });
  for (const row of rows) {
    const result = resultOf(row);
    counts[result]++;
    const { at, durationMs } = lastRunOf(row);
    if (durationMs !== undefined) durations.push(durationMs);
    const bucket = buckets.get(at - (at % bucketMs));
    if (bucket !== undefined && result === 'ok') bucket.succeeded++;
    if (bucket !== undefined && result === 'failed') bucket.failed++;
  }
  durations.sort((one, other) => one - other);
  const [p50, p95] = [percentile(durations, 0.5), percentile(durations, 0.95)];
  const oldest = rows.at(-1);
  return {
    ...{ from, to, succeeded: counts.ok, failed: counts.failed, running: counts.running },
    ...(p50 !== undefined && { p50Ms: p50 }),
    ...(p95 !== undefined && { p95Ms: p95 }),
    buckets: [...buckets].map(([at, bucket]) => ({ at, ...bucket })),
    ...(isCut && oldest && { isCutAt: oldest.startTime.getTime() }),
  };
}

function percentile(sorted: readonly number[], part: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
}
