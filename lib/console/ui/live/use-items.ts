import { onScopeDispose, type Ref, shallowRef, watch } from 'vue';
import { type InstanceRow, type ShardRow } from '../../contract/jobs.js';
import { all, list } from '../api/client.js';
import { type Load, useLoad } from '../api/use-load.js';
import { jobPath } from '../state/use-registry.js';
import { useLive } from './use-live.js';

const MOST_CHANGES = 30;
/** Runs that end within this many milliseconds are read by one request. */
const ASK_AFTER_MS = 300;
const PAGE_SIZE = 1_000;

/** The milliseconds between two readings of many items, which change often. */
const REST_MS = 2_000;

/** A change of an item that was seen while the page was open. */
export interface ItemChange {
  readonly id: number;
  readonly at: number;
  readonly type: 'moved' | 'taken-over' | 'started' | 'ended' | 'cut-off' | 'unowned';
  readonly item: number;
  readonly from?: string;
  readonly to?: string;
}

export interface Items {
  readonly shards: Load<readonly ShardRow[]>;
  readonly instances: Load<readonly InstanceRow[]>;
  readonly changes: Ref<readonly ItemChange[]>;
  readonly reload: () => Promise<void>;
}

/** The instance that runs an item now: the one that took it over, or else its owner. */
export const workerOf = (shard: ShardRow): string | undefined => shard.takenOverBy ?? shard.instanceId;

/** The present items of a job, and their changes. */
export function useItems(registry: () => string, job: () => string): Items {
  const path = (): string => jobPath(registry(), job());
  const shards = useLoad(all<ShardRow>, () => [`${path()}/shards`, { limit: PAGE_SIZE }]);
  const instances = useLoad(list<InstanceRow>, () => `${path()}/instances`, ['instances']);
  const changes = shallowRef<readonly ItemChange[]>([]);
  const seen = { count: 0 };

  watch(shards.data, (after, before) => {
    if (before === undefined || after === undefined) return;
    const found = changesBetween(before, after).map((each) => ({ ...each, id: ++seen.count, at: Date.now() }));
    note(found.filter(({ type }) => type !== 'ended'));
    noteEnded(found.filter(({ type }) => type === 'ended'));
  });
  function note(found: readonly ItemChange[]): void {
    if (found.length === 0) return;
    changes.value = [...changes.value, ...found].sort((one, other) => other.id - one.id).slice(0, MOST_CHANGES);
  }
  /** Runs that are over. A run has ended normally unless its instance is gone, so the instances are read first. */
  const over: { timer?: ReturnType<typeof setTimeout> | undefined; changes: ItemChange[] } = { changes: [] };
  function noteEnded(found: readonly ItemChange[]): void {
    if (found.length === 0) return;
    over.changes.push(...found);
    over.timer ??= setTimeout(() => {
      const waiting = over.changes.splice(0);
      over.timer = undefined;
      void instances.reload().then(() => {
        const living = new Set(instances.data.value?.map(({ instanceId }) => instanceId));
        const isGone = ({ to }: ItemChange): boolean =>
          instances.problem.value === undefined && to !== undefined && !living.has(to);
        note(waiting.map((each) => (isGone(each) ? { ...each, type: 'cut-off' } : each)));
      });
    }, ASK_AFTER_MS);
  }
  onScopeDispose(() => clearTimeout(over.timer));

  const rest: { timer?: ReturnType<typeof setTimeout> | undefined } = {};
  const readSoon = (): void => {
    rest.timer ??= setTimeout(() => {
      rest.timer = undefined;
      void shards.reload();
    }, REST_MS);
  };
  onScopeDispose(() => clearTimeout(rest.timer));

  useLive((event) => {
    if (event.type !== 'shards' || event.jobName !== job() || shards.data.value === undefined) return;
    if (event.mustBeRead === true) return readSoon();
    const byItem = new Map(shards.data.value.map((each) => [each.item, each]));
    for (const each of event.shards) {
      const { lastRun } = byItem.get(each.item) ?? {};
      byItem.set(each.item, { ...each, ...(lastRun && { lastRun }) });
    }
    for (const item of event.gone ?? []) byItem.delete(item);
    shards.data.value = [...byItem.values()].sort((one, other) => one.item - other.item);
  });
  return {
    ...{ shards, instances, changes },
    reload: async () => void (await Promise.all([shards.reload(), instances.reload()])),
  };
}

type Change = Omit<ItemChange, 'id' | 'at'>;

export function changesBetween(before: readonly ShardRow[], after: readonly ShardRow[]): readonly Change[] {
  const old = new Map(before.map((each) => [each.item, each]));
  return after.flatMap((shard) => {
    const was = old.get(shard.item);
    return was === undefined || was === shard ? [] : changesOf(was, shard);
  });
}

function changesOf(was: ShardRow, is: ShardRow): readonly Change[] {
  const [from, to] = [workerOf(was), workerOf(is)];
  const ends = { item: is.item, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  if (is.takenOverBy !== undefined && was.takenOverBy !== is.takenOverBy) return [{ ...ends, type: 'taken-over' }];
  if (to === undefined && from !== undefined) return [{ ...ends, type: 'unowned' }];
  if (from !== to) return [{ ...ends, type: 'moved' }];
  if (was.status !== 'RUNNING' && is.status === 'RUNNING') return [{ ...ends, type: 'started' }];
  if (was.status === 'RUNNING' && is.status !== 'RUNNING') return [{ ...ends, type: 'ended' }];
  return [];
}
