/**
 * Runs of an item for an instant for which it has run before. With failover, a run that its process did not bring to an
 * end is run again, once for each time that happens; and so is one that did end, if the process died or lost contact
 * before it could say so. A run that repeats one that did end, and is cut short, need not be run again: the instance
 * that ended it knows. Without failover, nothing is run twice for an instant. Nobody says so of jobs that are not
 * monitored while items move.
 */
import { type Finding, type JobSpec } from '../history.js';
import { type ItemTimeline, RECORDING_MS } from './item-timeline.js';
import { type Run } from './runs.js';
import { type Troubles } from './troubles.js';

/** Repeated runs, and the findings about them. */
export interface Repeats {
  readonly findings: readonly Finding[];
  /** Runs that ended before their time. */
  readonly unfinished: number;
  readonly rescued: number;
  /** The milliseconds from the beginning of the trouble to the takeover. */
  readonly rescueMs: readonly number[];
  /** Repeated because the end could not be told. */
  readonly untold: number;
  /** Repeated while an unmonitored item moved. */
  readonly unmonitored: number;
}

/** The facts by which the runs are judged. */
export interface RepeatsContext {
  readonly timeline: ItemTimeline;
  readonly troubles: Troubles;
  /** The most milliseconds of a takeover while an instance could make it. */
  readonly rescueLimitMs: number;
}

/** How long around a move an item that is not monitored may run twice. */
const MOVE_MS = 1_000;

/** A process that has stood still so recently records the ends of its runs late. */
const SLOW_MS = 1_500;

/** Judges all runs of one item, given in the order in which they started. */
export function judgeRepeats(job: JobSpec, runs: readonly Run[], context: RepeatsContext): Repeats {
  const tally = { unfinished: 0, rescued: 0, untold: 0, unmonitored: 0 };
  const findings: Finding[] = [];
  const rescueMs: number[] = [];
  const next = new Map<number | undefined, Run>();
  for (const run of [...runs].reverse()) {
    const again = next.get(run.scheduledAt);
    next.set(run.scheduledAt, run);
    const wasCutShort = run.outcome === 'lost' || run.outcome === 'aborted';
    if (wasCutShort) tally.unfinished++;
    const tell = (kind: Finding['kind'], text: string): unknown =>
      findings.push({
        kind,
        t: again?.start ?? run.end,
        job: job.name,
        item: run.item,
        text: `${describe(run)} ${text}`,
      });
    if (again === undefined) {
      // An instance that has ended a run withdraws the report of a peer's that took it for crashed, and died on it.
      const hasEndedOnce = runs.some((other) => other.scheduledAt === run.scheduledAt && other.outcome === 'done');
      if (wasCutShort && job.failover && !hasEndedOnce)
        tell('not rescued', `was ${run.outcome}, and nobody ran it again`);
      continue;
    }
    if (!job.monitorExecution) {
      if (movedAround(run, again, context)) tally.unmonitored++;
      else tell('double', `was run again by ${again.process}, though nothing had moved`);
    } else if (!job.failover) {
      tell('double', `was run again by ${again.process}`);
    } else if (wasCutShort) {
      tally.rescued++;
      const troubledAt = context.troubles.of(run.process).at(run.end - 1)?.from ?? run.end;
      const lostAt = Math.max(troubledAt, run.start);
      rescueMs.push(again.start - lostAt);
      const couldBe = context.troubles.standstill(job.name).uncovered(lostAt, again.start);
      if (couldBe > context.rescueLimitMs)
        tell('rescued late', `was ${run.outcome}, and run again only ${Math.round(again.start - lostAt)} ms later`);
    } else if (mayBeUntold(run, again, context)) {
      tally.untold++;
    } else {
      tell('double', `was ${run.outcome}, and run again by ${again.process}`);
    }
  }
  return { findings, rescueMs, ...tally };
}

/** True if the process may not have come to record the end of the run before its session was in danger. */
function mayBeUntold(run: Run, again: Run, { troubles }: RepeatsContext): boolean {
  const own = troubles.of(run.process, run.job);
  const wasRecordingSlow =
    troubles.servers.touches(run.end, run.end + RECORDING_MS) ||
    troubles.stalls(run.process).touches(run.end - SLOW_MS, run.end + RECORDING_MS);
  return own.touches(run.end, wasRecordingSlow ? again.start : run.end + RECORDING_MS);
}

function movedAround(run: Run, again: Run, { timeline, troubles }: RepeatsContext): boolean {
  return (
    timeline.handovers.some((t) => t >= run.start - MOVE_MS && t <= again.start + MOVE_MS) ||
    troubles.of(run.process).touches(run.start - MOVE_MS, again.start) ||
    troubles.of(again.process).touches(run.start - MOVE_MS, again.start)
  );
}

/** A run in words. */
export function describe({ job, item, scheduledAt, process, token }: Run): string {
  const instant = scheduledAt === undefined ? 'no instant' : new Date(scheduledAt).toISOString().slice(11, 23);
  return `${job}/${item} for ${instant} on ${process} (token ${token})`;
}
