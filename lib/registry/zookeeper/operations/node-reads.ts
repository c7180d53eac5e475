import { type RegistryOutcomeUnknownError } from '../../../api/errors/errors.js';
import { type MirroredNode } from '../../registry-center.js';
import { type Namespace } from '../namespace.js';
import { type ReadNode, toRevision } from '../mirror/subtree-copy.js';
import { type Stat, type ZooKeeperRequests } from '../transport.js';
import { type Call } from '../zookeeper-call.js';
import { isAnswer } from '../zookeeper-failures.js';

/** Reads a node after the connected server has caught up with the leader; `undefined` if there is none. */
export async function readSynced(transport: ZooKeeperRequests, serverPath: string): Promise<ReadNode | undefined> {
  try {
    const [, node] = await Promise.all([transport.sync(serverPath), transport.getData(serverPath)]);
    return node;
  } catch (error) {
    if (isAnswer(error, 'NO_NODE')) return undefined;
    throw error;
  }
}

/**
 * Reads the node of a write whose answer was lost.
 * @throws `unknown` if it cannot be read: the outcome stays unknown
 */
export async function reread(
  call: Call,
  namespace: Namespace,
  unknown: RegistryOutcomeUnknownError,
): Promise<ReadNode | undefined> {
  const path = namespace.at(call.path);
  try {
    return await call.read(({ transport }) => readSynced(transport, path));
  } catch {
    throw unknown;
  }
}

/** A node as a mirror shows it after this registry centre has written it. */
export function mirrored(value: string, stat: Stat): MirroredNode {
  return { value, version: stat.version, revision: toRevision(stat.mzxid), session: stat.ephemeralOwner };
}
