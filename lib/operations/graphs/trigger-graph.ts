import { writeOrders } from '../changes/graph-orders.js';
import { TriggeredJob, type TriggeredInstance, type TriggerNode } from '../changes/triggered-job.js';
import { type TriggeringParts } from '../changes/triggering.js';
import { type ReadJob } from '../job-reading.js';
import { type ChangeNotes } from '../operation-audit.js';
import { roundToBegin } from './begin-round.js';
import { readGraph } from './graph-reading.js';

/**
 * Triggers a job that others run after: a round of its whole graph begins.
 * @returns the instances of the job, and the round; `ended()` waits for the round of the job
 */
export async function triggerGraph(parts: TriggeringParts, changes: ChangeNotes): Promise<TriggeredJob> {
  const { registry, clock, job } = parts;
  const { jobName } = job.now;
  const { instant } = await writeOrders(registry, changes, async () => {
    const read = await readGraph(registry, jobName);
    return { ...roundToBegin(read, clock.now()), jobs: read.jobs };
  });
  const now = await job.synced();
  return new TriggeredJob({ registry, clock }, now, answersOf(now), instant);
}

/** An order needs no acceptance: each instance runs its items as soon as they are free. */
function answersOf({ view }: ReadJob): ReadonlyMap<TriggerNode, TriggeredInstance> {
  return new Map(
    [...view.instances.values()].map(({ jobInstanceId: id, serverIp }) => [
      { id, serverIp, since: 0, items: undefined, jobParameter: undefined },
      { instanceId: id, serverIp, answer: 'taken', willRun: view.items.some(({ owner }) => owner === id) },
    ]),
  );
}
