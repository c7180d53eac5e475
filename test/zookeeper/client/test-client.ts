import {
  ZooKeeperClient,
  type ZooKeeperClientOptions,
} from '../../../lib/registry/zookeeper/client/zookeeper-client.js';
import {
  type TransportState,
  type WatchEvent,
  type ZooKeeperConnection,
} from '../../../lib/registry/zookeeper/transport.js';
import { systemClock } from '../../../lib/time/clock.js';
import { until } from '../../support/until.js';

/** Differences from a client of a session of 6 s with open access. */
export type TestClientOptions = Partial<ZooKeeperConnection> & Partial<ZooKeeperClientOptions>;

/** A client that records its states and events. */
export class TestClient extends ZooKeeperClient {
  readonly states: TransportState[] = [];
  readonly events: WatchEvent[] = [];

  /** `servers`: `host:port`, or several with commas. Not connected yet. */
  static of(servers: string, options: TestClientOptions = {}): TestClient {
    const connection: ZooKeeperConnection = {
      servers: servers.split(',').map((server) => {
        const colon = server.lastIndexOf(':');
        return { host: server.slice(0, colon), port: Number(server.slice(colon + 1)) };
      }),
      chroot: options.chroot ?? '',
      sessionTimeoutMs: options.sessionTimeoutMs ?? 6000,
      connectionTimeoutMs: options.connectionTimeoutMs ?? 5000,
      digest: options.digest,
    };
    const client = new TestClient(connection, { clock: systemClock, ...options });
    client.onState = (state) => client.states.push(state);
    client.onWatch = (event) => client.events.push(event);
    return client;
  }

  /** A connected client. */
  static async connect(servers: string, options: TestClientOptions = {}): Promise<TestClient> {
    const client = TestClient.of(servers, options);
    client.connect();
    await client.reached('connected');
    return client;
  }

  get phases(): readonly string[] {
    return this.states.map(({ phase }) => phase);
  }

  /** Waits until the client is in this phase. */
  async reached(phase: TransportState['phase']): Promise<void> {
    await until(() => this.state.phase === phase, `the client is ${phase}`);
  }

  /** Waits until it has been in this phase `times` times. */
  async passed(phase: TransportState['phase'], times: number): Promise<void> {
    const count = (): number => this.phases.filter((each) => each === phase).length;
    await until(() => count() >= times, `the client has been ${phase} ${times} times`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The error with which a promise rejects. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`Expected a rejection, got ${String(value)}`);
    },
    (error: unknown) => error,
  );
}
