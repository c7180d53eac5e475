import { type KeyValue } from './client/messages.js';
import { type MirroredNode } from '../registry-center.js';

/** A node; its value is always known. */
export interface StoredNode extends MirroredNode {
  readonly value: string;
}

/** The node that a key and its value stand for. */
export function nodeOf({ value, version, modRevision, lease }: KeyValue): StoredNode {
  return {
    value: value.toString(),
    // etcd counts from 1.
    version: Number(version) - 1,
    revision: Number(modRevision),
    session: lease === '0' ? undefined : sessionIdOf(lease),
  };
}

/** The id of the session that a lease is; etcd's tools show leases like this, too. */
export function sessionIdOf(lease: string): string {
  return BigInt(lease).toString(16).padStart(16, '0');
}

/** The lease of a session. */
export function leaseOf(session: string): string {
  return BigInt(`0x${session}`).toString();
}
