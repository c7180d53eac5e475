/**
 * Jobs whose items run in worker threads. The module is named by the job object's `worker`, which stays in this
 * process, or by the property `run.worker`, which is stored: all instances have the same text, and each resolves it in
 * its own folder.
 *
 * A URL or an absolute path of one machine must not get into the registry centre, as the other machines have other
 * paths.
 */
import { describeValue } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import {
  type ClassedJobItemExecutor,
  type PropertyProblem,
  type TypedJobItemExecutor,
} from '../../api/extensions/job-executor.js';
import { jobPath, keyPath, propertyPath } from '../../api/job/job-name.js';
import { RUN_WORKER, RUN_WORKER_MEMORY, WORKER_TYPE } from '../../api/settings/run-properties.js';
import { isWorkerThreadJob, type WorkerThreadJob, workerText } from '../../api/job/worker-job.js';
import { type Clock } from '../../time/clock.js';
import { describeCause } from '../../api/text/describe-cause.js';
import { idleStreamingDoubts } from '../dataflow-executor.js';
import { throwProblems } from '../properties.js';
import { sourceOf, workerFile } from './worker-file.js';
import { WorkerPool } from './worker-pool.js';
import { fileURLToPath } from 'node:url';

/** The least heap with which a thread can start and do anything, in megabytes. */
const LEAST_MEMORY_MB = 16;

/** A job's module, and the key path of the setting that names it. */
interface NamedWorker {
  readonly worker: string | URL;
  readonly path: string;
}

/**
 * The executor of the type WORKER, whose module is `run.worker`, and that of job objects with a `worker`. They share
 * their pools.
 */
export function workerExecutors(clock: Clock): {
  readonly typed: TypedJobItemExecutor;
  readonly classed: ClassedJobItemExecutor<WorkerThreadJob>;
} {
  const pools = new WorkerPools(clock);
  return {
    typed: {
      type: WORKER_TYPE,
      validate: propertyProblems,
      doubts: idleStreamingDoubts,
      prepare: (configuration) => pools.prepare(configuration, namedByProperty(configuration)),
      process: (configuration, context, { logger }) => {
        throwProblems(configuration.jobName, propertyProblems(configuration));
        return pools.run(configuration, namedByProperty(configuration), { context, logger });
      },
      release: (jobName) => pools.release(jobName),
    },
    classed: {
      requirement: 'a worker (a file: URL or a path)',
      accepts: isWorkerThreadJob,
      validate: (configuration, job) => objectProblems(configuration, job),
      doubts: idleStreamingDoubts,
      prepare: (configuration, job) => pools.prepare(configuration, namedByObject(configuration, job)),
      process: (job, configuration, context, { logger }) => {
        throwProblems(configuration.jobName, objectProblems(configuration, job));
        return pools.run(configuration, namedByObject(configuration, job), { context, logger });
      },
      release: (jobName) => pools.release(jobName),
    },
  };
}

type ItemPart = Parameters<WorkerPool['run']>;

/** The pools of the jobs of one host, by job name. */
class WorkerPools {
  readonly #clock: Clock;
  readonly #pools = new Map<string, { readonly key: string; readonly pool: Promise<WorkerPool> }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Loads the module in a thread. @throws InvalidConfigurationError if it cannot be loaded */
  async prepare(configuration: JobConfiguration, named: NamedWorker): Promise<void> {
    const { jobName } = configuration;
    const problem = await this.#poolOf(configuration, named)
      .then((pool) => pool.moduleProblem())
      .catch(describeCause);
    if (problem === undefined) return;
    await this.release(jobName);
    const got = `got ${describeValue(workerText(named.worker))}`;
    throw new InvalidConfigurationError([`${named.path}: ${problem}${hintFor(urlOf(named))}, ${got}`]);
  }

  async run(
    configuration: JobConfiguration,
    named: NamedWorker,
    { context, logger }: { readonly context: ItemPart[0]; readonly logger: ItemPart[1] },
  ): Promise<void> {
    const pool = await this.#poolOf(configuration, named);
    await pool.run(context, logger);
  }

  /** Ends the threads of a job that has ended on this instance. */
  async release(jobName: string): Promise<void> {
    const entry = this.#pools.get(jobName);
    this.#pools.delete(jobName);
    const pool = await entry?.pool.catch(() => undefined);
    await pool?.close();
  }

  /**
   * The pool of a job. If the job's settings have changed, a new pool is opened, and items in the former one run to
   * their end.
   */
  #poolOf({ jobName, props }: JobConfiguration, named: NamedWorker): Promise<WorkerPool> {
    const settings = { worker: workerText(named.worker), url: urlOf(named), memoryMb: memoryMb(props) };
    const key = JSON.stringify(settings);
    const former = this.#pools.get(jobName);
    if (former?.key === key) return former.pool;
    const pool = WorkerPool.open(settings, this.#clock);
    this.#pools.set(jobName, { key, pool });
    // A pool that could not be opened need not be retired; its users got the error.
    void former?.pool.then((each) => each.retire()).catch(() => undefined);
    return pool;
  }
}

function namedByProperty({ jobName, props }: JobConfiguration): NamedWorker {
  return { worker: props[RUN_WORKER] ?? '', path: propertyPath(jobName, RUN_WORKER) };
}

function namedByObject({ jobName }: JobConfiguration, { worker }: WorkerThreadJob): NamedWorker {
  return { worker, path: keyPath(jobPath(jobName), 'worker') };
}

/** The URL of a module that has been checked. */
function urlOf({ worker, path }: NamedWorker): string {
  const file = workerFile(worker);
  if ('url' in file) return file.url;
  throw new InvalidConfigurationError([`${path}: ${file.problem}`]);
}

function hintFor(url: string): string {
  const path = fileURLToPath(url);
  const source = sourceOf(path);
  return source === undefined
    ? ''
    : `; there is ${source}: compile it, or start Node with a loader that threads inherit, such as --import tsx`;
}

function propertyProblems({ props }: JobConfiguration): readonly PropertyProblem[] {
  const worker = props[RUN_WORKER];
  const got = worker === undefined ? 'nothing' : describeValue(worker);
  if (worker === undefined || worker.trim() === '')
    return [{ property: RUN_WORKER, problem: `must be the path of a module, got ${got}` }];
  const file = workerFile(worker);
  const problems = 'problem' in file ? [{ property: RUN_WORKER, problem: file.problem }] : [];
  return [...problems, ...memoryProblems(props)];
}

/** @throws InvalidConfigurationError if the object's own setting is wrong: it is no property */
function objectProblems(configuration: JobConfiguration, job: WorkerThreadJob): readonly PropertyProblem[] {
  urlOf(namedByObject(configuration, job));
  const { props } = configuration;
  const both = props[RUN_WORKER] === undefined ? [] : [{ property: RUN_WORKER, problem: bothProblem(props, job) }];
  return [...both, ...memoryProblems(props)];
}

function bothProblem(props: JobConfiguration['props'], { worker }: WorkerThreadJob): string {
  return `must not be set beside the job's worker ${describeValue(workerText(worker))}, got ${describeValue(props[RUN_WORKER])}`;
}

function memoryMb(props: JobConfiguration['props']): number | undefined {
  const text = props[RUN_WORKER_MEMORY];
  return text === undefined || text === '' ? undefined : Number(text);
}

function memoryProblems(props: JobConfiguration['props']): readonly PropertyProblem[] {
  const text = props[RUN_WORKER_MEMORY];
  if (text === undefined || text === '') return [];
  if (/^\d{1,7}$/.test(text) && Number(text) >= LEAST_MEMORY_MB) return [];
  const problem = `must be an integer of at least ${LEAST_MEMORY_MB}, got ${describeValue(text)}`;
  return [{ property: RUN_WORKER_MEMORY, problem }];
}
