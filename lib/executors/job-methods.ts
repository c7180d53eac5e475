import { InvalidConfigurationError } from '../api/errors/errors.js';
import { type JobConfiguration } from '../api/job/job-configuration.js';
import { jobPath } from '../api/job/job-name.js';
import { signatureProblem } from './worker/worker-thread.cjs';

/** A method of a job object, and the parameters of its calls. */
export interface JobMethod {
  readonly name: string;
  readonly work: (...given: never[]) => unknown;
  readonly parameters: readonly string[];
}

/**
 * Refuses methods that would be called, but would not do their work, such as generator functions.
 * @throws InvalidConfigurationError
 */
export function refuseIdleMethods({ jobName }: JobConfiguration, methods: readonly JobMethod[]): void {
  const problems = methods.flatMap(({ name, work, parameters }) => {
    const problem = signatureProblem(work, parameters);
    return problem === undefined ? [] : [`${jobPath(jobName)}: ${name}() ${problem}`];
  });
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
}
