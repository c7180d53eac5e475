/** Reading many nodes with few requests. */
import { Limiter } from '../../../async/limiter.js';
import { pathsInWords } from '../../node-paths.js';
import { type MirroredNode } from '../../registry-center.js';
import { type Namespace } from '../namespace.js';
import { toRevision } from '../mirror/subtree-copy.js';
import { type ZooKeeperRequests } from '../transport.js';
import { type CallContext, perform } from '../zookeeper-call.js';

/** Dependencies of bulk reads. */
export interface BulkReadContext extends CallContext {
  readonly namespace: Namespace;
}

/** Most nodes of one request. */
const NODES_PER_REQUEST = 1000;

/** Most requests that one bulk read has under way: other requests of this session pass between them. */
const REQUESTS_AT_ONCE = 4;

/** For each path, in order, the node or `undefined` if there is none. */
export function readInChunks(
  context: BulkReadContext,
  paths: readonly string[],
): Promise<readonly (MirroredNode | undefined)[]> {
  return inChunks(context, { operation: 'read', paths }, async (transport, serverPaths) => {
    const nodes = await transport.multiRead(serverPaths);
    return nodes.map((node) => {
      if (node === undefined) return undefined;
      const { data, stat } = node;
      const { version, ephemeralOwner: session } = stat;
      return { value: data.toString(), version, revision: toRevision(stat.mzxid), session };
    });
  });
}

/** For each path, in order, the names of its children; none for nodes that do not exist. */
export function listInChunks(
  context: BulkReadContext,
  paths: readonly string[],
): Promise<readonly (readonly string[])[]> {
  return inChunks(context, { operation: 'list the children of', paths }, async (transport, serverPaths) => {
    const lists = await transport.multiList(serverPaths);
    return lists.map((names) => names ?? []);
  });
}

async function inChunks<T>(
  context: BulkReadContext,
  { operation, paths }: { readonly operation: string; readonly paths: readonly string[] },
  ask: (transport: ZooKeeperRequests, serverPaths: readonly string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const limiter = new Limiter(REQUESTS_AT_ONCE);
  const starts = Array.from({ length: Math.ceil(paths.length / NODES_PER_REQUEST) }, (_, n) => n * NODES_PER_REQUEST);
  const answers = await Promise.all(
    starts.map((start) => {
      const chunk = paths.slice(start, start + NODES_PER_REQUEST);
      const serverPaths = chunk.map((path) => context.namespace.at(path));
      return limiter.run(() =>
        perform(context, { operation, path: pathsInWords(chunk) }, (call) =>
          call.read(async ({ transport }) => {
            const [, found] = await Promise.all([
              transport.sync(context.namespace.at('/')),
              ask(transport, serverPaths),
            ]);
            return found;
          }),
        ),
      );
    }),
  );
  return answers.flat();
}
