/**
 * The graphs of a namespace: jobs that are connected by dependencies, or that name the same graph. Pure functions of
 * settings. A graph has the name that its jobs give it (`graph`); without any, that of its first root.
 *
 * If two graphs meet in one job, they are one graph: it has all names that its jobs give it, the first one in
 * alphabetical order is its own, and the others find it, too.
 */
import { type Dependencies, dependenciesOf, graphNameOf, graphTimeoutOf } from '../api/settings/dependencies.js';
import { type GraphJob } from './job-graph.js';

/** Jobs that belong together. */
export interface JobGraph {
  readonly name: string;
  /** All names that its jobs give it, in ascending order; empty if they give it none. */
  readonly names: readonly string[];
  /** Each job after all those after which it runs; jobs of a cycle come last. */
  readonly jobs: readonly GraphMember[];
  /** Names of the jobs that run after no other, in the order of `jobs`. */
  readonly roots: readonly string[];
  /** The most milliseconds that a round may take: the least that its roots set; `undefined`: no limit. */
  readonly timeoutMs: number | undefined;
}

/** A job of a graph. */
export interface GraphMember {
  readonly jobName: string;
  /** `undefined` if there is no such job, or its settings cannot be read. */
  readonly settings: GraphJob | undefined;
  /** `undefined` for a root. */
  readonly dependencies: Dependencies | undefined;
  /** Number of jobs on the longest way to it from a root: 0 for a root. */
  readonly level: number;
}

/** All graphs of these jobs, by name in ascending order. Jobs that belong to none are left out. */
export function graphsOf(jobs: readonly GraphJob[]): readonly JobGraph[] {
  const settings = new Map(jobs.map((job) => [job.jobName, job]));
  const groups = new Groups();
  for (const job of jobs) {
    const name = graphNameOf(job);
    if (name !== undefined) groups.join(jobKey(job.jobName), `graph ${name}`);
    for (const upstream of dependenciesOf(job)?.after ?? []) groups.join(jobKey(job.jobName), jobKey(upstream));
  }
  const graphs = groups.all.map((keys) => {
    const names = keys.filter((key) => key.startsWith(JOB)).map((key) => key.slice(JOB.length));
    return graphWith(names, settings);
  });
  return graphs.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The graph that has this name, or else the one to which the job of this name belongs. */
export function findGraph(graphs: readonly JobGraph[], name: string): JobGraph | undefined {
  return (
    graphs.find((graph) => graph.name === name) ??
    graphs.find(({ names }) => names.includes(name)) ??
    graphs.find(({ jobs }) => jobs.some(({ jobName }) => jobName === name))
  );
}

const JOB = 'job ';
const jobKey = (jobName: string): string => JOB + jobName;

function graphWith(names: readonly string[], settings: ReadonlyMap<string, GraphJob>): JobGraph {
  const jobs = inOrder(names, settings);
  const given = jobs.flatMap(({ settings: own }) => (own === undefined ? [] : (graphNameOf(own) ?? [])));
  const roots = jobs.flatMap(({ jobName, dependencies }) => (dependencies === undefined ? [jobName] : []));
  const ownNames = [...new Set(given)].sort();
  const limits = jobs.flatMap(({ settings: own, dependencies }) =>
    own === undefined || dependencies !== undefined ? [] : (graphTimeoutOf(own) ?? []),
  );
  return {
    name: ownNames[0] ?? roots[0] ?? jobs[0]?.jobName ?? '',
    names: ownNames,
    jobs,
    roots,
    timeoutMs: limits.length === 0 ? undefined : Math.min(...limits),
  };
}

/** The jobs level by level. */
function inOrder(names: readonly string[], settings: ReadonlyMap<string, GraphJob>): readonly GraphMember[] {
  const left = new Map(
    [...names].sort().map((jobName) => {
      const own = settings.get(jobName);
      return [jobName, { jobName, settings: own, dependencies: own && dependenciesOf(own) }] as const;
    }),
  );
  const ordered: GraphMember[] = [];
  for (let level = 0; left.size > 0; level++) {
    const free = [...left.values()].filter(({ dependencies }) => !dependencies?.after.some((each) => left.has(each)));
    // Only jobs of a cycle, and those after them, are left.
    const next = free.length > 0 ? free : [...left.values()];
    for (const job of next) {
      left.delete(job.jobName);
      ordered.push({ ...job, level });
    }
  }
  return ordered;
}

/** Groups of keys that were joined, directly or by way of others. */
class Groups {
  readonly #groups = new Map<string, Set<string>>();

  join(one: string, other: string): void {
    const [first, second] = [this.#of(one), this.#of(other)];
    if (first === second) return;
    const [large, small] = first.size < second.size ? [second, first] : [first, second];
    for (const key of small) {
      large.add(key);
      this.#groups.set(key, large);
    }
  }

  get all(): readonly (readonly string[])[] {
    return [...new Set(this.#groups.values())].map((group) => [...group]);
  }

  #of(key: string): Set<string> {
    const known = this.#groups.get(key) ?? new Set([key]);
    this.#groups.set(key, known);
    return known;
  }
}
