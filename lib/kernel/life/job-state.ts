/** Phase of a job on this instance. */
export type JobPhase = JobState['phase'];

/** State of a job on this instance: its phase, and the facts that have a meaning only there. */
export type JobState =
  /** Not started. */
  | { readonly phase: 'created' }
  /** It registers as soon as the registry centre can be reached. */
  | { readonly phase: 'starting' }
  /** It takes part. */
  | { readonly phase: 'active' }
  /** The connection, or the session, is lost; it takes part again by itself. */
  | { readonly phase: 'suspended' }
  /** It waits for running items. */
  | { readonly phase: 'stopping'; readonly why: string }
  /** It takes part no more. */
  | { readonly phase: 'stopped'; readonly end: JobEnd };

/** Reason why a job takes part no more on this instance. `why`: a clause or sentences, for people. */
export type JobEnd =
  /** It could not be started. */
  | { readonly type: 'failed'; readonly why: string; readonly failure: Error }
  /** This process has ended it. */
  | { readonly type: 'stopped'; readonly why: string }
  /** An operator has removed this instance's node. */
  | { readonly type: 'ended'; readonly why: string }
  /** The job's nodes, or more, are gone from the registry centre. */
  | { readonly type: 'removed'; readonly why: string };

/** The phases that may follow each phase. */
const NEXT: Readonly<Record<JobPhase, readonly JobPhase[]>> = {
  created: ['starting', 'stopping', 'stopped'],
  starting: ['active', 'stopping', 'stopped'],
  active: ['suspended', 'stopping', 'stopped'],
  suspended: ['active', 'stopping', 'stopped'],
  stopping: ['stopped'],
  stopped: [],
};

/** The state after a change; the present one if `next` may not follow it, because something else was faster. */
export function nextState(state: JobState, next: JobState): JobState {
  return NEXT[state.phase].includes(next.phase) ? next : state;
}
