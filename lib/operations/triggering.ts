/** Triggering the instances of a job, and what they make of it. */
import { DeadlineExceededError, InvalidConfigurationError, JobStateError } from '../api/errors/errors.js';
import { decodeTrigger, encodeTrigger, triggerParameterProblem } from '../layout/x-node/trigger.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { type Clock } from '../time/clock.js';
import { type FollowedJob, type ReadJob } from './job-reading.js';
import { changeNodes } from './node-changes.js';
import { type ChangeNotes } from './operation-audit.js';
import { isBusy, type TriggerAnswer, TriggeredJob, type TriggeredInstance, type TriggerNode } from './triggered-job.js';

/** What triggering needs. */
export interface TriggeringParts {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  readonly job: FollowedJob;
}

/** What is asked of the instances. */
export interface TriggerRequest {
  readonly acceptTimeoutMs: number;
  readonly jobParameter: string | undefined;
}

/** Triggers all instances, and waits for their answers. */
export async function triggerInstances(
  parts: TriggeringParts,
  changes: ChangeNotes,
  { acceptTimeoutMs, jobParameter }: TriggerRequest,
): Promise<TriggeredJob> {
  const problem = jobParameter === undefined ? undefined : triggerParameterProblem(jobParameter);
  if (problem !== undefined)
    throw new InvalidConfigurationError([`Job '${parts.job.now.jobName}' was not triggered: jobParameter ${problem}.`]);
  const triggers = await writeTriggers(parts, changes, jobParameter);
  return await answers(parts, triggers, acceptTimeoutMs);
}

async function writeTriggers(
  { registry, job }: TriggeringParts,
  changes: ChangeNotes,
  jobParameter: string | undefined,
): Promise<readonly TriggerNode[]> {
  const value = encodeTrigger(jobParameter === undefined ? {} : { jobParameter });
  const { result: earlier, revision } = await changeNodes(registry, changes, async () => {
    const now = await job.synced();
    const { jobName, paths, nodes, view } = now;
    const ids = [...view.instances.keys()];
    if (ids.length === 0) throw new JobStateError(`Job '${jobName}' was not triggered: no instance of it lives.`);
    if (jobParameter !== undefined && view.javaPeers.size > 0) throw javaPeersTakePart(now);
    const other = ids.find((id) => differs(nodes.get(paths.trigger(id))?.value, jobParameter));
    if (other !== undefined) throw stillPending(jobName, other);
    return {
      nodes,
      wanted: ids.map((id) => ({ path: paths.trigger(id), value: nodes.get(paths.trigger(id))?.value ?? value })),
      result: [...view.instances.values()].map(({ jobInstanceId: id, serverIp }) => ({
        ...{ id, serverIp, since: nodes.get(paths.trigger(id))?.revision },
      })),
    };
  });
  return earlier.map(({ since, ...node }) => ({ ...node, since: since ?? revision ?? 0 }));
}

async function answers(
  { registry, clock, job }: TriggeringParts,
  triggers: readonly TriggerNode[],
  timeoutMs: number,
): Promise<TriggeredJob> {
  const answered = new Map<TriggerNode, TriggerAnswer>();
  const note = (now: ReadJob): boolean => {
    for (const node of triggers) if (!answered.has(node)) noteAnswer(answered, node, now);
    return answered.size === triggers.length;
  };
  await job.synced();
  const wait = { clock, timeoutMs, what: `the instances of job '${job.now.jobName}' to accept a trigger` };
  await job.until(note, wait).catch((error: unknown) => {
    if (!(error instanceof DeadlineExceededError)) throw error;
  });
  const instances = triggers.map((node): readonly [TriggerNode, TriggeredInstance] => {
    const answer = answered.get(node) ?? 'waiting';
    const willRun = answer === 'busy' ? !job.now.view.javaPeers.has(node.id) : answer !== 'gone';
    return [node, { instanceId: node.id, serverIp: node.serverIp, answer, willRun }];
  });
  return new TriggeredJob({ registry, clock }, job.now, new Map(instances));
}

function noteAnswer(answered: Map<TriggerNode, TriggerAnswer>, node: TriggerNode, now: ReadJob): void {
  if (!now.view.instances.has(node.id)) answered.set(node, 'gone');
  else if (!now.view.triggers.has(node.id)) answered.set(node, isBusy(now, node) ? 'busy' : 'taken');
}

/** Whether a trigger that waits cannot stand for one with this job parameter as well. */
function differs(waiting: string | undefined, jobParameter: string | undefined): boolean {
  return waiting !== undefined && decodeTrigger(waiting).jobParameter !== jobParameter;
}

function stillPending(jobName: string, id: string): JobStateError {
  return new JobStateError(
    `Job '${jobName}' was not triggered: ${id} has not accepted a trigger with another job parameter yet. Try again in a moment.`,
  );
}

function javaPeersTakePart({ jobName, view }: ReadJob): JobStateError {
  return new JobStateError(
    `Job '${jobName}' was not triggered: the Java instances ${[...view.javaPeers].join(', ')} take part, and would run ` +
      'without the jobParameter. Trigger it without one after changing the jobParameter of its settings, or stop them.',
  );
}
