import { type Clock } from '../../time/clock.js';
import { QuartzCron } from '../../time/cron.js';
import { InvalidCronError, InvalidTimeZoneError } from '../../time/invalid-cron-error.js';
import { parseTimeZone } from '../../time/time-zone.js';
import { type JobConfiguration } from './job-configuration.js';
import { itemParametersDoubts } from './sharding-item-parameters.js';

/**
 * What is allowed in a job's settings but probably not intended; one clause each, without the job's name and a full stop.
 * @param clock decides whether the last firing of a cron expression is over
 */
export function doubtsAbout(job: JobConfiguration, clock: Clock): readonly string[] {
  const { cron = '', failover, monitorExecution, props, shardingItemParameters } = job;
  const doubts: readonly (readonly [isConcerned: boolean, doubt: string])[] = [
    [
      isRefusedByJava(job),
      "the time zone does not start with 'GMT', so that Java ElasticJob refuses it and Java instances cannot take part",
    ],
    [isOver(job, clock), 'all dates of the cron expression are past, so that it never fires again'],
    [
      /\/0+(?!\d)/.test(cron),
      'the step /0 in the cron expression has no effect: as in Quartz, each value fires; write a step of at least 1, or none',
    ],
    [
      cron.trim().split(/[ \t]+/).length > 7,
      'the cron expression has more than seven fields; as in Quartz, those after the year have no effect',
    ],
    [
      failover && !monitorExecution,
      'failover has no effect without monitorExecution, by which instances see what others were running',
    ],
    [
      'http.url' in props && !('http.uri' in props),
      'Java instances cannot run the job, because Java ElasticJob reads the property http.uri and not http.url',
    ],
  ];
  return [
    ...doubts.flatMap(([isConcerned, doubt]) => (isConcerned ? [doubt] : [])),
    ...itemParametersDoubts(shardingItemParameters),
  ];
}

function isRefusedByJava({ timeZone }: JobConfiguration): boolean {
  return unlessInvalid(() => !parseTimeZone(timeZone).acceptedByJava);
}

function isOver({ cron, timeZone }: JobConfiguration, clock: Clock): boolean {
  if (cron === undefined) return false;
  return unlessInvalid(() => QuartzCron.parse(cron, { timeZone }).next(new Date(clock.now())) === undefined);
}

/** A schedule that cannot be read is no doubt but an error, which `schedule()` reports. */
function unlessInvalid(isDoubtful: () => boolean): boolean {
  try {
    return isDoubtful();
  } catch (error) {
    if (error instanceof InvalidCronError || error instanceof InvalidTimeZoneError) return false;
    throw error;
  }
}
