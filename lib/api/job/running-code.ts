import { AsyncLocalStorage } from 'node:async_hooks';

/** Code of a job, to be called. */
export interface CodeOfJob {
  readonly jobName: string;
  /** Id of this instance. */
  readonly instanceId: string;
  readonly part: 'item' | 'listener' | 'error-handler';
  /** Number of the item, if it is one. */
  readonly item?: number;
  /** For messages: `item 3`. */
  readonly what: string;
}

/** Code of a job that this process has called. */
export interface RunningCode extends CodeOfJob {
  readonly hasReturned: boolean;
}

/** The code of a job that has made this call, or has begun the work in which it is made. */
const caller = new AsyncLocalStorage<RunningCode>();

/**
 * Calls code of a job. A job ends after its code, so code that waited for the end of its own job would wait for itself.
 * The calls that wait for such an end identify their caller by `callingCode()`.
 */
export async function runCode<T>(code: CodeOfJob, call: () => T | Promise<T>): Promise<T> {
  const running = { ...code, hasReturned: false };
  try {
    return await caller.run(running, call);
  } finally {
    running.hasReturned = true;
  }
}

/**
 * The code of a job that is calling; `undefined` outside such code, and in timers and promises that it left running
 * when it returned.
 */
export function callingCode(): RunningCode | undefined {
  const running = caller.getStore();
  return running?.hasReturned === false ? running : undefined;
}
