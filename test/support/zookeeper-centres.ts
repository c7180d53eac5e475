import { type Clock, systemClock } from '../../lib/time/clock.js';
import { type JobLogger } from '../../lib/api/text/logger.js';
import { ZooKeeperClient } from '../../lib/registry/zookeeper/client/zookeeper-client.js';
import { type ZookeeperConfiguration } from '../../lib/registry/zookeeper/zookeeper-configuration.js';
import { ZookeeperRegistryCenter } from '../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { endSession } from './session-end.js';
import { TcpProxy } from './tcp-proxy.js';
import { until } from './until.js';

/** Retries that end soon: an operation gives up after about 150 ms. */
const IMPATIENT = { baseSleepTimeMilliseconds: 20, maxSleepTimeMilliseconds: 50, maxRetries: 3 };

/** A registry centre behind a proxy of its own, and what a test may do to it. */
export interface ProxiedCentre {
  readonly centre: ZookeeperRegistryCenter;
  readonly proxy: TcpProxy;
  /** The client of the present session. */
  readonly client: () => ZooKeeperClient;
  /** Ends the session at the server behind the centre's back; resolves when its nodes are gone. */
  expire(): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How a centre is opened; the namespace is `test` unless it is given, and the clock that of this machine. */
export type CentreOptions = Partial<ZookeeperConfiguration> & { readonly logger?: JobLogger; readonly clock?: Clock };

/** Opens a centre through a proxy to `server` (`host:port`) and waits until it is connected. */
export async function openProxied(server: string, options: CentreOptions = {}): Promise<ProxiedCentre> {
  const proxied = await proxiedCentre(server, options);
  proxied.centre.connect();
  await untilConnected(proxied.centre);
  return proxied;
}

/** As `openProxied`, but does not connect. */
export async function proxiedCentre(
  server: string,
  { logger, clock = systemClock, ...options }: CentreOptions = {},
): Promise<ProxiedCentre> {
  const proxy = await TcpProxy.start(server);
  let client: ZooKeeperClient | undefined;
  const centre = new ZookeeperRegistryCenter(
    { ...IMPATIENT, namespace: 'test', sessionTimeoutMilliseconds: 20_000, ...options, serverLists: proxy.address },
    {
      ...(logger && { logger }),
      clock,
      transport: (connection) => (client = new ZooKeeperClient(connection, { clock })),
    },
  );
  const close = async (): Promise<void> => {
    await centre.close();
    await proxy.close();
  };
  return {
    centre,
    proxy,
    client: () => client!,
    expire: () => endSession(server, proxy.session),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Waits until a centre is connected. A server that just starts may leave a first attempt unanswered for 15 s. */
export async function untilConnected(centre: ZookeeperRegistryCenter): Promise<void> {
  await until(() => centre.session.state.phase === 'connected', 'the centre is connected');
}
