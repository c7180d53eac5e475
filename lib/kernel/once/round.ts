import { type GuaranteeStage } from '../../layout/job-paths.js';
import { isGone, type JobView } from '../../layout/job-view.js';
import { type CallView } from '../../layout/x-node/arrival-record.js';

/** One of the two barriers of a firing for one listener: before its items start, or when they have completed. */
export interface BarrierRound {
  readonly stage: GuaranteeStage;
  /** Names the firing and the listener, the same on all instances; see `roundKey`. */
  readonly key: string;
  /** The firing's scheduled instant, in milliseconds since 1970; `undefined` for a manual one. */
  readonly instant: number | undefined;
}

/** The firing that items belong to. */
export interface RoundFiring {
  /** The scheduled instant in milliseconds since 1970; `undefined` for a manual firing. */
  readonly instant: number | undefined;
  /** True if this run completes a part of a firing that other instances have begun. */
  readonly isPartial: boolean;
}

/** True if an instance has claimed the callback of the round, or the callback would come too late. */
export function isClaimed({ guarantee: { started, completed } }: JobView, { stage, key }: BarrierRound): boolean {
  return completed.called.includes(key) || (stage === 'started' && started.called.includes(key));
}

/** The callback of that stage that another living instance than `me` makes now; there is only one at a time. */
export function callOfOthers(view: JobView, stage: GuaranteeStage, me: string): CallView | undefined {
  const { call } = view.guarantee[stage];
  return call === undefined || call.instance === me || isGone(view, call.instance) ? undefined : call;
}

/** True if two rounds belong to the same firing, maybe of different listeners. */
export function isSameFiring(key: string, other: string): boolean {
  return firingOf(key) === firingOf(other);
}

/**
 * True if the round with that key is of a firing that an instance ends before it begins the firing of `round`: one with
 * an earlier instant, or a manual one. No firing counts as earlier than a manual one, so that no two firings wait for
 * each other.
 */
export function isEarlier(key: string, { instant }: BarrierRound): boolean {
  if (instant === undefined) return false;
  const other = Number(firingOf(key));
  return Number.isNaN(other) || other < instant;
}

/** True if the round with that key is of a later scheduled firing than `round`, which is of a scheduled one, too. */
export function isLater(key: string, { instant }: BarrierRound): boolean {
  return instant !== undefined && Number(firingOf(key)) > instant;
}

function firingOf(key: string): string {
  return key.slice(0, key.indexOf('/'));
}
