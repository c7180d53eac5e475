import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { MOST_GRAPH_ROUNDS } from '../../../graphs/graph-round.js';
import { type Page } from '../../contract/common.js';
import {
  type BegunRoundAnswer,
  type GraphAction,
  type GraphDetail,
  type GraphRoundRow,
  type GraphRow,
  type RunAgainRequest,
  type StoppedRoundAnswer,
} from '../../contract/graphs.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { ConsoleGraphs } from '../../services/graphs/console-graphs.js';
import { type ConsoleAction } from '../../services/jobs/noted-operations.js';
import { type ConsoleRegistry } from '../../services/registries/console-registry.js';
import { anyText, bodyOf, limit, optional, readFields, readQuery, time } from '../requests.js';
import { Acting, OnRegistry, type QueryOf } from './parameters.js';

const ROUNDS = { limit: limit(MOST_GRAPH_ROUNDS) };

/** Jobs that run after others. A graph is found by its name, or by that of any of its jobs. */
@Controller('api/v1/registries/:registry/graphs')
export class GraphsController {
  constructor(@Inject(ConsoleGraphs) private readonly graphs: ConsoleGraphs) {}

  /** All graphs of a registry centre, by name. */
  @Get()
  @Permit('read')
  list(@OnRegistry() registry: ConsoleRegistry): Promise<Page<GraphRow>> {
    return this.graphs.list(registry);
  }

  /** The jobs of a graph, and the lines between them. */
  @Get(':graph')
  @Permit('read')
  one(@OnRegistry() registry: ConsoleRegistry, @Param('graph') graph: string): Promise<GraphDetail> {
    return this.graphs.one(registry, graph);
  }

  /** The latest rounds of a graph, the newest first, each with the state of each job. Default: 100, and no more. */
  @Get(':graph/rounds')
  @Permit('read')
  rounds(
    @OnRegistry() registry: ConsoleRegistry,
    @Param('graph') graph: string,
    @Query() query: QueryOf<keyof typeof ROUNDS>,
  ): Promise<Page<GraphRoundRow>> {
    return this.graphs.rounds(registry, graph, readQuery(query, ROUNDS).limit ?? MOST_GRAPH_ROUNDS);
  }

  /** Begins a round of the whole graph now. */
  @Post(':graph/trigger')
  @HttpCode(200)
  @Permit('operate')
  trigger(
    @Acting() action: ConsoleAction,
    @Param('graph') graph: string,
    @Body() _body: GraphAction,
  ): Promise<BegunRoundAnswer> {
    return this.graphs.trigger(action, graph);
  }

  /** Lets nothing of a graph begin by itself until it is resumed. */
  @Post(':graph/pause')
  @HttpCode(204)
  @Permit('operate')
  pause(@Acting() action: ConsoleAction, @Param('graph') graph: string, @Body() _body: GraphAction): Promise<void> {
    return this.graphs.pause(action, graph);
  }

  /** Ends the pause of a graph. */
  @Post(':graph/resume')
  @HttpCode(204)
  @Permit('operate')
  resume(@Acting() action: ConsoleAction, @Param('graph') graph: string, @Body() _body: GraphAction): Promise<void> {
    return this.graphs.resume(action, graph);
  }

  /** Runs a round again, as a new round: what has failed or was stopped, or from a job on. */
  @Post(':graph/rounds/:instant/again')
  @HttpCode(200)
  @Permit('operate')
  runAgain(
    @Acting() action: ConsoleAction,
    @Param('graph') graph: string,
    @Param('instant') instant: string,
    @Body() body: RunAgainRequest,
  ): Promise<BegunRoundAnswer> {
    const { from } = readFields(bodyOf(body), { from: optional(anyText) });
    return this.graphs.runAgain(action, graph, { instant: instantOf(instant), from });
  }

  /** Stops a round: nothing more of it begins. */
  @Post(':graph/rounds/:instant/stop')
  @HttpCode(200)
  @Permit('operate')
  stop(
    @Acting() action: ConsoleAction,
    @Param('graph') graph: string,
    @Param('instant') instant: string,
    @Body() _body: GraphAction,
  ): Promise<StoppedRoundAnswer> {
    return this.graphs.stop(action, graph, instantOf(instant));
  }

  /** Skips a job in a round: it does not run, and the jobs after it do. */
  @Post(':graph/rounds/:instant/jobs/:job/skip')
  @HttpCode(204)
  @Permit('operate')
  skip(
    @Acting() action: ConsoleAction,
    @Param('graph') graph: string,
    @Param('instant') instant: string,
    @Param('job') job: string,
    @Body() _body: GraphAction,
  ): Promise<void> {
    return this.graphs.skip(action, graph, { instant: instantOf(instant), jobName: job });
  }
}

/** Milliseconds since 1970, or ISO 8601. */
function instantOf(text: string): number {
  return readQuery({ instant: text }, { instant: time }).instant;
}
