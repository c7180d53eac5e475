import { type JobLogger } from '../../api/text/logger.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { whenConnected } from '../../registry/session-state.js';
import { createRegistryCenter } from '../../settings/create-registry-center.js';
import { registryType } from '../../settings/registry-kind.js';
import { type RegCenterSettings } from '../../settings/reg-center-settings.js';
import { type Clock } from '../../time/clock.js';
import { CommandError, EXIT } from '../exit-codes.js';

/** A short session costs nothing, as a command has no ephemeral nodes, and it shows an outage soon. */
const SESSION_MS = 10_000;

/** The other registry centres have no such settings. */
const ZOOKEEPER_RETRIES = { baseSleepTimeMilliseconds: 200, maxSleepTimeMilliseconds: 1_000, maxRetries: 3 } as const;

/** Options of connecting a command. */
export interface OpeningOptions {
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** The most milliseconds that connecting may take. */
  readonly timeoutMs: number;
  /** Makes the registry centre. Default: the one that the settings name. */
  readonly open?: ((settings: RegCenterSettings, logger: JobLogger) => RegistryCenter) | undefined;
}

/**
 * Connects to the registry centre.
 * @throws CommandError if it cannot be reached before the deadline, naming each server and its problem
 * @throws RegistryCredentialsError if it refuses the credentials
 */
export async function openRegistry(
  settings: RegCenterSettings,
  { clock, logger, timeoutMs, open = createRegistryCenter }: OpeningOptions,
): Promise<RegistryCenter> {
  const registry = open({ ...settings, ...shortTimeouts(settings, timeoutMs) }, logger);
  const { session } = registry;
  const waiting = new AbortController();
  const giveUp = (): void => {
    const { state, reason = state.phase === 'closed' ? state.reason : 'no server has answered' } = session;
    const message = `No connection to ${registry.description} within ${seconds(timeoutMs)}: ${reason}. ${CURE}`;
    waiting.abort(new CommandError(EXIT.unreachable, message));
  };
  const cancel = clock.after(timeoutMs, giveUp);
  const unsubscribe = session.onChange((state) => {
    if (state.phase === 'closed') waiting.abort(state.refusal ?? new CommandError(EXIT.unreachable, state.reason));
  });
  try {
    registry.connect();
    await whenConnected(session, waiting.signal);
    return registry;
  } catch (error) {
    await registry.close();
    throw error;
  } finally {
    cancel();
    unsubscribe();
  }
}

const CURE = 'Is that the place that --registry, the environment or the file mean, and does the server run there?';

/** Short timeouts for a person who waits; those of applications are longer. */
function shortTimeouts(settings: RegCenterSettings, timeoutMs: number): Partial<RegCenterSettings> {
  const { connectionTimeoutMilliseconds: asked = 0 } = settings;
  // Half of the time, so that a server that does not answer leaves time to try another one.
  const connectionMs = Math.max(100, Math.min(Math.floor(timeoutMs / 2), asked > 0 ? asked : timeoutMs));
  return {
    connectionTimeoutMilliseconds: connectionMs,
    sessionTimeoutMilliseconds: SESSION_MS,
    ...(registryType(settings) === 'ZOOKEEPER' && ZOOKEEPER_RETRIES),
  };
}

/** A duration for people: `10 s`, `0.5 s`. */
export function seconds(ms: number): string {
  return `${ms / 1_000} s`;
}
