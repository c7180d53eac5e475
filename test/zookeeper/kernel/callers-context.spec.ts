import { runsSeeNoCaller } from '../../support/callers-context.contract.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';

const zookeeper = sharedZooKeeper();

runsSeeNoCaller('on ZooKeeper', () => ({ serverLists: zookeeper.servers, namespace: zookeeper.namespace() }));
