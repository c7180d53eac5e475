/**
 * The public API of `nestjs-elasticjob/registry`: the registry centres, and the port that each of them implements.
 * Anything that is not exported here may change with any version.
 */
export {
  type CommitLimits,
  type Lineage,
  type Lifetime,
  type Mirror,
  type MirroredNode,
  type MirrorOptions,
  type Operation,
  type RegistryCenter,
  type Session,
  type SessionState,
} from '../registry/registry-center.js';
export {
  type EtcdReport,
  type OtherReport,
  type PostgresqlReport,
  type ServerReport,
} from '../api/servers/server-report.js';
export { operationBytes } from '../registry/commit-limits.js';
export {
  type EmbeddedFaults,
  EmbeddedRegistryCenter,
  type EmbeddedRegistryCenterOptions,
} from '../registry/embedded/embedded-registry-center.js';
export { EmbeddedRegistryServer } from '../registry/embedded/embedded-registry-server.js';
export { EtcdRegistryCenter, type EtcdRegistryCenterOptions } from '../registry/etcd/etcd-registry-center.js';
export { type EtcdConfiguration } from '../registry/etcd/etcd-configuration.js';
export {
  PostgresqlRegistryCenter,
  type PostgresqlRegistryCenterOptions,
} from '../registry/postgresql/postgresql-registry-center.js';
export { type PostgresqlConfiguration } from '../registry/postgresql/postgresql-configuration.js';
export { ZookeeperRegistryCenter } from '../registry/zookeeper/zookeeper-registry-center.js';
export { type ZookeeperConfiguration } from '../registry/zookeeper/zookeeper-configuration.js';
