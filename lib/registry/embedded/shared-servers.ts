import { type Clock } from '../../time/clock.js';
import { EmbeddedRegistryServer } from './embedded-registry-server.js';

interface SharedServer {
  readonly server: EmbeddedRegistryServer;
  users: number;
}

/** The servers that centres of this process share; the only state of the embedded registry outside of objects. */
const servers = new Map<string, SharedServer>();

/**
 * The server that all centres of this process with the same namespace share. The first call makes it; it is closed,
 * with all its nodes, when each caller has called its `release` once.
 * @param clock used if the server is new
 */
export function shareServer(
  namespace: string,
  clock: Clock,
): { readonly server: EmbeddedRegistryServer; readonly release: () => void } {
  const shared = servers.get(namespace) ?? { server: new EmbeddedRegistryServer({ clock }), users: 0 };
  servers.set(namespace, shared);
  shared.users++;
  return {
    server: shared.server,
    release: () => {
      if (--shared.users > 0) return;
      servers.delete(namespace);
      shared.server.close();
    },
  };
}
