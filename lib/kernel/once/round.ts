import { type JobView } from '../../layout/job-view.js';
import { type GuaranteeStage } from '../../layout/job-paths.js';

/** A meeting of a firing's items: before they start, or when they have completed. */
export interface Meeting {
  readonly stage: GuaranteeStage;
  /** Key of the round. */
  readonly round: string;
  /** The firing's scheduled instant, in milliseconds since 1970; `undefined` for one by hand. */
  readonly instant: number | undefined;
}

/** Which firing it is. */
export interface MeetingFiring {
  /** The scheduled instant in milliseconds since 1970; `undefined` for one by hand. */
  readonly instant: number | undefined;
  /** Whether it makes up for a part of a firing that others have begun. */
  readonly isPartial: boolean;
}

/** Who comes to a meeting, and what is to be called there. */
export interface Coming {
  readonly stage: Meeting['stage'];
  /** Type of the listener. */
  readonly type: string;
  readonly firing: MeetingFiring;
  readonly items: readonly number[];
  /** Milliseconds; 0 or less: no limit of the listener's own. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** `forgotten`: the call is that of an earlier firing, which nobody has made. */
  readonly make: (signal: AbortSignal, forgotten?: Meeting) => void | Promise<void>;
}

/** Whether the call of the round was begun by anybody, or would come too late. */
export function wasCalled(
  { guarantee: { started, completed } }: JobView,
  stage: GuaranteeStage,
  round: string,
): boolean {
  return completed.called.includes(round) || (stage === 'started' && started.called.includes(round));
}
