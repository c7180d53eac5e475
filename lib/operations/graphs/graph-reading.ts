/** Reads graphs from the registry centre for operations. */
import { InvalidConfigurationError, UnknownGraphError } from '../../api/errors/errors.js';
import { describeValue } from '../../api/text/describe-value.js';
import { knownNames } from '../../api/text/nearest.js';
import { describeGraphProblem, graphProblems } from '../../graphs/job-graph.js';
import { findGraph, type GraphMember, type JobGraph } from '../../graphs/job-graphs.js';
import { readGraphs } from '../../graphs/read-graphs.js';
import { type GraphViews } from '../../graphs/graph-round.js';
import { JobPaths } from '../../layout/job-paths.js';
import { availableInstances, type JobView, readJobView } from '../../layout/job-view.js';
import { type MirroredNode, type RegistryCenter } from '../../registry/registry-center.js';
import { jobNames, readJob, type ReadJob } from '../job-reading.js';

/** A graph, and its jobs as they were read, each as of one moment. */
export interface ReadGraph {
  readonly graph: JobGraph;
  /** By name; jobs that do not exist are missing. */
  readonly jobs: ReadonlyMap<string, ReadJob>;
  readonly views: GraphViews;
  /** Problems of each job with the jobs before it, in words that follow its name; jobs without problems are missing. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
}

/** Views of jobs that have only settings, rounds and orders: for lists of graphs, with one request for all of them. */
export async function readOutlines(registry: RegistryCenter, names: readonly string[]): Promise<GraphViews> {
  const wanted = names.map((name) => {
    const { config, rounds, orders } = new JobPaths(name);
    return [config, rounds, orders];
  });
  const nodes = (await registry.getAll(wanted.flat())).values();
  return new Map(
    names.map((name, index) => {
      const read = new Map<string, MirroredNode>();
      for (const path of wanted[index] ?? []) {
        const node = nodes.next().value;
        if (node !== undefined) read.set(path, node);
      }
      return [name, { ...readJobView(read, name), exists: read.size > 0 }];
    }),
  );
}

/**
 * Reads a graph with everything that its jobs have on record.
 * @param name one of its names, or that of a job of it
 * @throws UnknownGraphError if there is none; InvalidConfigurationError if it is no name at all
 */
export async function readGraph(registry: RegistryCenter, name: string): Promise<ReadGraph> {
  if (typeof (name as unknown) !== 'string' || name === '')
    throw new InvalidConfigurationError([
      `the name of a graph must be a text that is not empty, got ${describeValue(name)}`,
    ]);
  const graphs = await readGraphs(registry);
  const graph = findGraph(graphs, name);
  if (graph === undefined) throw unknownGraph(registry, name, graphs);
  const there = new Set(await jobNames(registry));
  const members = graph.jobs.filter(({ jobName }) => there.has(jobName));
  const read = await Promise.all(members.map(({ jobName }) => readJob(registry, jobName)));
  const jobs = new Map(read.map((job) => [job.jobName, job]));
  const views = new Map(read.map(({ jobName, view }) => [jobName, view]));
  return { graph, jobs, views, problems: problemsOf(graph, views, [...there]) };
}

function problemsOf(
  graph: JobGraph,
  views: GraphViews,
  names: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const settings = new Map(graph.jobs.map((member) => [member.jobName, member.settings]));
  const problemsIn = ({ jobName, settings: own }: GraphMember): readonly string[] => {
    const found = own === undefined ? [] : graphProblems(own, (name) => settings.get(name));
    return [...found.map((problem) => describeGraphProblem(problem, names)), ...runningProblems(views.get(jobName))];
  };
  return new Map(
    graph.jobs.flatMap((member) => {
      const problems = problemsIn(member);
      return problems.length === 0 ? [] : [[member.jobName, problems]];
    }),
  );
}

/** The reasons why nothing completes a round of the job, with their cures. */
function runningProblems(view: JobView | undefined): readonly string[] {
  if (view === undefined) return [];
  const { instances, javaPeers } = view;
  if (instances.size === 0)
    return ['no instance of it lives, so that jobs after it wait. Start an application that has the job.'];
  if (availableInstances(view).length === 0)
    return ['all servers of its instances are disabled, so that jobs after it wait. Enable one of them.'];
  if (javaPeers.size === 0) return [];
  return [
    `Java instances take part (${[...javaPeers].join(', ')}). They write down no ends, so that a round with an item of theirs is ` +
      'not completed. Run the job on Node instances alone.',
  ];
}

function unknownGraph(registry: RegistryCenter, name: string, graphs: readonly JobGraph[]): UnknownGraphError {
  const names = [...new Set(graphs.flatMap((graph) => [graph.name, ...graph.names]))];
  const known = names.length === 0 ? '; no job of it runs after another one' : knownNames(name, names);
  const end = known.endsWith('?') ? '' : '.';
  return new UnknownGraphError(`There is no graph '${name}' in ${registry.fullPath('/')}${known}${end}`);
}
