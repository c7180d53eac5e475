/**
 * The time limit for the rounds of a whole graph (`graphTimeoutMilliseconds`). The instance that cleans up a root of
 * the graph sets a timer for each round that the root begins. When the time is up, it reads the graph, and orders that
 * nothing more of the round begins, as an operator does who stops it. If it dies before, the next instance judges the
 * rounds that are on record.
 */
import { describeCause } from '../../api/text/describe-cause.js';
import { dependenciesOf, graphTimeoutOf } from '../../api/settings/dependencies.js';
import { stopped } from '../../graphs/graph-acts.js';
import { graphRound } from '../../graphs/graph-rounds.js';
import { orderFor } from '../../graphs/read-graphs.js';
import { type JobView } from '../../layout/job-view.js';
import { type JobContext } from '../job/job-context.js';
import { cleanupOwner } from '../view/crashes.js';

/** Dependencies of a `GraphDeadline`. */
export type GraphDeadlineDeps = Pick<
  JobContext,
  'registry' | 'paths' | 'me' | 'clock' | 'logger' | 'timers' | 'requestReconcile'
>;

/** Stops the rounds of a graph that take too long. */
export class GraphDeadline {
  readonly #deps: GraphDeadlineDeps;
  /** The latest instant that was judged, in milliseconds since 1970, and those before it. */
  readonly #judged = new Set<number>();
  #isJudging = false;
  #stopped: string | undefined;

  constructor(deps: GraphDeadlineDeps) {
    this.#deps = deps;
  }

  /** The latest round that was stopped here, and why; `undefined` once a later one has been in time. */
  get stoppedRound(): string | undefined {
    return this.#stopped;
  }

  /** To be called at each reconciliation. */
  note(view: JobView): void {
    const { me, clock, timers, requestReconcile } = this.#deps;
    const timeoutMs = timeoutOf(view);
    if (timeoutMs === undefined || cleanupOwner(view) !== me) {
      timers.cancel('graph-deadline');
      return;
    }
    const now = clock.now();
    const open = roundsOf(view).filter((instant) => !this.#judged.has(instant));
    const overdue = open.filter((instant) => instant + timeoutMs <= now);
    const next = Math.min(...open.filter((instant) => instant + timeoutMs > now));
    if (Number.isFinite(next)) timers.set('graph-deadline', next + timeoutMs - now, requestReconcile);
    if (overdue.length > 0 && !this.#isJudging) void this.#judge(overdue, timeoutMs);
  }

  /** Never rejects: what could not be judged is judged at the next reconciliation. */
  async #judge(instants: readonly number[], timeoutMs: number): Promise<void> {
    const { logger, timers, requestReconcile } = this.#deps;
    this.#isJudging = true;
    try {
      // One after the other: each writes to the same nodes.
      for (const instant of instants) {
        await this.#stop(instant, timeoutMs);
        this.#judged.add(instant);
      }
    } catch (error) {
      logger.debug(`could not stop what has taken too long: ${describeCause(error)}`);
      timers.setRetry('retry', requestReconcile);
    } finally {
      this.#isJudging = false;
      requestReconcile();
    }
  }

  async #stop(instant: number, timeoutMs: number): Promise<void> {
    const { registry, paths, logger } = this.#deps;
    const kept = await orderFor(registry, paths.jobName, ({ graph, views }) => {
      const round = graphRound(graph, views, instant);
      if (round?.state !== 'running') return undefined;
      const orders = stopped(views, round);
      return { orders, result: { jobs: [...orders.keys()], name: graph.name } };
    });
    if (kept === undefined) {
      this.#stopped = undefined;
      return;
    }
    this.#stopped =
      `the round ${new Date(instant).toISOString()} of graph '${kept.name}' has taken longer than ${timeoutMs} ms ` +
      `(graphTimeoutMilliseconds), and is stopped: nothing more of it begins in ${kept.jobs.join(', ')}. ` +
      `Look at npx elasticjob graph ${kept.name}, and run it again with npx elasticjob run-again ${kept.name}`;
    logger.warn(`${this.#stopped}.`);
  }
}

/** The limit that counts: that of a job which runs after no other, and after which others run. */
function timeoutOf({ config, graph }: JobView): number | undefined {
  if (config === undefined || graph.successors.size === 0 || dependenciesOf(config) !== undefined) return undefined;
  return graphTimeoutOf(config);
}

/** Rounds that have begun since the job is in the graph, in milliseconds since 1970. */
function roundsOf({ lastBegun, lastKeys, graph }: JobView): readonly number[] {
  const since = Math.min(...[...graph.successors.values()].map((each) => each ?? -Infinity));
  const begun = [...lastBegun.values(), ...graph.rounds.rounds.map(({ instant }) => instant)];
  return [...new Set([...begun.filter((instant) => instant > since), ...lastKeys.values()])];
}
