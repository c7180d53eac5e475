import { withoutSecrets } from '../../api/text/secrets.js';
import { type SessionState } from '../../registry/registry-center.js';
import { type JobState } from './job-state.js';
import { type Obstacle } from '../view/obstacles.js';

/** Health of a job on this instance, with the reason for every state but `active`. */
export type JobHealth =
  /** It takes part, and nothing keeps it from running. */
  | { readonly state: 'active' }
  /** It was not started. */
  | { readonly state: 'created'; readonly reason: string }
  /** It is not registered yet, for the first time. */
  | { readonly state: 'starting'; readonly reason: string }
  /** It takes part, but something does not run as wished: items without owner, a schedule that cannot be used. */
  | { readonly state: 'impaired'; readonly reason: string }
  /** It takes part, but nothing can run: unusable or deleted settings, no leader, items that cannot be assigned. */
  | { readonly state: 'blocked'; readonly reason: string }
  /** An operator, or the setting `disabled`, has disabled the job on this server. */
  | { readonly state: 'disabled'; readonly reason: string }
  /** The connection, or the session, is lost; it takes part again by itself. */
  | { readonly state: 'suspended'; readonly reason: string }
  /** This process is ending the job, or has ended it. */
  | { readonly state: 'stopping' | 'stopped'; readonly reason: string }
  /** An operator has ended the job on this instance. */
  | { readonly state: 'ended'; readonly reason: string }
  /** The job as a whole is gone from the registry centre. */
  | { readonly state: 'removed'; readonly reason: string }
  /** It could not be started. An application that boots nevertheless goes on trying. */
  | { readonly state: 'failed'; readonly reason: string };

/** The facts that determine the health of a job. */
export interface JobSituation {
  readonly state: JobState;
  readonly session: { readonly state: SessionState; readonly reason?: string | undefined };
  /** True if it begins nothing since the connection broke, although that may be back. */
  readonly isPaused: boolean;
  /** The obstacle that keeps the job from running although it takes part. */
  readonly obstacle: Obstacle | undefined;
  /** Cause of the latest failed attempt to register; `undefined` after a success. */
  readonly registrationFailure: string | undefined;
  /** Reason why it cannot be started, if that is a fault of this job alone. */
  readonly startFault: string | undefined;
}

/** The health of a job, with reasons without secrets. Pure: the same situation has always the same health. */
export function jobHealth(situation: JobSituation): JobHealth {
  const health = healthOf(situation);
  return health.state === 'active' ? health : { ...health, reason: withoutSecrets(health.reason) };
}

function healthOf(situation: JobSituation): JobHealth {
  const { state, session, obstacle } = situation;
  switch (state.phase) {
    case 'created':
      return { state: 'created', reason: 'it has not been started' };
    case 'starting':
      if (session.state.phase === 'connected' && situation.startFault !== undefined)
        return { state: 'failed', reason: situation.startFault };
      return { state: 'starting', reason: whyNotRegistered(situation) };
    case 'suspended':
      return { state: 'suspended', reason: whyNotRegistered(situation) };
    case 'active':
      // The session knows of a loss earlier than the job.
      if (session.state.phase !== 'connected') return { state: 'suspended', reason: whyNotRegistered(situation) };
      if (situation.isPaused) return { state: 'suspended', reason: RESUMING };
      return obstacle === undefined ? { state: 'active' } : { state: obstacle.effect, reason: obstacle.reason };
    case 'stopping':
      return { state: 'stopping', reason: state.why };
    case 'stopped':
      return { state: state.end.type, reason: state.end.why };
    default:
      return state satisfies never;
  }
}

const RESUMING =
  'the connection is back, and the job goes on as soon as it has ended what it was doing when that broke';

function whyNotRegistered({ session, registrationFailure }: JobSituation): string {
  const { phase } = session.state;
  if (phase !== 'connected')
    return `the registry centre cannot be used: ${session.reason ?? `its session is ${phase}`}`;
  return registrationFailure === undefined
    ? 'it is being registered'
    : `it could not be registered, and tries again: ${registrationFailure}`;
}

/**
 * True unless the job should run and cannot. A job that was not started, or that an operator or this process has
 * switched off, is ready.
 */
export function isReady({ state }: JobHealth): boolean {
  switch (state) {
    case 'active':
    case 'created':
    case 'impaired':
    case 'disabled':
    case 'ended':
    case 'stopping':
    case 'stopped':
      return true;
    case 'starting':
    case 'suspended':
    case 'blocked':
    case 'removed':
    case 'failed':
      return false;
    default:
      return state satisfies never;
  }
}
