import { type Clock } from '../../time/clock.js';
import { QuartzCron } from '../../time/cron.js';
import { InvalidCronError, InvalidTimeZoneError } from '../../time/invalid-cron-error.js';
import { parseTimeZone } from '../../time/time-zone.js';
import { type Wording, wording } from '../../wording/wording.js';
import { unknownKeyDoubts } from '../settings/known-properties.js';
import { dependenciesOf, GRAPH_PROPERTIES } from '../settings/dependencies.js';
import { rulesWithoutAfter } from '../settings/dependency-options.js';
import { RUN_LIMITS, RUN_PROPERTIES } from '../settings/run-limits.js';
import { repeated } from '../text/repeated.js';
import { type JobConfiguration } from './job-configuration.js';
import { isJsonOfItems, itemParametersDoubts } from './sharding-item-parameters.js';

/**
 * Abbreviations of time zones that mean one zone here and also others elsewhere, with their meaning here and the
 * others.
 */
const ABBREVIATIONS: ReadonlyMap<string, Wording> = new Map([
  ['CST', wording('zone-CST')],
  ['IST', wording('zone-IST')],
  ['BST', wording('zone-BST')],
  ['AST', wording('zone-AST')],
  ['ECT', wording('zone-ECT')],
  ['SST', wording('zone-SST')],
  ['EST', wording('zone-EST')],
  ['MST', wording('zone-MST')],
]);

/**
 * Doubts about a job's settings: values that are allowed but probably not intended. One clause each, without the job's
 * name and a full stop.
 * @param clock decides whether the last firing of a cron expression is over
 */
export function doubtsAbout(job: JobConfiguration, clock: Clock): readonly Wording[] {
  const { cron = '', timeZone = '', failover, monitorExecution, props, shardingItemParameters } = job;
  const doubts: readonly (readonly [isConcerned: boolean, doubt: Wording])[] = [
    [isOver(job, clock), wording('doubt-over')],
    [/\/0+(?!\d)/.test(cron), wording('doubt-step')],
    [cron.trim().split(/[ \t]+/).length > 7, wording('doubt-fields')],
    [cron === '' && timeZone !== '', wording(dependenciesOf(job) === undefined ? 'doubt-zone' : 'doubt-zone-after')],
    [failover && !monitorExecution, wording('doubt-failover')],
    [
      RUN_LIMITS.retryBackoffMilliseconds.property in props && (props[RUN_LIMITS.maxRetries.property] ?? '0') === '0',
      wording('doubt-backoff'),
    ],
  ];
  return [
    ...doubts.flatMap(([isConcerned, doubt]) => (isConcerned ? [doubt] : [])),
    ...rulesWithoutAfter(props).map((option) => wording('doubt-after', { option })),
    ...timeZoneDoubts(job),
    ...listenersNamedTwice(job),
    ...unknownKeyDoubts(props, [...RUN_PROPERTIES, ...GRAPH_PROPERTIES], wording('this-version')),
    ...(isJsonOfItems(shardingItemParameters) ? [] : itemParametersDoubts(shardingItemParameters)),
  ];
}

/** Settings that Java instances of the job could not use. Of interest only beside Java instances. */
export function javaDoubtsAbout(job: JobConfiguration): readonly Wording[] {
  const { props, shardingItemParameters } = job;
  return [
    ...(isRefusedByJava(job) ? [wording('doubt-java-zone')] : []),
    ...('http.url' in props && !('http.uri' in props) ? [wording('doubt-java-uri')] : []),
    ...(isJsonOfItems(shardingItemParameters) ? itemParametersDoubts(shardingItemParameters) : []),
  ];
}

/** True if the text of a job's root node is the name of a Java class, as only a job has that Java instances share. */
export function isJavaClass(jobClass: string | undefined): boolean {
  return jobClass !== undefined && (jobClass.includes('.') || jobClass.includes('$$Lambda'));
}

function timeZoneDoubts({ cron, timeZone = '' }: JobConfiguration): readonly Wording[] {
  const meaning = ABBREVIATIONS.get(timeZone);
  return cron === undefined || meaning === undefined
    ? []
    : [wording('doubt-abbreviation', { zone: timeZone, meaning })];
}

function listenersNamedTwice({ jobListenerTypes }: JobConfiguration): readonly Wording[] {
  const twice = repeated(jobListenerTypes.map((type) => type.toUpperCase()));
  return twice.map((type) => wording('doubt-listener', { type }));
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
