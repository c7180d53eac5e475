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
  const { type: _type, required: _required, url = '', schema, connections, notify, ...rest } = settings;
  const { serverLists = '', namespace = '', ...common } = rest;
  switch (registryType(settings)) {
    case undefined:
      return embedded(settings);
    case 'ZOOKEEPER':
      return new ZookeeperRegistryCenter({ serverLists, namespace, ...common }, { logger });
    case 'POSTGRESQL': {
      const { sessionTimeoutMilliseconds = 0, connectionTimeoutMilliseconds = 0 } = common;
      const timeouts = { sessionTimeoutMilliseconds, connectionTimeoutMilliseconds };
      const own = { ...(schema !== undefined && { schema }), ...(connections !== undefined && { connections }) };
      return new PostgresqlRegistryCenter(
        { url, namespace, ...timeouts, ...own, ...(notify !== undefined && { notify }) },
        { logger },
      );
    }
  }
}

function embedded({ namespace, sessionTimeoutMilliseconds: timeout = 0 }: RegCenterSettings): RegistryCenter {
  return new EmbeddedRegistryCenter({
    ...(namespace !== undefined && { namespace }),
    ...(timeout > 0 && { sessionTimeoutMilliseconds: timeout }),
  });
}
