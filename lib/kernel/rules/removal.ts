/**
 * What vanishes although nothing in the job says why. Somebody removes it then, and often the whole job node by node:
 * the children of a node first, and again as long as there are any. Whoever does that would never come to an end if
 * instances made at once what they miss; so they wait until their own node is gone, too, or nothing else happens.
 */
import { hasJavaPeers, type JobView } from '../../layout/job-view.js';
import { assignmentBasis } from '../view/assignment.js';
import { type Leading, type PlanInput } from './plan-input.js';

/** Whether something has vanished that this instance would make again. */
export function isLosingNodes(input: PlanInput): boolean {
  return lacksOwnNodes(input) || wasLeaderRemoved(input) || wereItemsRemoved(input);
}

/** Whether one of the nodes beside `instances/{id}` is missing by which this instance takes part. */
export function lacksOwnNodes({ now, me, myIp }: PlanInput): boolean {
  return !now.servers.has(myIp) || !now.live.has(me) || !now.beginRecords.has(me);
}

/**
 * Whether there is no leader although the last one is still there. Java leaders are left out: they may be reconnecting.
 */
export function wasLeaderRemoved({ now, local: { formerLeader } }: PlanInput): boolean {
  return now.leader === undefined && formerLeader !== undefined && !now.javaPeers.has(formerLeader.id);
}

/**
 * Whether items, or their owners, are missing although nothing has changed since this instance assigned them. Owners
 * alone may also have been removed by a Java instance that believes to lead; that is put right at once.
 */
export function wereItemsRemoved({ now, me, local: { assignedFor } }: PlanInput): boolean {
  if (now.leader !== me || now.reshardingNeeded || assignedFor?.basis !== assignmentBasis(now)) return false;
  const total = now.config?.shardingTotalCount ?? 0;
  const items = now.items.filter(({ item }) => item < total);
  return items.length < total || (!hasJavaPeers(now) && items.some(({ owner }) => owner === undefined));
}

/** Who led last, unless something explains that it leads no more: its session has ended, or its server was disabled. */
export function leadingOf(now: JobView, session: string | undefined, former: Leading | undefined): Leading | undefined {
  if (now.leader !== undefined) return { id: now.leader, session };
  const instance = now.instances.get(former?.id ?? '');
  if (instance === undefined || instance.session !== former?.session) return undefined;
  return now.servers.get(instance.serverIp) === 'DISABLED' ? undefined : former;
}
