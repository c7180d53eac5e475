import { DeadlineExceededError, InvalidConfigurationError, JobStateError } from '../api/errors/errors.js';
import { type JobConfiguration } from '../api/job/job-configuration.js';
import { callingCode, type RunningCode } from '../api/job/running-code.js';
import { checkOptions, milliseconds } from '../api/settings/call-options.js';
import { sleep } from '../async/wait.js';
import { runPolicyOf } from '../kernel/view/firing.js';
import { itemOf, type JobView } from '../layout/job-view.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { type Clock } from '../time/clock.js';
import { followJob, type ReadJob } from './job-reading.js';

/**
 * What an instance has done with a trigger. `taken`: it has accepted it and runs its items. `busy`: it has accepted it while
 * items were running; our instances run those items again when they have ended, Java instances drop the whole trigger.
 * `waiting`: it has not accepted it in time, and will as soon as it can. `gone`: it ended before it accepted it.
 */
export type TriggerAnswer = 'taken' | 'busy' | 'waiting' | 'gone';

/** A triggered instance. */
export interface TriggeredInstance {
  readonly instanceId: string;
  readonly serverIp: string;
  readonly answer: TriggerAnswer;
  /** Whether the trigger makes its items run: now, or when they have ended. */
  readonly willRun: boolean;
}

/** An instance that was triggered, and when. @internal */
export interface TriggerNode {
  readonly id: string;
  readonly serverIp: string;
  /** Revision of the trigger's node. */
  readonly since: number;
  /** The only items it is to run; `undefined`: all of its own. */
  readonly items: ReadonlySet<number> | undefined;
}

/** What the instances of a job have made of a trigger, and the wait until they have ended. */
export class TriggeredJob {
  readonly jobName: string;
  /** In ascending order of their ids. */
  readonly instances: readonly TriggeredInstance[];
  readonly #registry: RegistryCenter;
  readonly #clock: Clock;
  readonly #runs: readonly ExpectedRun[];
  readonly #config: JobConfiguration | undefined;

  /** @internal @param job as of the moment when the instances have answered */
  constructor(
    parts: { readonly registry: RegistryCenter; readonly clock: Clock },
    job: ReadJob,
    answers: ReadonlyMap<TriggerNode, TriggeredInstance>,
  ) {
    this.#registry = parts.registry;
    this.#clock = parts.clock;
    this.jobName = job.jobName;
    this.instances = [...answers.values()].sort((a, b) => (a.instanceId < b.instanceId ? -1 : 1));
    this.#config = job.view.config;
    this.#runs = [...answers].filter(([, { willRun }]) => willRun).flatMap(([node]) => expectedRuns(job, node));
  }

  /**
   * Resolves when all items that the trigger makes run have run, or have lost their instance. Runs of Java instances that
   * are over within a second may be overlooked, as they leave nothing behind.
   * @throws DeadlineExceededError after `timeoutMs` milliseconds; the runs go on
   * @throws JobStateError if the job has `monitorExecution: false`, so that its runs leave no marks; if code of the job itself
   * waits for a run that begins after it
   * @throws InvalidConfigurationError without a `timeoutMs`, and if an option is unknown or of a wrong kind
   */
  async ended(options: { readonly timeoutMs: number }): Promise<void> {
    const example = '{ timeoutMs: 60_000 }';
    checkOptions('ended()', options, { timeoutMs: milliseconds }, { example });
    const { timeoutMs } = options;
    if ((timeoutMs as number | undefined) === undefined)
      throw new InvalidConfigurationError([`ended(): needs a deadline; write ${example}`]);
    if (this.#config?.monitorExecution !== true)
      throw new JobStateError(
        `The end of job '${this.jobName}' cannot be waited for: with monitorExecution: false its runs leave no marks.`,
      );
    this.#refuseOwnCode();
    const until = this.#clock.monotonic() + timeoutMs;
    if (this.#runs.some(({ isJava }) => isJava)) await sleep(this.#clock, Math.min(JAVA_START_MS, timeoutMs));
    using job = await followJob(this.#registry, this.jobName);
    const remainingMs = Math.max(0, until - this.#clock.monotonic());
    const wait = { clock: this.#clock, timeoutMs: remainingMs, what: 'the triggered items' };
    let open = this.#runs;
    try {
      await job.until((now) => (open = open.filter((run) => !run.hasEnded(now))).length === 0, wait);
    } catch (error) {
      if (!(error instanceof DeadlineExceededError)) throw error;
      const items = open.map(({ item }) => item).sort((a, b) => a - b);
      throw new DeadlineExceededError(
        `triggered items of job '${this.jobName}' to end: ${items.join(', ')}`,
        timeoutMs,
      );
    }
  }

  /** @throws JobStateError if code of the job waits for a run that begins after it */
  #refuseOwnCode(): void {
    const caller = callingCode();
    if (caller?.jobName !== this.jobName) return;
    const later = this.#runs.filter((run) => runsAfter(run, caller, this.#config)).map(({ item }) => item);
    if (later.length === 0) return;
    throw new JobStateError(
      `The end of job '${this.jobName}' cannot be waited for in ${caller.what} of the same job: its items ${later.join(', ')} were triggered, ` +
        `and run after ${caller.what}. Return without waiting, or wait elsewhere.`,
    );
  }
}

/** The run of an item, or of a whole job with listeners, follows the one that goes on. */
function runsAfter(
  { item, node }: ExpectedRun,
  { part, item: own, instanceId }: RunningCode,
  config: JobConfiguration | undefined,
): boolean {
  if (node.id !== instanceId || part === 'error-handler') return false;
  return item === own || config === undefined || runPolicyOf(config).overlap === 'never';
}

/** How long Java instances are given to mark their items, in milliseconds: they keep no record of what they have begun. */
const JAVA_START_MS = 1_000;

/** Whether items that are to run bear the mark of a run of that instance from before the trigger. */
export function isBusy({ view, nodes, paths }: ReadJob, { id, since, items }: TriggerNode): boolean {
  return view.items.some(
    ({ item, runningOn }) =>
      runningOn === id &&
      items?.has(item) !== false &&
      (nodes.get(paths.item(item, 'running'))?.revision ?? since) < since,
  );
}

function expectedRuns(job: ReadJob, node: TriggerNode): readonly ExpectedRun[] {
  const { instances, servers, items } = job.view;
  const ip = instances.get(node.id)?.serverIp ?? '';
  if (servers.get(ip) !== 'ENABLED') return [];
  return items
    .filter(({ item, owner, disabled }) => owner === node.id && !disabled && node.items?.has(item) !== false)
    .map(({ item }) => new ExpectedRun(item, node, job));
}

/** A run of one item that a trigger causes. */
class ExpectedRun {
  readonly item: number;
  readonly isJava: boolean;
  readonly node: TriggerNode;
  readonly #lastInstant: number | undefined;
  #wasSeen = false;
  /** Revision of the instance's record before this run was written there. */
  #recordedBefore: number;

  constructor(item: number, node: TriggerNode, { view }: ReadJob) {
    this.item = item;
    this.node = node;
    this.isJava = view.javaPeers.has(node.id);
    this.#recordedBefore = node.since;
    this.#lastInstant = lastInstantOf(view, node.id, item);
  }

  /** To be asked with each moment of the job in turn. */
  hasEnded({ view, nodes, paths }: ReadJob): boolean {
    const { id, since } = this.node;
    const record = nodes.get(paths.beginRecord(id));
    const mark = nodes.get(paths.item(this.item, 'running'));
    if (mark?.value === id) {
      if (mark.revision < since) this.#recordedBefore = Math.max(since, record?.revision ?? 0);
      else this.#wasSeen = true;
      return false;
    }
    const owner = itemOf(view, this.item)?.owner;
    if (this.#wasSeen || this.isJava || owner !== id || !view.instances.has(id)) return true;
    return (record?.revision ?? 0) > this.#recordedBefore && this.#isOnRecord(view);
  }

  #isOnRecord(view: JobView): boolean {
    const { id } = this.node;
    const isManual = view.beginRecords.get(id)?.manual.has(this.item) === true;
    return isManual || lastInstantOf(view, id, this.item) !== this.#lastInstant;
  }
}

function lastInstantOf({ beginRecords }: JobView, id: string, item: number): number | undefined {
  return beginRecords.get(id)?.instants.get(item);
}
