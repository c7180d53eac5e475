import { type NewOrders } from '../../graphs/graph-acts.js';
import { encodeOrders } from '../../layout/x-node/graph-orders.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type ReadJob } from '../job-reading.js';
import { type ChangeNotes } from '../operation-audit.js';
import { changeNodes } from './node-changes.js';

/** The orders of an act, and the jobs as they were read for it. */
export interface OrdersPlan<T> {
  readonly orders: NewOrders;
  readonly jobs: ReadonlyMap<string, ReadJob>;
  readonly result: T;
}

/** Writes the orders of an act in one commit; if others change them at the same moment, the act is planned again. */
export async function writeOrders<T>(
  registry: RegistryCenter,
  changes: ChangeNotes,
  plan: () => Promise<OrdersPlan<T>>,
): Promise<T> {
  const changed = await changeNodes(registry, changes, async () => {
    const { orders, jobs, result } = await plan();
    const named = [...orders].flatMap(([jobName, value]) => {
      const job = jobs.get(jobName);
      return job === undefined ? [] : [{ job, text: encodeOrders(value) }];
    });
    return {
      nodes: new Map(named.flatMap(({ job }) => [...job.nodes])),
      wanted: named.map(({ job, text }) => ({ path: job.paths.orders, value: text === '' ? undefined : text })),
      result,
    };
  });
  return changed.result;
}
