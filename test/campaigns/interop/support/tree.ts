import { ZooKeeperClient } from '../../../../lib/registry/zookeeper/client/zookeeper-client.js';
import { ZooKeeperError } from '../../../../lib/registry/zookeeper/transport.js';
import { systemClock } from '../../../../lib/time/clock.js';
import { until } from '../../../support/until.js';

/** A node of the registry centre as the server has it. */
export interface TreeNode {
  /** Below the namespace, which is not part of it. */
  readonly path: string;
  readonly value: string;
  /** Containers count as persistent. */
  readonly kind: 'persistent' | 'ephemeral';
}

/** Reads a namespace with a session of its own and without any of the product's ideas of what is in it. */
export class TreeReader implements AsyncDisposable {
  private constructor(
    private readonly client: ZooKeeperClient,
    private readonly namespace: string,
  ) {}

  static async open(servers: string, namespace: string): Promise<TreeReader> {
    const addresses = servers
      .split(',')
      .map((each) => ({ host: each.split(':')[0]!, port: Number(each.split(':')[1]) }));
    const timeouts = { sessionTimeoutMs: 10_000, connectionTimeoutMs: 5_000 };
    const client = new ZooKeeperClient(
      { servers: addresses, chroot: '', digest: undefined, ...timeouts },
      { clock: systemClock },
    );
    client.connect();
    await until(() => client.state.phase === 'connected', 'the reader of the tree to be connected');
    return new TreeReader(client, namespace);
  }

  /** All nodes below a path in the order of their paths, that of the path included; empty if there is none. */
  async read(path: string): Promise<readonly TreeNode[]> {
    await this.client.sync(`/${this.namespace}`);
    return (await this.#below(path)).sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  /** The value of a node; `undefined` if there is none. */
  async value(path: string): Promise<string | undefined> {
    return (await this.#node(path))?.value;
  }

  /** Creates a persistent node, whose parent is there, or sets its value. */
  async write(path: string, value: string): Promise<void> {
    const at = `/${this.namespace}${path}`;
    if ((await this.client.exists(at)) === undefined) await this.client.create(at, Buffer.from(value), 'persistent');
    else await this.client.setData(at, Buffer.from(value));
  }

  /** Creates a node, whose parent is there, that goes when the reader's session ends. */
  async register(path: string, value: string): Promise<void> {
    await this.client.create(`/${this.namespace}${path}`, Buffer.from(value), 'ephemeral');
  }

  /** Removes a node that has no children, if it is there. */
  async remove(path: string): Promise<void> {
    await this.client.delete(`/${this.namespace}${path}`).catch(ignoreAbsence);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }

  async #below(path: string): Promise<TreeNode[]> {
    const found = await this.#get(path);
    if (found === undefined) return [];
    const node = asNode(path, found);
    if (found.stat.numChildren === 0) return [node];
    const names = (await this.client.getChildren(`/${this.namespace}${path}`).catch(ignoreAbsence)) ?? [];
    const below = await Promise.all(names.map((name) => this.#below(`${path}/${name}`)));
    return [node, ...below.flat()];
  }

  async #node(path: string): Promise<TreeNode | undefined> {
    const found = await this.#get(path);
    return found && asNode(path, found);
  }

  async #get(path: string): Promise<Awaited<ReturnType<ZooKeeperClient['getData']>> | undefined> {
    return this.client.getData(`/${this.namespace}${path}`).catch(ignoreAbsence);
  }
}

function asNode(path: string, { data, stat }: Awaited<ReturnType<ZooKeeperClient['getData']>>): TreeNode {
  return { path, value: data.toString(), kind: stat.ephemeralOwner === undefined ? 'persistent' : 'ephemeral' };
}

/** Nodes that are read while others act may be gone from one request to the next. */
function ignoreAbsence(error: unknown): undefined {
  if (error instanceof ZooKeeperError && error.errorName === 'NO_NODE') return undefined;
  throw error;
}
