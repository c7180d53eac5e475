import { InvalidConfigurationError } from '../api/errors/errors.js';
import { type PropertyProblem } from '../api/extensions/job-executor.js';
import { propertyPath } from '../api/job/job-name.js';

/**
 * Refuses to run an item with wrong properties: they are checked when the job starts, but an operator can change them
 * later.
 * @throws InvalidConfigurationError naming all problems, if there are any
 */
export function throwProblems(jobName: string, problems: readonly PropertyProblem[]): void {
  if (problems.length === 0) return;
  throw new InvalidConfigurationError(
    problems.map(({ property, problem }) => `${propertyPath(jobName, property)}: ${problem}`),
  );
}
