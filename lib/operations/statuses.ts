/** The states of jobs and items as consoles show them: pure functions of the same view that the kernel uses. */
import { inEnglish, type Wording } from '../wording/wording.js';
import { describeCause } from '../api/text/describe-cause.js';
import { cronProblem, timeZoneProblem } from '../api/job/job-options.js';
import { readItemParameters } from '../layout/sharding-item-parameters.js';
import { type ItemView, type JobView, type ServerStatus } from '../layout/job-view.js';

/** The state of a job, as consoles show it. */
export type JobStatus =
  /** None of the others. */
  | 'OK'
  /** No instance lives. */
  | 'CRASHED'
  /** All servers are disabled. */
  | 'DISABLED'
  /** The items will be assigned at the next firing, as an owner is gone or there is none yet. */
  | 'SHARDING_FLAG'
  /** The nodes of the job belong to other credentials. Java does not have this status. */
  | 'HIDDEN';

/** The state of an item, as consoles show it. */
export type ItemStatus =
  /** An operator has excluded the item. */
  | 'DISABLED'
  /** The item runs. */
  | 'RUNNING'
  /** The owner of the item is gone, or it has none yet. */
  | 'SHARDING_FLAG'
  /** The item waits for the next firing. */
  | 'PENDING';

/** True if the instances of a server get no items: the kernel assigns items only to servers whose text is `ENABLED`. */
export function isDisabled(status: ServerStatus): boolean {
  return status !== 'ENABLED';
}

/**
 * Finds stored settings that can be read, but that no instance accepts: other tools may store such settings.
 * @returns the setting and its problem as a clause, or `undefined`
 */
export function settingsFault({ config }: Pick<JobView, 'config'>): string | undefined {
  if (config === undefined) return undefined;
  if (!faults.has(config)) faults.set(config, faultOf(config));
  return faults.get(config);
}

/** Keyed by the settings, which are the same object as long as they do not change. */
const faults = new WeakMap<object, string | undefined>();

function faultOf({ cron, timeZone, shardingItemParameters }: NonNullable<JobView['config']>): string | undefined {
  const clause = (setting: string, problem: string | undefined): string | undefined =>
    problem && `${setting}: ${problem.replace(/\.$/, '')}`;
  return (
    (cron === undefined ? undefined : clause('cron', quoted(cron, cronProblem(cron)))) ??
    (timeZone === undefined ? undefined : clause('timeZone', quoted(timeZone, timeZoneProblem(timeZone)))) ??
    clause('shardingItemParameters', parametersFault(shardingItemParameters))
  );
}

const quoted = (value: string, problem: Wording | undefined): string | undefined =>
  problem && `'${value}' cannot be used: ${inEnglish(problem)}`;

function parametersFault(text: string): string | undefined {
  try {
    readItemParameters(text);
    return undefined;
  } catch (error) {
    return describeCause(error);
  }
}

/** The state of a job. The first that applies, in the order CRASHED, DISABLED, SHARDING_FLAG, OK. */
export function jobStatus({ instances, servers, items }: JobView): JobStatus {
  if (instances.size === 0) return 'CRASHED';
  // As in Java, instances without any server count as disabled: they get no items.
  if ([...servers.values()].every(isDisabled)) return 'DISABLED';
  const owners = items.flatMap(({ owner }) => owner ?? []);
  return owners.length > 0 && owners.every((id) => instances.has(id)) ? 'OK' : 'SHARDING_FLAG';
}

/** The state of an item. The first that applies, in the order DISABLED, RUNNING, SHARDING_FLAG, PENDING. */
export function itemStatus({ instances }: Pick<JobView, 'instances'>, item: ItemView): ItemStatus {
  if (item.disabled) return 'DISABLED';
  if (item.running) return 'RUNNING';
  return item.owner === undefined || !instances.has(item.owner) ? 'SHARDING_FLAG' : 'PENDING';
}
