import { describe } from '@jest/globals';
import { etcd } from './etcd-kind.js';
import { health, JOB, NAMESPACE } from './health.suite.js';
import { zookeeper } from './zookeeper-kind.js';

describe('On ZooKeeper', () => {
  health(zookeeper, [JOB, NAMESPACE]);
});

describe('On etcd', () => {
  health(etcd);
});
