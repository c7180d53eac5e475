/**
 * Recognises nodes that were removed manually. An operator who deletes a job node by node, children first, would never
 * come to an end if instances recreated the nodes at once. So an instance waits 1 second before it recreates a node, or
 * stops when its own instance node is removed, too.
 */
import { hasJavaPeers, type JobView } from '../../layout/job-view.js';
import { assignmentBasis } from '../view/assignment.js';
import { type LeaderSighting, type PlanInput } from './plan-input.js';

/** True if a node has vanished that this instance would create again. */
export function isLosingNodes(input: PlanInput): boolean {
  return lacksOwnNodes(input) || wasLeaderRemoved(input) || wereItemsRemoved(input);
}

/** True if, beside `instances/{id}`, one of the nodes is missing by which this instance takes part. */
export function lacksOwnNodes({ now, me, myIp }: PlanInput): boolean {
  return !now.servers.has(myIp) || !now.live.has(me) || !now.beginRecords.has(me);
}

/**
 * True if there is no leader although the last one is still there. Java leaders are left out: they may be reconnecting.
 */
export function wasLeaderRemoved({ now, local: { lastKnownLeader } }: PlanInput): boolean {
  return now.leader === undefined && lastKnownLeader !== undefined && !now.javaPeers.has(lastKnownLeader.id);
}

/**
 * True if items, or their owners, are missing although nothing has changed since this instance assigned them. Beside
 * Java peers, missing owners do not count: a Java instance that still believes to lead may have removed them, and the
 * leader assigns such items at once.
 */
export function wereItemsRemoved({ now, me, local: { assignedFor } }: PlanInput): boolean {
  if (now.leader !== me || now.reshardingNeeded || assignedFor?.basis !== assignmentBasis(now)) return false;
  const total = now.config?.shardingTotalCount ?? 0;
  const items = now.items.filter(({ item }) => item < total);
  return items.length < total || (!hasJavaPeers(now) && items.some(({ owner }) => owner === undefined));
}

/** The last leader, unless its session has ended or its server was disabled, which explains that it leads no more. */
export function lastKnownLeaderOf(
  now: JobView,
  session: string | undefined,
  former: LeaderSighting | undefined,
): LeaderSighting | undefined {
  if (now.leader !== undefined) return { id: now.leader, session };
  const instance = now.instances.get(former?.id ?? '');
  if (instance === undefined || instance.session !== former?.session) return undefined;
  return now.servers.get(instance.serverIp) === 'DISABLED' ? undefined : former;
}
