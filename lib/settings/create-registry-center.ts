import { type JobLogger } from '../api/text/logger.js';
import { EmbeddedRegistryCenter } from '../registry/embedded/embedded-registry-center.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { PostgresqlRegistryCenter } from '../registry/postgresql/postgresql-registry-center.js';
import { ZookeeperRegistryCenter } from '../registry/zookeeper/zookeeper-registry-center.js';
import { type ModuleSettings } from './module-settings.js';
import { type RegCenterSettings } from './reg-center-settings.js';
import { registryType } from './registry-kind.js';

/** True if jobs are coordinated inside this process only: there is no registry centre outside, or one is embedded. */
export function isAlone(
  { registryCenter }: Pick<ModuleSettings, 'registryCenter'>,
  regCenter: RegCenterSettings,
): boolean {
  if (registryCenter !== undefined) return registryCenter instanceof EmbeddedRegistryCenter;
  return registryType(regCenter) === undefined;
}

/**
 * The registry centre that the settings describe; not connected yet. Without `serverLists` and `url` it is an embedded
 * one. `logger` must not throw.
 */
export function createRegistryCenter(settings: RegCenterSettings, logger: JobLogger): RegistryCenter {
  const type = registryType(settings);
  switch (type) {
    case undefined:
      return embedded(settings);
    case 'ZOOKEEPER': {
      const { serverLists = '', namespace = '', required: _, ...rest } = settings;
      return new ZookeeperRegistryCenter({ ...without(rest, 'type'), serverLists, namespace }, { logger });
    }
    case 'POSTGRESQL': {
      const { url = '', namespace = '', required: _, ...rest } = settings;
      return new PostgresqlRegistryCenter({ ...without(rest, 'type'), url, namespace }, { logger });
    }
    default:
      return type satisfies never;
  }
}

/** The same object without what only the choice of the kind needs. */
function without<T extends object, Key extends keyof T>(settings: T, key: Key): Omit<T, Key> {
  const { [key]: _, ...rest } = settings;
  return rest;
}

function embedded({ namespace, sessionTimeoutMilliseconds: timeout = 0 }: RegCenterSettings): RegistryCenter {
  return new EmbeddedRegistryCenter({
    ...(namespace !== undefined && { namespace }),
    ...(timeout > 0 && { sessionTimeoutMilliseconds: timeout }),
  });
}
