/**
 * The jobs of a namespace as a graph: each points to those after which it runs. Pure functions of settings.
 *
 * ```
 *   importA ─┐
 *            ├─▶ report ─▶ mail        report runs after importA and importB, mail after report
 *   importB ─┘
 * ```
 */
import { dependenciesOf } from '../api/settings/dependencies.js';
import { knownNamesHint } from '../api/text/nearest.js';
import { type JobConfiguration } from '../api/job/job-configuration.js';
import { inEnglish, type Wording, wording } from '../wording/wording.js';

/** The settings of a job that matter in its graph. */
export type GraphJob = Pick<JobConfiguration, 'jobName' | 'cron' | 'shardingTotalCount' | 'monitorExecution' | 'props'>;

/** Finds the settings of a job by its name; `undefined`: there is no such job, or its settings cannot be read. */
export type FindJob = (jobName: string) => GraphJob | undefined;

/** A reason why a job does not run after others. */
export type GraphProblem =
  /** The job runs after itself, directly or by way of others: `['report', 'mail', 'report']`. */
  | { readonly type: 'cycle'; readonly path: readonly string[] }
  /** There is no job of that name; or none that can be read. */
  | { readonly type: 'unknown'; readonly upstream: string }
  /** Items cannot follow those of their number. */
  | { readonly type: 'unequal-items'; readonly upstream: string; readonly own: number; readonly theirs: number }
  /** A job writes down no ends of runs, because its `monitorExecution` is false. */
  | { readonly type: 'unrecorded'; readonly jobName: string }
  /** The job has a cron expression as well. */
  | { readonly type: 'also-cron'; readonly cron: string };

/** Names of the jobs after which a job runs. */
export function upstreamsOf(job: GraphJob | undefined): readonly string[] {
  return (job && dependenciesOf(job)?.after) ?? [];
}

/** Everything that keeps a job from running after others; empty if it runs after none. */
export function graphProblems(job: GraphJob, find: FindJob): readonly GraphProblem[] {
  const dependencies = dependenciesOf(job);
  if (dependencies === undefined) return [];
  const cycle = cycleThrough(job, find);
  const upstreams = dependencies.after.map((upstream) => ({ upstream, settings: find(upstream) }));
  return [
    ...(job.cron === undefined ? [] : [{ type: 'also-cron', cron: job.cron } as const]),
    ...(cycle === undefined ? [] : [{ type: 'cycle', path: cycle } as const]),
    ...[job, ...upstreams.flatMap(({ settings }) => settings ?? [])].flatMap(({ jobName, monitorExecution }) =>
      monitorExecution ? [] : [{ type: 'unrecorded', jobName } as const],
    ),
    ...upstreams.flatMap(({ upstream, settings }): readonly GraphProblem[] => {
      if (settings === undefined) return [{ type: 'unknown', upstream }];
      const [own, theirs] = [job.shardingTotalCount, settings.shardingTotalCount];
      const isUnequal = dependencies.items === 'same' && own !== theirs;
      return isUnequal ? [{ type: 'unequal-items', upstream, own, theirs }] : [];
    }),
  ];
}

/** The shortest way from a job back to it, along the jobs after which each runs; `undefined` if there is none. */
export function cycleThrough(job: GraphJob, find: FindJob): readonly string[] | undefined {
  const { jobName } = job;
  const seen = new Set<string>();
  let ways: readonly (readonly string[])[] = [[jobName]];
  while (ways.length > 0) {
    const longer: (readonly string[])[] = [];
    for (const way of ways) {
      const last = way.at(-1);
      const settings = last === jobName || last === undefined ? job : find(last);
      for (const upstream of upstreamsOf(settings)) {
        if (upstream === jobName) return [...way, upstream];
        if (!seen.has(upstream)) longer.push([...way, upstream]);
        seen.add(upstream);
      }
    }
    ways = longer;
  }
  return undefined;
}

/**
 * A problem in words that follow the name of the job: reason and cure.
 * @param names the jobs that there are, to find the one that was meant
 */
export function graphProblemWording(problem: GraphProblem, names: readonly string[] = []): Wording {
  switch (problem.type) {
    case 'cycle':
      return wording('graph-cycle', { path: problem.path.join(' after ') });
    case 'unknown': {
      const { upstream } = problem;
      // Without any other name there is none to suggest.
      const hint = names.length === 0 ? '' : knownNamesHint(upstream, names);
      return wording('graph-unknown', { upstream, hint });
    }
    case 'unequal-items': {
      const { upstream, own, theirs } = problem;
      return wording('graph-unequal', { upstream, own, theirs });
    }
    case 'unrecorded':
      return wording('graph-unrecorded', { jobName: problem.jobName });
    case 'also-cron':
      return wording('graph-cron', { cron: problem.cron });
    default:
      return problem satisfies never;
  }
}

/** As `graphProblemWording`, in English. */
export function describeGraphProblem(problem: GraphProblem, names: readonly string[] = []): string {
  return inEnglish(graphProblemWording(problem, names));
}
