/**
 * Nodes that a copy or a backup of the registry centre has brought back as persistent ones. Instances, Java's and ours, make
 * the nodes below only with their session, so a persistent one belongs to no living session, whatever its text says:
 *
 * - `leader/election/instance`: the job has a leader that never leads, and never gets another one
 * - `instances/{id}`: items are assigned to it that no instance runs
 * - `x-node/live/{id}`: a dead instance passes for one that is stopping, and its runs are not taken over
 *
 * Any instance removes them, once it has seen them for a while: a living instance that lost its connection meanwhile replaces
 * its own nodes as soon as it is back. Nothing is removed that a session keeps.
 */
import { isLostRace } from '../../api/errors/registry-errors.js';
import { RareMap, RareSet } from '../../async/rare-collections.js';
import { type JobView } from '../../layout/job-view.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type MirroredNode, type Operation } from '../../registry/registry-center.js';
import { type JobContext } from '../job/job-context.js';
import { RESTORED_NODE_GRACE_MS } from '../view/obstacles.js';

/** Finds and removes nodes that were restored as persistent ones. */
export class RestoredNodes {
  readonly #context: JobContext;
  /** By path of the node, when it was seen first, by the monotonic clock. */
  readonly #since = new RareMap<string, number>();
  /** Nodes that a reading has shown to live with a session. */
  readonly #living = new RareSet<string>();

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** To be called at each reconciliation: takes note of what the view shows. */
  note(view: JobView): void {
    const { clock, timers, paths, requestReconcile } = this.#context;
    const suspects = new Set(suspectsIn(view, paths));
    for (const path of [...this.#since.keys()]) if (!suspects.has(path)) this.#since.delete(path);
    for (const path of [...this.#living]) if (!suspects.has(path)) this.#living.delete(path);
    const now = clock.monotonic();
    for (const path of suspects) if (!this.#since.has(path) && !this.#living.has(path)) this.#since.set(path, now);
    if (this.#since.size === 0) return timers.cancel('restored-nodes');
    const waitMs = Math.min(...[...this.#since.values()].map((since) => since + RESTORED_NODE_GRACE_MS - now));
    if (waitMs > 0) timers.set('restored-nodes', waitMs, requestReconcile);
  }

  /** Paths of the nodes that have been seen long enough. */
  get due(): readonly string[] {
    const before = this.#context.clock.monotonic() - RESTORED_NODE_GRACE_MS;
    return [...this.#since].filter(([, since]) => since <= before).map(([path]) => path);
  }

  /** Removes those of them that live with no session. */
  async remove(): Promise<void> {
    const { registry, watch, logger } = this.#context;
    const { due } = this;
    // Of signs of life, only their presence is known until they are read.
    await watch.readAll();
    // As of one moment: the removal of a node changes what the watch shows.
    const nodes = await this.#synced();
    const isKept = (path: string): boolean => isKeptBySession(nodes.get(path)) || this.#isOfLivingProcess(path, nodes);
    for (const path of due.filter(isKept)) {
      this.#since.delete(path);
      this.#living.add(path);
    }
    for (const path of due.filter((each) => !isKept(each) && nodes.has(each))) {
      const removal: Operation = { type: 'remove', path, version: nodes.get(path)?.version ?? 0 };
      try {
        await registry.commit([removal]);
      } catch (error) {
        // Another instance has removed it, or its own instance has replaced it.
        if (isLostRace(error)) continue;
        throw error;
      }
      logger.warn(
        `removed ${registry.fullPath(path)}${textIn(nodes.get(path))}: the node was persistent, as copies and backups make it, ` +
          `and belonged to no living session.`,
      );
    }
  }

  async #synced(): Promise<ReadonlyMap<string, MirroredNode>> {
    const { watch } = this.#context;
    await watch.sync();
    return new Map(watch.nodes);
  }

  /** An instance that shows a sign of life replaces its own node. */
  #isOfLivingProcess(path: string, nodes: ReadonlyMap<string, MirroredNode>): boolean {
    const { paths } = this.#context;
    const parsed = paths.parse(path);
    return parsed.type === 'instance' && isKeptBySession(nodes.get(paths.live(parsed.id)));
  }
}

function isKeptBySession(node: MirroredNode | undefined): boolean {
  return node !== undefined && (node.session !== undefined || node.value === undefined);
}

function textIn(node: MirroredNode | undefined): string {
  const text = node?.value?.trim() ?? '';
  return text === '' ? '' : ` with the text ${JSON.stringify(text.slice(0, 80))}`;
}

/** The nodes that may have been restored. A sign of life without an instance is usual while an instance is stopping. */
function suspectsIn({ leader, leaderSession, instances, live }: JobView, paths: JobPaths): readonly string[] {
  const restored = [...instances.values()].filter(({ session }) => session === undefined);
  return [
    ...(leader !== undefined && leaderSession === undefined ? [paths.leader] : []),
    ...restored.map(({ jobInstanceId }) => paths.instance(jobInstanceId)),
    ...[...live].filter((id) => instances.get(id)?.session === undefined).map((id) => paths.live(id)),
  ];
}
