import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { type ContractServer, registryCenterContract } from '../../../lib/testing/index.js';
import { newName, openPostgresql, type ProxiedPostgresql } from '../support/postgresql-centres.js';
import { serverOf } from '../support/servers.js';

const WAYS = { 'with notifications': true, 'by polling, as behind a pooler': false };

for (const [way, notify] of Object.entries(WAYS))
  registryCenterContract(`the registry centre on PostgreSQL ${way}`, () => Promise.resolve(contractServer(notify)), {
    canNarrow: false,
  });

function contractServer(notify: boolean): ContractServer {
  const server = serverOf('postgres');
  const namespace = newName();
  const opened = new Map<RegistryCenter, ProxiedPostgresql>();
  const proxied = (centre: RegistryCenter): ProxiedPostgresql => opened.get(centre)!;
  return {
    async open({ sessionTimeoutMilliseconds = 10_000 } = {}) {
      const each = await openPostgresql(server, { namespace, notify, sessionTimeoutMilliseconds });
      opened.set(each.centre, each);
      return each.centre;
    },
    expire: (centre) => proxied(centre).expire(),
    disconnect: (centre) => {
      proxied(centre).proxy.refuse();
      proxied(centre).proxy.cut();
      return Promise.resolve();
    },
    reconnect: (centre) => Promise.resolve(proxied(centre).proxy.heal()),
    contenders: async (centre, path) => (await centre.children(path)).length,
    async close() {
      await Promise.all([...opened.values()].map((each) => each.close()));
    },
  };
}
