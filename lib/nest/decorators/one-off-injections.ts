import { isScheduled } from '../../api/settings/dependencies.js';
import { suggestion } from '../../api/text/nearest.js';
import { type OneOffInjection } from '../elastic-job.explorer.js';
import { type DefinedJob } from '../definitions/job-definitions.js';

/** @returns the problems with what `@InjectOneOffJob` and `oneOffJobs` ask for, one line each */
export function injectionProblems(
  injections: readonly OneOffInjection[],
  jobs: readonly DefinedJob[],
): readonly string[] {
  const byToken = new Map(jobs.map((job) => [job.configuration.jobName, job]));
  for (const job of jobs) if (!byToken.has(job.jobBootstrapBeanName)) byToken.set(job.jobBootstrapBeanName, job);
  const oneOffs = [...byToken].filter(([token, job]) => token !== '' && isOneOff(job)).map(([token]) => token);
  return injections.flatMap(({ token, path }) => {
    const job = byToken.get(token);
    if (job !== undefined && isOneOff(job)) return [];
    if (job !== undefined) {
      const { jobName, cron } = job.configuration;
      const why = cron === undefined ? 'runs after other jobs' : `has the cron expression '${cron}'`;
      return [`${path}: must name a one-off job, but job '${jobName}' ${why}`];
    }
    const known = oneOffs.length === 0 ? 'there is none' : `known are: ${oneOffs.join(', ')}`;
    return [`${path}: must name a one-off job of this application; ${known}${suggestion(token, oneOffs)}`];
  });
}

function isOneOff({ configuration }: DefinedJob): boolean {
  return !isScheduled(configuration);
}
