import { type OtherReport } from '../api/servers/server-report.js';
import { type Clock } from '../time/clock.js';
import { type RegistryCenter } from './registry-center.js';

/**
 * The report of servers that have no checks of their own: how long one request takes.
 * @throws RegistryUnavailableError if the registry centre does not answer
 */
export async function latencyReport(registry: Pick<RegistryCenter, 'get'>, clock: Clock): Promise<OtherReport> {
  const began = clock.monotonic();
  await registry.get('/');
  return { kind: 'OTHER', latencyMs: Math.round(clock.monotonic() - began), unknown: [] };
}
