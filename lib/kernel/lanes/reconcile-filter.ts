import { type JobContext } from '../job/job-context.js';
import { isAtRest, ownItems } from '../view/own-share.js';
import { type Leadership } from '../writes/leadership.js';
import { type WorkLane } from './work-lane.js';

/** Dependencies of a `ReconcileFilter`. */
export interface ReconcileFilterDeps extends Pick<JobContext, 'watch' | 'held' | 'paths' | 'me'> {
  readonly leadership: Leadership;
  readonly work: WorkLane;
}

/**
 * Decides which changes need no reconciliation. If a job is at rest and the last reconciliation has found nothing to
 * do, changes by firings need none until this instance's own run has ended.
 */
export class ReconcileFilter {
  readonly #deps: ReconcileFilterDeps;
  /** This instance's items; `undefined` while every change needs a reconciliation. */
  #own: ReadonlySet<number> | undefined;
  /** True if this instance ran nothing, and could have begun a run, when the filter was enabled. */
  #wasIdle = false;

  constructor(deps: ReconcileFilterDeps) {
    this.#deps = deps;
  }

  /** To be called when a reconciliation has found nothing to do. */
  enable(): void {
    const { watch, me, leadership, work, held } = this.#deps;
    const { view } = watch;
    // The leader waits for the end of items that had to stay with their owners.
    const isWaiting = (leadership.assignedFor?.pinned.length ?? 0) > 0;
    if (isWaiting || !isAtRest(view)) return;
    const isTriggered = view.triggers.has(me);
    this.#own = new Set(ownItems(view, me));
    this.#wasIdle = work.isIdle && work.canBegin && held.marked.length === 0 && !isTriggered;
  }

  /** To be called when a reconciliation begins. */
  disable(): void {
    this.#own = undefined;
    this.#wasIdle = false;
  }

  /**
   * True if the node at this path has changed only because instances fire, and this instance has nothing to do about
   * it.
   */
  canIgnore(path: string): boolean {
    const { watch, paths, held } = this.#deps;
    if (this.#own === undefined) return false;
    const node = paths.parse(path);
    if (node.type === 'beginRecord') return watch.nodes.has(path);
    if (node.type !== 'itemMark' || !(node.mark === 'running' || node.mark === 'misfire')) return false;
    // The end of a run here leads to a reconciliation anyway. An own item that does not run here may be one that this
    // instance waits for.
    return !this.#own.has(node.item) || held.phase(node.item) !== undefined;
  }

  /**
   * True if the begin of a run, or the end of an item, makes nothing due: the end of the run leads to a reconciliation
   * anyway.
   */
  get needsNoReconcile(): boolean {
    const { missedInstant, missedByItem } = this.#deps.work.backlog;
    return this.#wasIdle && missedInstant === undefined && missedByItem.size === 0;
  }
}
