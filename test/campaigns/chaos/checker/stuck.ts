/**
 * Standstills that no fault of the cluster explains. Without this, a job that stands still would excuse its own misses.
 */
import { type Finding, type History, isOfServers, type Moment } from '../history.js';
import { groupBy } from './group-by.js';
import { type Interval, Intervals } from './intervals.js';
import { byItem, type Run } from './runs.js';
import { absences, disconnections, type Troubles } from './troubles.js';

/** How long the leader waits for running items before it assigns the others; the library's own limit. */
const PATIENCE_MS = 5_000;
/** Beside sessions that have to end first, what an election and an assignment may take. */
const SLOWNESS_MS = 4_000;

/** Jobs whose items no instance assigned, and processes that did not come back. */
export function judgeStandstills(history: History, runs: readonly Run[], troubles: Troubles): readonly Finding[] {
  const runsOf = byItem(runs);
  // A leader that dies while it assigns, and its successor that does so too, each cost a session.
  const limitMs = PATIENCE_MS + SLOWNESS_MS + 2 * history.sessionMs;
  const findings: Finding[] = [];
  for (const { name: job, items } of history.jobs) {
    const moments = history.moments.filter((moment) => moment.job === job && moment.isSeen);
    const tell = ({ from, to }: Interval, what: string): void => {
      const ms = troubles.standstill(job).uncovered(from, Math.min(to, history.to));
      if (ms > limitMs)
        findings.push({ kind: 'stuck', t: from + limitMs, job, text: `${job}: ${what} for ${Math.round(ms)} ms` });
    };
    for (const interval of times(moments, ({ isResharding }) => isResharding)) tell(interval, 'waits to be assigned');
    for (let item = 0; item < items; item++) {
      const isOrphan = ({ owners, living }: Moment): boolean => !living.includes(owners[item] ?? '');
      for (const interval of times(moments, isOrphan)) tell(interval, `item ${item} has no living owner`);
      const isMarked = ({ marked }: Moment): boolean => marked.includes(item);
      const running = new Intervals(
        (runsOf.get(`${job}/${item}`) ?? []).map(({ start, end }) => ({ from: start, to: end })),
      );
      for (const marked of times(moments, isMarked))
        for (const interval of running.gapsIn(marked)) tell(interval, `item ${item} bears a mark and nobody runs it`);
    }
  }
  return [...findings, ...lonelyProcesses(history)];
}

function times(moments: readonly Moment[], holds: (moment: Moment) => boolean): readonly Interval[] {
  const intervals: Interval[] = [];
  let since: number | undefined;
  for (const moment of moments) {
    if (holds(moment)) since ??= moment.t;
    else if (since !== undefined) {
      intervals.push({ from: since, to: moment.t });
      since = undefined;
    }
  }
  return since === undefined ? intervals : [...intervals, { from: since, to: Infinity }];
}

/** Processes that lost contact though nothing was done to them, or that did not find back. */
function lonelyProcesses(history: History): readonly Finding[] {
  const reachMs = 2 * history.sessionMs + SLOWNESS_MS;
  const events = groupBy(history.events, ({ process }) => process);
  return history.processes.flatMap(({ name, bornAt, diedAt = history.to }) => {
    const own = events.get(name) ?? [];
    const readyAt = own.find(({ event }) => event === 'ready')?.t ?? diedAt;
    const causes = new Intervals([
      { from: bornAt, to: readyAt + reachMs },
      ...history.faults
        .filter((fault) => fault.targets.includes(name) || isOfServers(fault))
        .map(({ from, to }) => ({ from, to: to + reachMs })),
      ...own.flatMap((event) => (event.event === 'stall' ? [{ from: event.from, to: event.t + reachMs }] : [])),
    ]);
    const jobs = history.jobs.map(
      (job) => [`job ${job.name} of ${name} took no part`, absences(own, job.name)] as const,
    );
    const all = [[`${name} had no session`, disconnections(own)] as const, ...jobs];
    return all.flatMap(([what, intervals]) =>
      intervals.flatMap(({ from, to }): Finding[] => {
        const ms = causes.uncovered(from, Math.min(to, diedAt, history.to));
        return ms > 1_000 ? [{ kind: 'stuck', t: from, text: `${what} for ${Math.round(ms)} ms without a cause` }] : [];
      }),
    );
  });
}

/** Runs that go on for much longer than their work takes. */
export function judgeEndings(runs: readonly Run[], history: History, troubles: Troubles): readonly Finding[] {
  const jobs = new Map(history.jobs.map((job) => [job.name, job]));
  return runs.flatMap((run): Finding[] => {
    const { steps = [], stepMs = 0 } = jobs.get(run.job) ?? {};
    const limitMs = (steps[run.item % steps.length] ?? 0) * stepMs + SLOWNESS_MS;
    const tookMs = troubles.stalls(run.process).uncovered(run.start, Math.min(run.end, history.to));
    if (tookMs <= limitMs) return [];
    const text = `${run.job}/${run.item} on ${run.process} took ${Math.round(tookMs)} ms (${run.outcome})`;
    return [{ kind: 'unended', t: run.start, job: run.job, item: run.item, text }];
  });
}
