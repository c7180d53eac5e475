import { type JobLogger } from '../../lib/api/text/logger.js';
import { type EtcdConfiguration } from '../../lib/registry/etcd/etcd-configuration.js';
import { EtcdRegistryCenter } from '../../lib/registry/etcd/etcd-registry-center.js';
import { callEtcd } from './etcd-server.js';
import { TcpProxy } from './tcp-proxy.js';
import { until } from './until.js';

/** A registry centre behind a proxy of its own, and what a test may do to it. */
export interface ProxiedEtcdCentre {
  readonly centre: EtcdRegistryCenter;
  readonly proxy: TcpProxy;
  /** Ends the session at the server behind the centre's back; resolves when its nodes are gone. */
  expire(): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How a centre is opened; the namespace is `test` unless it is given. */
export type EtcdCentreOptions = Partial<EtcdConfiguration> & { readonly logger?: JobLogger };

/** Opens a centre through a proxy to a server (`host:port`) and waits until it is connected. */
export async function openProxiedEtcd(
  server: string,
  { logger, ...options }: EtcdCentreOptions = {},
): Promise<ProxiedEtcdCentre> {
  const proxy = await TcpProxy.start(server, 'other');
  const centre = new EtcdRegistryCenter(
    { namespace: 'test', sessionTimeoutMilliseconds: 4_000, ...options, endpoints: `http://${proxy.address}` },
    { ...(logger && { logger }) },
  );
  centre.connect();
  await untilConnected(centre);
  const close = async (): Promise<void> => {
    await centre.close();
    await proxy.close();
  };
  return {
    centre,
    proxy,
    expire: () => endLease(server, centre),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Ends the lease of a centre's session at the server (`host:port`). */
async function endLease(server: string, { session: { state } }: EtcdRegistryCenter): Promise<void> {
  if (!('id' in state)) throw new Error(`There is no session: ${JSON.stringify(state)}`);
  await callEtcd(server, 'lease/revoke', { ID: BigInt(`0x${state.id}`).toString() });
}

/** Waits until a centre is connected. */
export async function untilConnected(centre: EtcdRegistryCenter): Promise<void> {
  await until(() => centre.session.state.phase === 'connected', 'the centre is connected', 20_000);
}
