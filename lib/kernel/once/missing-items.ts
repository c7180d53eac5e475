/** Which items a barrier still waits for: pure functions of a view. */
import { availableInstances, awaitsTakeover, isGone, type ItemView, type JobView } from '../../layout/job-view.js';
import { type GuaranteeStage } from '../../layout/job-paths.js';
import { type ArrivalRecord } from '../../layout/x-node/arrival-record.js';
import { droppedItems } from '../view/assignment.js';
import { type DeadRun, deadRuns } from '../view/crashes.js';
import { failsOver, wasBegun } from '../view/items.js';
import { hasArrivedFromJava, keepsRecords } from './java.js';
import { type BarrierRound, isEarlier, isLater, isSameFiring } from './round.js';

/** An item that has not arrived at a barrier, and may still arrive. */
export interface MissingItem {
  readonly item: number;
  /**
   * - `running`: its run for this firing goes on, on a living instance
   * - `ending`: that run has ended, and the instance is about to report it
   * - `busy`: an earlier firing keeps the item or its instance; its run for this firing follows
   * - `late`: its owner lives and has not begun the item, although it is free, or although it is busy with `misfire`
   *   off and has not reported that it drops the firing
   * - `unaccounted`: it is marked as running, and it is not known by which instance, or for which firing
   * - `unread`: whether its next owner makes up for this firing depends on records that have not been read
   * - `crashed`: its instance died in the middle of it; an instance has to take it over before it arrives
   * - `handed-on`: its instance left or died before it began; its next owner makes up for this firing when it is free
   */
  readonly why: 'running' | 'ending' | 'busy' | 'late' | 'unaccounted' | 'unread' | 'crashed' | 'handed-on';
  /** Id of the instance it depends on, if that is known. */
  readonly by: string | undefined;
}

/**
 * Whether the item's owner may make up for that scheduled instant (milliseconds since 1970), which the item has missed.
 * The owner decides by its own clock, so in doubt the answer is yes.
 */
export type MayBeMadeUpFor = (view: JobView, item: number, instant: number) => boolean;

/** What `missingItems` cannot see in a view. */
export interface MissingItemsOptions {
  readonly mayBeMadeUpFor: MayBeMadeUpFor;
  /** Whether the records of all instances have been read since the item has its present owner. */
  readonly isRead: (item: ItemView) => boolean;
  /** Whether an instance has arrived only with items that it took over, so that its own firing is still to come. */
  readonly isBehind: (instance: string) => boolean;
}

/** A living instance has reported the item. */
interface Report {
  readonly key: string;
  readonly state: GuaranteeStage;
  readonly instance: string;
}

interface Facts extends MissingItemsOptions {
  readonly view: JobView;
  readonly round: BarrierRound;
  readonly available: ReadonlySet<string>;
  /** Instances that have arrived at the round with other items. */
  readonly present: ReadonlySet<string>;
  /** Instances with items that they run for an earlier firing. */
  readonly busy: ReadonlySet<string>;
  /** Instances whose items have arrived at an earlier firing that still goes on; some may have left it. */
  readonly engaged: ReadonlySet<string>;
  /**
   * Instances that are in an earlier firing which cannot end before this barrier has been passed: an instance takes
   * over items of that firing and of this one, or of a later one, in one run, and waits here, or at the later one, with
   * them.
   */
  readonly held: ReadonlySet<string>;
  /** Instances that take no part in the round's firing, because they were busy when it came, and `misfire` is off. */
  readonly dropping: ReadonlySet<string>;
  /** The items that these had at that time. */
  readonly dropped: ReadonlySet<number>;
  /** Instances whose items have arrived at a later firing; at a manual round, those that are in any other firing. */
  readonly ahead: ReadonlySet<string>;
}

/** What is known of one item. */
interface ItemFacts extends Facts {
  readonly reports: readonly Report[];
  /** Its run, if the instance died in the middle of it, and no instance has reported that yet. */
  readonly dead: DeadRun | undefined;
}

type Verdict = Omit<MissingItem, 'item'> | undefined;

/**
 * The items that the barrier lacks. Not listed are those that have arrived, and those that cannot arrive: disabled,
 * without an owner, or begun for a later firing.
 */
export function missingItems(view: JobView, round: BarrierRound, options: MissingItemsOptions): readonly MissingItem[] {
  const reports = reportsByItem(view);
  const facts = { ...options, view, round, ...instancesAround(view, round) };
  const dead = new Map(deadRuns(view, '', () => false).map((run) => [run.item.item, run]));
  const total = view.config?.shardingTotalCount ?? 0;
  return view.items.flatMap((item) => {
    const ofItem = reports.get(item.item) ?? [];
    const died = dead.get(item.item);
    // A surplus item may be taken over before the next assignment removes it, and its new run arrives later than its
    // mark.
    const isCrashed = died !== undefined || awaitsTakeover(view, item.item);
    const isRun = item.running && wasBegunFor(view, item.item, round.instant);
    if (item.item >= total && ofItem.length === 0 && !isCrashed && !isRun) return [];
    const missing = whyMissing(item, { ...facts, reports: ofItem, dead: died });
    return missing === undefined ? [] : [{ item: item.item, ...missing }];
  });
}

function instancesAround(
  view: JobView,
  round: BarrierRound,
): Pick<Facts, 'available' | 'present' | 'busy' | 'engaged' | 'held' | 'dropping' | 'dropped' | 'ahead'> {
  const { arrivals, dropped, started, completed } = view.guarantee;
  const living = [...arrivals].filter(([id]) => !isGone(view, id));
  const busy = new Set<string>();
  const goingOn = new Set<string>();
  const heldRounds = new Set<string>();
  for (const { call } of [started, completed]) if (call && !isGone(view, call.instance)) goingOn.add(call.key);
  const isAtStart = ([key, { started: begun }]: readonly [string, ArrivalRecord]): boolean =>
    begun.size > 0 && (key === round.key || isLater(key, round));
  for (const [id, rounds] of living)
    for (const [key, record] of rounds)
      if (record.started.size > 0 && isEarlier(key, round)) {
        busy.add(id);
        goingOn.add(key);
        if ([...rounds].some(isAtStart)) heldRounds.add(key);
      }
  const isHeld = ([key, record]: readonly [string, ArrivalRecord]): boolean =>
    heldRounds.has(key) && record.isLeft !== true;
  // Firings do not wait for manual ones, so a manual one does not wait for an instance that is in another firing,
  // either.
  const isAhead = (key: string): boolean =>
    round.instant === undefined ? !isSameFiring(key, round.key) : isLater(key, round);
  const takesPart = (key: string): boolean => isEarlier(key, round) && goingOn.has(key);
  return {
    available: new Set(availableInstances(view).map(({ jobInstanceId }) => jobInstanceId)),
    present: new Set(living.flatMap(([id, rounds]) => (rounds.has(round.key) ? [id] : []))),
    busy,
    engaged: new Set(living.flatMap(([id, rounds]) => ([...rounds.keys()].some(takesPart) ? [id] : []))),
    held: new Set(living.flatMap(([id, rounds]) => ([...rounds].some(isHeld) ? [id] : []))),
    dropping: new Set([...dropped].flatMap(([id, firings]) => (firings.has(round.instant ?? NaN) ? [id] : []))),
    dropped: droppedItems(view, round.instant),
    ahead: new Set(living.flatMap(([id, rounds]) => ([...rounds.keys()].some(isAhead) ? [id] : []))),
  };
}

function whyMissing(item: ItemView, facts: ItemFacts): Verdict {
  const { view, round, reports } = facts;
  const here = reports.filter(({ key }) => isSameFiring(key, round.key));
  if (here.some(({ key, state }) => key === round.key && (round.stage === 'started' || state === 'completed')))
    return undefined;
  if (hasArrivedFromJava(item, view, round.stage) || hasMovedOn(item, facts)) return undefined;
  const [report] = here;
  if (round.stage === 'completed' && report !== undefined) return ofReported(item, report, view);
  if (facts.dead !== undefined || awaitsTakeover(view, item.item)) return ofCrashed(item, facts);
  const other = reports.find(({ key, state }) => state === 'started' && !isSameFiring(key, round.key));
  if (other !== undefined) return ofBusy(item, other.instance, facts);
  return item.running ? ofRunning(item, facts) : ofIdle(item, facts);
}

function hasMovedOn({ item, running, runningOn }: ItemView, { view, round, reports, dead }: ItemFacts): boolean {
  const { instant } = round;
  if (instant === undefined) return false;
  if (reports.some(({ key }) => isLater(key, round))) return true;
  if ((view.lastBegun.get(item) ?? -Infinity) <= instant) return false;
  // An item that comes back counts as begun for the instants that it was left out of, although its run may still go on,
  // or may have to be taken over.
  const isCrashed = dead !== undefined || awaitsTakeover(view, item);
  if (isCrashed && (diedIn(view, item, runningOn) ?? Infinity) <= instant) return false;
  return !(running && reports.some(({ key, instance }) => key === round.key && (runningOn ?? instance) === instance));
}

/** The instant of the item's run that has died with its instance; also if it already waits to be taken over. */
function diedIn(
  { beginRecords, crashedItems, crashReports }: JobView,
  item: number,
  runningOn = '',
): number | undefined {
  if (awaitsTakeover({ crashedItems }, item)) return crashReports.get(item)?.instant;
  return beginRecords.get(runningOn)?.instants.get(item);
}

/** It has started in this firing, at this listener's barrier or another's. */
function ofReported({ running }: ItemView, { instance }: Report, { config }: JobView): Verdict {
  // Without marks, only the instance itself knows that a run has ended.
  const hasEnded = config?.monitorExecution !== false && !running;
  return { why: hasEnded ? 'ending' : 'running', by: instance };
}

/**
 * Before items start, no instance waits for an item that crashed: all that might take it over are waiting themselves.
 */
function ofCrashed(item: ItemView, facts: ItemFacts): Verdict {
  const { view, round, dead } = facts;
  const isToBeTakenOver = failsOver(view) && dead?.isToBeTakenOver !== false;
  if (round.stage === 'started' || !isToBeTakenOver) return undefined;
  // An item that comes back counts as begun for the instants that it was left out of, whatever it died in.
  const isDead = round.instant !== undefined && (diedIn(view, item.item, item.runningOn) ?? Infinity) <= round.instant;
  if (isDead || wasBegunFor(view, item.item, round.instant)) return { why: 'crashed', by: undefined };
  if ([...view.beginRecords.values()].includes(undefined)) return { why: 'unaccounted', by: undefined };
  // It crashed in an earlier firing, which ends before this one, also if the item was disabled meanwhile: it is taken
  // over.
  return isDue({ ...item, disabled: false }, facts) ? { why: 'crashed', by: undefined } : undefined;
}

function ofRunning(item: ItemView, facts: ItemFacts): Verdict {
  const { view, round } = facts;
  const runner = item.runningOn ?? item.takenOverBy ?? item.owner;
  if (!keepsRecords(view, runner)) return { why: round.stage === 'completed' ? 'running' : 'unaccounted', by: runner };
  const isKnown = item.runningOn !== undefined && view.beginRecords.get(item.runningOn) !== undefined;
  if (isKnown && !wasBegunFor(view, item.item, round.instant)) return ofBusy(item, item.runningOn, facts);
  return { why: 'unaccounted', by: runner };
}

/** `by` runs an earlier firing, of this item or of others. */
function ofBusy(item: ItemView, by: string, facts: ItemFacts): Verdict {
  const { round, present, held } = facts;
  if (!isDue(item, facts)) return undefined;
  // It cannot begin before this barrier has been passed: the instance that runs it now, or is to run it next, waits
  // here, too, or for one that does.
  const cannotBegin = [by, item.owner ?? ''].some((id) => present.has(id) || held.has(id));
  if (round.stage === 'started' && cannotBegin) return undefined;
  return followsARun(item, facts) ? { why: 'busy', by } : ofDroppable(item, facts);
}

/**
 * With `misfire` off, its instance drops the firing if it is still busy when the instant comes there, and reports that.
 */
function ofDroppable(item: ItemView, facts: Facts): Verdict {
  const { round, available, present, dropped, dropping } = facts;
  const { owner } = item;
  if (owner === undefined || present.has(owner) || dropped.has(item.item)) return undefined;
  if (dropping.has(owner)) return ofPassed(item, owner, facts);
  if (available.has(owner)) return { why: 'late', by: owner };
  // Its owner is about to go and drops nothing any more; the next one makes up for the firing.
  return round.stage === 'started' ? undefined : { why: 'busy', by: owner };
}

function ofIdle(item: ItemView, facts: ItemFacts): Verdict {
  const { view, round, available, present, busy, engaged, held, dropped, dropping, ahead } = facts;
  const { owner } = item;
  if (item.disabled || owner === undefined) return undefined;
  // Begun for this instant by an instance that is gone or has forgotten it, and not running any more: it has ended.
  if (wasBegun(view, item.item, round.instant)) return undefined;
  if (!available.has(owner) || present.has(owner)) return ofLeftOut(item, owner, facts);
  if (dropped.has(item.item)) return undefined;
  if (dropping.has(owner)) return ofPassed(item, owner, facts);
  if (busy.has(owner)) return ofBusy(item, owner, facts);
  if (ahead.has(owner)) return ofPassed(item, owner, facts);
  if (round.stage === 'started' && held.has(owner)) return undefined;
  return { why: engaged.has(owner) && followsARun(item, facts) ? 'busy' : 'late', by: owner };
}

/**
 * Its owner has been to a later firing, or had dropped this one when it got the item: it begins the item for this
 * firing only to make up for what the item has missed in a handover.
 */
function ofPassed(item: ItemView, owner: string, facts: Facts): Verdict {
  const { view, round, isRead, mayBeMadeUpFor, busy, engaged, ahead } = facts;
  // If it begins the item for this firing after all, that is no reason to delay the others.
  if (round.stage === 'started') return undefined;
  if (round.instant === undefined) return { why: 'late', by: owner };
  if (view.config?.monitorExecution === true && !isRead(item)) return { why: 'unread', by: owner };
  if (!mayBeMadeUpFor(view, item.item, round.instant)) return undefined;
  const isInEarlier = !ahead.has(owner) && (busy.has(owner) || engaged.has(owner));
  return { why: isInEarlier ? 'busy' : 'late', by: owner };
}

/** It cannot begin before this round is over: its owner is gone, or waits here without it. */
function ofLeftOut(item: ItemView, owner: string, facts: ItemFacts): Verdict {
  const { view, round, isRead } = facts;
  if (round.stage === 'started' || round.instant === undefined || view.config?.monitorExecution !== true)
    return undefined;
  if (!isRead(item)) return { why: 'unread', by: owner };
  return isMadeUpFor(item, round.instant, facts) ? { why: 'handed-on', by: owner } : undefined;
}

function isMadeUpFor({ item, owner = '', misfired }: ItemView, instant: number, facts: ItemFacts): boolean {
  const { view, present, dropped, mayBeMadeUpFor, isBehind } = facts;
  if (mayBeMadeUpFor(view, item, instant)) return true;
  // With `misfire` off too, a firing that comes during a takeover is not dropped, and what is dropped is reported.
  if (present.has(owner) && isBehind(owner) && !dropped.has(item)) return true;
  return view.config?.misfire === true && misfired;
}

/** Whether the item has to be run for the round's firing, if its instance gets to that. */
function isDue({ item, disabled, owner }: ItemView, { view, round: { instant } }: Facts): boolean {
  return instant !== undefined && !disabled && owner !== undefined && !wasBegun(view, item, instant);
}

/** Whether a firing that came while its instance was busy is made up for (manual, `misfire`). */
function followsARun({ owner }: ItemView, { view }: Facts): boolean {
  // A firing that comes during a takeover is never dropped.
  return view.config?.misfire !== false || view.items.some(({ takenOverBy }) => takenOverBy === owner);
}

/** Whether the item's last run that is on record was for that instant, or a manual one if there is no instant. */
function wasBegunFor({ lastBegun, manuallyBegun }: JobView, item: number, instant: number | undefined): boolean {
  return instant === undefined ? manuallyBegun.has(item) : lastBegun.get(item) === instant && !manuallyBegun.has(item);
}

function reportsByItem(view: JobView): ReadonlyMap<number, readonly Report[]> {
  const reports = new Map<number, Report[]>();
  for (const [instance, rounds] of view.guarantee.arrivals) {
    if (isGone(view, instance)) continue;
    for (const [key, record] of rounds) {
      for (const state of ['started', 'completed'] as const) {
        for (const item of record[state]) {
          const known = reports.get(item);
          if (known === undefined) reports.set(item, [{ key, state, instance }]);
          else known.push({ key, state, instance });
        }
      }
    }
  }
  return reports;
}
