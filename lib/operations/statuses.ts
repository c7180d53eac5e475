/** The states of jobs and items as consoles show them: pure functions of the view that the kernel goes by. */
import { inEnglish, type Wording } from '../wording/wording.js';
import { describeCause } from '../api/text/describe-cause.js';
import { cronProblem, timeZoneProblem } from '../api/job/job-options.js';
import { readItemParameters } from '../layout/sharding-item-parameters.js';
import { type ItemView, type JobView, type ServerStatus } from '../layout/job-view.js';

/**
 * `CRASHED`: no instance lives. `DISABLED`: all servers are disabled. `SHARDING_FLAG`: the items are to be assigned at
 * the next firing, as an owner is gone or there is none yet. `OK`: none of these. `HIDDEN`, which Java has not: its
 * nodes belong to other credentials.
 */
export type JobStatus = 'OK' | 'CRASHED' | 'DISABLED' | 'SHARDING_FLAG' | 'HIDDEN';

/**
 * `DISABLED`: an operator has excluded it. `RUNNING`: it runs. `SHARDING_FLAG`: its owner is gone, or it has none yet.
 * `PENDING`: it waits for the next firing.
 */
export type ItemStatus = 'DISABLED' | 'RUNNING' | 'SHARDING_FLAG' | 'PENDING';

/** Whether the instances of a server get no items: the kernel gives them only to servers whose text is `ENABLED`. */
export function isDisabled(status: ServerStatus): boolean {
  return status !== 'ENABLED';
}

/**
 * Why no instance can schedule or run the job by its stored settings, although they can be read: other tools store what
 * no instance accepts. @returns the setting and what is wrong with it, as a clause; `undefined` if nothing is
 */
export function settingsFault({ config }: Pick<JobView, 'config'>): string | undefined {
  if (config === undefined) return undefined;
  if (!faults.has(config)) faults.set(config, faultOf(config));
  return faults.get(config);
}

/** By the settings, which are the same object while they are the same. */
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
