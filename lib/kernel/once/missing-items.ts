import { availableInstances, isGone, type ItemView, type JobView } from '../../layout/job-view.js';
import { type GuaranteeStage } from '../../layout/job-paths.js';
import { type BarrierRound } from './round.js';
import { failsOver } from '../view/items.js';
import { type DeadRun, deadRuns } from '../view/crashes.js';

/** An item that has not come to a meeting, and may still come. */
export interface MissingItem {
  readonly item: number;
  /**
   * - `running`: its run goes on, on a living instance
   * - `ending`: its run has ended, and that is about to be reported
   * - `late`: its owner lives, and has not begun it for this firing
   * - `unaccounted`: somebody has marked it as running, and nothing tells who, or for which firing
   * - `crashed`: its instance died in the middle of it; it waits for who takes it over
   * - `handed-on`: its instance left or died before it began; its next owner makes up for that when it is free
   */
  readonly why: 'running' | 'ending' | 'late' | 'unaccounted' | 'crashed' | 'handed-on';
  /** Id of the instance that is waited for, if it is known. */
  readonly by: string | undefined;
}

/** Of an item, that an instance which lives has reported it. */
interface Report {
  readonly key: string;
  readonly state: GuaranteeStage;
  readonly instance: string;
}

/** The scheduled instant that is missing of an item, and that its owner will make up for; `undefined`: none. */
export type InstantLostInHandover = (view: JobView, item: number) => number | undefined;

/**
 * The items that a meeting lacks. None are those that have come, and those that will not: disabled, without a living owner, begun
 * for a later firing, busy with another one.
 */
export function missingItems(
  view: JobView,
  round: BarrierRound,
  instantLostInHandover: InstantLostInHandover,
): readonly MissingItem[] {
  const reports = reportsByItem(view);
  const available = new Set(availableInstances(view).map(({ jobInstanceId }) => jobInstanceId));
  const here = [...reports.values()].flat().filter(({ key }) => key === round.key);
  const present = new Set(here.map(({ instance }) => instance));
  const dead = new Map(deadRuns(view, '', () => false).map((run) => [run.item.item, run]));
  const total = view.config?.shardingTotalCount ?? 0;
  return view.items.flatMap((item) => {
    const all = reports.get(item.item) ?? [];
    if (item.item >= total && all.length === 0) return [];
    const missing = whyMissing(item, {
      ...{ view, round, reports: all, available, present, instantLostInHandover },
      dead: dead.get(item.item),
    });
    return missing === undefined ? [] : [{ item: item.item, ...missing }];
  });
}

/** Whether this instance keeps the records by which ours find each other; Java's do not. */
export function keepsRecords({ beginRecords }: JobView, id: string | undefined): boolean {
  return id !== undefined && beginRecords.has(id);
}

interface Facts {
  readonly view: JobView;
  readonly round: BarrierRound;
  /** Of the item. */
  readonly reports: readonly Report[];
  readonly available: ReadonlySet<string>;
  /** Instances that have come to the round with other items. */
  readonly present: ReadonlySet<string>;
  readonly instantLostInHandover: InstantLostInHandover;
  /** The item's run, if its instance died in the middle of it, and nobody has told of that yet. */
  readonly dead: DeadRun | undefined;
}

type Verdict = Omit<MissingItem, 'item'> | undefined;

function whyMissing(item: ItemView, facts: Facts): Verdict {
  const { round, reports } = facts;
  const here = reports.filter(({ key }) => key === round.key);
  if (here.some(({ state }) => round.stage === 'started' || state === 'completed')) return undefined;
  const [starter] = here;
  if (starter !== undefined) {
    // Without marks, only the instance itself can tell that a run has ended.
    const hasEnded = facts.view.config?.monitorExecution !== false && !item.running;
    return { why: hasEnded ? 'ending' : 'running', by: starter.instance };
  }
  if (hasComeFromJava(item, facts) || hasMovedOn(item, facts)) return undefined;
  if (facts.dead !== undefined || facts.view.crashedItems.includes(item.item)) return ofCrashed(item, facts);
  return item.running ? ofRunning(item, facts) : ofIdle(item, facts);
}

function ofIdle({ item, disabled, owner }: ItemView, facts: Facts): Verdict {
  const { view, round, available, present, instantLostInHandover } = facts;
  if (disabled || owner === undefined) return undefined;
  // Begun for this instant by somebody who is gone or has forgotten it, and not running any more: it has ended.
  if (round.instant !== undefined && view.lastBegun.get(item) === round.instant) return undefined;
  if (available.has(owner) && !present.has(owner)) return { why: 'late', by: owner };
  // Nobody can begin it before this meeting is over: its owner is gone, or is waiting here, too.
  const isToBeCaughtUp = round.instant !== undefined && instantLostInHandover(view, item) === round.instant;
  return round.stage === 'completed' && isToBeCaughtUp ? { why: 'handed-on', by: owner } : undefined;
}

function hasComeFromJava({ item, owner }: ItemView, { view, round }: Facts): boolean {
  const come = round.stage === 'started' ? view.startedItems : view.completedItems;
  // A node for an item of ours is of an earlier firing that came to no end.
  return come.has(item) && !keepsRecords(view, owner);
}

function hasMovedOn({ item }: ItemView, { view, round: { instant }, reports }: Facts): boolean {
  if (instant === undefined) return false;
  if ((view.lastBegun.get(item) ?? -Infinity) > instant) return true;
  return reports.some(({ key }) => Number.parseInt(key, 10) > instant);
}

/** Before items start, nobody waits for one that crashed: all who might take it over are waiting themselves. */
function ofCrashed({ item }: ItemView, { view, round, dead }: Facts): Verdict {
  const isToBeTakenOver = failsOver(view) && dead?.isToBeTakenOver !== false;
  if (round.stage === 'started' || !isToBeTakenOver) return undefined;
  const records = [...view.beginRecords.values()];
  if (wasBegunFor(view, item, round.instant)) return { why: 'crashed', by: undefined };
  return records.includes(undefined) ? { why: 'unaccounted', by: undefined } : undefined;
}

function ofRunning(item: ItemView, { view, round: { stage, instant }, reports }: Facts): Verdict {
  // It runs for another round, and comes to this one when it is long over, if at all.
  if (reports.some(({ state }) => state === 'started')) return undefined;
  const runner = item.runningOn ?? item.takenOverBy ?? item.owner;
  if (!keepsRecords(view, runner)) return { why: stage === 'completed' ? 'running' : 'unaccounted', by: runner };
  const isKnown = item.runningOn !== undefined && view.beginRecords.get(item.runningOn) !== undefined;
  return isKnown && !wasBegunFor(view, item.item, instant) ? undefined : { why: 'unaccounted', by: runner };
}

/** Whether the item's last run that is on record was for that instant, or by hand if there is none. */
function wasBegunFor({ lastBegun, manuallyBegun }: JobView, item: number, instant: number | undefined): boolean {
  return instant === undefined ? manuallyBegun.has(item) : lastBegun.get(item) === instant && !manuallyBegun.has(item);
}

function reportsByItem(view: JobView): ReadonlyMap<number, readonly Report[]> {
  const reports = new Map<number, Report[]>();
  for (const [instance, rounds] of view.guarantee.arrivals) {
    if (isGone(view, instance)) continue;
    for (const [key, arrivals] of rounds) {
      for (const state of ['started', 'completed'] as const) {
        for (const item of arrivals[state]) {
          const known = reports.get(item);
          if (known === undefined) reports.set(item, [{ key, state, instance }]);
          else known.push({ key, state, instance });
        }
      }
    }
  }
  return reports;
}
