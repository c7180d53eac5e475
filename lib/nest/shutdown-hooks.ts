import { type JobLogger } from '../api/text/logger.js';
import { type Session } from '../registry/registry-center.js';
import { type Clock } from '../time/clock.js';

/**
 * How long after the boot shutdown hooks may still be enabled, in milliseconds. An application context can enable them
 * only after it has booted, and `main.ts` may do so after `listen()`.
 */
const GRACE_MS = 3_000;

/**
 * Warns of a process that SIGTERM ends at once, a few seconds after the boot. Nest does not say whether an application
 * has enabled its shutdown hooks, and for which signals; but with a hook for SIGTERM the process has a listener for
 * SIGTERM, as it has if it closes the application itself.
 * @param session says how long the items of the process will rest
 * @returns a function that cancels the check
 */
export function checkShutdownHooks(clock: Clock, session: Pick<Session, 'timeoutMs'>, logger: JobLogger): () => void {
  return clock.after(GRACE_MS, () => {
    if (process.listenerCount('SIGTERM') > 0) return;
    logger.warn(
      'This application has no shutdown hook for SIGTERM, which therefore ends the process at once, as at each deployment and restart: ' +
        `its items rest until its session with the registry centre ends, ${session.timeoutMs / 1_000} s later. Call ` +
        `app.enableShutdownHooks() without arguments, or with 'SIGTERM' among them.`,
    );
  });
}
