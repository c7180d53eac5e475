import { type JobLogger } from '../api/text/logger.js';
import { EmbeddedRegistryCenter } from '../registry/embedded/embedded-registry-center.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { ZookeeperRegistryCenter } from '../registry/zookeeper/zookeeper-registry-center.js';
import { type ModuleSettings } from './module-settings.js';
import { type RegCenterSettings } from './reg-center-settings.js';

/** True if jobs are coordinated inside this process only: there is no registry centre outside, or one is embedded. */
export function isAlone(
  { registryCenter }: Pick<ModuleSettings, 'registryCenter'>,
  { serverLists }: RegCenterSettings,
): boolean {
  if (registryCenter !== undefined) return registryCenter instanceof EmbeddedRegistryCenter;
  return serverLists === undefined;
}

/**
 * The registry centre that the settings describe; not connected yet. Without `serverLists` it is an embedded one.
 * `logger` must not throw.
 */
export function createRegistryCenter(
  { serverLists, namespace, required: _, ...rest }: RegCenterSettings,
  logger: JobLogger,
): RegistryCenter {
  if (serverLists === undefined) {
    const { sessionTimeoutMilliseconds: timeout = 0 } = rest;
    return new EmbeddedRegistryCenter({
      ...(namespace !== undefined && { namespace }),
      ...(timeout > 0 && { sessionTimeoutMilliseconds: timeout }),
    });
  }
  return new ZookeeperRegistryCenter({ serverLists, namespace: namespace ?? '', ...rest }, { logger });
}
