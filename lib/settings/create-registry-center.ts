import { type JobLogger } from '../api/logger.js';
import { EmbeddedRegistryCenter } from '../registry/embedded/embedded-registry-center.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { ZookeeperRegistryCenter } from '../registry/zookeeper/zookeeper-registry-center.js';
import { type RegCenterSettings } from './reg-center-settings.js';

/**
 * The registry centre that the settings describe; not connected yet. Without `serverLists` it is an embedded one.
 * `logger` must not throw.
 */
export function createRegistryCenter(
  { serverLists, namespace, ...rest }: RegCenterSettings,
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
