import { describe } from '@jest/globals';
import { etcd } from './etcd-kind.js';
import { ItemCluster } from './item-cluster.js';
import { itemStories } from './item-stories.suite.js';

// test/zookeeper/kernel/own-share.spec.ts tells them on ZooKeeper, after instances have narrowed their watches.
describe('On etcd', () => {
  const server = etcd.shared();
  itemStories(() => ItemCluster.start(server));
});
