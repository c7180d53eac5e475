// The registry centres of a benchmark's children, by the settings that they are handed: `registry` is the kind, and
// `address` the server's. The other settings are a user's, and have their defaults.
import {
  EmbeddedRegistryCenter,
  EtcdRegistryCenter,
  PostgresqlRegistryCenter,
  ZookeeperRegistryCenter,
} from 'nestjs-elasticjob/registry';

const MAKERS = {
  embedded: (_, settings) => new EmbeddedRegistryCenter({ namespace: settings.namespace }),
  ZooKeeper: (serverLists, settings) => new ZookeeperRegistryCenter({ serverLists, ...settings }),
  PostgreSQL: (url, settings) => new PostgresqlRegistryCenter({ url, ...settings }),
  etcd: (endpoints, settings) => new EtcdRegistryCenter({ endpoints, ...settings }),
};

/** A registry centre that connects. `sessionMs` is the session timeout; by default it is the library's. */
export function openRegistryCenter({ registry, address, namespace, sessionMs }) {
  const timeout = sessionMs === undefined ? {} : { sessionTimeoutMilliseconds: sessionMs };
  const registryCenter = MAKERS[registry](address, { namespace, ...timeout });
  registryCenter.connect();
  return registryCenter;
}

/** Resolves once the session is connected. */
export function connected({ session }) {
  return new Promise((resolve) => {
    const look = ({ phase }) => phase === 'connected' && resolve();
    session.onChange(look);
    look(session.state);
  });
}
