/**
 * Once-listeners beside Java peers. Java knows only the nodes `guarantee/{stage}/{item}`, and counts them: when there
 * are as many as the job has items, the instance that arrived last makes the call under a latch and removes the stage's
 * node. The others wait for that removal. We create, count and remove these nodes too, and hold the latch while Java
 * peers are there; no node shows its firing, or the instance that created it.
 */
import { describeCause } from '../../api/text/describe-cause.js';
import { type GuaranteeStage } from '../../layout/job-paths.js';
import { hasJavaPeers, type ItemView, type JobView } from '../../layout/job-view.js';
import { type Operation } from '../../registry/registry-center.js';
import { type JobContext } from '../job/job-context.js';
import { type BarrierRound } from './round.js';

/**
 * How long a callback is left to the instances that are about to make it: those that may still wait for an earlier
 * round, and a Java peer that may have arrived last. A Java peer checks only once whether all have arrived, just after
 * its own report; if the stage's node was removed before that, the peer would wait until its timeout.
 */
export const TURN_MS = 1_000;

/** Longest wait for the latch that Java peers hold while they make the call. */
const LATCH_TIMEOUT_MS = 60_000;

/** True if the instance keeps the records by which ours find each other; Java instances do not. */
export function keepsRecords({ beginRecords }: JobView, id: string | undefined): boolean {
  return id !== undefined && beginRecords.has(id);
}

/**
 * True if a Java peer has reported the item. If an instance of ours owns it, the node is left from an earlier firing.
 */
export function hasArrivedFromJava({ item, owner }: ItemView, view: JobView, stage: GuaranteeStage): boolean {
  return arrivedNodes(view, stage).has(item) && !keepsRecords(view, owner);
}

/** The operations that report the items to Java peers: they create the nodes that are missing. */
export function nodesToCreate(
  { paths, watch }: JobContext,
  stage: GuaranteeStage,
  items: readonly number[],
): Operation[] {
  const arrived = arrivedNodes(watch.view, stage);
  return items
    .filter((item) => !arrived.has(item))
    .map((item) => ({ type: 'create', path: paths.guarantee(stage, item), value: '' }));
}

/** All nodes of the stage, those of the items first; `undefined` if the stage has none. */
export function nodesToRemove({ paths, watch }: JobContext, stage: GuaranteeStage): readonly string[] | undefined {
  const root = paths.guarantee(stage);
  if (!watch.nodes.has(root)) return undefined;
  return [...[...arrivedNodes(watch.view, stage)].map((item) => paths.guarantee(stage, item)), root];
}

function arrivedNodes({ startedItems, completedItems }: JobView, stage: GuaranteeStage): ReadonlySet<number> {
  return stage === 'started' ? startedItems : completedItems;
}

/** The part of Java peers in one round, as one wait sees it. */
export class JavaPeers {
  readonly #context: JobContext;
  readonly #stage: GuaranteeStage;
  readonly #items: ReadonlySet<number>;
  #hasSeenOwnNodes = false;
  #hasAwaitedOthers = false;

  /** @param items the items that this instance has reported */
  constructor(context: JobContext, { stage }: BarrierRound, items: readonly number[]) {
    this.#context = context;
    this.#stage = stage;
    this.#items = new Set(items);
  }

  /** Notes that this instance waits for items. If they are other instances' items, one of those may arrive last. */
  noteAwaited(items: readonly number[]): void {
    this.#hasAwaitedOthers ||= items.some((item) => !this.#items.has(item));
  }

  /** True if a Java peer may have arrived last, so that it makes the call. */
  mayCall(view: JobView): boolean {
    return this.#hasAwaitedOthers && hasJavaPeers(view);
  }

  /** True if a Java peer has made the call, or has waited long enough: it removes the stage's node. */
  hasCalled(view: JobView): boolean {
    const { watch, paths } = this.#context;
    const arrived = arrivedNodes(view, this.#stage);
    if ([...this.#items].every((item) => arrived.has(item))) this.#hasSeenOwnNodes = true;
    return this.#hasSeenOwnNodes && hasJavaPeers(view) && !watch.nodes.has(paths.guarantee(this.#stage));
  }
}

/**
 * Decides on the call while no Java peer can: under the latch, if there are Java peers. `attempt` is given whether a
 * Java peer that held the latch before has made the call.
 * @returns the result of `attempt`; `undefined` if the latch cannot be had now
 */
export async function underJavaLatch<T>(
  { registry, watch, paths, logger }: JobContext,
  stage: GuaranteeStage,
  attempt: (wasCalled: boolean) => Promise<T>,
): Promise<T | undefined> {
  if (!hasJavaPeers(watch.view)) return attempt(false);
  // A failure of the attempt itself must not pass for one of the latch.
  let outcome: Promise<T> | undefined;
  try {
    await registry.exclusively(paths.guaranteeLatch(stage), LATCH_TIMEOUT_MS, async () => {
      await watch.sync();
      outcome = attempt(!watch.nodes.has(paths.guarantee(stage)));
      await outcome.catch(() => undefined);
    });
  } catch (error) {
    logger.warn(
      `the callback of a once-listener is delayed, because the latch of Java peers is not free: ${describeCause(error)}`,
    );
  }
  return outcome;
}
