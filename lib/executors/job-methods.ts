import { InvalidConfigurationError } from '../api/errors/errors.js';
import { type JobConfiguration } from '../api/job/job-configuration.js';
import { jobPath } from '../api/job/job-name.js';
import { signatureProblem } from './worker/worker-thread.cjs';

/** A method of a job object, and what it is called with. */
export interface JobMethod {
  readonly name: string;
  readonly work: (...given: never[]) => unknown;
  readonly parameters: readonly string[];
}

/**
 * Refuses methods that would be called, and whose work would not be done.
 * @throws InvalidConfigurationError
 */
export function refuseIdleMethods({ jobName }: JobConfiguration, methods: readonly JobMethod[]): void {
  const problems = methods.flatMap(({ name, work, parameters }) => {
    const problem = signatureProblem(work, parameters);
    return problem === undefined ? [] : [`${jobPath(jobName)}: ${name}() ${problem}`];
  });
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
}
