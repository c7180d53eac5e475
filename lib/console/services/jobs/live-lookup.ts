import { UnknownJobError } from '../../../api/errors/errors.js';
import { knownNames } from '../../../api/text/nearest.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { type LiveJob, type LiveJobs } from '../live/live-jobs.js';
import { type ConsoleRegistry } from '../registries/console-registry.js';

/** A job that is known now. */
export interface FoundJob {
  readonly live: LiveJobs;
  readonly job: LiveJob;
}

/**
 * A job in its last known state.
 * @throws UnknownJobError if there is none of that name
 * @throws ConsoleProblem 503 if the jobs of the registry centre have not been read yet
 */
export async function findJob(registry: ConsoleRegistry, jobName: string): Promise<FoundJob> {
  const live = await registry.jobs();
  const job = live.job(jobName);
  if (job !== undefined) return { live, job };
  const names = live.jobs.map((each) => each.jobName).sort();
  const known = names.length === 0 ? '; it has no job' : knownNames(jobName, names);
  throw new UnknownJobError(
    `There is no job '${jobName}' in registry centre '${registry.name}'${known}${known.endsWith('?') ? '' : '.'}`,
  );
}

/** @throws ConsoleProblem 403 if the job belongs to other credentials */
export function requireReadable({ jobName, hidden }: LiveJob): void {
  if (hidden === undefined) return;
  throw new ConsoleProblem(403, 'hidden-job', `Job '${jobName}' belongs to other credentials: ${hidden}`);
}

/** The time since which the data is out of date, if it is. */
export function staleness({ staleSince }: LiveJobs): { readonly staleSince?: number } {
  return staleSince === undefined ? {} : { staleSince };
}
