import { type Clock } from '../../time/clock.js';
import { QuartzCron } from '../../time/cron.js';
import { InvalidCronError, InvalidTimeZoneError } from '../../time/invalid-cron-error.js';
import { parseTimeZone } from '../../time/time-zone.js';
import { unknownKeyDoubts } from '../settings/known-properties.js';
import { RUN_LIMITS, RUN_PROPERTIES } from '../settings/run-limits.js';
import { repeated } from '../text/repeated.js';
import { type JobConfiguration } from './job-configuration.js';
import { isJsonOfItems, itemParametersDoubts } from './sharding-item-parameters.js';

/** Abbreviations of time zones that mean one zone here and also others elsewhere, with what they mean here and the others. */
const ABBREVIATIONS: Readonly<Partial<Record<string, string>>> = {
  CST: 'America/Chicago, and not China: write Asia/Shanghai for that',
  IST: 'Asia/Kolkata, and neither Israel nor Ireland: write Asia/Jerusalem or Europe/Dublin for these',
  BST: 'Asia/Dhaka, and not Britain in summer: write Europe/London for that',
  AST: 'America/Anchorage, and neither Halifax nor Riyadh: write America/Halifax or Asia/Riyadh for these',
  ECT: 'Europe/Paris, and not Ecuador: write America/Guayaquil for that',
  SST: 'Pacific/Guadalcanal, and not Samoa: write Pacific/Pago_Pago for that',
  EST: 'GMT-05:00 all the year, and not New York: write America/New_York for that',
  MST: 'GMT-07:00 all the year, and not Denver: write America/Denver for that',
};

/**
 * What is allowed in a job's settings but probably not intended; one clause each, without the job's name and a full stop.
 * @param clock decides whether the last firing of a cron expression is over
 */
export function doubtsAbout(job: JobConfiguration, clock: Clock): readonly string[] {
  const { cron = '', timeZone = '', failover, monitorExecution, props, shardingItemParameters } = job;
  const doubts: readonly (readonly [isConcerned: boolean, doubt: string])[] = [
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
      cron === '' && timeZone !== '',
      'timeZone has no effect without cron: the job is a one-off job, which runs when it is triggered',
    ],
    [
      failover && !monitorExecution,
      'failover has no effect without monitorExecution, by which instances see what others were running',
    ],
    [
      RUN_LIMITS.retryBackoffMilliseconds.property in props && (props[RUN_LIMITS.maxRetries.property] ?? '0') === '0',
      'retryBackoffMilliseconds has no effect without maxRetries, which is 0, so that no item is tried again',
    ],
  ];
  return [
    ...doubts.flatMap(([isConcerned, doubt]) => (isConcerned ? [doubt] : [])),
    ...timeZoneDoubts(job),
    ...listenersNamedTwice(job),
    ...unknownKeyDoubts(props, RUN_PROPERTIES, 'this version'),
    ...(isJsonOfItems(shardingItemParameters) ? [] : itemParametersDoubts(shardingItemParameters)),
  ];
}

/** What Java instances of the job could not do with its settings. Of interest only to those who have any. */
export function javaDoubtsAbout(job: JobConfiguration): readonly string[] {
  const { props, shardingItemParameters } = job;
  return [
    ...(isRefusedByJava(job)
      ? [
          "the time zone does not start with 'GMT', so that Java ElasticJob refuses it and Java instances cannot take part",
        ]
      : []),
    ...('http.url' in props && !('http.uri' in props)
      ? ['Java instances cannot run the job, because Java ElasticJob reads the property http.uri and not http.url']
      : []),
    ...(isJsonOfItems(shardingItemParameters) ? itemParametersDoubts(shardingItemParameters) : []),
  ];
}

/** Whether the text of a job's root node is the name of a Java class, as only a job has that Java instances share. */
export function isJavaClass(jobClass: string | undefined): boolean {
  return jobClass !== undefined && (jobClass.includes('.') || jobClass.includes('$$Lambda'));
}

function timeZoneDoubts({ cron, timeZone = '' }: JobConfiguration): readonly string[] {
  const meaning = ABBREVIATIONS[timeZone];
  return cron === undefined || meaning === undefined ? [] : [`the time zone '${timeZone}' means ${meaning}`];
}

function listenersNamedTwice({ jobListenerTypes }: JobConfiguration): readonly string[] {
  const twice = repeated(jobListenerTypes.map((type) => type.toUpperCase()));
  return twice.map((type) => `jobListenerTypes names the listener ${type} several times, but it is called once`);
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
