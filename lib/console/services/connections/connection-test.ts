/** Tries connections to registry centres. */
import { InvalidConfigurationError } from '../../../api/errors/errors.js';
import { whenConnected } from '../../../registry/session-state.js';
import { type RegistryCenter } from '../../../registry/registry-center.js';
import { type Clock } from '../../../time/clock.js';
import { type ConnectionTest } from '../../contract/registries.js';
import { failedTest } from './connection-failures.js';

const TEST_MS = 5_000;

/** Connects, sends one request, and closes the connection. */
export async function testRegistry(open: () => Promise<RegistryCenter>, clock: Clock): Promise<ConnectionTest> {
  const began = clock.monotonic();
  const waiting = new AbortController();
  let registry: RegistryCenter | undefined;
  const cancel = clock.after(TEST_MS, () => waiting.abort(new Error(registry?.session.reason ?? 'time out')));
  try {
    registry = await open();
    const { session } = registry;
    session.onChange((state) => {
      if (state.phase === 'closed') waiting.abort(state.refusal ?? new Error(state.reason));
    });
    registry.connect();
    await whenConnected(session, waiting.signal);
    await registry.children('/');
    return { isOk: true, latencyMs: Math.round(clock.monotonic() - began) };
  } catch (error) {
    if (error instanceof InvalidConfigurationError) throw error;
    return failedTest(error);
  } finally {
    cancel();
    await registry?.close();
  }
}
