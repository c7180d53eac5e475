/** Finds the items that a barrier still waits for: pure functions of a view. */
import { availableInstances, awaitsTakeover, isGone, type ItemView, type JobView } from '../../layout/job-view.js';
import { isRunKey } from '../../layout/x-node/run-key.js';
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
   * - `overdue`: its owner lives and has not begun the item, although it is free, or although it is busy with `misfire`
   *   off and has not reported that it drops the firing
   * - `runner-unknown`: it is marked as running, and it is not known by which instance, or for which firing
   * - `unread`: only records that have not been read show whether its next owner makes up for this firing
   * - `crashed`: its instance died in the middle of it; an instance has to take it over before it arrives
   * - `moved-to-next-owner`: its instance left or died before it began; its next owner makes up for this firing when it
   *   is free
   */
  readonly why:
    'running' | 'ending' | 'busy' | 'overdue' | 'runner-unknown' | 'unread' | 'crashed' | 'moved-to-next-owner';
  /** Id of the instance it depends on, if that is known. */
  readonly by: string | undefined;
}

/**
 * Returns true if the item's owner may make up for that scheduled instant (milliseconds since 1970), which the item has
 * missed. The owner decides by its own clock, so in doubt the answer is yes.
 */
export type MayBeMadeUpFor = (view: JobView, item: number, instant: number) => boolean;

/** Facts that `missingItems` cannot see in a view. */
export interface MissingItemsOptions {
  readonly mayBeMadeUpFor: MayBeMadeUpFor;
  /** Returns true if the records of all instances have been read since the item has its present owner. */
  readonly isRead: (item: ItemView) => boolean;
  /**
   * Returns true if an instance has arrived only with items that it took over, so that its own firing is still to come.
   */
  readonly hasArrivedByTakeover: (instance: string) => boolean;
}

/** Report of an item by a living instance. */
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
  readonly arrivedHere: ReadonlySet<string>;
  /** Instances with items that they run for an earlier firing. */
  readonly runningEarlierFiring: ReadonlySet<string>;
  /** Instances whose items have arrived at an earlier firing that still goes on; some may have left it. */
  readonly inEarlierRound: ReadonlySet<string>;
  /**
   * Instances in an earlier firing that cannot end before this barrier has been passed. An instance takes over items of
   * that firing, and items of this or a later firing, in one run, and waits at the barrier of the latter.
   */
  readonly blockedByThisRound: ReadonlySet<string>;
  /** Instances that drop the round's firing, because they were busy when it came, and `misfire` is off. */
  readonly skippingThisFiring: ReadonlySet<string>;
  /** The items that these instances had at that time. */
  readonly skippedItems: ReadonlySet<number>;
  /** Instances whose items have arrived at a later firing; for a manual round, at any other firing. */
  readonly pastThisRound: ReadonlySet<string>;
}

/** The facts about one item. */
interface ItemFacts extends Facts {
  readonly reports: readonly Report[];
  /** Its run, if the instance died in the middle of it, and no instance has reported that yet. */
  readonly dead: DeadRun | undefined;
}

type Verdict = Omit<MissingItem, 'item'> | undefined;

/**
 * The items that the barrier lacks. The list leaves out items that have arrived, and items that cannot arrive:
 * disabled, without an owner, or begun for a later firing.
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
): Omit<Facts, keyof MissingItemsOptions | 'view' | 'round'> {
  const { arrivals, dropped, started, completed } = view.guarantee;
  const living = [...arrivals].filter(([id]) => !isGone(view, id));
  const runningEarlierFiring = new Set<string>();
  const goingOn = new Set<string>();
  const heldRounds = new Set<string>();
  for (const { call } of [started, completed]) if (call && !isGone(view, call.instance)) goingOn.add(call.key);
  const isAtStart = ([key, { started: begun }]: readonly [string, ArrivalRecord]): boolean =>
    begun.size > 0 && (key === round.key || isLater(key, round));
  for (const [id, rounds] of living)
    for (const [key, record] of rounds)
      if (record.started.size > 0 && isEarlier(key, round)) {
        runningEarlierFiring.add(id);
        goingOn.add(key);
        if ([...rounds].some(isAtStart)) heldRounds.add(key);
      }
  const isHeld = ([key, record]: readonly [string, ArrivalRecord]): boolean =>
    heldRounds.has(key) && record.isLeft !== true;
  // Firings do not wait for manual ones, so a manual firing does not wait for an instance in another firing, either.
  const isAhead = (key: string): boolean =>
    round.instant === undefined ? !isSameFiring(key, round.key) : isLater(key, round);
  const takesPart = (key: string): boolean => isEarlier(key, round) && goingOn.has(key);
  return {
    available: new Set(availableInstances(view).map(({ jobInstanceId }) => jobInstanceId)),
    arrivedHere: new Set(living.flatMap(([id, rounds]) => (rounds.has(round.key) ? [id] : []))),
    runningEarlierFiring,
    inEarlierRound: new Set(living.flatMap(([id, rounds]) => ([...rounds.keys()].some(takesPart) ? [id] : []))),
    blockedByThisRound: new Set(living.flatMap(([id, rounds]) => ([...rounds].some(isHeld) ? [id] : []))),
    skippingThisFiring: new Set(
      [...dropped].flatMap(([id, firings]) => (firings.has(round.instant ?? NaN) ? [id] : [])),
    ),
    skippedItems: droppedItems(view, round.instant),
    pastThisRound: new Set(living.flatMap(([id, rounds]) => ([...rounds.keys()].some(isAhead) ? [id] : []))),
  };
}

function whyMissing(item: ItemView, facts: ItemFacts): Verdict {
  const { view, round, reports } = facts;
  const here = reports.filter(({ key }) => isSameFiring(key, round.key));
  if (here.some(({ key, state }) => key === round.key && (round.stage === 'started' || state === 'completed')))
    return undefined;
  if (hasArrivedFromJava(item, view, round.stage) || hasMovedOn(item, facts)) return undefined;
  const [report] = here;
  if (round.stage === 'completed' && report !== undefined) return verdictWhenReported(item, report, view);
  if (facts.dead !== undefined || awaitsTakeover(view, item.item)) return verdictWhenCrashed(item, facts);
  const other = reports.find(({ key, state }) => state === 'started' && !isSameFiring(key, round.key));
  if (other !== undefined) return verdictWhenBusy(item, other.instance, facts);
  return item.running ? verdictWhenRunning(item, facts) : verdictWhenIdle(item, facts);
}

function hasMovedOn({ item, running, runningOn }: ItemView, { view, round, reports, dead }: ItemFacts): boolean {
  const { instant } = round;
  if (instant === undefined) return false;
  if (reports.some(({ key }) => isLater(key, round))) return true;
  if ((view.lastBegun.get(item) ?? -Infinity) <= instant) return false;
  // A re-added item counts as begun for the instants at which it was not in the assignment, although its run may still
  // go on, or may have to be taken over.
  const isCrashed = dead !== undefined || awaitsTakeover(view, item);
  if (isCrashed && (diedIn(view, item, runningOn) ?? Infinity) <= instant) return false;
  return !(running && reports.some(({ key, instance }) => key === round.key && (runningOn ?? instance) === instance));
}

/** The instant of the item's run that has died with its instance; also if the item already waits to be taken over. */
function diedIn(
  { beginRecords, crashedItems, crashReports }: JobView,
  item: number,
  runningOn = '',
): number | undefined {
  if (awaitsTakeover({ crashedItems }, item)) return crashReports.get(item)?.instant;
  const record = beginRecords.get(runningOn);
  return (record?.keyed.has(item) === true ? record.keys : record?.instants)?.get(item);
}

/** The item has started in this firing, at this listener's barrier or another's. */
function verdictWhenReported({ running }: ItemView, { instance }: Report, { config }: JobView): Verdict {
  // Without marks, only the instance itself knows that a run has ended.
  const hasEnded = config?.monitorExecution !== false && !running;
  return { why: hasEnded ? 'ending' : 'running', by: instance };
}

/**
 * Before items start, no instance waits for a crashed item: all instances that might take it over are waiting
 * themselves.
 */
function verdictWhenCrashed(item: ItemView, facts: ItemFacts): Verdict {
  const { view, round, dead } = facts;
  const isToBeTakenOver = failsOver(view) && dead?.isToBeTakenOver !== false;
  if (round.stage === 'started' || !isToBeTakenOver) return undefined;
  // A re-added item counts as begun for the instants at which it was not in the assignment, even if it died in an
  // earlier run.
  const isDead = round.instant !== undefined && (diedIn(view, item.item, item.runningOn) ?? Infinity) <= round.instant;
  if (isDead || wasBegunFor(view, item.item, round.instant)) return { why: 'crashed', by: undefined };
  if ([...view.beginRecords.values()].includes(undefined)) return { why: 'runner-unknown', by: undefined };
  // It crashed in an earlier firing, which ends before this one. That also holds if the item was disabled meanwhile: it
  // is taken over.
  return isDue({ ...item, disabled: false }, facts) ? { why: 'crashed', by: undefined } : undefined;
}

function verdictWhenRunning(item: ItemView, facts: ItemFacts): Verdict {
  const { view, round } = facts;
  const runner = item.runningOn ?? item.takenOverBy ?? item.owner;
  if (!keepsRecords(view, runner))
    return { why: round.stage === 'completed' ? 'running' : 'runner-unknown', by: runner };
  const isKnown = item.runningOn !== undefined && view.beginRecords.get(item.runningOn) !== undefined;
  if (isKnown && !wasBegunFor(view, item.item, round.instant)) return verdictWhenBusy(item, item.runningOn, facts);
  return { why: 'runner-unknown', by: runner };
}

/** Instance `by` runs an earlier firing, of this item or of others. */
function verdictWhenBusy(item: ItemView, by: string, facts: ItemFacts): Verdict {
  const { round, arrivedHere, blockedByThisRound } = facts;
  if (!isDue(item, facts)) return undefined;
  // The item cannot begin before this barrier has been passed: the instance that runs it now, or is to run it next,
  // waits at this barrier, or for an instance that does.
  const cannotBegin = [by, item.owner ?? ''].some((id) => arrivedHere.has(id) || blockedByThisRound.has(id));
  if (round.stage === 'started' && cannotBegin) return undefined;
  return followsARun(item, facts) ? { why: 'busy', by } : verdictWhenDroppable(item, facts);
}

/** With `misfire` off, the item's instance drops the firing if it is still busy at the instant, and reports that. */
function verdictWhenDroppable(item: ItemView, facts: Facts): Verdict {
  const { round, available, arrivedHere, skippedItems, skippingThisFiring } = facts;
  const { owner } = item;
  if (owner === undefined || arrivedHere.has(owner) || skippedItems.has(item.item)) return undefined;
  if (skippingThisFiring.has(owner)) return verdictWhenOwnerIsPastRound(item, owner, facts);
  if (available.has(owner)) return { why: 'overdue', by: owner };
  // The owner is about to go and drops nothing any more; the next owner makes up for the firing.
  return round.stage === 'started' ? undefined : { why: 'busy', by: owner };
}

function verdictWhenIdle(item: ItemView, facts: ItemFacts): Verdict {
  const { view, round, available, arrivedHere, runningEarlierFiring, inEarlierRound } = facts;
  const { blockedByThisRound, skippedItems, skippingThisFiring, pastThisRound } = facts;
  const { owner } = item;
  if (item.disabled || owner === undefined) return undefined;
  // An instance that is gone, or has forgotten the run, has begun it for this instant. It does not run any more, so it
  // has ended.
  if (wasBegun(view, item.item, round.instant)) return undefined;
  if (!available.has(owner) || arrivedHere.has(owner)) return verdictWhenOwnerCannotBegin(item, owner, facts);
  if (skippedItems.has(item.item)) return undefined;
  if (skippingThisFiring.has(owner)) return verdictWhenOwnerIsPastRound(item, owner, facts);
  if (runningEarlierFiring.has(owner)) return verdictWhenBusy(item, owner, facts);
  if (pastThisRound.has(owner)) return verdictWhenOwnerIsPastRound(item, owner, facts);
  if (round.stage === 'started' && blockedByThisRound.has(owner)) return undefined;
  return { why: inEarlierRound.has(owner) && followsARun(item, facts) ? 'busy' : 'overdue', by: owner };
}

/**
 * The item's owner has been to a later firing, or had dropped this one before it got the item. It begins the item for
 * this firing only to make up for a firing that the item has missed in a handover.
 */
function verdictWhenOwnerIsPastRound(item: ItemView, owner: string, facts: Facts): Verdict {
  const { view, round, isRead, mayBeMadeUpFor, runningEarlierFiring, inEarlierRound, pastThisRound } = facts;
  // The owner may begin the item for this firing after all, but that is no reason to delay the others.
  if (round.stage === 'started') return undefined;
  if (round.instant === undefined) return { why: 'overdue', by: owner };
  if (view.config?.monitorExecution === true && !isRead(item)) return { why: 'unread', by: owner };
  if (!mayBeMadeUpFor(view, item.item, round.instant)) return undefined;
  const isInEarlier = !pastThisRound.has(owner) && (runningEarlierFiring.has(owner) || inEarlierRound.has(owner));
  return { why: isInEarlier ? 'busy' : 'overdue', by: owner };
}

/** The item cannot begin before this round is over: its owner is gone, or waits here without it. */
function verdictWhenOwnerCannotBegin(item: ItemView, owner: string, facts: ItemFacts): Verdict {
  const { view, round, isRead } = facts;
  if (round.stage === 'started' || round.instant === undefined || view.config?.monitorExecution !== true)
    return undefined;
  if (!isRead(item)) return { why: 'unread', by: owner };
  return isMadeUpFor(item, round.instant, facts) ? { why: 'moved-to-next-owner', by: owner } : undefined;
}

function isMadeUpFor({ item, owner = '', misfired }: ItemView, instant: number, facts: ItemFacts): boolean {
  const { view, arrivedHere, skippedItems, mayBeMadeUpFor, hasArrivedByTakeover } = facts;
  if (mayBeMadeUpFor(view, item, instant)) return true;
  // Even with `misfire` off, a firing that comes during a takeover is not dropped, and dropped items are reported.
  if (arrivedHere.has(owner) && hasArrivedByTakeover(owner) && !skippedItems.has(item)) return true;
  return view.config?.misfire === true && misfired;
}

/** True if the item has to be run for the round's firing, once its instance comes to that firing. */
function isDue({ item, disabled, owner }: ItemView, { view, round: { instant } }: Facts): boolean {
  return instant !== undefined && !disabled && owner !== undefined && !wasBegun(view, item, instant);
}

/** True if a firing that came while its instance was busy is made up for (manual, `misfire`). */
function followsARun({ owner }: ItemView, { view }: Facts): boolean {
  // A firing that comes during a takeover is never dropped.
  return view.config?.misfire !== false || view.items.some(({ takenOverBy }) => takenOverBy === owner);
}

/** True if the item's last run on record was for that instant, or, without an instant, a manual one. */
function wasBegunFor(
  { lastBegun, lastKeys, manuallyBegun }: JobView,
  item: number,
  instant: number | undefined,
): boolean {
  if (instant !== undefined && isRunKey(instant)) return lastKeys.get(item) === instant;
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
