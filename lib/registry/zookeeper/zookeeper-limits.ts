import { type CommitLimits } from '../registry-center.js';
import { LARGEST_REQUEST_BYTES } from './client/request-errors.js';

/** Left free in the largest request. The header and the end mark of a transaction take 17 bytes of it. */
const HEADROOM_BYTES = 1_024;

/** Bytes of a creation with the access rule `world:anyone` besides path and value; other operations take less. */
const OPERATION_OVERHEAD_BYTES = 48;

/** Bounded because a server carries out a transaction in one piece, and all its clients wait meanwhile. */
const MOST_OPERATIONS = 10_000;

/**
 * Limits of one commit at a server with the default `jute.maxbuffer`.
 * @param root the server's path of the namespace, such as `/orders`, which precedes each path of an operation
 */
export function zookeeperLimits(root: string): CommitLimits {
  const bytes = LARGEST_REQUEST_BYTES - HEADROOM_BYTES;
  return {
    operations: MOST_OPERATIONS,
    bytes,
    // A value has no limit of its own beside that of the request that carries it.
    valueBytes: bytes,
    overheadBytes: OPERATION_OVERHEAD_BYTES + Buffer.byteLength(root),
  };
}
