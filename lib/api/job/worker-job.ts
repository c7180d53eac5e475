import { type JobLogger } from '../text/logger.js';
import { type ShardingContext } from './sharding-context.js';

/**
 * The default export of a worker module: does the work of one sharding item in a worker thread. `context` is a copy;
 * its `signal` and `softStop` abort in the thread soon after they do in the process. `logger` writes to the job's log.
 * Returning (or resolving) is success; an error that it throws is the item's failure.
 */
export type WorkerJob = (context: ShardingContext, logger: JobLogger) => void | Promise<void>;

/** A job whose items are run in worker threads. */
export interface WorkerThreadJob {
  /**
   * The module whose default export, a `WorkerJob`, does the work: a `file:` URL, or a path; relative paths begin at
   * the process's current directory.
   */
  readonly worker: string | URL;
}

/** True if `candidate` is a `WorkerThreadJob`. An object that also has the methods of a job is none. */
export function isWorkerThreadJob(candidate: unknown): candidate is WorkerThreadJob {
  const { worker, execute, fetchData } = (candidate ?? {}) as Readonly<Record<string, unknown>>;
  return workerProblem(worker) === undefined && typeof execute !== 'function' && typeof fetchData !== 'function';
}

/**
 * @param job an object whose own methods do its work
 * @returns the worker module that it names as well, which would never run, or undefined. A property that is called
 *   `worker` and names no module has no such meaning.
 */
export function ineffectiveWorkerOf(job: object): string | undefined {
  const { worker } = job as Partial<WorkerThreadJob>;
  if (workerProblem(worker) !== undefined) return undefined;
  const text = workerText(worker as string | URL);
  return /^file:/i.test(text) || /\.[cm]?[jt]s$/.test(text) ? text : undefined;
}

/** @returns the problem with the kind of value that names a worker module, or undefined */
export function workerProblem(worker: unknown): string | undefined {
  const isText = typeof worker === 'string' && worker.trim() !== '';
  return isText || isUrl(worker) ? undefined : WORKER_REQUIREMENT;
}

/** The text of a `worker`, for messages and comparisons. */
export function workerText(worker: string | URL): string {
  return typeof worker === 'string' ? worker : worker.href;
}

const WORKER_REQUIREMENT =
  "must be a file: URL, such as new URL('./crunch.js', import.meta.url), or a path, such as './dist/crunch.js'";

/** URLs of other realms too, such as those of a test runner. */
function isUrl(value: unknown): value is URL {
  return Object.prototype.toString.call(value) === '[object URL]';
}
