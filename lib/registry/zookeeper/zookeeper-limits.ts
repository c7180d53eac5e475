import { type CommitLimits } from '../registry-center.js';
import { LARGEST_REQUEST_BYTES } from './client/request-errors.js';

/** Kept free in the largest request, for the header and the end mark of a transaction (17 bytes). */
const HEADROOM_BYTES = 1_024;

/** What the largest kind of operation, a creation with the access rule `world:anyone`, takes besides path and value. */
const OPERATION_OVERHEAD_BYTES = 48;

/** A server carries out a transaction in one piece; all its clients wait meanwhile. */
const MOST_OPERATIONS = 10_000;

/**
 * How much one commit may hold at a server with the default `jute.maxbuffer`.
 * @param root the server's path of the namespace, such as `/orders`, which precedes each path of an operation
 */
export function zookeeperLimits(root: string): CommitLimits {
  return {
    operations: MOST_OPERATIONS,
    bytes: LARGEST_REQUEST_BYTES - HEADROOM_BYTES,
    overheadBytes: OPERATION_OVERHEAD_BYTES + Buffer.byteLength(root),
  };
}
