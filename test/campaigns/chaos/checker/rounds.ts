/**
 * The rounds of jobs that run after others, from the logs of the processes alone: no item begins for an instant before
 * each upstream item that runs for it has ended, takeovers included, and each round whose upstream items have all run
 * to their end is run. `repeats.ts` judges that it is run once.
 *
 * An upstream run that goes on in a process that was stopped or cut off is none: another process has taken it over.
 */
import { type Finding, type History, type JobSpec } from '../history.js';
import { groupBy } from './group-by.js';
import { describe } from './repeats.js';
import { type Run } from './runs.js';
import { type Troubles } from './troubles.js';

/** Logs of two processes are compared, whose writes take a moment. */
const TOLERANCE_MS = 2;

/** How long a round may be due at the end of a campaign, when all is well. */
const PATIENCE_MS = 15_000;

/** Judges the rounds of all jobs that run after others. */
export function judgeRounds(history: History, runs: readonly Run[], troubles: Troubles): readonly Finding[] {
  const byRound = groupBy(runs, ({ job, scheduledAt }) => `${job} ${scheduledAt}`);
  const from = history.from + history.wallOffset;
  return history.jobs.flatMap((job) => {
    const upstreams = history.jobs.filter(({ name }) => job.after?.includes(name) === true);
    const instants = new Set(
      runs.flatMap(({ job: name, scheduledAt = -Infinity }) =>
        upstreams.some((upstream) => upstream.name === name) && scheduledAt >= from ? [scheduledAt] : [],
      ),
    );
    return [...instants].flatMap((instant) => {
      const before = upstreams.map((upstream) => ({
        upstream,
        runs: byRound.get(`${upstream.name} ${instant}`) ?? [],
      }));
      const own = byRound.get(`${job.name} ${instant}`) ?? [];
      return Array.from({ length: job.items }, (_, item) => item).flatMap((item) =>
        judgeItem({ history, troubles, job, item, instant, before, own: own.filter((run) => run.item === item) }),
      );
    });
  });
}

interface ItemRound {
  readonly history: History;
  readonly troubles: Troubles;
  readonly job: JobSpec;
  readonly item: number;
  /** Milliseconds since 1970. */
  readonly instant: number;
  readonly before: readonly { readonly upstream: JobSpec; readonly runs: readonly Run[] }[];
  /** Its own runs for that instant, in the order in which they started. */
  readonly own: readonly Run[];
}

function judgeItem(round: ItemRound): readonly Finding[] {
  const { history, troubles, job, item, instant, before, own } = round;
  const followed = (run: Run): boolean => job.afterItems === undefined || run.item === item;
  const [begun] = own;
  if (begun !== undefined)
    return before
      .flatMap(({ runs }) => runs.filter(followed))
      .filter((run) => isAfter(run, begun, troubles))
      .map((run) => ({
        ...{ kind: 'round early', t: begun.start, job: job.name, item },
        text: `${describe(begun)} began before ${describe(run)} had ended`,
      }));
  const ends = before.map(({ upstream, runs }) => completedAt(upstream, runs.filter(followed), job, item));
  const dueAt = ends.includes(undefined) ? Infinity : Math.max(...ends.map((end) => end ?? Infinity));
  if (dueAt > history.to - PATIENCE_MS) return [];
  const text = `${job.name}/${item} did not run for ${new Date(instant).toISOString()}, whose upstream items have ended`;
  return [{ kind: 'round missed', t: dueAt, job: job.name, item, text }];
}

/** True if an upstream run belongs to the round, and began or ended after an item of the successor began. */
function isAfter(run: Run, begun: Run, troubles: Troubles): boolean {
  if (run.start > begun.start + TOLERANCE_MS) return !troubles.stalls(run.process).contains(run.start);
  const isGoingOn = Math.min(run.end, run.abortedAt ?? Infinity) > begun.start + TOLERANCE_MS;
  return isGoingOn && !troubles.of(run.process, run.job).touches(run.start, begun.start);
}

/** When all upstream items that the item follows had run to their end; `undefined` if one has not. */
function completedAt(
  { items }: JobSpec,
  runs: readonly Run[],
  { afterItems }: JobSpec,
  item: number,
): number | undefined {
  const followed = afterItems === 'same' ? [item] : Array.from({ length: items }, (_, number) => number);
  const ends = followed.map((number) =>
    Math.max(-Infinity, ...runs.flatMap((run) => (run.item === number && run.outcome === 'done' ? [run.end] : []))),
  );
  return ends.includes(-Infinity) ? undefined : Math.max(...ends);
}
