/** Pools of worker threads by piscina, which is loaded only when a job needs it. */
import { type EventEmitter } from 'node:events';
import { basename } from 'node:path';
import { type Worker } from 'node:worker_threads';
import { describeCause } from '../../api/text/describe-cause.js';
import { threadFile } from './worker-thread.cjs';

/** The milliseconds for which an idle thread is kept. */
const IDLE_MS = 60_000;

/** The parts of piscina's pool that are used. */
export interface ThreadPool extends Pick<EventEmitter, 'on'> {
  readonly threads: readonly Worker[];
  run(
    task: object,
    options?: { readonly signal?: AbortSignal; readonly transferList?: readonly unknown[] },
  ): Promise<unknown>;
  destroy(): Promise<void>;
}

interface PiscinaModule {
  readonly Piscina: new (options: object) => ThreadPool;
}

/**
 * A pool whose threads run `worker-thread.cjs`. It begins without threads, and makes one for each task that finds none
 * idle. The process may end while threads are idle.
 * @param memoryMb greatest size of a thread's JavaScript heap, in megabytes. Default: Node's own
 * @throws if piscina is not installed, saying what to install, or if a bundler has moved the code away from the
 *   thread's file
 */
export async function openThreadPool(memoryMb: number | undefined): Promise<ThreadPool> {
  const filename = requireThreadFile(threadFile);
  const { Piscina } = await loadPiscina();
  return new Piscina({
    filename,
    name: 'run',
    minThreads: 0,
    // The pool of the job limits how many of its items run at once.
    maxThreads: Number.MAX_SAFE_INTEGER,
    idleTimeout: IDLE_MS,
    // By default, a thread without a task sleeps with its event loop stopped: its connections and timers would break.
    atomics: 'disabled',
    recordTiming: false,
    ...(memoryMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: memoryMb } }),
  });
}

/**
 * Refuses to start threads from any file but the right one: from a bundle, each thread would start the whole
 * application.
 * @throws if the file is another one
 */
export function requireThreadFile(file: string | undefined): string {
  if (file !== undefined && basename(file) === 'worker-thread.cjs') return file;
  throw new Error(
    'worker threads cannot be started from a bundle that contains nestjs-elasticjob: ' +
      'keep nestjs-elasticjob and piscina external (esbuild: --external:nestjs-elasticjob --external:piscina; ' +
      'webpack: externals) and install both beside the bundle',
  );
}

/** Failures of threads that had no task. */
export interface StrayFailures {
  /** A thread did not start. */
  readonly onStart: (cause: unknown) => void;
  /** A thread ended between two tasks. */
  readonly onIdle: (cause: unknown) => void;
}

/**
 * Reports the failures of threads that have no task, which piscina emits without saying in what state the thread was.
 */
export function watchStrayFailures(pool: ThreadPool, { onStart, onIdle }: StrayFailures): void {
  const ready = new Set<Worker>();
  let wasReady = false;
  pool.on('workerCreate', ({ id }: { readonly id: number }) => {
    for (const thread of pool.threads) if (thread.threadId === id) ready.add(thread);
  });
  // It precedes the error. The id of a thread that has run out of memory is -1 by now, and so is that of the thread's
  // object.
  pool.on('workerDestroy', ({ id }: { readonly id: number }) => {
    const thread = [...ready].find(({ threadId }) => threadId === id);
    wasReady = thread !== undefined && ready.delete(thread);
  });
  pool.on('error', (cause: unknown) => (wasReady ? onIdle(cause) : onStart(cause)));
}

async function loadPiscina(): Promise<PiscinaModule> {
  // In a variable, so that neither compilers nor bundlers resolve the package, which is optional.
  const name: string = 'piscina';
  try {
    const loaded = (await import(name)) as PiscinaModule & { readonly default: PiscinaModule };
    // CommonJS has the class itself, and `Piscina` as an accessor of it, which a copy of its members lacks.
    return loaded.Piscina === undefined ? loaded.default : loaded;
  } catch (cause) {
    // The further lines of Node's message only name the files that tried to load the package.
    const [reason = ''] = describeCause(cause).split('\n');
    throw new Error(`worker threads need the package piscina: npm install piscina (${reason})`, { cause });
  }
}
