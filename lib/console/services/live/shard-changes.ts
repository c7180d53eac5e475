/** Events about the items of one job: the changed items, or, if they are many, the request to read them. */
import { type ShardRow } from '../../contract/jobs.js';
import { type LiveEvent } from '../../contract/live.js';
import { shardRow, shardRows } from './job-rows.js';
import { type LiveJob } from './live-jobs.js';

/** A change of a job's items. */
export interface ShardChange {
  /** Items that are new or have changed. */
  readonly shards: readonly ShardRow[];
  readonly gone: readonly number[];
}

type ShardsEvent = Extract<LiveEvent, { type: 'shards' }>;

/** The most items in an event. The page reads more items by a request, which is paged and compressed. */
const MOST_TOLD = 200;

/** The event of a change. */
export function shardsEvent(
  jobName: string,
  { shards, gone = [] }: Partial<ShardChange> & Pick<ShardChange, 'shards'>,
): ShardsEvent {
  if (shards.length + gone.length > MOST_TOLD) return { type: 'shards', jobName, shards: [], mustBeRead: true };
  return { type: 'shards', jobName, shards, ...(gone.length > 0 && { gone }) };
}

/** One event with the changes of both. */
export function mergedShards(earlier: ShardsEvent, later: ShardsEvent): ShardsEvent {
  if (earlier.mustBeRead === true || later.mustBeRead === true)
    return { type: 'shards', jobName: later.jobName, shards: [], mustBeRead: true };
  const shards = new Map(earlier.shards.map((shard) => [shard.item, shard]));
  const gone = new Set(earlier.gone);
  for (const item of later.gone ?? []) {
    shards.delete(item);
    gone.add(item);
  }
  for (const shard of later.shards) {
    gone.delete(shard.item);
    shards.set(shard.item, shard);
  }
  return shardsEvent(later.jobName, { shards: [...shards.values()], gone: [...gone] });
}

/** The items that have changed between two states of a job. */
export function changedShards(before: LiveJob, now: LiveJob): ShardChange {
  const [one, other] = [before.view, now.view];
  if (one === other) return { shards: [], gone: [] };
  const isSameFrame =
    one.config === other.config &&
    one.instances === other.instances &&
    one.items.length === other.items.length &&
    one.items.every(({ item }, index) => item === other.items[index]?.item);
  if (!isSameFrame) return comparedShards(before, now);
  // An unchanged item is the same object, so only changed items need rows.
  const changed = other.items.filter((item, index) => item !== one.items[index]);
  return { shards: changed.map((item) => shardRow(now, item)), gone: [] };
}

function comparedShards(before: LiveJob, now: LiveJob): ShardChange {
  const known = new Map(shardRows(before).map((row) => [row.item, JSON.stringify(row)]));
  const shards = shardRows(now).filter((row) => {
    const was = known.get(row.item);
    known.delete(row.item);
    return was !== JSON.stringify(row);
  });
  return { shards, gone: [...known.keys()] };
}
