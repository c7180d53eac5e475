import { expect } from '@jest/globals';
import { until } from '../../../support/until.js';
import { type MixedCluster } from './mixed-cluster.js';
import { type JobSettings } from './peer.js';
import { type PeerRun } from './run-log.js';

/** The cron expression of a job that fires only when it is triggered: once a year. */
export const TRIGGERED_ONLY = '0 0 0 1 1 ?';

let jobs = 0;

/** The settings of a job that no other test has, and that is triggered manually. */
export const settings = (): Partial<JobSettings> => ({ jobName: `job${++jobs}`, cron: TRIGGERED_ONLY });

/** A new job that is triggered manually, that these instances share, and that has fired once. The first one leads. */
export async function sharedJob(
  cluster: MixedCluster,
  members: readonly string[],
  changes: Partial<JobSettings> = {},
): Promise<MixedCluster> {
  const job = await cluster.with({ ...settings(), ...changes }, ...members);
  await untilReady(job, members);
  await fire(job);
  // A Java leader may have heard of the last member only after it had begun to assign.
  if (await isAsked(job)) await fire(job);
  await job.untilSharedBy(...members);
  return job;
}

/** Waits until a manual firing runs every item: the leader, which is the first member, has heard of all the others. */
export async function untilReady(job: MixedCluster, members: readonly string[]): Promise<void> {
  if (members[0]!.startsWith('N')) return job.untilSharedBy(...members);
  // Java assigns the items at its first firing, and all wait for that.
  await untilReassigned(job, async () => Object.keys(await job.owners()).length === members.length);
}

/**
 * An operator triggers the job. Resolves when the items have been run, each once, and nothing is left over; with the
 * items by who ran them.
 */
export async function fire(
  job: MixedCluster,
  items: readonly number[] = itemsOf(job),
): Promise<Readonly<Record<string, readonly number[]>>> {
  const since = Date.now();
  await job.operate('trigger', job.job.jobName);
  await job.untilRan(`items ${items.join()} to run`, (runs) => areOver(runs, items.length), since);
  // A Java leader assigns items only at the next firing.
  await until(async () => (await job.nodes(/^sharding\/\d+\/running|^trigger\/./)).length === 0, 'all to have ended');
  expect((await isAsked(job)) ? [] : await job.leftOver()).toEqual([]);
  expect(numbersOf(job.runs(since))).toEqual(items);
  return job.ran(since);
}

export const itemsOf = ({ job }: MixedCluster): readonly number[] => [...Array(job.shardingTotalCount).keys()];

/** The items that were run, in their order. */
export const numbersOf = (runs: readonly PeerRun[]): readonly number[] =>
  runs.map(({ item }) => item).sort((one, other) => one - other);

/** True if there are so many runs, and all have ended. */
export const areOver = (runs: readonly PeerRun[], count: number): boolean =>
  runs.length >= count && runs.every(({ endedAt }) => endedAt !== undefined);

/** Waits until every instance has taken its trigger. */
export async function untilTriggersAreTaken(job: MixedCluster): Promise<void> {
  await until(async () => (await job.nodes(/^trigger\/./)).length === 0, 'the triggers to be taken');
}

/**
 * Waits until the items have been assigned again, or the leader asks for it: Java reshards at its next firing. An
 * instance that fires before the leader has noticed a change uses the old assignment.
 */
export async function untilReassigned(job: MixedCluster, isDone: () => Promise<boolean>): Promise<void> {
  await until(async () => (await isAsked(job)) || (await isDone()), 'the leader to hear of the change');
}

/**
 * Waits until the others have the items of who is gone, or, if a Java instance comes to lead, until that is asked for.
 */
export async function untilTaken(job: MixedCluster, heirs: readonly string[]): Promise<void> {
  if (heirs.every((name) => name.startsWith('N'))) return job.untilSharedBy(...heirs);
  await untilReassigned(
    job,
    async () =>
      Object.keys(await job.owners())
        .sort()
        .join() === [...heirs].sort().join(),
  );
}

/**
 * Has an operator trigger the job until these instances share it, whoever runs what meanwhile: so does a leader of
 * either kind come to assign the items that has changed in the same moment as what it is to assign them for. The last
 * of these firings is over: each of the instances has run its items, all items once. (An instance that has taken its
 * trigger may begin later.)
 */
export async function untilSharedAnew(job: MixedCluster, members: readonly string[]): Promise<void> {
  const isSharedSince = async (since: number): Promise<boolean> => {
    const runs = job.runs(since);
    if (numbersOf(runs).join() !== itemsOf(job).join() || !areOver(runs, job.job.shardingTotalCount)) return false;
    if (await isAsked(job)) return false;
    const owners = Object.keys(await job.owners()).sort();
    return owners.join() === [...members].sort().join() && (await job.nodes(/running$/)).length === 0;
  };
  await until(
    async () => {
      const since = Date.now();
      await job.operate('trigger', job.job.jobName);
      await untilTriggersAreTaken(job);
      return until(() => isSharedSince(since), 'each item to run once', 3_000).then(
        () => true,
        () => false,
      );
    },
    `the items to be shared by ${members.join(', ')}`,
    30_000,
  );
}

const isAsked = async (job: MixedCluster): Promise<boolean> => (await job.nodes(/^leader\/sharding\/./)).length > 0;

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
