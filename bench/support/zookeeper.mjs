// A real ZooKeeper for one run, started as the tests start theirs, but with the stock tick, so that it syncs and
// expires as in production.
import '../../.config/typescript.mjs';
import { zooKeeperEnvironment } from '../../.config/zookeeper.mjs';

Object.assign(process.env, zooKeeperEnvironment());
const { ZooKeeperServer } = await import('../../test/support/zookeeper-server.ts');

/** Starts a server; `dispose()` ends it. */
export function startZooKeeper() {
  return ZooKeeperServer.start({ heapMb: 1024, configuration: ['tickTime=2000'] });
}

/** The server's count of packets so far: `sent` includes answers and events, `received` is requests, pings included. */
export async function packetsOf(server) {
  const text = await server.ask('mntr');
  const count = (name) => Number(new RegExp(`zk_packets_${name}\\s+(\\d+)`).exec(text)?.[1]);
  return { sent: count('sent'), received: count('received') };
}
