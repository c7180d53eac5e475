import { afterAll, beforeAll } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ZooKeeperServer } from './zookeeper-server.js';

/** A ZooKeeper that tests share because they leave it running. */
export interface SharedZooKeeper {
  /** `host:port`, or several. Known from the first test on. */
  readonly servers: string;
  /** A namespace that no other test uses; another one on each call. */
  namespace(): string;
}

/**
 * The ZooKeeper of the whole test run, named by `ZOOKEEPER_SERVERS`; if that is not set, one server is started for the
 * test file that calls this. To be called once, at the top of the file.
 */
export function sharedZooKeeper(): SharedZooKeeper {
  let own: ZooKeeperServer | undefined;
  let servers = process.env['ZOOKEEPER_SERVERS'];
  if (!servers) {
    beforeAll(async () => {
      own = await ZooKeeperServer.start();
      servers = own.address;
    });
    afterAll(() => own?.dispose());
  }
  return {
    get servers() {
      if (!servers)
        throw new Error('The shared ZooKeeper is known from the first test on, not while tests are declared');
      return servers;
    },
    namespace: () => `test-${randomUUID()}`,
  };
}
