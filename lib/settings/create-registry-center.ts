import { type JobLogger } from '../api/text/logger.js';
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { EmbeddedRegistryCenter } from '../registry/embedded/embedded-registry-center.js';
import { EtcdRegistryCenter } from '../registry/etcd/etcd-registry-center.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { PostgresqlRegistryCenter } from '../registry/postgresql/postgresql-registry-center.js';
import { ZookeeperRegistryCenter } from '../registry/zookeeper/zookeeper-registry-center.js';
import { type RegCenterSettings } from './reg-center-settings.js';
import { registryType } from './registry-kind.js';

/**
 * True if jobs are coordinated inside this process only: there is no registry centre outside, or one is embedded.
 * @param given the registry centre that code gives in place of the settings
 */
export function isAlone(given: RegistryCenter | undefined, settings: RegCenterSettings): boolean {
  return given === undefined ? registryType(settings) === undefined : given instanceof EmbeddedRegistryCenter;
}

/** The settings of a registry centre, with the TLS options of the `DataSource` that stands for its `url`. */
export interface ConnectedRegCenter extends RegCenterSettings {
  readonly ssl?: boolean | object;
}

/**
 * The registry centre that the settings describe; not connected yet. Without `serverLists`, `url` and `endpoints` it is
 * an embedded one. `logger` must not throw.
 * @throws InvalidConfigurationError if the settings name a `dataSource`, for which only an application has a connection
 */
export function createRegistryCenter(settings: ConnectedRegCenter, logger: JobLogger): RegistryCenter {
  const type = registryType(settings);
  switch (type) {
    case undefined:
      return embedded(settings);
    case 'ZOOKEEPER': {
      const { serverLists = '', namespace = '' } = settings;
      return new ZookeeperRegistryCenter({ ...ownSettings(settings), serverLists, namespace }, { logger });
    }
    case 'POSTGRESQL': {
      const { dataSource, url = '', namespace = '' } = settings;
      if (dataSource !== undefined)
        throw new InvalidConfigurationError([
          'regCenter.dataSource: means a DataSource of an application, which only the application itself has; give url here',
        ]);
      return new PostgresqlRegistryCenter({ ...ownSettings(settings), url, namespace }, { logger });
    }
    case 'ETCD': {
      const { endpoints = '', namespace = '' } = settings;
      return new EtcdRegistryCenter({ ...ownSettings(settings), endpoints, namespace }, { logger });
    }
    default:
      return type satisfies never;
  }
}

/** The settings of the registry centre itself, without those by which it is chosen. */
function ownSettings(settings: ConnectedRegCenter): Omit<ConnectedRegCenter, 'required' | 'type'> {
  const isOwn = ([key]: readonly [string, unknown]): boolean => key !== 'required' && key !== 'type';
  return Object.fromEntries(Object.entries(settings).filter(isOwn));
}

function embedded({ namespace, sessionTimeoutMilliseconds: timeout = 0 }: RegCenterSettings): RegistryCenter {
  return new EmbeddedRegistryCenter({
    ...(namespace !== undefined && { namespace }),
    ...(timeout > 0 && { sessionTimeoutMilliseconds: timeout }),
  });
}
