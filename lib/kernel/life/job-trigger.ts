import { inEnglish } from '../../wording/wording.js';
import { describeValue, isMap, legible } from '../../api/text/describe-value.js';
import { InvalidConfigurationError, JobStateError, RegistryConflictError } from '../../api/errors/errors.js';
import { suggestion } from '../../api/text/nearest.js';
import { type JobContext } from '../job/job-context.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { newRound, pausedSince } from '../../graphs/graph-acts.js';
import { startsGraph } from '../../graphs/orders.js';
import { orderFor } from '../../graphs/read-graphs.js';
import { type JobView } from '../../layout/job-view.js';
import { fullTriggers } from '../../layout/full-trigger.js';
import { encodeTrigger, triggerParameterProblem, withEarlier } from '../../layout/x-node/trigger.js';
import { commitSizeProblem } from '../../registry/commit-limits.js';
import { type Operation, type RegistryCenter } from '../../registry/registry-center.js';

/** Settings of one manual run, which replace those of the job. */
export interface TriggerOptions {
  /**
   * The job parameter of this run alone: `context.jobParameter`. At most 10,000 characters. Default: that of the
   * settings.
   */
  readonly jobParameter?: string;
  /**
   * True triggers this job alone. Default: a trigger of a job that others run after, and that runs after none, begins a
   * round of its whole graph, unless it has a `jobParameter`.
   */
  readonly only?: boolean;
}

/**
 * Checks the options of a trigger.
 * @throws InvalidConfigurationError naming what is wrong
 */
export function checkedTrigger(jobName: string, options: unknown): TriggerOptions {
  if (options === undefined) return {};
  const faults = problemsWith(options).map((problem) => `Job '${jobName}' was not triggered: ${problem}`);
  if (faults.length > 0) throw new InvalidConfigurationError(faults);
  return options as TriggerOptions;
}

function problemsWith(options: unknown): readonly string[] {
  if (!isMap(options))
    return [`the options must be such as { jobParameter: 'only Beijing' }, got ${describeValue(options, 'hidden')}.`];
  const { jobParameter, only, ...others } = options;
  const unknown = Object.keys(others).map(
    (key) =>
      `unknown option '${legible(key)}'${suggestion(key, ['jobParameter', 'only'])}; it takes a jobParameter, and other data must be ` +
      'where all instances can read it.',
  );
  const problem = jobParameter === undefined ? undefined : triggerParameterProblem(jobParameter);
  return [
    ...unknown,
    ...(problem === undefined ? [] : [`jobParameter ${inEnglish(problem)}.`]),
    ...(only === undefined || typeof only === 'boolean'
      ? []
      : [`only must be true or false, got ${describeValue(only)}.`]),
  ];
}

/** How long a trigger waits for this instance to take part again after a lost session, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Triggers all instances, once this one takes part.
 * @throws DeadlineExceededError if it does not take part within 10 seconds; otherwise as `JobRuntime.trigger`
 */
export async function triggerAll(
  { registry, paths, watch, me, clock }: JobContext,
  { jobParameter, only }: TriggerOptions,
): Promise<void> {
  await watch.sync();
  const view = await watch.until(({ instances }) => instances.has(me), {
    timeoutMs: TIMEOUT_MS,
    // Only the deadline ends the wait.
    signal: new AbortController().signal,
    what: () => `this instance to take part in job '${paths.jobName}' again; no instance was triggered`,
  });
  if (jobParameter === undefined && only !== true && startsGraph(view))
    return triggerGraph({ registry, jobName: paths.jobName, clock });
  const request = { registry, paths, view };
  await (jobParameter === undefined ? trigger(request) : triggerWithParameter({ ...request, jobParameter }));
}

/** @throws JobStateError if the graph is paused */
async function triggerGraph({
  registry,
  jobName,
  clock,
}: Pick<JobContext, 'registry' | 'clock'> & { readonly jobName: string }): Promise<void> {
  await orderFor(registry, jobName, ({ graph, views }) => {
    const since = pausedSince(views);
    if (since !== undefined)
      throw new JobStateError(
        `Graph '${graph.name}' was not triggered: it is paused since ${new Date(since).toISOString()}. Resume it first.`,
        { because: { code: 'graph-paused', values: { graph: graph.name } } },
      );
    return { ...newRound(graph, views, clock.now()), result: undefined };
  });
}

/** Dependencies of a trigger. */
interface TriggerRequest {
  readonly registry: RegistryCenter;
  readonly paths: JobPaths;
  readonly view: JobView;
}

/**
 * Triggers all instances. One that has not accepted an earlier trigger yet runs once for both.
 * @throws JobStateError if the earlier one has a job parameter, so that it does not stand for this one; other instances
 *   may have been triggered
 */
async function trigger({ registry, paths, view }: TriggerRequest): Promise<void> {
  const found = await Promise.all(
    [...fullTriggers(view, [...view.instances.keys()])].map(async ([id, own]) => {
      const path = paths.trigger(id);
      if (await registry.create(path, encodeTrigger(own))) return undefined;
      const earlier = (await registry.get(path)) ?? '';
      const both = withEarlier(earlier, own);
      if (both === undefined) return path;
      const value = encodeTrigger(both);
      if (value !== earlier) await registry.put(path, value);
      return undefined;
    }),
  );
  const other = found.find((path) => path !== undefined);
  if (other !== undefined) throw stillPending(paths.jobName, other);
}

/**
 * Triggers all instances in one commit, or none.
 * @throws JobStateError if Java instances take part, or an instance has not accepted another trigger yet
 * @throws InvalidConfigurationError if the job parameter is too long for so many instances
 */
async function triggerWithParameter({
  registry,
  paths,
  view,
  jobParameter,
}: TriggerRequest & { readonly jobParameter: string }): Promise<void> {
  const { jobName } = paths;
  if (view.javaPeers.size > 0) {
    throw new JobStateError(
      `Job '${jobName}' was not triggered: the Java instances ${[...view.javaPeers].join(', ')} take part, and would run ` +
        'without the jobParameter. Trigger it without one after changing the jobParameter of its settings, or stop them.',
    );
  }
  const operations = [...fullTriggers(view, [...view.instances.keys()], jobParameter)].map(([id, own]): Operation => ({
    type: 'create',
    path: paths.trigger(id),
    value: encodeTrigger(own),
  }));
  const problem = commitSizeProblem(operations, registry.limits);
  if (problem !== undefined) {
    throw new InvalidConfigurationError([
      `Job '${jobName}' was not triggered: its jobParameter of ${jobParameter.length} characters is too long for ` +
        `${operations.length} instances, which are triggered in one commit: ${problem}. Store the data where all instances ` +
        'can read it, and give its key as the jobParameter.',
    ]);
  }
  await registry.create(paths.triggers, '');
  try {
    await registry.commit(operations);
  } catch (error) {
    if (!(error instanceof RegistryConflictError) || error.reason !== 'exists') throw error;
    throw stillPending(jobName, error.path, error);
  }
}

function stillPending(jobName: string, path: string, cause?: unknown): JobStateError {
  return new JobStateError(
    `Job '${jobName}' was not triggered: an instance has not accepted a trigger with another job parameter yet (${path}). ` +
      'Try again in a moment; an instance that runs its items accepts it when they have ended, if the job has listeners.',
    { cause },
  );
}
