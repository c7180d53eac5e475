import { isGone, type JobView } from '../../layout/job-view.js';
import { type ArrivalRecord, parseRoundKey, type Round } from '../../layout/x-node/arrival-record.js';
import { type MissingItem, missingItems } from './missing-items.js';
import { type BarrierRound, isEarlier, isSameFiring } from './round.js';

/**
 * The rounds of earlier firings whose last callback was not begun. They delay the callbacks of a later round, or are
 * due before them.
 */
export interface EarlierRounds {
  /** A round whose items still run. */
  readonly goingOn: BarrierRound | undefined;
  /** A round in which an instance still waits for its items to start, so that its first callback is still to come. */
  readonly starting: BarrierRound | undefined;
  /** Rounds at which no item will arrive any more, the earliest first: their callbacks are due. */
  readonly abandoned: readonly BarrierRound[];
  /** Such rounds too, but another instance may wait there, and make the callback. */
  readonly awaited: readonly BarrierRound[];
}

/** Finds the rounds before `round`, in which `me` does not wait any more. */
export function earlierRounds(view: JobView, round: BarrierRound, me: string): EarlierRounds {
  const open = openRoundsBefore(view, round).map((each) => ({ each, missing: missingIn(view, each) }));
  const isOver = ({ each, missing }: (typeof open)[number]): boolean =>
    // An overdue item that comes now comes to a later firing.
    view.guarantee.started.called.includes(each.key) && missing.every(({ why }) => why === 'overdue');
  const isStarting = ({ each }: (typeof open)[number]): boolean => mayCallFirst(view, each, me);
  const over = open.filter(isOver).map(({ each }) => each);
  return {
    goingOn: open.find(({ missing }) => missing.some(({ why }) => GOING_ON.has(why)))?.each,
    starting: open.find(isStarting)?.each,
    abandoned: over.filter((each) => !mayBeAwaited(view, each, me)),
    awaited: over.filter((each) => mayBeAwaited(view, each, me)),
  };
}

/** Reasons for which items are missing in a firing that is going on. */
const GOING_ON: ReadonlySet<MissingItem['why']> = new Set(['running', 'busy', 'ending', 'runner-unknown']);

function missingIn(view: JobView, round: BarrierRound): readonly MissingItem[] {
  // No instance makes up any more for firings that the item has missed before a later one.
  return missingItems(view, round, {
    mayBeMadeUpFor: () => false,
    isRead: () => true,
    hasArrivedByTakeover: () => false,
  });
}

/**
 * Open rounds before `round`: those whose first callback is over, in that order, then those whose items have just
 * arrived.
 */
function openRoundsBefore({ guarantee }: JobView, round: BarrierRound): readonly BarrierRound[] {
  const present = parseRoundKey(round.key);
  const { started, completed, arrivals } = guarantee;
  const arrived = [...arrivals.values()].flatMap((rounds) => [...rounds.keys()]);
  return [...new Set([...started.called, ...arrived])].flatMap((key) => {
    const open = parseRoundKey(key);
    if (open === undefined || open.type !== present?.type || completed.called.includes(key)) return [];
    if (!isEarlier(key, round) && !isEarlierManual(open.firing, present.firing)) return [];
    return [{ stage: 'completed', key, instant: 'instant' in open.firing ? open.firing.instant : undefined }];
  });
}

function isEarlierManual(one: Round['firing'], other: Round['firing']): boolean {
  return 'manual' in one && 'manual' in other && one.manual < other.manual;
}

/**
 * True if another living instance waits before its items start. A manual firing may be long in coming, so no round
 * waits for it.
 */
function mayCallFirst(view: JobView, { key, instant }: BarrierRound, me: string): boolean {
  const { started, arrivals } = view.guarantee;
  if (instant === undefined || started.called.includes(key)) return false;
  return [...arrivals].some(([id, rounds]) => id !== me && !isGone(view, id) && hasStarted(rounds.get(key)));
}

const hasStarted = (record: ArrivalRecord | undefined): boolean => record !== undefined && record.started.size > 0;

/** True if another living instance has arrived at the round, and at none after it, so that it may be waiting there. */
function mayBeAwaited(view: JobView, { key }: BarrierRound, me: string): boolean {
  return [...view.guarantee.arrivals].some(([id, rounds]) => {
    const [latest, record] = [...rounds].at(-1) ?? [];
    return (
      id !== me && !isGone(view, id) && latest !== undefined && isSameFiring(latest, key) && record?.isLeft !== true
    );
  });
}
