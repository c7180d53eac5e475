import { hasJavaPeers, type JobView } from './job-view.js';
import { type Trigger } from './x-node/trigger.js';

/**
 * The triggers that make instances run all their items once, by instance. Each lists the items that the instance owns
 * now, so that one that moves before its trigger is accepted is run all the same. If all instances are triggered, an
 * item whose owner cannot run it is listed with another one, which hands it on. Java instances run what they own; and
 * so does each instance while the job has not got all its items, or items of Java instances are about to move: no list
 * can say which of them Java will run.
 * @param ids the instances to trigger
 */
export function fullTriggers(
  view: JobView,
  ids: readonly string[],
  jobParameter?: string,
): ReadonlyMap<string, Trigger> {
  const own = listsOf(view, ids);
  return new Map(
    ids.map((id) => {
      const items = own.get(id);
      return [id, { ...(jobParameter !== undefined && { jobParameter }), ...(items && { items }), isForAll: true }];
    }),
  );
}

function listsOf(view: JobView, ids: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const total = view.config?.shardingTotalCount ?? Infinity;
  const isAboutToChange = view.reshardingNeeded || view.processing;
  if (isAboutToChange && hasJavaPeers(view)) return new Map();
  if (view.items.filter(({ item }) => item < total).length < total) return new Map();
  const lists = new Map(ids.filter((id) => !view.javaPeers.has(id)).map((id) => [id, [] as number[]]));
  // Also if its node cannot be read at the moment: it is about to repair it.
  const mayRun = (id: string): boolean => view.servers.get(view.instances.get(id)?.serverIp ?? '') === 'ENABLED';
  const runners = new Set([...view.instances.keys()].filter(mayRun));
  const mayMove = view.config?.staticSharding !== true && ids.length === view.instances.size;
  const substitute = mayMove ? [...runners].find((id) => lists.has(id)) : undefined;
  for (const { item, owner = '', disabled } of view.items)
    if (!disabled && item < total) lists.get(runners.has(owner) ? owner : (substitute ?? ''))?.push(item);
  return lists;
}
