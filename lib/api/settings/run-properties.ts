/** Names of worker threads in settings. */

/** The type of jobs whose items run in worker threads, as far as they have no class. */
export const WORKER_TYPE = 'WORKER';

/**
 * The module that does the work in worker threads, as a path or a `file:` URL; relative paths begin at each process's
 * current directory.
 */
export const RUN_WORKER = 'run.worker';

/** Greatest size of a worker thread's JavaScript heap, in megabytes. */
export const RUN_WORKER_MEMORY = 'run.workerMemoryMegabytes';
