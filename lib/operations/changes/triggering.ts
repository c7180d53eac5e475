/** Triggers the instances of a job, and waits for their answers. */
import { type Wording, wording } from '../../wording/wording.js';
import {
  DeadlineExceededError,
  InvalidConfigurationError,
  type JobStateCode,
  JobStateError,
} from '../../api/errors/errors.js';
import { knownNames } from '../../api/text/nearest.js';
import { fullTriggers } from '../../layout/full-trigger.js';
import { itemOf, type JobView } from '../../layout/job-view.js';
import {
  encodeTrigger,
  rewrittenTrigger,
  type Trigger,
  triggerItemsProblem,
  triggerParameterProblem,
  withEarlier,
} from '../../layout/x-node/trigger.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type Clock } from '../../time/clock.js';
import { type FollowedJob, type ReadJob } from '../job-reading.js';
import { changeNodes } from './node-changes.js';
import { type ChangeNotes } from '../operation-audit.js';
import { isBusy, type TriggerAnswer, TriggeredJob, type TriggeredInstance, type TriggerNode } from './triggered-job.js';

/** The objects with which a job is triggered. */
export interface TriggeringParts {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  readonly job: FollowedJob;
}

/** The items that instances are to run: some, or all. */
type WantedRun = Omit<Trigger, 'isForAll'>;

/** The run that the instances are asked for, and the wait for their answers. */
export interface TriggerRequest extends WantedRun {
  /** The only server whose instances are triggered. Default: those of all instances. */
  readonly serverIp?: string;
  readonly acceptTimeoutMs: number;
}

/** Triggers all instances, or the owners of some items, and waits for their answers. */
export async function triggerInstances(
  parts: TriggeringParts,
  changes: ChangeNotes,
  { acceptTimeoutMs, serverIp, ...trigger }: TriggerRequest,
): Promise<TriggeredJob> {
  const { jobParameter, items } = trigger;
  const problems = [
    ...(jobParameter === undefined ? [] : problemOf('jobParameter', triggerParameterProblem(jobParameter))),
    ...(items === undefined ? [] : problemOf('items', triggerItemsProblem(items))),
    ...(items === undefined || serverIp === undefined ? [] : [wording('trigger-both')]),
  ];
  const { jobName } = parts.job.now;
  if (problems.length > 0)
    throw InvalidConfigurationError.because(problems.map((problem) => wording('not-triggered', { jobName, problem })));
  const triggers = await writeTriggers(parts, changes, { trigger, serverIp });
  return await answers(parts, triggers, acceptTimeoutMs);
}

function problemOf(setting: string, problem: Wording | undefined): readonly Wording[] {
  return problem === undefined ? [] : [wording('trigger-setting', { setting, problem })];
}

interface WantedTrigger {
  readonly trigger: WantedRun;
  readonly serverIp: string | undefined;
}

async function writeTriggers(
  { registry, job }: TriggeringParts,
  changes: ChangeNotes,
  wanted: WantedTrigger,
): Promise<readonly TriggerNode[]> {
  const { result, revision } = await changeNodes(registry, changes, async () => {
    const now = await job.synced();
    const { nodes, paths } = now;
    const plans = [...triggersOf(now, wanted)].map(([id, own]) => {
      const earlier = nodes.get(paths.trigger(id));
      const merged = earlier?.value === undefined ? own : withEarlier(earlier.value, own);
      if (merged === undefined) throw stillPending(now.jobName, id);
      // An equal trigger that still waits is not written again, Java's own text included.
      const value = encodeTrigger(merged);
      const stays = earlier?.value !== undefined && rewrittenTrigger(earlier.value) === value;
      return {
        id,
        own,
        since: stays ? earlier.revision : undefined,
        value: stays ? earlier.value : value,
      };
    });
    return {
      nodes,
      wanted: plans.map(({ id, value }) => ({ path: paths.trigger(id), value })),
      result: plans.map(({ id, own, since }) => ({
        ...{ id, serverIp: now.view.instances.get(id)?.serverIp ?? '', since, jobParameter: own.jobParameter },
        items: own.items && new Set(own.items),
      })),
    };
  });
  return result.map(({ since, ...node }) => ({ ...node, since: since ?? revision ?? 0 }));
}

/**
 * The triggers by the ids of the instances that they are for.
 * @throws JobStateError if one of these instances cannot run it
 */
function triggersOf(
  job: ReadJob,
  { trigger: { items, ...trigger }, serverIp }: WantedTrigger,
): ReadonlyMap<string, Trigger> {
  const { jobName, view } = job;
  if (view.instances.size === 0)
    throw new JobStateError(`Job '${jobName}' was not triggered: no instance of it lives.`, {
      because: { code: 'no-instance-lives', values: { jobName } },
    });
  const ids = serverIp === undefined ? [...view.instances.keys()] : instancesOn(job, serverIp);
  const java = ids.filter((id) => view.javaPeers.has(id));
  if (trigger.jobParameter !== undefined && java.length > 0) throw javaPeersTakePart(jobName, java);
  if (items !== undefined) return ownersOf(job, items, trigger);
  return fullTriggers(view, ids, trigger.jobParameter);
}

/** Ids of the instances on a server. @throws JobStateError if there is none, or it is not enabled */
function instancesOn({ jobName, view }: ReadJob, ip: string): readonly string[] {
  const instances = [...view.instances.values()];
  const ids = instances.filter(({ serverIp }) => serverIp === ip).map(({ jobInstanceId }) => jobInstanceId);
  const refuse = refusal(jobName);
  if (ids.length === 0) {
    const hint = knownNames(ip, [...new Set(instances.map(({ serverIp }) => serverIp))].sort());
    const end = hint.endsWith('?') ? '' : '.';
    refuse(`no instance of it lives on a server ${ip}${hint}${end}`, 'no-instance-on-server', { serverIp: ip });
  }
  if (view.servers.get(ip) !== 'ENABLED')
    refuse(`server ${ip} is disabled. Enable it first.`, 'server-disabled', { serverIp: ip });
  return ids;
}

/** The items by their owners. @throws JobStateError if one of them cannot be run now */
function ownersOf(
  { jobName, view }: ReadJob,
  items: readonly number[],
  trigger: WantedRun,
): ReadonlyMap<string, Trigger> {
  const refuse = refusal(jobName);
  if (view.reshardingNeeded)
    refuse('its items are about to be assigned again. Try again in a moment.', 'being-assigned', {});
  const owners = new Map<string, number[]>();
  for (const item of new Set(items)) {
    const owner = runnableBy(view, item, refuse);
    const own = owners.get(owner);
    if (own === undefined) owners.set(owner, [item]);
    else own.push(item);
  }
  return new Map([...owners].map(([id, own]) => [id, { ...trigger, items: own, isForAll: false }]));
}

type Refusal = (why: string, code: JobStateCode, values: Readonly<Record<string, string | number>>) => never;

/** Refuses a trigger. @throws JobStateError */
function refusal(jobName: string): Refusal {
  return (why, code, values) => {
    throw new JobStateError(`Job '${jobName}' was not triggered: ${why}`, {
      because: { code, values: { jobName, ...values } },
    });
  };
}

function runnableBy(view: JobView, item: number, refuse: Refusal): string {
  const total = view.config?.shardingTotalCount ?? 0;
  const last = total - 1;
  if (item > last) return refuse(`it has no item ${item}; its items are 0 to ${last}.`, 'no-item', { item, last });
  const { owner, disabled } = itemOf(view, item) ?? { owner: undefined, disabled: false };
  const instance = view.instances.get(owner ?? '');
  if (disabled) return refuse(`item ${item} is disabled. Enable it first.`, 'item-disabled', { item });
  if (instance === undefined) return refuse(`item ${item} has no living owner.`, 'item-unowned', { item });
  const { jobInstanceId: id, serverIp } = instance;
  if (view.javaPeers.has(id))
    return refuse(
      `item ${item} belongs to the Java instance ${id}, which would run all its items. Trigger the whole job instead.`,
      'item-of-java',
      { item, instanceId: id },
    );
  if (view.servers.get(serverIp) !== 'ENABLED')
    return refuse(
      `item ${item} belongs to an instance on server ${serverIp}, which is disabled. Enable it first.`,
      'item-server-disabled',
      { item, serverIp },
    );
  return id;
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

function stillPending(jobName: string, id: string): JobStateError {
  return new JobStateError(
    `Job '${jobName}' was not triggered: ${id} has not accepted a trigger with another job parameter yet. Try again in a moment.`,
    { because: { code: 'trigger-pending', values: { jobName, instanceId: id } } },
  );
}

function javaPeersTakePart(jobName: string, ids: readonly string[]): JobStateError {
  return new JobStateError(
    `Job '${jobName}' was not triggered: the Java instances ${ids.join(', ')} take part, and would run ` +
      'without the jobParameter. Trigger it without one after changing the jobParameter of its settings, or stop them.',
    { because: { code: 'java-takes-part', values: { jobName, instances: ids.join(', ') } } },
  );
}
