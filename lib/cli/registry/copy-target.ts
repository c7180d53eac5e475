import { resolvePostgresqlConfiguration } from '../../registry/postgresql/postgresql-configuration.js';
import { hasTables } from '../../registry/postgresql/schema/provided-tables.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type RegCenterSettings } from '../../settings/reg-center-settings.js';
import { type Invocation } from '../invocation.js';

/** The registry centre that jobs are copied to. */
export interface CopyTarget {
  readonly to: RegistryCenter;
  /** True if it has no tables, and so no jobs, in a dry run: `to` is not connected, as that would create the tables. */
  readonly isBlank: boolean;
}

/**
 * Connects to the registry centre that jobs are copied to. A dry run creates no tables in a PostgreSQL.
 * @throws CommandError, RegistryCredentialsError as `openRegistry`
 * @throws InvalidConfigurationError if the URL or the schema cannot be used
 */
export async function openTarget(
  invocation: Invocation,
  settings: RegCenterSettings,
  { dryRun }: { readonly dryRun: boolean },
): Promise<CopyTarget> {
  if (dryRun && (await isBlank(settings, invocation.options.timeout)))
    return { to: invocation.unconnected(settings), isBlank: true };
  return { to: await invocation.registryAt(settings), isBlank: false };
}

async function isBlank({ url, schema, namespace = '' }: RegCenterSettings, timeoutMs: number): Promise<boolean> {
  if (url === undefined) return false;
  const { hosts } = resolvePostgresqlConfiguration({ url, namespace, ...(schema !== undefined && { schema }) });
  for (const host of hosts) {
    // One after the other: each of them, standbys too, knows whether there are tables.
    const found = await hasTables(host.url, timeoutMs, schema).catch(() => undefined);
    if (found !== undefined) return !found;
  }
  // Connecting fails in the same way, and names the reason.
  return false;
}
