import { type JobView } from '../../layout/job-view.js';
import { type GuaranteeStage } from '../../layout/job-paths.js';

/** A meeting of a firing's items: before they start, or when they have completed. */
export interface BarrierRound {
  readonly stage: GuaranteeStage;
  /** Key of the round. */
  readonly key: string;
  /** The firing's scheduled instant, in milliseconds since 1970; `undefined` for one by hand. */
  readonly instant: number | undefined;
}

/** Which firing it is. */
export interface RoundFiring {
  /** The scheduled instant in milliseconds since 1970; `undefined` for one by hand. */
  readonly instant: number | undefined;
  /** Whether it makes up for a part of a firing that others have begun. */
  readonly isPartial: boolean;
}

/** Who comes to a meeting, and what is to be called there. */
export interface BarrierArrival {
  readonly stage: BarrierRound['stage'];
  /** Type of the listener. */
  readonly type: string;
  readonly firing: RoundFiring;
  readonly items: readonly number[];
  /** Milliseconds; 0 or less: no limit of the listener's own. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** `abandoned`: the round of an earlier firing, to whose callback this call belongs. */
  readonly callback: (signal: AbortSignal, abandoned?: BarrierRound) => void | Promise<void>;
}

/** Whether the call of the round was begun by anybody, or would come too late. */
export function isClaimed({ guarantee: { started, completed } }: JobView, stage: GuaranteeStage, key: string): boolean {
  return completed.called.includes(key) || (stage === 'started' && started.called.includes(key));
}
