import { describe } from '@jest/globals';
import { etcd } from './etcd-kind.js';
import { manyItems } from './many-items.suite.js';

// test/zookeeper/kernel/many-items.spec.ts has more items, on ZooKeeper.
describe('On etcd', () => {
  manyItems(etcd, [1_000]);
});
