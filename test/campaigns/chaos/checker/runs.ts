import { type History, type LogEvent } from '../history.js';
import { groupBy } from './group-by.js';

/** A run of an item, as the process that made it wrote it down. */
export interface Run {
  readonly job: string;
  readonly item: number;
  /** Milliseconds since 1970. */
  readonly scheduledAt: number | undefined;
  readonly process: string;
  readonly token: number;
  readonly start: number;
  /** Times of its steps, the end of its work included. */
  readonly steps: readonly number[];
  /** When its signal told it to end. */
  readonly abortedAt: number | undefined;
  /** When it was over: ended by itself, or with its process; `Infinity` if it never was. */
  readonly end: number;
  /** `lost`: its process died. `aborted`: it was told to end. `open`: it goes on. */
  readonly outcome: 'done' | 'aborted' | 'lost' | 'open';
}

/** All runs of a campaign, in the order in which they started. */
export function readRuns({ events, processes }: Pick<History, 'events' | 'processes'>): readonly Run[] {
  const deaths = new Map(processes.map(({ name, diedAt }) => [name, diedAt]));
  const drafts = new Map<string, Draft>();
  for (const event of events) {
    if (event.event === 'start') drafts.set(keyOf(event), { start: event, steps: [] });
    else if ('run' in event) note(drafts.get(keyOf(event)), event);
  }
  return [...drafts.values()]
    .map((draft) => toRun(draft, deaths.get(draft.start.process)))
    .sort((one, other) => one.start - other.start);
}

interface Draft {
  readonly start: Extract<LogEvent, { event: 'start' }>;
  readonly steps: number[];
  abortedAt?: number;
  over?: { readonly at: number; readonly outcome: 'done' | 'aborted' };
}

function keyOf({ process, run }: { readonly process: string; readonly run: number }): string {
  return `${process} ${run}`;
}

function note(draft: Draft | undefined, { event, t }: LogEvent): void {
  if (draft === undefined) throw new Error(`A log tells of a run that did not start: ${event} at ${t}`);
  if (event === 'step' || event === 'end') draft.steps.push(t);
  if (event === 'abort') draft.abortedAt = t;
  if (event === 'end' || event === 'aborted') draft.over = { at: t, outcome: event === 'end' ? 'done' : 'aborted' };
}

function toRun({ start, steps, abortedAt, over }: Draft, diedAt: number | undefined): Run {
  const { job, item, scheduledAt, process, fencingToken: token, t } = start;
  const outcome = over?.outcome ?? (diedAt === undefined ? 'open' : 'lost');
  return {
    job,
    item,
    scheduledAt,
    process,
    token,
    start: t,
    steps,
    abortedAt,
    end: over?.at ?? diedAt ?? Infinity,
    outcome,
  };
}

/** The runs of each item of each job by `job/item`, in the order in which they started. */
export function byItem(runs: readonly Run[]): ReadonlyMap<string, readonly Run[]> {
  return groupBy(runs, ({ job, item }) => `${job}/${item}`);
}
