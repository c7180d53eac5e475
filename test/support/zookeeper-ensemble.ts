import { freePort } from './free-port.js';
import { until } from './until.js';
import { ZooKeeperServer } from './zookeeper-server.js';

/** Three ZooKeeper servers on loopback that elect a leader among them. */
export class ZooKeeperEnsemble {
  private constructor(readonly servers: readonly ZooKeeperServer[]) {}

  /** Starts three servers and waits until all of them serve. */
  static async start(): Promise<ZooKeeperEnsemble> {
    const ports = await distinctPorts(9);
    const members = [1, 2, 3].map((id) => `server.${id}=127.0.0.1:${ports[id + 2]}:${ports[id + 5]}`);
    const configuration = ['initLimit=25', 'syncLimit=10', ...members];
    const ensemble = new ZooKeeperEnsemble(
      await Promise.all(
        [1, 2, 3].map((id) => ZooKeeperServer.launch({ id, port: Number(ports[id - 1]), configuration })),
      ),
    );
    await Promise.all(ensemble.servers.map((server) => server.ready()));
    return ensemble;
  }

  /** `host:port,host:port,host:port`. */
  get address(): string {
    return this.servers.map((server) => server.address).join(',');
  }

  /** The present leader; waits for one. */
  async leader(): Promise<ZooKeeperServer> {
    return this.#serverInMode('leader');
  }

  /** One of the present followers; waits for one. */
  async follower(): Promise<ZooKeeperServer> {
    return this.#serverInMode('follower');
  }

  async #serverInMode(mode: string): Promise<ZooKeeperServer> {
    let found: ZooKeeperServer | undefined;
    const look = async (): Promise<boolean> => {
      const running = this.servers.filter((server) => server.isRunning);
      const modes = await Promise.all(running.map((server) => server.mode()));
      found = running[modes.indexOf(mode)];
      return found !== undefined;
    };
    await until(look, `the ensemble has a ${mode}`);
    return found!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map((server) => server.dispose()));
  }
}

async function distinctPorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
