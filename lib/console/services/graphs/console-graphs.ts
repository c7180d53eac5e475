import { UnknownGraphError } from '../../../api/errors/errors.js';
import { knownNames } from '../../../api/text/nearest.js';
import { graphRounds } from '../../../graphs/graph-rounds.js';
import { type GraphViews } from '../../../graphs/graph-round.js';
import { findGraph, graphsOf, type JobGraph } from '../../../graphs/job-graphs.js';
import { type Clock } from '../../../time/clock.js';
import { type Page } from '../../contract/common.js';
import {
  type BegunRoundAnswer,
  type GraphDetail,
  type GraphRoundRow,
  type GraphRow,
  type StoppedRoundAnswer,
} from '../../contract/graphs.js';
import { type ConsoleAudit } from '../../security/audit/console-audit.js';
import { type LiveJobs } from '../live/live-jobs.js';
import { type ConsoleRegistry } from '../registries/console-registry.js';
import { graphDetail, graphRow, roundRow } from './graph-rows.js';
import { staleness } from '../jobs/live-lookup.js';
import { type ConsoleAction, type NotedOperations, operate } from '../jobs/noted-operations.js';

/**
 * Shows and steers jobs that run after others. Reading sends no request to the registry centre, and each act is
 * recorded.
 */
export class ConsoleGraphs {
  constructor(
    private readonly audit: ConsoleAudit,
    private readonly clock: Clock,
  ) {}

  /** All graphs, by name. */
  async list(registry: ConsoleRegistry): Promise<Page<GraphRow>> {
    const live = await registry.jobs();
    const items = graphsIn(live).map((graph) => graphRow(graph, viewsOf(live, graph)));
    return { items, total: items.length, ...staleness(live) };
  }

  /** @throws UnknownGraphError if no graph and no job of one has that name */
  async one(registry: ConsoleRegistry, name: string): Promise<GraphDetail> {
    const { live, graph } = await find(registry, name);
    const names = live.jobs.map(({ jobName }) => jobName);
    return { ...graphDetail(graph, viewsOf(live, graph), names), ...staleness(live) };
  }

  /** The latest rounds, newest first. @throws UnknownGraphError if no graph and no job of one has that name */
  async rounds(registry: ConsoleRegistry, name: string, limit: number): Promise<Page<GraphRoundRow>> {
    const { live, graph } = await find(registry, name);
    return { items: graphRounds(graph, viewsOf(live, graph), limit).map(roundRow), ...staleness(live) };
  }

  /** Begins a round of the whole graph. */
  trigger(action: ConsoleAction, name: string): Promise<BegunRoundAnswer> {
    return this.#operate(action, 'graph.trigger', name, async ({ graphs, context }) => {
      const { instant, jobs } = await graphs.trigger(name, context);
      return { instant: instant.getTime(), jobs };
    });
  }

  pause(action: ConsoleAction, name: string): Promise<void> {
    return this.#operate(action, 'graph.pause', name, async ({ graphs, context }) => {
      await graphs.pause(name, context);
    });
  }

  resume(action: ConsoleAction, name: string): Promise<void> {
    return this.#operate(action, 'graph.resume', name, ({ graphs, context }) => graphs.resume(name, context));
  }

  /** Runs a round again, as a new one: from a job, or all that has failed or was stopped. */
  runAgain(
    action: ConsoleAction,
    name: string,
    { instant, from }: { readonly instant: number; readonly from: string | undefined },
  ): Promise<BegunRoundAnswer> {
    return this.#operate(action, 'graph.run-again', targetOf(name, instant), async ({ graphs, context }) => {
      const begun = await graphs.runAgain(name, new Date(instant), { ...context, ...(from !== undefined && { from }) });
      return { instant: begun.instant.getTime(), jobs: begun.jobs };
    });
  }

  /** Nothing more of the round begins. */
  stop(action: ConsoleAction, name: string, instant: number): Promise<StoppedRoundAnswer> {
    return this.#operate(action, 'graph.stop', targetOf(name, instant), async ({ graphs, context }) => ({
      jobs: await graphs.stop(name, new Date(instant), context),
    }));
  }

  /** A job does not run in the round, and counts as skipped. */
  skip(
    action: ConsoleAction,
    name: string,
    { instant, jobName }: { readonly instant: number; readonly jobName: string },
  ): Promise<void> {
    return this.#operate(action, 'graph.skip', `${targetOf(name, instant)}/${jobName}`, ({ graphs, context }) =>
      graphs.skip(name, new Date(instant), jobName, context),
    );
  }

  #operate<T>(
    action: ConsoleAction,
    what: string,
    target: string,
    task: (operations: NotedOperations) => Promise<T>,
  ): Promise<T> {
    return operate(this.audit, action, { action: what, target, clock: this.clock }, task);
  }
}

function targetOf(name: string, instant: number): string {
  return `${name}/${new Date(instant).toISOString()}`;
}

/** The graphs of each registry centre at the latest revision of its jobs that was asked for. */
const known = new WeakMap<LiveJobs, { readonly revision: number; readonly graphs: readonly JobGraph[] }>();

function graphsIn(live: LiveJobs): readonly JobGraph[] {
  const { revision } = live;
  const before = known.get(live);
  if (before?.revision === revision) return before.graphs;
  const graphs = graphsOf(
    live.jobs.flatMap(({ jobName, view: { config } }) => (config === undefined ? [] : [{ ...config, jobName }])),
  );
  known.set(live, { revision, graphs });
  return graphs;
}

function viewsOf(live: LiveJobs, { jobs }: JobGraph): GraphViews {
  return new Map(
    jobs.flatMap(({ jobName }) => {
      const view = live.job(jobName)?.view;
      return view?.exists === true ? [[jobName, view]] : [];
    }),
  );
}

async function find(
  registry: ConsoleRegistry,
  name: string,
): Promise<{ readonly live: LiveJobs; readonly graph: JobGraph }> {
  const live = await registry.jobs();
  const graphs = graphsIn(live);
  const graph = findGraph(graphs, name);
  if (graph !== undefined) return { live, graph };
  const names = graphs.map((each) => each.name);
  const hint = names.length === 0 ? '; no job of it runs after another one' : knownNames(name, names);
  throw new UnknownGraphError(
    `There is no graph '${name}' in registry centre '${registry.name}'${hint}${hint.endsWith('?') ? '' : '.'}`,
  );
}
