/**
 * Two runs of an item at once. A run is over when it has ended, when its process has died, or when its signal has told
 * it to end: what begins after that is no overlap.
 *
 * A process that is stopped (SIGSTOP, or a machine that starves it) can be told nothing. A run of another process that
 * starts meanwhile is no overlap as long as the stopped run does nothing afterwards. It cannot do nothing at all: of
 * what was due when the process stopped, the event loop runs all that is due in the turn in which the process wakes, in
 * the order in which it was due, and the signal is among it. So exactly this is excused, and counted: **steps within
 * the event-loop turn in which the process woke**, whose end the process itself writes down. Every later step of an
 * older token is a finding, and the fencing token is what protects data from the excused ones.
 */
import { type Finding } from '../history.js';
import { describe } from './repeats.js';
import { type Run } from './runs.js';
import { type Troubles } from './troubles.js';

/** The findings about runs at the same time. */
export interface Overlaps {
  readonly findings: readonly Finding[];
  /** Steps in the turn in which a process woke, after another had begun the item. */
  readonly stepsOnWaking: number;
}

/** Logs of two processes are compared, whose writes take a moment. */
const TOLERANCE_MS = 2;

/** Judges the runs of one item, given in the order in which they started. */
export function judgeOverlaps(runs: readonly Run[], troubles: Troubles): Overlaps {
  const findings: Finding[] = [];
  let stepsOnWaking = 0;
  runs.forEach((earlier, index) => {
    const overAt = Math.min(earlier.end, earlier.abortedAt ?? Infinity);
    const stalls = troubles.stalls(earlier.process);
    let successor: Run | undefined;
    for (const later of runs.slice(index + 1, index + LOOK_AHEAD)) {
      if (later.start + TOLERANCE_MS >= overAt) break;
      if (later.process !== earlier.process && stalls.contains(later.start)) successor ??= later;
      else findings.push(overlap(earlier, later));
    }
    if (successor === undefined) return;
    const { start } = successor;
    const wokeAt = stalls.at(start)?.to ?? start;
    stepsOnWaking += earlier.steps.filter((t) => t > start && t <= wokeAt).length;
    for (const t of earlier.steps.filter((step) => step > wokeAt))
      findings.push(staleStep(earlier, successor, t - wokeAt, t));
  });
  return { findings, stepsOnWaking };
}

/** How many runs of an item may have started since one that still goes on. */
const LOOK_AHEAD = 20;

function overlap(earlier: Run, later: Run): Finding {
  const { job, item, start: t } = later;
  const text = `${describe(later)} started while ${describe(earlier)} was running and had not been told to end`;
  return { kind: 'overlap', t, job, item, text };
}

function staleStep(earlier: Run, later: Run, ms: number, t: number): Finding {
  const { job, item } = later;
  const text = `${describe(earlier)} went on ${ms.toFixed(1)} ms after its process woke, though ${describe(later)} had started`;
  return { kind: 'stale step', t, job, item, text };
}

/** Fencing tokens must grow from run to run, whoever makes it. */
export function judgeTokens(runs: readonly Run[], troubles: Troubles): readonly Finding[] {
  const findings: Finding[] = [];
  let greatest: Run | undefined;
  for (const run of runs) {
    // Started in the turn in which its process woke: it was begun before.
    if (troubles.stalls(run.process).contains(run.start)) continue;
    if (greatest !== undefined && run.token <= greatest.token)
      findings.push({
        kind: 'token',
        t: run.start,
        job: run.job,
        item: run.item,
        text: `${describe(run)} has no greater token than ${describe(greatest)} before it`,
      });
    if (greatest === undefined || run.token > greatest.token) greatest = run;
  }
  return findings;
}
