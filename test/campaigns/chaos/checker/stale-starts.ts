/**
 * Runs that a process starts in the event-loop turn in which it wakes, although another process has begun the item
 * meanwhile. The process had looked at its clock, and was stopped (SIGSTOP, or a machine that starves it) before the
 * first line of the job. No process can prevent that, and the fencing token protects data from it. But a process looks
 * at its clock before each run. So exactly this is excused, and counted: **one run for each time that a process wakes,
 * which is told to end in the same turn**.
 */
import { type Finding } from '../history.js';
import { groupBy } from './group-by.js';
import { describe } from './repeats.js';
import { type Run } from './runs.js';
import { type Troubles } from './troubles.js';

/** The runs that are excused, and those that should not have been started. */
export interface StaleStarts {
  readonly excused: ReadonlySet<Run>;
  readonly findings: readonly Finding[];
}

/** Judges the runs of all monitored jobs, given in the order in which they started. */
export function judgeStaleStarts(runs: readonly Run[], troubles: Troubles): StaleStarts {
  const wakings = groupBy(
    [...groupBy(runs, ({ job, item }) => `${job}/${item}`).values()].flatMap((own) => staleStartsOf(own, troubles)),
    ({ process, start }) => `${process} ${troubles.stalls(process).at(start)?.from}`,
  );
  const excused = new Set([...wakings.values()].flatMap((started) => started.slice(0, 1)));
  const findings = [...wakings.values()].flatMap(([first, ...more]) =>
    more.map((run): Finding => {
      const { job, item, start: t } = run;
      const text = `${describe(run)} was started in the turn of waking after ${first && describe(first)} had been`;
      return { kind: 'double', t, job, item, text };
    }),
  );
  return { excused, findings };
}

/** Of the runs of one item. */
function staleStartsOf(runs: readonly Run[], troubles: Troubles): readonly Run[] {
  return runs.filter((run, index) => {
    const waking = troubles.stalls(run.process).at(run.start);
    if (waking === undefined || (run.abortedAt ?? run.end) > waking.to) return false;
    return runs.slice(0, index).some(({ process, token }) => process !== run.process && token > run.token);
  });
}
