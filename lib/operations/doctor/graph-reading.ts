import { dependenciesOf } from '../../api/settings/dependencies.js';
import { findGraphProblems } from '../../graphs/read-graph.js';
import { isInGraph, type JobView, readJobView } from '../../layout/job-view.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type ReadJob } from '../job-reading.js';
import { type Symptom } from './finding.js';
import { diagnoseGraph } from './graph-checks.js';
import { readTrees } from './tree-reading.js';

/**
 * Reads jobs that belong to graphs, with those directly before and after them, and finds the problems of their places
 * there.
 * @param names the jobs to examine; those that belong to no graph have no problems
 * @throws RegistryUnavailableError if the registry centre does not answer
 */
export async function graphSymptoms(
  registry: RegistryCenter,
  names: readonly string[],
  { registryTime }: { readonly registryTime: number | undefined },
): Promise<readonly Symptom[]> {
  const jobs = (await readApartFromHidden(registry, names)).read.filter(({ view }) => isInGraph(view));
  const known = new Map(jobs.map(({ jobName, view }) => [jobName, view]));
  const others = [...new Set(jobs.flatMap(namesBeside))].filter((name) => !known.has(name));
  const { read, hidden } = await readApartFromHidden(registry, others);
  const neighbours = new Map<string, JobView>([
    ...known,
    ...read.flatMap(({ jobName, view }) => (view.exists ? [[jobName, view] as const] : [])),
    // A job that may not be read is there all the same, with unknown settings.
    ...hidden.map((jobName) => [jobName, readJobView(NO_NODES, jobName)] as const),
  ]);
  const symptoms: Symptom[] = [];
  for (const job of jobs) {
    const { config } = job.view;
    // One after the other: each reads all jobs before it.
    const problems = config === undefined ? [] : await findGraphProblems(registry, { ...config, jobName: job.jobName });
    const fullPath = (path: string): string => registry.fullPath(path);
    symptoms.push(...diagnoseGraph({ ...job, registryTime, fullPath, neighbours, problems }));
  }
  return symptoms;
}

const NO_NODES: ReadJob['nodes'] = new Map();

function namesBeside({ view }: ReadJob): readonly string[] {
  const { config, graph } = view;
  return [...((config && dependenciesOf(config)?.after) ?? []), ...graph.successors.keys()];
}

async function readApartFromHidden(
  registry: RegistryCenter,
  names: readonly string[],
): Promise<{ readonly read: readonly ReadJob[]; readonly hidden: readonly string[] }> {
  const read: ReadJob[] = [];
  const hidden: string[] = [];
  await readTrees(registry, names, async (jobs, refused) => {
    read.push(...jobs);
    hidden.push(...refused.map(({ jobName }) => jobName));
    return Promise.resolve();
  });
  return { read, hidden };
}
