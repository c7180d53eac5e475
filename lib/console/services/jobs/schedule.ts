import { wording } from '../../../wording/wording.js';
import { type ScheduleLane } from '../../contract/jobs.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { type LiveJobs } from '../live/live-jobs.js';
import { firesAfter } from './fires.js';
import { jobRow, nextFire, scheduleOf } from '../live/job-rows.js';

const DAY_MS = 86_400_000;

/** The longest range of a schedule. */
const LONGEST_MS = 8 * DAY_MS;

/** The most firings of a lane; for a job that fires more often, only the interval is shown. */
const MOST_FIRES = 300;

/** The most jobs of a schedule: the ones that fire next come first. */
const MOST_LANES = 500;

/** A range of time, in milliseconds since 1970. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** @throws ConsoleProblem 400 if the range is invalid, or longer than eight days */
export function checkRange({ from, to }: TimeRange): void {
  if (from < to && to - from <= LONGEST_MS) return;
  throw new ConsoleProblem(400, 'bad-range', wording('range-8-days'));
}

/** The firings of each job within a range. */
export function scheduleLanes(
  live: LiveJobs,
  range: TimeRange,
  { now, runsOf }: { readonly now: number; readonly runsOf: (jobName: string) => ScheduleLane['runs'] },
): readonly ScheduleLane[] {
  checkRange(range);
  const jobs = live.jobs
    .flatMap((job) => {
      const { config } = job.view;
      return config?.cron === undefined ? [] : [{ job, config, next: nextFire(job, now) ?? Infinity }];
    })
    .sort((one, other) => one.next - other.next || (one.job.jobName < other.job.jobName ? -1 : 1))
    .slice(0, MOST_LANES);
  return jobs.map(({ job: { jobName }, config, next }) => {
    const schedule = next === Infinity ? undefined : scheduleOf(config);
    // The past is shown by recorded runs, not by the schedule.
    const from = Math.max(range.from - 1, now);
    const found = schedule && from < range.to ? firesAfter(schedule, { from, to: range.to, count: MOST_FIRES }) : NONE;
    const { fires, hasMore } = found;
    const [first = 0, second = 0] = fires;
    return {
      jobName,
      ...(hasMore ? { fires: [first], everyMs: second - first } : { fires }),
      runs: runsOf(jobName),
    };
  });
}

const NONE = { fires: [], hasMore: false } as const;

/** The jobs that fire next. */
export function nextFires(
  live: LiveJobs,
  now: number,
  count: number,
): readonly { readonly jobName: string; readonly at: number }[] {
  return live.jobs
    .flatMap((job) => {
      const { nextFireAt } = jobRow(job, now);
      return nextFireAt === undefined ? [] : [{ jobName: job.jobName, at: nextFireAt }];
    })
    .sort((one, other) => one.at - other.at || (one.jobName < other.jobName ? -1 : 1))
    .slice(0, count);
}
