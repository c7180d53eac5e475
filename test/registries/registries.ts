import { etcd } from './etcd-kind.js';
import { type RegistryKind } from './registry-kind.js';
import { zookeeper } from './zookeeper-kind.js';

/** The kinds of registry centres on which `npm test` runs the suites; `npm run test:databases` adds PostgreSQL. */
export const REGISTRIES: readonly RegistryKind[] = [zookeeper, etcd];
