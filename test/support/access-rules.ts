import { int, record, text, vector } from '../../lib/registry/zookeeper/client/wire/jute.js';
import { statRecord } from '../../lib/registry/zookeeper/client/wire/messages.js';
import { Session } from '../../lib/registry/zookeeper/client/session.js';
import { systemClock } from '../../lib/time/clock.js';
import { until } from './until.js';

/** The permissions of a node: bits of ZooKeeper. */
export const READ = 1;
export const CREATE = 4;
export const ALL = 31;

const accessRule = record({ permissions: int, scheme: text, id: text });
const setAcl = {
  verb: 'set the access rules of',
  opcode: 7,
  question: record({ path: text, acl: vector(accessRule), version: int }),
  answer: record({ stat: statRecord }),
};

/** Sets the access rules of nodes, as the holder of a digest. */
export class AccessGuard {
  readonly #session: Session;

  private constructor(session: Session) {
    this.#session = session;
  }

  /** @param server `host:port` */
  static async connect(server: string, digest: string): Promise<AccessGuard> {
    const [host = '', port = ''] = server.split(':');
    const connection = { chroot: '', sessionTimeoutMs: 6_000, connectionTimeoutMs: 5_000, digest };
    const nothing = (): void => undefined;
    const session = new Session(
      { servers: [{ host, port: Number(port) }], ...connection },
      { clock: systemClock },
      { onState: nothing, onFault: nothing, onWatch: nothing },
    );
    session.connect();
    await until(() => session.state.phase === 'connected');
    return new AccessGuard(session);
  }

  /** Lets everyone read a node, or do more, besides its owner. @param path with the namespace */
  async open(path: string, permissions: number): Promise<void> {
    const acl = [
      { permissions: ALL, scheme: 'auth', id: '' },
      { permissions, scheme: 'world', id: 'anyone' },
    ];
    await this.#session.request(setAcl, { path, acl, version: -1 }, path);
  }

  async close(): Promise<void> {
    await this.#session.close();
  }
}
