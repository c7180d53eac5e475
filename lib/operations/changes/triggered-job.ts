import { DeadlineExceededError, InvalidConfigurationError, JobStateError } from '../../api/errors/errors.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { callingCode, type RunningCode } from '../../api/job/running-code.js';
import { checkOptions, milliseconds } from '../../api/settings/call-options.js';
import { sleep } from '../../async/wait.js';
import { runPolicyOf } from '../../kernel/view/firing.js';
import { describeItems } from '../../kernel/view/items.js';
import { awaitsTakeover, itemOf, type JobView } from '../../layout/job-view.js';
import { type WaitingRun } from '../../layout/x-node/accepted-triggers.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type Clock } from '../../time/clock.js';
import { followJob, type ReadJob } from '../job-reading.js';

/** An instance's answer to a trigger. */
export type TriggerAnswer =
  /** It has accepted the trigger, and runs its items. */
  | 'taken'
  /**
   * It has accepted the trigger while items were running. Our instances run those items again when they have ended;
   * Java instances drop the whole trigger.
   */
  | 'busy'
  /** It has not accepted the trigger before the deadline, and will as soon as it can. */
  | 'waiting'
  /** It ended before it accepted the trigger. */
  | 'gone';

/** A triggered instance. */
export interface TriggeredInstance {
  readonly instanceId: string;
  readonly serverIp: string;
  readonly answer: TriggerAnswer;
  /** True if the trigger makes the items of the instance run: now, or after their current runs. */
  readonly willRun: boolean;
}

/** An instance that was triggered, and when. @internal */
export interface TriggerNode {
  readonly id: string;
  readonly serverIp: string;
  /** Revision of the trigger's node. */
  readonly since: number;
  /** The items that the trigger names; `undefined` for all items of the instance. */
  readonly items: ReadonlySet<number> | undefined;
  readonly jobParameter: string | undefined;
}

/** The answers of a job's instances to a trigger; `ended()` waits for the runs. */
export class TriggeredJob {
  readonly jobName: string;
  /** In ascending order of their ids. */
  readonly instances: readonly TriggeredInstance[];
  readonly #registry: RegistryCenter;
  readonly #clock: Clock;
  readonly #runs: readonly ExpectedRun[];
  /** The instances that were seen to have accepted the trigger. */
  readonly #accepted: Set<TriggerNode>;
  readonly #config: JobConfiguration | undefined;

  /** The round of the job's graph that has begun; `undefined` if the job alone was triggered. */
  readonly round: Date | undefined;

  /** @internal @param job as of the moment when the instances have answered */
  constructor(
    parts: { readonly registry: RegistryCenter; readonly clock: Clock },
    job: ReadJob,
    answers: ReadonlyMap<TriggerNode, TriggeredInstance>,
    round?: Date,
  ) {
    this.round = round;
    this.#registry = parts.registry;
    this.#clock = parts.clock;
    this.jobName = job.jobName;
    this.instances = [...answers.values()].sort((a, b) => (a.instanceId < b.instanceId ? -1 : 1));
    this.#config = job.view.config;
    this.#runs = [...(round === undefined ? answers : [])]
      .filter(([, { willRun }]) => willRun)
      .flatMap(([node]) => expectedRuns(job, node))
      .sort((one, other) => one.item - other.item);
    const accepted = [...answers].filter(([, { answer }]) => answer === 'taken' || answer === 'busy');
    this.#accepted = new Set(accepted.map(([node]) => node));
  }

  /**
   * Resolves when all triggered items have run: on the instance that accepted the trigger, or on the owner that has the
   * item by then, takeovers included. Runs of Java instances that take less than a second may be overlooked, as they
   * leave no record. If a round of a graph has begun, it waits for the round of this job.
   * @throws DeadlineExceededError after `timeoutMs` milliseconds; the runs go on
   * @throws JobStateError if items are not run any more, because they were disabled meanwhile, for example, or their
   * instance has ended before it accepted the trigger; if the job has `monitorExecution: false`, so that its runs leave
   * no marks; if code of the job itself waits for a run that begins after it
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
    if (this.round !== undefined) return await this.#roundEnded(this.round, timeoutMs);
    const until = this.#clock.monotonic() + timeoutMs;
    if (this.#runs.some(({ isJava }) => isJava)) await sleep(this.#clock, Math.min(JAVA_START_MS, timeoutMs));
    using job = await followJob(this.#registry, this.jobName);
    const nodes = new Set(this.#runs.map(({ node }) => node));
    const stateOf = (run: ExpectedRun, now: ReadJob): RunState => run.stateIn(now, this.#accepted.has(run.node));
    const itemsIn = (state: RunState, now: ReadJob): string =>
      describeItems(this.#runs.filter((run) => stateOf(run, now) === state).map(({ item }) => item));
    let [open] = this.#runs;
    const isOver = (now: ReadJob): boolean => {
      for (const node of nodes) if (hasAccepted(now, node)) this.#accepted.add(node);
      // Most changes do not concern the run that was open before.
      if (open !== undefined && stateOf(open, now) === 'open') return false;
      open = this.#runs.find((run) => stateOf(run, now) === 'open');
      return open === undefined;
    };
    try {
      do {
        const remainingMs = Math.max(0, until - this.#clock.monotonic());
        await job.until(isOver, { clock: this.#clock, timeoutMs: remainingMs, what: 'the triggered items' });
        // One server of the registry centre may know changes that another one does not know yet.
      } while (!isOver(await job.synced()));
    } catch (error) {
      if (!(error instanceof DeadlineExceededError)) throw error;
      const open = itemsIn('open', job.now);
      throw new DeadlineExceededError(`triggered items of job '${this.jobName}' to end: ${open}`, timeoutMs);
    }
    const lost = itemsIn('lost', job.now);
    if (lost !== '')
      throw new JobStateError(
        `Items ${lost} of job '${this.jobName}' are not run for this trigger: they, or their server, were disabled before it was ` +
          'their turn, they do not exist any more, a Java instance owns them, their run could not begin (its instance has logged why), or their ' +
          'instance has ended before it accepted the trigger. Trigger them again.',
      );
  }

  async #roundEnded(round: Date, timeoutMs: number): Promise<void> {
    using job = await followJob(this.#registry, this.jobName);
    const isOver = ({ view }: ReadJob): boolean =>
      view.graph.rounds.rounds.some(({ instant }) => instant === round.getTime());
    const what = `the round ${round.toISOString()} of job '${this.jobName}'`;
    await job.until(isOver, { clock: this.#clock, timeoutMs, what });
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

/**
 * True if the triggered run of an item begins only after the given run: of the same item, or of any if the job has
 * distribute-once listeners.
 */
function runsAfter(
  { item, node }: ExpectedRun,
  { part, item: own, instanceId }: RunningCode,
  config: JobConfiguration | undefined,
): boolean {
  if (node.id !== instanceId || part === 'error-handler') return false;
  return item === own || config === undefined || runPolicyOf(config).overlap === 'never';
}

/** The milliseconds that Java instances get to mark their items as running: they keep no other record of their runs. */
const JAVA_START_MS = 1_000;

/** True if a triggered item is marked as running since before the trigger, on the same instance. */
export function isBusy({ view, nodes, paths }: ReadJob, { id, since, items }: TriggerNode): boolean {
  return view.items.some(
    ({ item, runningOn }) =>
      runningOn === id &&
      items?.has(item) !== false &&
      (nodes.get(paths.item(item, 'running'))?.revision ?? since) < since,
  );
}

/** True if the trigger was accepted: it is gone while its instance lives, or its run is recorded as waiting. */
function hasAccepted({ view }: ReadJob, { id, jobParameter }: TriggerNode): boolean {
  if (view.instances.has(id)) return !view.triggers.has(id);
  return view.acceptedTriggers.get(id)?.waiting.some((run) => run.jobParameter === jobParameter) === true;
}

function expectedRuns(job: ReadJob, node: TriggerNode): readonly ExpectedRun[] {
  const { instances, servers, items, javaPeers } = job.view;
  const isJava = javaPeers.has(node.id);
  const expect = (item: number): ExpectedRun => new ExpectedRun(item, node, isJava);
  if (!isJava && node.items !== undefined) return [...node.items].map(expect);
  if (servers.get(instances.get(node.id)?.serverIp ?? '') !== 'ENABLED') return [];
  return items.flatMap(({ item, owner, disabled }) => (owner === node.id && !disabled ? [expect(item)] : []));
}

type RunState =
  /** The run has not begun, or goes on. */
  | 'open'
  | 'ended'
  /** The run will never begin. */
  | 'lost';

/** A run of one item that a trigger causes. */
class ExpectedRun {
  readonly item: number;
  readonly isJava: boolean;
  readonly node: TriggerNode;

  constructor(item: number, node: TriggerNode, isJava: boolean) {
    this.item = item;
    this.isJava = isJava;
    this.node = node;
  }

  /** @param isAccepted true if the instance was seen to accept the trigger */
  stateIn(job: ReadJob, isAccepted: boolean): RunState {
    const { view } = job;
    const { id } = this.node;
    if (this.isJava) return this.#runsOnJava(job) ? 'open' : 'ended';
    const accepted = view.acceptedTriggers.get(id);
    const isWaiting = accepted?.waiting.some((run) => this.#isMeantBy(run)) === true;
    if (isWaiting || (view.instances.has(id) && view.triggers.has(id))) return 'open';
    if (!isAccepted || accepted?.dropped.has(this.item) === true) return 'lost';
    return this.#isRunManually(view) ? 'open' : 'ended';
  }

  #isMeantBy({ items, jobParameter }: WaitingRun): boolean {
    return items.has(this.item) && jobParameter === this.node.jobParameter;
  }

  #runsOnJava({ nodes, paths }: ReadJob): boolean {
    return nodes.get(paths.item(this.item, 'running'))?.value === this.node.id;
  }

  /**
   * True if the current run is manual; a later manual run counts as well. If the item does anything else, its triggered
   * run is over.
   */
  #isRunManually(view: JobView): boolean {
    const { crashReports, beginRecords } = view;
    const report = crashReports.get(this.item);
    // The report of a manual run without a parameter shows only that the run had no instant.
    if (report !== undefined) return report.instant === undefined;
    if (awaitsTakeover(view, this.item)) return true;
    const seen = itemOf(view, this.item);
    return seen?.running === true && beginRecords.get(seen.runningOn ?? '')?.manual.has(this.item) === true;
  }
}
