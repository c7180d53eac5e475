import { type AbortSource } from '../async/abort.js';
import { type Session, type SessionState } from './registry-center.js';

/**
 * Id of the session in which our nodes live: that of a connected session, or of a suspended one, which may live on.
 * `undefined` while there is no such session: before the first one, and once it is lost or closed.
 */
export function liveSessionId(state: SessionState): string | undefined {
  return state.phase === 'connected' || state.phase === 'suspended' ? state.id : undefined;
}

/** Reason for which a registry centre answers nothing before `connect()`. */
export const NOT_ASKED_TO_CONNECT = 'connect() of this registry centre was not called';

/**
 * Resolves as soon as the session is connected, at once if it is.
 * @throws the reason of `signal` when it is aborted first, or was already
 */
export function whenConnected(session: Session, signal: AbortSource): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    if (session.state.phase === 'connected') return resolve();
    const end = (): void => {
      unsubscribe();
      signal.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => {
      end();
      reject(signal.reason as Error);
    };
    const unsubscribe = session.onChange(({ phase }) => {
      if (phase !== 'connected') return;
      end();
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
