import { type OwnRegistryServer, type RegistryKind, type RegistryServer } from '../../registries/registry-kind.js';
import { openPostgresql } from './postgresql-centres.js';
import { DatabaseServer, type ServerAddress, serverOf } from './servers.js';

/** PostgreSQL: the server of the whole test run, or servers of the tests' own. */
export const postgresql: RegistryKind = {
  name: 'PostgreSQL',
  shared: () => serverAt(() => serverOf('postgres')),
  async start() {
    return own(await DatabaseServer.start('postgres'));
  },
};

function serverAt(known: () => ServerAddress): RegistryServer {
  return {
    regCenter: ({ address = `127.0.0.1:${known().port}`, ...choices }) => ({
      url: `postgres://postgres@${address}/postgres`,
      ...choices,
    }),
    openProxied: ({ address: _, ...choices }) => openPostgresql(known(), choices),
  };
}

function own(server: DatabaseServer): OwnRegistryServer {
  const address = `127.0.0.1:${server.port}`;
  return {
    ...serverAt(() => server.address),
    address,
    logged: {
      absent: `PostgreSQL cannot be reached: ECONNREFUSED ${address}.`,
      connected: `PostgreSQL at ${address} is connected, after `,
    },
    stop: () => server.end('SIGINT'),
    async restart() {
      await server.end('SIGINT');
      await server.start();
    },
    backUp: () => server.backUp(),
    loseData: (instead) => server.loseData(instead),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
