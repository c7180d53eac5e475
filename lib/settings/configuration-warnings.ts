import { type JobConfiguration } from '../api/job-configuration.js';
import { type Clock } from '../time/clock.js';
import { QuartzCron } from '../time/cron.js';
import { parseTimeZone } from '../time/time-zone.js';

/**
 * What is allowed in the jobs' configurations, but perhaps not meant; one sentence for each kind.
 * @param clock decides whether the last firing of a cron expression is over
 */
export function configurationWarnings(jobs: readonly JobConfiguration[], clock: Clock): readonly string[] {
  const zoned = jobs.filter(({ timeZone }) => timeZone !== undefined && !parseTimeZone(timeZone).acceptedByJava);
  const over = jobs.filter((configuration) => hasFiredForTheLastTime(configuration, clock));
  const unseen = jobs.filter(({ failover, monitorExecution }) => failover && !monitorExecution);
  const warnings = [
    [zoned, "Java ElasticJob refuses time zones that do not start with 'GMT'. Instances in Java could not run"],
    [over, 'The last firing that cron allows is over, so that nothing will run, of'],
    [unseen, 'failover needs monitorExecution to see what was running, and has no effect without it, on'],
  ] as const;
  return warnings.flatMap(([concerned, warning]) =>
    concerned.length === 0 ? [] : [`${warning}: ${concerned.map(({ jobName }) => `'${jobName}'`).join(', ')}.`],
  );
}

function hasFiredForTheLastTime({ cron, timeZone }: JobConfiguration, clock: Clock): boolean {
  return cron !== undefined && QuartzCron.parse(cron, { timeZone }).next(new Date(clock.now())) === undefined;
}
