export { type Deliver, type Delivery, deliverSoon } from './delivery.js';
export { type LostWrite, type MessageDirection } from './embedded-connection.js';
export { EmbeddedNamespace, type WatchedCommit } from './embedded-namespace.js';
export {
  type EmbeddedFaults,
  EmbeddedRegistryCenter,
  type EmbeddedRegistryCenterOptions,
} from './embedded-registry-center.js';
export { EmbeddedRegistryServer, type EmbeddedRegistryServerOptions } from './embedded-registry-server.js';
export { type NodeChange, type StoredNode } from './node-tree.js';
