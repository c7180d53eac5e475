/**
 * Accounts for every instant of a job's schedule and every item: it ran on time, or late, or there is an excuse that
 * the declared policy gives. The excuses, and nothing else:
 *
 * - *misfire on*: at no time between the instant and the next one could the item be begun, for a second on end; so
 *   the run that followed was for a later instant. ("Firings missed are made up for by one run.")
 * - *misfire off*: the item could not be begun at the instant itself.
 * - The item changed hands, or its owner the session, and two or more instants in a row were missing then. ("A firing
 *   that comes while its item changes hands is made up for if exactly this one is missing.")
 * - *failover off*: the owner died or lost contact at the instant; it may have begun the item and not come to start it.
 * - *not monitored*: the item moved, or its owner was in trouble.
 *
 * The bystander's view of the registry and the troubles of the owner's process show when an item could be begun.
 */
import { type Finding, type History, type JobSpec } from '../history.js';
import { type ItemTimeline } from './item-timeline.js';
import { type Run } from './runs.js';

/** A run that starts within this of its instant, or of the moment when the item could be begun, is in time. */
export const IN_TIME_MS = 300;
/** An item that could be begun for a second on end, or nearly all the time until the next instant, has to have been. */
const chanceMs = ({ periodMs }: JobSpec): number => Math.min(1_000, 0.9 * periodMs);
/** The same where only a delay is at stake, not a run. */
const LATE_MS = 2_000;

/** The results of the instants of one item. */
export interface Account {
  readonly findings: readonly Finding[];
  readonly expected: number;
  readonly inTime: number;
  /** Runs that came late: the item had been busy, or changed hands, or its owner was in trouble. */
  readonly madeUp: number;
  /** How late runs started, in milliseconds, for those that were in time. */
  readonly lateness: readonly number[];
  /** Instants without a run, by excuse. */
  readonly excused: Readonly<Record<string, number>>;
}

/** Accounts for the instants of one item between the history's `from` and `to`. */
export function accountFor(
  job: JobSpec,
  item: number,
  runs: readonly Run[],
  timeline: ItemTimeline,
  history: History,
): Account {
  const first = firstRuns(runs);
  const findings: Finding[] = [];
  const excused: Record<string, number> = {};
  const lateness: number[] = [];
  let madeUp = 0;
  const instants = instantsOf(job, history);
  const missed = new Set(instants.filter((instant) => isMissing(first.get(instant), instant, { job, history })));
  const tell = (kind: Finding['kind'], t: number, text: string): void => {
    findings.push({ kind, t, job: job.name, item, text: `${job.name}/${item} ${text}` });
  };
  for (const instant of instants) {
    const t = instant - history.wallOffset;
    const run = first.get(instant);
    if (run === undefined) {
      const excuse = excuseFor(t, { job, timeline, row: rowAround(instant, missed, job.periodMs), ...history });
      if (excuse === undefined) tell('miss', t, `did not run for ${iso(instant)}, though it could be begun`);
      else excused[excuse] = (excused[excuse] ?? 0) + 1;
    } else if (run.start - t <= IN_TIME_MS) {
      lateness.push(run.start - t);
    } else {
      madeUp++;
      if (timeline.unable.longestGap(t, run.start) > LATE_MS)
        tell('late', t, `ran for ${iso(instant)} only ${Math.round(run.start - t)} ms later, though it could be begun`);
    }
  }
  for (const run of runs) {
    const { scheduledAt, start } = run;
    if (scheduledAt === undefined || scheduledAt % job.periodMs !== 0)
      tell('wrong instant', start, `ran for ${scheduledAt ?? 'no instant'}, for which nothing was scheduled`);
    else if (start + history.wallOffset < scheduledAt - EARLY_MS)
      tell('early', start, `ran for ${iso(scheduledAt)} before it was due`);
  }
  return { findings, expected: instants.length, inTime: lateness.length, madeUp, lateness, excused };
}

/** How long around a move an item that is not monitored may be missed. */
const MOVE_MS = 500;
/** Two clocks are read at slightly different moments. */
const EARLY_MS = 20;

interface Case {
  readonly job: JobSpec;
  readonly timeline: ItemTimeline;
  /** First and last of the missed instants in a row that this one is among; milliseconds since 1970. */
  readonly row: readonly [number, number];
  readonly wallOffset: number;
}

function excuseFor(t: number, { job, timeline, row: [first, last], wallOffset }: Case): string | undefined {
  const { unable, handovers } = timeline;
  const { periodMs } = job;
  const isUnableAtOnce = unable.touches(t - 50, t + IN_TIME_MS);
  if (!job.monitorExecution) {
    const moved = handovers.some((at) => Math.abs(at - t) <= MOVE_MS);
    return moved || isUnableAtOnce
      ? `not monitored: ${moved ? 'moved' : unable.reason(t - 50, t + IN_TIME_MS)}`
      : undefined;
  }
  if (!job.misfire && isUnableAtOnce) return `misfire off: ${unable.reason(t - 50, t + IN_TIME_MS)}`;
  if (unable.longestGap(t, t + periodMs) < chanceMs(job)) return `collapsed: ${unable.reason(t, t + periodMs)}`;
  const began = first - wallOffset - periodMs;
  const ended = last - wallOffset + periodMs;
  if (last > first && handovers.some((at) => at >= began && at <= ended)) return 'changed hands, several missing';
  if (!job.failover && handovers.some((at) => at >= began && at <= ended) && isUnableAtOnce)
    return 'begun, not started';
  return undefined;
}

function firstRuns(runs: readonly Run[]): ReadonlyMap<number, Run> {
  const first = new Map<number, Run>();
  for (const run of runs)
    if (run.scheduledAt !== undefined && !first.has(run.scheduledAt)) first.set(run.scheduledAt, run);
  return first;
}

/** All instants of the schedule within the history, in milliseconds since 1970. */
export function instantsOf({ periodMs }: JobSpec, { from, to, wallOffset }: History): readonly number[] {
  const first = Math.ceil((from + wallOffset) / periodMs);
  const last = Math.floor((to + wallOffset) / periodMs);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * periodMs);
}

/** True if an instant has no run, or, when its next instant came, had none yet. */
function isMissing(
  run: Run | undefined,
  instant: number,
  { job, history }: { readonly job: JobSpec; readonly history: History },
): boolean {
  return run === undefined || run.start + history.wallOffset > instant + job.periodMs;
}

function rowAround(instant: number, missed: ReadonlySet<number>, periodMs: number): readonly [number, number] {
  let first = instant;
  let last = instant;
  while (missed.has(first - periodMs)) first -= periodMs;
  while (missed.has(last + periodMs)) last += periodMs;
  return [first, last];
}

function iso(instant: number): string {
  return new Date(instant).toISOString().slice(11, 23);
}
