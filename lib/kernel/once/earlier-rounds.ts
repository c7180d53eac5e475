import { isGone, type JobView } from '../../layout/job-view.js';
import { type ArrivalRecord, parseRoundKey, type Round } from '../../layout/x-node/arrival-record.js';
import { type MissingItem, missingItems } from './missing-items.js';
import { type BarrierRound, isEarlier, isSameFiring } from './round.js';

/**
 * The rounds of earlier firings whose last callback was not begun, and what that means for the callbacks of a later
 * one.
 */
export interface EarlierRounds {
  /** One whose items still run. */
  readonly goingOn: BarrierRound | undefined;
  /** One in which an instance still waits for its items to start, so that its first callback is still to come. */
  readonly starting: BarrierRound | undefined;
  /** Those that no item will arrive at any more, the earliest first: their callbacks are due. */
  readonly abandoned: readonly BarrierRound[];
  /** Those as well, but another instance may wait there, and make the callback. */
  readonly awaited: readonly BarrierRound[];
}

/** Looks at the rounds before `round`, in which `me` does not wait any more. */
export function earlierRounds(view: JobView, round: BarrierRound, me: string): EarlierRounds {
  const open = openRoundsBefore(view, round).map((each) => ({ each, missing: missingIn(view, each) }));
  const isOver = ({ each, missing }: (typeof open)[number]): boolean =>
    // An item that comes late now comes to a later firing.
    view.guarantee.started.called.includes(each.key) && missing.every(({ why }) => why === 'late');
  const isStarting = ({ each }: (typeof open)[number]): boolean => mayCallFirst(view, each, me);
  const over = open.filter(isOver).map(({ each }) => each);
  return {
    goingOn: open.find(({ missing }) => missing.some(({ why }) => GOING_ON.has(why)))?.each,
    starting: open.find(isStarting)?.each,
    abandoned: over.filter((each) => !mayBeAwaited(view, each, me)),
    awaited: over.filter((each) => mayBeAwaited(view, each, me)),
  };
}

/** Why items are missing in a firing that is going on. */
const GOING_ON: ReadonlySet<MissingItem['why']> = new Set(['running', 'busy', 'ending', 'unaccounted']);

function missingIn(view: JobView, round: BarrierRound): readonly MissingItem[] {
  // What an item has missed before a later firing is not made up for any more.
  return missingItems(view, round, {
    mayBeMadeUpFor: () => false,
    isRead: () => true,
    isBehind: () => false,
  });
}

/** Those whose first callback is over, in the order of these, and those whose items have just arrived. */
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
 * Whether another living instance waits before its items start. A manual firing may be long in coming, and is not
 * awaited.
 */
function mayCallFirst(view: JobView, { key, instant }: BarrierRound, me: string): boolean {
  const { started, arrivals } = view.guarantee;
  if (instant === undefined || started.called.includes(key)) return false;
  return [...arrivals].some(([id, rounds]) => id !== me && !isGone(view, id) && hasStarted(rounds.get(key)));
}

const hasStarted = (record: ArrivalRecord | undefined): boolean => record !== undefined && record.started.size > 0;

/** Whether another living instance has arrived at the round, and at none after it, so that it may be waiting there. */
function mayBeAwaited(view: JobView, { key }: BarrierRound, me: string): boolean {
  return [...view.guarantee.arrivals].some(([id, rounds]) => {
    const [latest, record] = [...rounds].at(-1) ?? [];
    return (
      id !== me && !isGone(view, id) && latest !== undefined && isSameFiring(latest, key) && record?.isLeft !== true
    );
  });
}
