import { type MirroredNode } from '../registry/registry-center.js';
import { ItemChanges } from './item-view.js';
import { ITEM_MARKS, type JobPath, JobPaths } from './job-paths.js';
import { type ChangedNode, ABSENT_JOB, type Part, PART_OF, READERS } from './job-view-parts.js';
import { type JobView } from './job-view-types.js';

/** Reads a job's nodes, given by absolute path as a mirror of the job's root has them. Other nodes are ignored. */
export function readJobView(nodes: ReadonlyMap<string, MirroredNode>, jobName: string): JobView {
  return new JobViewReader(jobName).read(nodes);
}

/**
 * `readJobView` for one job again and again, from changes: unchanged parts of a view are the same objects as in the
 * view before. It keeps nothing but that view.
 */
export class JobViewReader {
  readonly #paths: JobPaths;
  #view: JobView = ABSENT_JOB;

  /** @param job the job's name, or its paths */
  constructor(job: string | JobPaths) {
    this.#paths = typeof job === 'string' ? new JobPaths(job) : job;
  }

  /** @param changes paths of nodes that may have changed since the last reading; `undefined`: all may have */
  read(nodes: ReadonlyMap<string, MirroredNode>, changes?: Iterable<string>): JobView {
    const before = changes === undefined ? ABSENT_JOB : this.#view;
    let items: ItemChanges | undefined;
    let parts: Map<Part, ChangedNode[]> | undefined;
    for (const path of changes ?? nodes.keys()) {
      const parsed = this.#paths.parse(path);
      const node = nodes.get(path);
      if (parsed.type === 'item') (items ??= new ItemChanges(before.items)).note(parsed.item, 'item', node);
      else if (parsed.type === 'itemMark')
        (items ??= new ItemChanges(before.items)).note(parsed.item, parsed.mark, node);
      else parts = withChange(parts, parsed, node);
    }
    this.#view = items === undefined && parts === undefined ? before : this.#after(before, { nodes, items, parts });
    return this.#view;
  }

  #after(before: JobView, { nodes, items, parts }: Changes): JobView {
    const view: Mutable<JobView> = { ...before };
    if (items !== undefined) view.items = items.after((item) => this.#hasNodes(nodes, item));
    if (parts === undefined) return view;
    for (const [part, changed] of parts) Object.assign(view, READERS[part](changed, before, this.#paths));
    if (parts.has('instances') || parts.has('live') || parts.has('records')) view.javaPeers = javaPeersIn(view);
    return view;
  }

  #hasNodes(nodes: ReadonlyMap<string, MirroredNode>, item: number): boolean {
    return nodes.has(this.#paths.item(item)) || ITEM_MARKS.some((mark) => nodes.has(this.#paths.item(item, mark)));
  }
}

interface Changes {
  readonly nodes: ReadonlyMap<string, MirroredNode>;
  readonly items: ItemChanges | undefined;
  readonly parts: ReadonlyMap<Part, readonly ChangedNode[]> | undefined;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A node that means nothing to a view changes no part of it. */
function withChange(
  parts: Map<Part, ChangedNode[]> | undefined,
  path: JobPath,
  node: MirroredNode | undefined,
): Map<Part, ChangedNode[]> | undefined {
  const part = PART_OF[path.type];
  if (part === undefined) return parts;
  const known = parts?.get(part);
  if (known === undefined) return (parts ?? new Map<Part, ChangedNode[]>()).set(part, [{ path, node }]);
  known.push({ path, node });
  return parts;
}

function javaPeersIn({ instances, live, beginRecords }: JobView): ReadonlySet<string> {
  return new Set([...instances.keys()].filter((id) => !live.has(id) && !beginRecords.has(id)));
}
