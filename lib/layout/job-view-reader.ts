import { type MirroredNode } from '../registry/registry-center.js';
import { type ItemNodes, type ItemView, itemView, NO_ITEM_NODES } from './item-view.js';
import { type JobPath, JobPaths } from './job-paths.js';
import { NOTHING, type Part, PART_OF, type PartNode, READERS } from './job-view-parts.js';
import { type JobView } from './job-view-types.js';
import { setOf } from './shared-empty.js';

/** Reads a job's nodes, given by absolute path as a mirror of the job's root has them. Other nodes are ignored. */
export function readJobView(nodes: ReadonlyMap<string, MirroredNode>, jobName: string): JobView {
  return new JobViewReader(jobName).read(nodes);
}

/**
 * `readJobView` for one job again and again, from what has changed: parts of a view that have not changed are the same objects
 * as in the view before.
 */
export class JobViewReader {
  readonly #paths: JobPaths;
  /** The nodes that are not of items, by path. One map for all: most jobs have few of them. */
  readonly #nodes = new Map<string, PartNode>();
  readonly #itemNodes = new Map<number, Mutable<ItemNodes>>();
  readonly #items = new Map<number, ItemView>();
  #view: JobView = NOTHING;

  constructor(jobName: string) {
    this.#paths = new JobPaths(jobName);
  }

  /** @param changes paths of nodes that may have changed since the last reading; `undefined`: all may have */
  read(nodes: ReadonlyMap<string, MirroredNode>, changes?: Iterable<string>): JobView {
    if (changes === undefined) this.#forget();
    const parts = new Set<Part>();
    const items = new Set<number>();
    for (const path of changes ?? nodes.keys()) {
      const parsed = this.#paths.parse(path);
      if (parsed.type === 'item') items.add(this.#takeOfItem(parsed.item, 'item', nodes.get(path)));
      else if (parsed.type === 'itemMark') items.add(this.#takeOfItem(parsed.item, parsed.mark, nodes.get(path)));
      else this.#take(path, parsed, nodes.get(path), parts);
    }
    if (items.size === 0 && parts.size === 0) return this.#view;
    this.#view = {
      ...this.#view,
      ...(items.size > 0 && { items: this.#readItems(items) }),
      ...this.#readParts(parts),
    };
    return this.#view;
  }

  #forget(): void {
    this.#nodes.clear();
    this.#itemNodes.clear();
    this.#items.clear();
    this.#view = NOTHING;
  }

  /** @returns the item */
  #takeOfItem(item: number, name: keyof ItemNodes, node: MirroredNode | undefined): number {
    let nodes = this.#itemNodes.get(item);
    if (nodes === undefined) this.#itemNodes.set(item, (nodes = { ...NO_ITEM_NODES }));
    nodes[name] = node;
    return item;
  }

  #take(path: string, parsed: JobPath, node: MirroredNode | undefined, changed: Set<Part>): void {
    const part = PART_OF[parsed.type];
    if (part === undefined) return;
    changed.add(part);
    if (node === undefined) this.#nodes.delete(path);
    else this.#nodes.set(path, { part, path: parsed, node });
  }

  #readItems(changed: ReadonlySet<number>): readonly ItemView[] {
    let isInOrder = true;
    for (const item of changed) {
      const view = itemView(item, this.#itemNodes.get(item) ?? NO_ITEM_NODES);
      isInOrder &&= this.#items.has(item);
      if (view === undefined) {
        this.#itemNodes.delete(item);
        this.#items.delete(item);
      } else this.#items.set(item, view);
    }
    const items = [...this.#items.values()];
    return isInOrder ? items : this.#inOrder(items);
  }

  /** Items seldom come, so the map is brought into order then, once for many readings. */
  #inOrder(items: ItemView[]): readonly ItemView[] {
    items.sort((one, other) => one.item - other.item);
    this.#items.clear();
    for (const view of items) this.#items.set(view.item, view);
    return items;
  }

  #readParts(changed: ReadonlySet<Part>): Partial<JobView> {
    if (changed.size === 0) return {};
    const read: Partial<Mutable<JobView>> = {};
    const nodes = [...this.#nodes.values()];
    for (const part of changed) {
      const own = nodes.filter((each) => each.part === part);
      Object.assign(read, READERS[part](own, this.#paths));
    }
    if (!changed.has('instances') && !changed.has('live') && !changed.has('records')) return read;
    const { instances, live, beginRecords } = { ...this.#view, ...read };
    const ids = [...instances.keys()];
    return { ...read, javaPeers: setOf(ids.filter((id) => !live.has(id) && !beginRecords.has(id))) };
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
