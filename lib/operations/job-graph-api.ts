import { InvalidConfigurationError, JobStateError } from '../api/errors/errors.js';
import { type OperationContext } from '../api/events/operation-record.js';
import { anything, checkOptions, type OptionRules } from '../api/settings/call-options.js';
import { describeValue } from '../api/text/describe-value.js';
import { knownNames } from '../api/text/nearest.js';
import { againFrom, type NewOrders, paused, pausedSince, skipped, stopped } from '../graphs/graph-acts.js';
import { type GraphRound, MOST_GRAPH_ROUNDS } from '../graphs/graph-round.js';
import { graphRound, graphRounds } from '../graphs/graph-rounds.js';
import { readGraphs } from '../graphs/read-graphs.js';
import { isOpen } from '../graphs/node-history.js';
import { AuditedOperations } from './audited-operations.js';
import { writeOrders } from './changes/graph-orders.js';
import { type BegunRound, type GraphBriefInfo, type GraphInfo } from './graphs/graph-infos.js';
import { roundToBegin } from './graphs/begin-round.js';
import { refuseGraph } from './graphs/graph-refusals.js';
import { graphBrief, graphInfo } from './graphs/graph-facts.js';
import { readGraph, type ReadGraph, readOutlines } from './graphs/graph-reading.js';
import { CONTEXT_RULES, type OperationTarget } from './operation-audit.js';

/** Options of `runAgain`. */
export interface RunAgainOptions extends OperationContext {
  /** The job to begin with. Default: all jobs that have failed or were stopped. */
  readonly from?: string;
}

const AGAIN_RULES: OptionRules<RunAgainOptions> = { ...CONTEXT_RULES, from: anything };

/** Options of `rounds`. */
export interface RoundsOptions {
  /** Most rounds to return. Default: 100, which are also the most that there are. */
  readonly limit?: number;
}

/**
 * Shows and steers jobs that run after others: on the registry centre only, no job need run in this process. A graph is
 * found by its name, or by that of any of its jobs.
 */
export class JobGraphAPI extends AuditedOperations {
  /** All graphs, by name in ascending order. */
  async graphs(): Promise<readonly GraphBriefInfo[]> {
    const graphs = await readGraphs(this.registry);
    const names = graphs.flatMap(({ jobs }) => jobs.map(({ jobName }) => jobName));
    const views = await readOutlines(this.registry, names);
    return graphs.map((graph) => graphBrief(graph, views));
  }

  /** The jobs of a graph, and the lines between them. @throws UnknownGraphError if there is no such graph */
  async graph(name: string): Promise<GraphInfo> {
    return graphInfo(await readGraph(this.registry, name));
  }

  /**
   * The latest rounds of a graph, newest first, each with the state of each job.
   * @throws UnknownGraphError if there is no such graph
   * @throws InvalidConfigurationError if an option is unknown or of a wrong kind
   */
  async rounds(name: string, options: RoundsOptions = {}): Promise<readonly GraphRound[]> {
    checkOptions('JobGraphAPI.rounds()', options, { limit: limitRule }, { example: '{ limit: 10 }' });
    const { graph, views } = await readGraph(this.registry, name);
    return graphRounds(graph, views, options.limit);
  }

  /**
   * One round of a graph.
   * @param instant its `instant`: that of the schedule, or its run key
   * @throws UnknownGraphError if there is no such graph
   * @throws JobStateError if the graph has no round of that instant on record
   */
  async round(name: string, instant: Date): Promise<GraphRound> {
    return roundOf(await readGraph(this.registry, name), instant);
  }

  /**
   * Begins a round of the whole graph now: all its roots run, and the other jobs after them. Items see the time of the
   * trigger as `scheduledAt`. The round is none of the schedule's, and stands for none.
   * @throws UnknownGraphError if there is no such graph
   * @throws JobStateError if the graph is paused; if no instance of a root lives; if Java instances take part, which
   *   write down no ends
   * @throws InvalidConfigurationError if an option is unknown or of a wrong kind
   */
  async trigger(name: string, context: OperationContext = {}): Promise<BegunRound> {
    checkOptions('JobGraphAPI.trigger()', context, CONTEXT_RULES);
    return this.#act({ ...context, operation: 'trigger-graph', jobName: name }, (read) =>
      roundToBegin(read, this.clock.now()),
    );
  }

  /**
   * Runs a round again, as a new round: the jobs that have failed or were stopped, and all jobs after them. Of a job that
   * has failed, the items run that have failed. The other jobs do not run, and count as they did. Items see the
   * original instant as `scheduledAt`.
   * @throws UnknownGraphError if there is no such graph
   * @throws JobStateError if the graph has no such round on record; if jobs of it still run or wait; if nothing of it has
   *   failed or was stopped; and as `trigger`
   * @throws InvalidConfigurationError if `from` is no job of the graph, or an option is unknown or of a wrong kind
   */
  async runAgain(name: string, instant: Date, options: RunAgainOptions = {}): Promise<BegunRound> {
    checkOptions('JobGraphAPI.runAgain()', options, AGAIN_RULES, { example: "{ from: 'report' }" });
    const { from, ...context } = options;
    return this.#act({ ...context, operation: 'run-again', jobName: name }, (read) => {
      const { graph, views } = read;
      if (from !== undefined) requireJob(read, from);
      const round = roundOf(read, instant);
      if (round.state === 'running')
        throw new JobStateError(
          `The round ${round.instant.toISOString()} of graph '${graph.name}' still runs. Wait for its end, or stop it first.`,
          { because: { code: 'round-open', values: { graph: graph.name } } },
        );
      const again = againFrom(graph, views, { round, from, now: this.clock.now() });
      if (again === undefined)
        throw new JobStateError(
          `Nothing of the round ${round.instant.toISOString()} of graph '${graph.name}' has failed or was stopped. Name the job to begin with (from).`,
          { because: { code: 'nothing-to-run-again', values: { graph: graph.name } } },
        );
      const jobs = [...again.orders].flatMap(([job, { runs }]) => (runs.at(-1)?.as === undefined ? [job] : []));
      refuseGraph(read, jobs);
      return { orders: again.orders, result: { graph: graph.name, instant: new Date(again.key), jobs } };
    });
  }

  /**
   * Skips a job in a round: its items that have not begun for it do not run, and count as skipped, so that the jobs
   * after it run. Items that run already go on.
   * @throws UnknownGraphError if there is no such graph
   * @throws JobStateError if the graph has no such round on record, or the job has come to its end in it
   * @throws InvalidConfigurationError if it is no job of the graph, or an option is unknown or of a wrong kind
   */
  async skip(name: string, instant: Date, jobName: string, context: OperationContext = {}): Promise<void> {
    checkOptions('JobGraphAPI.skip()', context, CONTEXT_RULES);
    await this.#act(
      { ...context, operation: 'skip-job', jobName },
      (read) => {
        requireJob(read, jobName);
        const round = roundOf(read, instant);
        const node = round.nodes.find((each) => each.jobName === jobName);
        if (node === undefined || !isOpen(node)) throw overIn(round, `Job '${jobName}'`, node?.state ?? round.state);
        return { orders: skipped(read.views, instant.getTime(), jobName), result: undefined };
      },
      name,
    );
  }

  /**
   * Stops a round: nothing more of it begins. Items that run go on to their end.
   * @returns the jobs that are kept from running, wholly or in part
   * @throws UnknownGraphError if there is no such graph
   * @throws JobStateError if the graph has no such round on record, or all of its jobs have come to their end in it
   * @throws InvalidConfigurationError if an option is unknown or of a wrong kind
   */
  async stop(name: string, instant: Date, context: OperationContext = {}): Promise<readonly string[]> {
    checkOptions('JobGraphAPI.stop()', context, CONTEXT_RULES);
    return this.#act({ ...context, operation: 'stop-round', jobName: name }, (read) => {
      const round = roundOf(read, instant);
      if (round.state !== 'running') throw overIn(round, `Graph '${read.graph.name}'`, round.state);
      const orders = stopped(read.views, round);
      return { orders, result: [...orders.keys()] };
    });
  }

  /**
   * Pauses a graph: none of its jobs begins anything that a schedule or another job makes due. Items that run go on, and
   * triggers of single jobs work. Instants of a schedule that pass meanwhile are dropped.
   * @returns since when it is paused; an earlier pause counts
   * @throws UnknownGraphError if there is no such graph
   * @throws InvalidConfigurationError if an option is unknown or of a wrong kind
   */
  async pause(name: string, context: OperationContext = {}): Promise<Date> {
    checkOptions('JobGraphAPI.pause()', context, CONTEXT_RULES);
    return this.#act({ ...context, operation: 'pause-graph', jobName: name }, ({ graph, views }) => {
      const since = pausedSince(views) ?? this.clock.now();
      return { orders: paused(graph, views, since), result: new Date(since) };
    });
  }

  /**
   * Ends a pause. Rounds that are open go on; the schedules fire at their next instants.
   * @throws UnknownGraphError if there is no such graph
   * @throws InvalidConfigurationError if an option is unknown or of a wrong kind
   */
  async resume(name: string, context: OperationContext = {}): Promise<void> {
    checkOptions('JobGraphAPI.resume()', context, CONTEXT_RULES);
    await this.#act({ ...context, operation: 'resume-graph', jobName: name }, ({ graph, views }) => {
      return { orders: paused(graph, views, undefined), result: undefined };
    });
  }

  /** Reads the graph, and writes the orders of the act in one commit; both again if others write at that moment. */
  #act<T>(
    target: OperationTarget,
    plan: (read: ReadGraph) => { readonly orders: NewOrders; readonly result: T },
    name = target.jobName ?? '',
  ): Promise<T> {
    return this.audit.record(target, (changes) =>
      writeOrders(this.registry, changes, async () => {
        const read = await readGraph(this.registry, name);
        return { ...plan(read), jobs: read.jobs };
      }),
    );
  }
}

function limitRule(value: unknown): string | undefined {
  const isFine = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_GRAPH_ROUNDS;
  return isFine ? undefined : `must be an integer from 1 to ${MOST_GRAPH_ROUNDS}`;
}

/** @throws JobStateError if the graph has no round of that instant on record, with those that it has */
function roundOf({ graph, views }: ReadGraph, instant: Date): GraphRound {
  if (!(instant instanceof Date) || Number.isNaN(instant.getTime()))
    throw new InvalidConfigurationError([`instant must be a Date, got ${describeValue(instant)}`]);
  const round = graphRound(graph, views, instant.getTime());
  if (round !== undefined) return round;
  const latest = graphRounds(graph, views, 3).map((each) => each.instant.toISOString());
  const known = latest.length === 0 ? 'it has none' : `the latest are ${latest.join(', ')}`;
  throw new JobStateError(`Graph '${graph.name}' has no round ${instant.toISOString()} on record; ${known}.`, {
    because: { code: 'no-round', values: { graph: graph.name } },
  });
}

function requireJob({ graph }: ReadGraph, jobName: string): void {
  const names = graph.jobs.map((each) => each.jobName);
  if (names.includes(jobName)) return;
  if (typeof (jobName as unknown) !== 'string')
    throw new InvalidConfigurationError([
      `the name of a job of graph '${graph.name}' must be a text, got ${describeValue(jobName)}`,
    ]);
  const known = knownNames(jobName, names);
  const end = known.endsWith('?') ? '' : '.';
  throw new InvalidConfigurationError([`Graph '${graph.name}' has no job '${jobName}'${known}${end}`]);
}

function overIn(round: GraphRound, what: string, state: string): JobStateError {
  return new JobStateError(`${what} has come to its end in the round ${round.instant.toISOString()}: ${state}.`, {
    because: { code: 'round-over', values: { state } },
  });
}
