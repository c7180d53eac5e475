import { type JobConfiguration } from '../api/job-configuration.js';
import { type Clock } from '../time/clock.js';
import { QuartzCron } from '../time/cron.js';
import { parseTimeZone } from '../time/time-zone.js';

/**
 * Warns of settings that are allowed but probably not intended; one sentence for each kind, naming the jobs.
 * @param clock decides whether the last firing of a cron expression is over
 */
export function configurationWarnings(jobs: readonly JobConfiguration[], clock: Clock): readonly string[] {
  const warnings: readonly (readonly [warning: string, isConcerned: (job: JobConfiguration) => boolean])[] = [
    [
      "Java instances cannot run these jobs, as Java ElasticJob refuses time zones that do not start with 'GMT'",
      ({ timeZone }) => timeZone !== undefined && !parseTimeZone(timeZone).acceptedByJava,
    ],
    ['These jobs will never run again, as all dates of their cron expressions are past', (job) => isOver(job, clock)],
    [
      'The step /0 has no effect in the cron expressions of these jobs: as in Quartz, each value fires; write a step of at least 1, or none',
      ({ cron = '' }) => /\/0+(?!\d)/.test(cron),
    ],
    [
      'The cron expressions of these jobs have more than seven fields; as in Quartz, those after the year have no effect',
      ({ cron = '' }) => cron.trim().split(/[ \t]+/).length > 7,
    ],
    [
      'failover has no effect on these jobs without monitorExecution, by which instances see what others were running',
      ({ failover, monitorExecution }) => failover && !monitorExecution,
    ],
    [
      'Java instances cannot run these jobs, as Java ElasticJob reads the property http.uri and not http.url',
      ({ props }) => 'http.url' in props && !('http.uri' in props),
    ],
  ];
  return warnings.flatMap(([warning, isConcerned]) => {
    const names = jobs.filter(isConcerned).map(({ jobName }) => `'${jobName}'`);
    return names.length === 0 ? [] : [`${warning}: ${names.join(', ')}.`];
  });
}

function isOver({ cron, timeZone }: JobConfiguration, clock: Clock): boolean {
  return cron !== undefined && QuartzCron.parse(cron, { timeZone }).next(new Date(clock.now())) === undefined;
}
