import { type ClassedJobItemExecutor, type TypedJobItemExecutor } from '../api/extensions/job-executor.js';
import { type Clock } from '../time/clock.js';
import { dataflowExecutor } from './dataflow-executor.js';
import { httpExecutor } from './http/http-executor.js';
import { scriptExecutor } from './script/script-executor.js';
import { simpleExecutor } from './simple-executor.js';
import { workerExecutors } from './worker/worker-executor.js';

/** The executors that come with the library. */
export interface BuiltInExecutors {
  /** For jobs without a class. */
  readonly typed: readonly TypedJobItemExecutor[];
  /** For job objects. */
  readonly classed: readonly ClassedJobItemExecutor[];
}

/** Makes the executors of one host, whose worker threads are not shared with other hosts. */
export function builtInExecutors(clock: Clock): BuiltInExecutors {
  const worker = workerExecutors(clock);
  return {
    typed: [scriptExecutor(clock), httpExecutor(clock), worker.typed],
    classed: [simpleExecutor, dataflowExecutor, worker.classed],
  };
}
