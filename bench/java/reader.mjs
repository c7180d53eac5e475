// Looks at single nodes of the registry centre, with a session of its own and without watches.
import { systemClock } from '../../lib/time/clock.ts';
import { ZooKeeperClient } from '../../lib/registry/zookeeper/client/zookeeper-client.ts';
import { until } from '../../test/support/until.ts';

export class Reader {
  #client;

  static async open(server) {
    const reader = new Reader();
    reader.#client = new ZooKeeperClient(
      {
        servers: [{ host: '127.0.0.1', port: server.port }],
        chroot: '',
        digest: undefined,
        sessionTimeoutMs: 30_000,
        connectionTimeoutMs: 5_000,
      },
      { clock: systemClock },
    );
    reader.#client.connect();
    await until(() => reader.#client.state.phase === 'connected', 'the reader to be connected');
    return reader;
  }

  async holds(path) {
    return (await this.#client.exists(path)) !== undefined;
  }

  /** The node's text, if it is there. */
  async value(path) {
    if (!(await this.holds(path))) return undefined;
    // It may go between the two.
    return this.#client.getData(path).then(
      ({ data }) => data.toString(),
      () => undefined,
    );
  }

  children(path) {
    return this.#client.getChildren(path);
  }

  close() {
    return this.#client.close();
  }
}
