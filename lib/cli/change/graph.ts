import { JobGraphAPI } from '../../operations/job-graph-api.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type ChangeOptions } from '../surroundings.js';
import { contextOf } from './context.js';

/** Options of the commands that steer a round of a graph. */
export interface RoundOptions extends ChangeOptions {
  /** The instant, or run key, of the round. Default: the latest round. */
  readonly at?: Date;
  /** For `run-again`: the job to begin with. */
  readonly from?: string;
}

/** `run-again <graph>`: runs a round again, from what has failed or from one job on. */
export async function runAgain(invocation: Invocation, name: string, options: RoundOptions): Promise<ExitCode> {
  const { output } = invocation;
  const { api, instant, at } = await roundOf(invocation, name, options);
  const { from } = options;
  const what = from === undefined ? 'what has failed' : `job '${from}'`;
  await invocation.confirm(`Run the round ${at} of graph '${name}' again, from ${what} on?`, options);
  const begun = await api.runAgain(name, instant, { ...contextOf(options), ...(from !== undefined && { from }) });
  if (output.isJson) output.json({ ...begun, record: invocation.record });
  else output.text(`Round ${begun.instant.toISOString()} runs ${begun.jobs.join(', ')}.\n`);
  return EXIT.done;
}

/** `skip <graph> <job>`: skips a job in a round. */
export async function skip(
  invocation: Invocation,
  { name, jobName }: { readonly name: string; readonly jobName: string },
  options: RoundOptions,
): Promise<ExitCode> {
  const { api, instant, at } = await roundOf(invocation, name, options);
  await invocation.confirm(`Skip job '${jobName}' in the round ${at} of graph '${name}'?`, options);
  await api.skip(name, instant, jobName, contextOf(options));
  return done(invocation, { skipped: [jobName], instant }, `Skipped job '${jobName}' in the round ${at}.`);
}

/** `stop <graph>`: stops a round. */
export async function stop(invocation: Invocation, name: string, options: RoundOptions): Promise<ExitCode> {
  const { api, instant, at } = await roundOf(invocation, name, options);
  await invocation.confirm(`Stop the round ${at} of graph '${name}'?`, options);
  const stopped = await api.stop(name, instant, contextOf(options));
  return done(invocation, { stopped, instant }, `Stopped the round ${at}: ${stopped.join(', ')}.`);
}

/** `pause <graph>` and `resume <graph>`. */
export async function setPaused(
  invocation: Invocation,
  { verb, name }: { readonly verb: 'pause' | 'resume'; readonly name: string },
  options: ChangeOptions,
): Promise<ExitCode> {
  const api = new JobGraphAPI(await invocation.registry(), invocation.operations);
  const graph = await api.graph(name);
  if (verb === 'pause') {
    await invocation.confirm(`Pause graph '${graph.name}' (${graph.nodes.length} jobs)?`, options);
    const pausedSince = await api.pause(name, contextOf(options));
    return done(invocation, { graph: graph.name, pausedSince }, `Graph '${graph.name}' is paused.`);
  }
  await api.resume(name, contextOf(options));
  return done(invocation, { graph: graph.name, pausedSince: null }, `Graph '${graph.name}' goes on.`);
}

function done({ output, record }: Invocation, json: object, sentence: string): ExitCode {
  if (output.isJson) output.json({ ...json, record });
  else output.text(`${sentence}\n`);
  return EXIT.done;
}

interface Target {
  readonly api: JobGraphAPI;
  readonly instant: Date;
  /** The instant as a text. */
  readonly at: string;
}

/** The round that the options name, or the latest one. @throws CommandError if there is none */
async function roundOf(invocation: Invocation, name: string, { at }: RoundOptions): Promise<Target> {
  const api = new JobGraphAPI(await invocation.registry(), invocation.operations);
  const round = at === undefined ? (await api.rounds(name, { limit: 1 }))[0] : await api.round(name, at);
  if (round === undefined) throw new CommandError(EXIT.state, `Graph '${name}' has no round on record.`);
  return { api, instant: round.instant, at: round.instant.toISOString() };
}
