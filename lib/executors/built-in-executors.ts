import { type ClassedJobItemExecutor, type TypedJobItemExecutor } from '../api/job-executor.js';
import { type Clock } from '../time/clock.js';
import { dataflowExecutor } from './dataflow-executor.js';
import { httpExecutor } from './http-executor.js';
import { scriptExecutor } from './script-executor.js';
import { simpleExecutor } from './simple-executor.js';

/** The kinds of job objects that come with the library. */
export const classedExecutors: readonly ClassedJobItemExecutor[] = [simpleExecutor, dataflowExecutor];

/** The types of jobs without class that come with the library. */
export function builtInExecutors(clock: Clock): readonly TypedJobItemExecutor[] {
  return [scriptExecutor(clock), httpExecutor(clock)];
}
