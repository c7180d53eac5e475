import { expect } from '@jest/globals';
import { until } from '../../support/until.js';
import { type MixedCluster } from './mixed-cluster.js';
import { type JobSettings } from './peer.js';
import { type PeerRun } from './run-log.js';

/** The cron expression of a job that fires by hand only: once a year. */
export const BY_HAND = '0 0 0 1 1 ?';

let jobs = 0;

/** A new job that fires by hand, that these instances share, and that has fired once. The first one leads. */
export async function sharedJob(
  cluster: MixedCluster,
  members: readonly string[],
  settings: Partial<JobSettings> = {},
): Promise<MixedCluster> {
  const job = await cluster.with({ jobName: `job${++jobs}`, cron: BY_HAND, ...settings }, ...members);
  await fire(job);
  await job.untilSharedBy(...members);
  return job;
}

/**
 * An operator triggers the job. Resolves when the items have been run, each once, and nothing is left over; with the items by
 * who ran them.
 */
export async function fire(
  job: MixedCluster,
  items: readonly number[] = itemsOf(job),
): Promise<Readonly<Record<string, readonly number[]>>> {
  const since = Date.now();
  await job.operate('trigger', job.job.jobName);
  await job.untilRan(`items ${items.join()} to run`, (runs) => areOver(runs, items.length), since);
  expect(await job.leftOver()).toEqual([]);
  expect(numbersOf(job.runs(since))).toEqual(items);
  return job.ran(since);
}

export const itemsOf = ({ job }: MixedCluster): readonly number[] => [...Array(job.shardingTotalCount).keys()];

/** The items that were run, in their order. */
export const numbersOf = (runs: readonly PeerRun[]): readonly number[] =>
  runs.map(({ item }) => item).sort((one, other) => one - other);

/** Whether there are so many runs, and all have ended. */
export const areOver = (runs: readonly PeerRun[], count: number): boolean =>
  runs.length >= count && runs.every(({ endedAt }) => endedAt !== undefined);

/** Waits until every instance has taken its trigger. */
export async function untilTriggersAreTaken(job: MixedCluster): Promise<void> {
  await until(async () => (await job.nodes(/^trigger\/./)).length === 0, 'the triggers to be taken');
}

/** Waits until all items run, which are blocked, after a trigger. */
export async function fireAndBlock(
  job: MixedCluster,
  names: readonly string[],
  items: readonly number[] = itemsOf(job),
): Promise<void> {
  const since = Date.now();
  for (const name of names) await job.peer(name).block();
  await job.operate('trigger', job.job.jobName);
  await job.untilRan(`items ${items.join()} to begin`, (runs) => runs.length === items.length, since);
}

export async function release(job: MixedCluster, names: readonly string[]): Promise<void> {
  for (const name of names) await job.peer(name).release();
}
