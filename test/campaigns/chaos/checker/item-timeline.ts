import { type History, type JobSpec, type Moment } from '../history.js';
import { type Interval, Intervals } from './intervals.js';
import { type Run } from './runs.js';
import { type Troubles } from './troubles.js';

/** The times of an item in which no instance could have begun it, and in which it changed hands. */
export interface ItemTimeline {
  /**
   * Times at which the item could not be begun, with the reason: it ran, was to be assigned, or its owner was in
   * trouble.
   */
  readonly unable: Intervals;
  /** Times at which it came to another owner, or its owner to another session. */
  readonly handovers: readonly number[];
}

/** How long after the end of an item's work its mark may stand: ended items are taken off in batches. */
export const RECORDING_MS = 500;
/** How long before its start a run that is late may have been about to begin, so that no other one could. */
const BEGINNING_MS = 1_000;
/** How far the bystander may be behind those who act, or ahead of them. */
const BYSTANDER_MS = 150;

/** The process that an instance id belongs to: ids carry the process's number. */
export function processOf(id: string, processes: History['processes']): string | undefined {
  const pid = Number(/@-@(\d+)-/.exec(id)?.[1]);
  return processes.find((each) => each.pid === pid)?.name;
}

/** Follows one item through the registry's moments, in their order, and its runs. */
export function itemTimeline(
  { name }: JobSpec,
  item: number,
  { moments, runs, troubles, history }: Sources,
): ItemTimeline {
  const unable: Interval[] = runs.map(({ start, end, scheduledAt = Infinity }) => ({
    from: Math.min(start, Math.max(scheduledAt - history.wallOffset, start - BEGINNING_MS)),
    to: end + RECORDING_MS,
    why: 'running',
  }));
  const handovers: number[] = [];
  const add = (from: number, to: number, why: string): unknown =>
    unable.push({ from: from - BYSTANDER_MS, to: to + BYSTANDER_MS, why });
  let owned: { readonly id: string; readonly from: number } | undefined;
  const endOwnership = (to: number): void => {
    if (owned === undefined) return;
    const process = processOf(owned.id, history.processes);
    if (process === undefined) throw new Error(`Nobody knows instance ${owned.id}, which owned ${name}/${item}`);
    const own = troubles.of(process, name);
    for (const trouble of own) {
      const from = Math.max(owned.from, trouble.from);
      const until = Math.min(to, trouble.to);
      if (from < until) add(from, until, own.why(from));
    }
    handovers.push(...troubles.losses(process).filter((t) => t >= (owned?.from ?? 0) && t <= to));
    owned = undefined;
  };
  moments.forEach((moment, index) => {
    const to = moments[index + 1]?.t ?? Infinity;
    const why = whyUnable(moment, item);
    if (why !== undefined) add(moment.t, to, why);
    const id = moment.owners[item] || undefined;
    if (id === owned?.id) return;
    endOwnership(moment.t);
    if (index > 0) handovers.push(moment.t);
    if (id !== undefined) owned = { id, from: moment.t };
  });
  endOwnership(Infinity);
  return { unable: new Intervals(unable), handovers };
}

/** The sources of a timeline: the moments of the job, the runs of the item. */
export interface Sources {
  readonly moments: readonly Moment[];
  readonly runs: readonly Run[];
  readonly troubles: Troubles;
  readonly history: History;
}

function whyUnable({ isSeen, isResharding, owners, living, marked }: Moment, item: number): string | undefined {
  if (!isSeen) return 'unseen';
  if (isResharding) return 'being assigned';
  const owner = owners[item];
  if (!living.includes(owner ?? '')) return 'owner gone';
  return marked.includes(item) ? 'running' : undefined;
}
