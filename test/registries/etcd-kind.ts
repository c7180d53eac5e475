import { afterAll, beforeAll } from '@jest/globals';
import { openProxiedEtcd } from '../support/etcd-centres.js';
import { EtcdServer } from '../support/etcd-server.js';
import { type OwnRegistryServer, type RegistryKind, type RegistryServer } from './registry-kind.js';

/** etcd: servers of one member. */
export const etcd: RegistryKind = {
  name: 'etcd',
  shared() {
    let server: EtcdServer | undefined;
    beforeAll(async () => void (server = await EtcdServer.start()));
    afterAll(() => server?.dispose());
    return serverAt(() => {
      if (!server) throw new Error('The shared etcd is known from the first test on, not while tests are declared');
      return server.address;
    });
  },
  async start() {
    return own(await EtcdServer.start());
  },
};

function serverAt(known: () => string): RegistryServer {
  return {
    regCenter: ({ address, ...choices }) => ({ endpoints: `http://${address ?? known()}`, ...choices }),
    openProxied: ({ address, ...choices }) => openProxiedEtcd(address ?? known(), choices),
  };
}

function own(server: EtcdServer): OwnRegistryServer {
  return {
    ...serverAt(() => server.address),
    address: server.address,
    logged: {
      absent: `etcd cannot be used: ECONNREFUSED ${server.address}`,
      connected: `etcd at ${server.address} is connected, after `,
    },
    stop: () => server.stop(),
    restart: () => server.restart(),
    backUp: () => server.backUp(),
    loseData: (instead) => server.loseData(instead),
    [Symbol.asyncDispose]: () => server.dispose(),
  };
}
