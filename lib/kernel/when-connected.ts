import { type Session } from '../registry/registry-center.js';

/** Resolves as soon as the session is connected; rejects with the signal's reason when it is aborted. */
export function whenConnected(session: Session, signal: AbortSignal): Promise<void> {
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
