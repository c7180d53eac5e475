import { hasJavaPeers, type JobView } from './job-view.js';
import { type Trigger } from './x-node/trigger.js';

/**
 * The triggers that make instances run all their items once, by instance. Each lists the items that the instance owns
 * now, so that an item that moves before its trigger is accepted is run all the same. If all instances are triggered,
 * an item whose owner cannot run it is listed with another instance, which passes it on. Java instances run the items
 * that they own when they accept the trigger. So does each instance while the job lacks items, or items of Java
 * instances are about to move: no list can predict which of them Java will run.
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
  // An instance whose node cannot be read at the moment may run, too: it is about to repair the node.
  const mayRun = (id: string): boolean => view.servers.get(view.instances.get(id)?.serverIp ?? '') === 'ENABLED';
  const runners = new Set([...view.instances.keys()].filter(mayRun));
  const mayMove = view.config?.staticSharding !== true && ids.length === view.instances.size;
  const substitute = mayMove ? [...runners].find((id) => lists.has(id)) : undefined;
  for (const { item, owner = '', disabled } of view.items)
    if (!disabled && item < total) lists.get(runners.has(owner) ? owner : (substitute ?? ''))?.push(item);
  return lists;
}
