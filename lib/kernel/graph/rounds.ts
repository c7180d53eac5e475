/**
 * Decides which rounds of a job are complete: pure functions of a view. A round is what the job does for one instant.
 * It is complete when each item that takes part has ended:
 *
 * ```
 *   begun ──▶ ended on record ─────────────────────────▶ ┐
 *     └─ its instance dies ──▶ taken over ──▶ ended ───▶ ├─ all items ──▶ round complete, on record in graph/rounds
 *                          └─ no failover ──▶ failed ──▶ ┘
 * ```
 * Rounds are completed in the order of their instants, those of the schedule and those of run keys each by themselves.
 * An item that has ended for a later instant without having run
 * for this one has made up for it there (`misfire`): then the round is part of the later one, and is not put on record.
 */
import { dependenciesOf } from '../../api/settings/dependencies.js';
import { awaitsTakeover, isInGraph, itemOf, type ItemView, type JobView } from '../../layout/job-view.js';
import {
  type EndedRun,
  type EndRecord,
  lastEnds,
  mergeEndRecords,
  type RunEnd,
} from '../../layout/x-node/end-record.js';
import { NOTHING_BEGUN } from '../../layout/x-node/begin-record.js';
import { runWithKey } from '../../layout/x-node/graph-orders.js';
import { lastRounds, type Round, type RoundOutcome } from '../../layout/x-node/round-record.js';
import { type InstantKind, isRunKey, kindOf } from '../../layout/x-node/run-key.js';

/** The effect of upstream rounds on an item: it is to run, or it is not, and its part of the round counts as this. */
export type Fate = 'runs' | 'stopped' | 'skipped';

/** The upstream rounds of a job, as far as they concern its own ones. */
export interface UpstreamFates {
  /** Instants of the upstream rounds that are complete, in ascending order; milliseconds since 1970. */
  readonly instants: readonly number[];
  /** The effect of the round of that instant on an item. */
  fateOf(item: number, instant: number): Fate;
}

/** A job that runs after no other. */
export const NO_UPSTREAMS: UpstreamFates = { instants: [], fateOf: () => 'runs' };

/** A round that is complete and not on record yet. */
export type CompletedRound = Omit<Round, 'completedAt'>;

/** State of an item in a round; `merged`: it has made up for the round in a later one. */
type ItemState = RunEnd | 'stopped' | 'skipped' | 'merged' | 'open';

/** The rounds that are complete and not on record yet, in the order of their instants. */
export function completedRounds(view: JobView, upstreams: UpstreamFates): readonly CompletedRound[] {
  const last = lastRounds(view.graph.rounds);
  const ends = allEnds(view);
  const keys = view.graph.orders.runs.map(({ key }) => key);
  const instants = [...new Set([...ends.record.ends.keys(), ...upstreams.instants, ...keys])]
    .filter((instant) => instant > (last[kindOf(instant)] ?? -Infinity))
    .sort((one, other) => one - other);
  const completed: CompletedRound[] = [];
  const waiting = new Set<InstantKind>();
  for (const instant of instants) {
    const kind = kindOf(instant);
    if (waiting.has(kind)) continue;
    const states = statesIn(view, { instant, ends, upstreams });
    const as = runWithKey(view.graph.orders, instant)?.as;
    if (as !== undefined) completed.push({ instant, outcome: as, failed: [] });
    else if ([...states.values()].includes('open')) waiting.add(kind);
    else if (![...states.values()].includes('merged')) completed.push({ instant, ...outcomeOf(states) });
  }
  return completed;
}

/** The items that the round of that instant still waits for. */
export function openItems(view: JobView, instant: number, upstreams: UpstreamFates): readonly number[] {
  const states = statesIn(view, { instant, ends: allEnds(view), upstreams });
  return [...states].flatMap(([item, state]) => (state === 'open' ? [item] : []));
}

/**
 * Runs that have ended with their instances: these are gone, have begun the runs and not ended them, and no instance
 * takes them over. They have failed.
 */
export function lostRuns(view: JobView, gone: readonly string[]): readonly EndedRun[] {
  if (!isInGraph(view)) return [];
  const { ends } = allEnds(view).record;
  const rounds = lastRounds(view.graph.rounds);
  const due = { scheduled: firstDue(view), key: -Infinity };
  const begun = { scheduled: view.lastBegun, key: view.lastKeys };
  return gone.flatMap((id) =>
    begunBy(view, id).flatMap(([item, instant]) => {
      const kind = kindOf(instant);
      const isOver = instant <= Math.max(rounds[kind] ?? -Infinity, due[kind]) || ends.get(instant)?.has(item) === true;
      // The item may run for a later instant by now: that does not save this run.
      const isLatest = (begun[kind].get(item) ?? instant) <= instant;
      const isHeld = isLatest && (awaitsTakeover(view, item) || isOccupied(itemOf(view, item)));
      return isOver || isHeld ? [] : [{ item, instant, end: 'failed' as const }];
    }),
  );
}

function begunBy({ beginRecords }: JobView, id: string): readonly (readonly [item: number, instant: number])[] {
  const { instants, keys } = beginRecords.get(id) ?? NOTHING_BEGUN;
  return [...instants, ...keys];
}

/** No job waits for a round of this instant or an earlier one. */
function firstDue({ graph, config }: JobView): number {
  if (config !== undefined && dependenciesOf(config) !== undefined) return -Infinity;
  if (graph.successors.size === 0) return -Infinity;
  return Math.min(...[...graph.successors.values()].map((since) => since ?? -Infinity));
}

function isOccupied(item: ItemView | undefined): boolean {
  return item !== undefined && (item.running || item.takenOverBy !== undefined || item.failoveringBy !== undefined);
}

interface AllEnds {
  readonly record: EndRecord;
  /** By kind of instant, and by item. */
  readonly last: Readonly<Record<InstantKind, ReadonlyMap<number, number>>>;
}

/** Most views of a job share the records. */
const endsIn = new WeakMap<JobView['graph']['ends'], AllEnds>();

function allEnds({ graph }: JobView): AllEnds {
  const known = endsIn.get(graph.ends);
  if (known !== undefined) return known;
  const record = mergeEndRecords(graph.ends.values());
  const ends = { record, last: { scheduled: lastEnds(record), key: lastEnds(record, 'key') } };
  endsIn.set(graph.ends, ends);
  return ends;
}

interface RoundInput {
  readonly instant: number;
  readonly ends: AllEnds;
  readonly upstreams: UpstreamFates;
}

/** The state of each item that takes part in the round. */
function statesIn(view: JobView, input: RoundInput): ReadonlyMap<number, ItemState> {
  const total = view.config?.shardingTotalCount ?? 0;
  const returned = returnedItems(view);
  const states = new Map<number, ItemState>();
  for (const item of itemsIn(view, total, input)) {
    const state = stateOf(view, item, input);
    const isLeftOut = isDisabled(view, item) || (returned.get(item) ?? -Infinity) >= input.instant;
    if (state !== 'open' || !isLeftOut) states.set(item, state);
  }
  return states;
}

/** The items of the job, and those that are none any more and have begun for that instant, as far as is known. */
function itemsIn(view: JobView, total: number, { instant, ends }: RoundInput): readonly number[] {
  const left = [...begunIn(view, instant).keys(), ...view.items.map(({ item }) => item)].filter(
    (item) => item >= total && mayHaveBegun(view, item, instant),
  );
  const ended = [...(ends.record.ends.get(instant)?.keys() ?? [])].filter((item) => item >= total);
  return [...Array.from({ length: total }, (_, item) => item), ...new Set([...left, ...ended])];
}

/** True if the item has last begun for that instant, or runs for one that is not known yet. */
function mayHaveBegun(view: JobView, item: number, instant: number): boolean {
  const last = begunIn(view, instant).get(item) ?? -Infinity;
  return last === instant || (last < instant && isOccupied(itemOf(view, item)) && isAnyRecordUnread(view));
}

/** By item: the last instant of the same kind for which it has begun, in the records that have been read. */
function begunIn({ lastKeys, lastBegun }: JobView, instant: number): ReadonlyMap<number, number> {
  return isRunKey(instant) ? lastKeys : lastBegun;
}

/** True if the begin record of an instance has changed and has not been read since, as records are read if needed. */
function isAnyRecordUnread({ beginRecords }: JobView): boolean {
  return [...beginRecords.values()].includes(undefined);
}

function stateOf(view: JobView, item: number, { instant, ends, upstreams }: RoundInput): ItemState {
  if (isBeingTakenOver(view, item, instant)) return 'open';
  const end = ends.record.ends.get(instant)?.get(item);
  if (end !== undefined) return end;
  const ordered = orderedState(view, item, instant);
  if (ordered !== undefined) return ordered;
  // It may have begun before settings changed, by which it would not begin any more.
  if (mayHaveBegun(view, item, instant)) return 'open';
  const fate = upstreams.fateOf(item, instant);
  if (fate !== 'runs') return fate;
  return !isRunKey(instant) && (ends.last.scheduled.get(item) ?? -Infinity) > instant ? 'merged' : 'open';
}

/** The state that an operator's order gives to an item that has not begun for that instant. */
function orderedState(view: JobView, item: number, instant: number): ItemState | undefined {
  const { orders } = view.graph;
  const override = orders.overrides.get(instant);
  // It may run for this very instant: its end shows that.
  if (override !== undefined) return isOccupied(itemOf(view, item)) ? 'open' : OVERRIDDEN[override];
  return runWithKey(orders, instant)?.items?.includes(item) === false ? 'succeeded' : undefined;
}

const OVERRIDDEN = { skip: 'skipped', stop: 'stopped' } as const;

/** True if the item's run for that instant has died, and an instance runs it again or is about to. */
function isBeingTakenOver(view: JobView, item: number, instant: number): boolean {
  if (view.crashReports.get(item)?.instant !== instant) return false;
  const seen = itemOf(view, item);
  return awaitsTakeover(view, item) || seen?.takenOverBy !== undefined || seen?.failoveringBy !== undefined;
}

/** An item that an operator has disabled takes no part, unless it still runs. */
function isDisabled(view: JobView, item: number): boolean {
  const seen = itemOf(view, item);
  return seen?.disabled === true && !seen.running;
}

/** Items that a leader has re-added: the last instant before that, in milliseconds since 1970. */
function returnedItems({ beginRecords }: JobView): ReadonlyMap<number, number> {
  const returned = new Map<number, number>();
  for (const record of beginRecords.values())
    for (const [item, instant] of record?.returned ?? [])
      returned.set(item, Math.max(instant, returned.get(item) ?? instant));
  return returned;
}

function outcomeOf(states: ReadonlyMap<number, ItemState>): {
  readonly outcome: RoundOutcome;
  readonly failed: readonly number[];
} {
  const itemsThat = (...wanted: readonly ItemState[]): readonly number[] =>
    [...states].flatMap(([item, state]) => (wanted.includes(state) ? [item] : []));
  const isAll = (state: ItemState): boolean => states.size > 0 && [...states.values()].every((each) => each === state);
  if (isAll('stopped')) return { outcome: 'stopped', failed: [] };
  const failed = itemsThat('failed', 'stopped');
  if (failed.length > 0) return { outcome: 'failed', failed };
  return { outcome: itemsThat('succeeded').length > 0 ? 'succeeded' : 'skipped', failed };
}
