import {
  aClock,
  aFunction,
  checkOptions,
  either,
  type OptionRules,
  refuseIfAny,
} from '../api/settings/call-options.js';
import { dependenciesOf } from '../api/settings/dependencies.js';
import { describeValue, isMap } from '../api/text/describe-value.js';
import { nearest } from '../api/text/nearest.js';
import { type NodeRound } from '../graphs/graph-round.js';
import { graphRound } from '../graphs/graph-rounds.js';
import { readGraphOf } from '../graphs/read-graphs.js';
import { decodeInstanceFault } from '../layout/x-node/instance-fault.js';
import { JobPaths } from '../layout/job-paths.js';
import { type JobView, readJobView } from '../layout/job-view.js';
import { type MirroredNode, type RegistryCenter } from '../registry/registry-center.js';
import { type Clock, systemClock } from '../time/clock.js';
import { explain } from './explain/explain.js';
import { type Explanation, type ExplanationLimit, type InstanceFault } from './explain/explanation.js';
import { type KnownFault } from './explain/question.js';
import { switchedOff } from './explain/switched-off.js';
import { type JobPast, readPast } from './job-past.js';
import { jobNames, readJob, type ReadJob } from './job-reading.js';
import { checkedSource, registryFrom, type RegistrySource } from './registry-source.js';

/** Sources of explanations besides the registry centre. */
export interface ExplanationOptions {
  /**
   * Reads the trace and the records of operations; or a function that returns such a reader. Default: nothing is known
   * of the past.
   */
  readonly past?: JobPast | (() => JobPast);
  /** True if `elasticjob.enabled` is false in this application. Default: it is not. */
  readonly isSwitchedOff?: () => boolean;
  /**
   * The fault that an instance in this process reports about a job. Default: the fault that the instance has stored, as
   * for all other instances.
   */
  readonly fault?: (jobName: string) => InstanceFault | undefined;
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
}

const RULES: OptionRules<ExplanationOptions> = {
  past: either('must be { trace, operations }, or a function that returns them', aFunction, (value) =>
    isMap(value) ? undefined : 'no map',
  ),
  isSwitchedOff: aFunction,
  fault: aFunction,
  clock: aClock,
};

/** A job as it is now. */
interface JobNow extends Pick<ReadJob, 'view' | 'paths'> {
  /** Faults that the instances of the job have stored. */
  readonly stored: readonly InstanceFault[];
  readonly similar?: string | undefined;
}

/** Explains why jobs do not run: no job need run in this process. See `Explanation` for what cannot be known. */
export class ExplanationAPI {
  readonly #source: RegistrySource;
  readonly #past: () => JobPast;
  readonly #isSwitchedOff: () => boolean;
  readonly #fault: (jobName: string) => InstanceFault | undefined;
  readonly #clock: Clock;

  /**
   * @param registryCenter must be connected, and is closed by the caller; a function is called at each operation
   * @throws InvalidConfigurationError if it is none, or an option is unknown or of a wrong kind
   */
  constructor(registryCenter: RegistrySource, options: ExplanationOptions = {}) {
    const call = `new ${new.target.name}()`;
    this.#source = checkedSource(call, registryCenter);
    checkOptions(call, options, RULES);
    const { past = {}, isSwitchedOff = () => false, fault = () => undefined, clock = systemClock } = options;
    this.#past = typeof past === 'function' ? past : () => past;
    this.#isSwitchedOff = isSwitchedOff;
    this.#fault = fault;
    this.#clock = clock;
  }

  get #registry(): RegistryCenter {
    return registryFrom(this.#source);
  }

  /**
   * Explains why the item did not run for that instant; without an instant, why it does not run now.
   * @param item Default: all items
   * @param instant of the job's schedule, of the past. Default: the present
   * @throws InvalidConfigurationError if the item is no number from 0 on, or the instant is no date
   * @throws RegistryUnavailableError if the registry centre does not answer
   */
  async explain(jobName: string, item?: number, instant?: Date): Promise<Explanation> {
    checkArguments(item, instant);
    const at = new Date(this.#clock.now());
    if (this.#isSwitchedOff()) return switchedOff({ jobName, item, instant, at });
    const { similar, stored, ...job } = await this.#read(jobName);
    const round = await this.#roundOf(jobName, job.view, instant);
    const { past, faults } = await readPast(this.#past(), { jobName, item, instant }, this.#clock);
    const explanation = explain({
      ...job,
      ...{ similar, item, past, round, instant: instant?.getTime(), now: this.#clock.now() },
      faults: this.#faults(jobName, stored),
      fullPath: (path) => this.#registry.fullPath(path),
    });
    const unread = faults.map((sentence): ExplanationLimit => ({ code: 'past-unreadable', values: {}, sentence }));
    return { ...explanation, unknown: [...faults, ...explanation.unknown], limits: [...unread, ...explanation.limits] };
  }

  /** The job in the round of that instant in its graph. Only for a job that runs after others. */
  async #roundOf(jobName: string, { config }: JobView, instant: Date | undefined): Promise<NodeRound | undefined> {
    if (instant === undefined || config === undefined || dependenciesOf(config) === undefined) return undefined;
    const present = await readGraphOf(this.#registry, jobName);
    const round = present && graphRound(present.graph, present.views, instant.getTime());
    return round?.nodes.find((node) => node.jobName === jobName);
  }

  /**
   * Faults of all instances. The fault that an instance in this process reports replaces the stored one, as it is
   * newer.
   */
  #faults(jobName: string, stored: readonly InstanceFault[]): readonly KnownFault[] {
    const here = this.#fault(jobName);
    const elsewhere = stored.filter(({ instanceId }) => instanceId !== here?.instanceId);
    return [
      ...(here === undefined ? [] : [{ ...here, isHere: true }]),
      ...elsewhere.map((each) => ({ ...each, isHere: false })),
    ];
  }

  async #read(jobName: string): Promise<JobNow> {
    try {
      const { view, paths, nodes } = await readJob(this.#registry, jobName);
      return { view, paths, stored: storedFaults(nodes, { view, paths }) };
    } catch (error) {
      if (!isUnknownJob(error)) throw error;
      const similar = nearest(jobName, await jobNames(this.#registry));
      return { view: readJobView(new Map(), jobName), paths: new JobPaths(jobName), similar, stored: [] };
    }
  }
}

function isUnknownJob(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'UNKNOWN_JOB';
}

function instantProblems(instant: unknown): readonly string[] {
  if (instant === undefined) return [];
  if (!(instant instanceof Date))
    return [`instant must be a Date, such as new Date('2030-01-01T00:00:00Z'), got ${describeValue(instant)}`];
  return Number.isNaN(instant.getTime()) ? ['instant must be a date, got an invalid one'] : [];
}

function checkArguments(item: number | undefined, instant: Date | undefined): void {
  const problems = [
    ...(item === undefined || (Number.isInteger(item) && item >= 0)
      ? []
      : [`item must be the number of an item, got ${describeValue(item)}`]),
    ...instantProblems(instant),
  ];
  refuseIfAny(problems);
}

/**
 * Faults from the nodes of living instances. A node without a session was restored from a backup, and the node of a
 * stopped instance is about to be removed: both are ignored.
 */
function storedFaults(
  nodes: ReadonlyMap<string, MirroredNode>,
  { view, paths }: Pick<ReadJob, 'view' | 'paths'>,
): readonly InstanceFault[] {
  const start = `${paths.faults}/`;
  return [...nodes].flatMap(([path, { value, session }]) => {
    if (!path.startsWith(start) || session === undefined) return [];
    const instanceId = path.slice(start.length);
    const fault = decodeInstanceFault(value ?? '');
    const isStopped = view.withdrawn.includes(instanceId) && !view.instances.has(instanceId);
    return fault === undefined || isStopped ? [] : [{ instanceId, ...fault }];
  });
}
