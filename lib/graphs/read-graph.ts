import { InvalidConfigurationError } from '../api/errors/errors.js';
import { fromYaml } from '../layout/job-configuration-yaml.js';
import { JobPaths } from '../layout/job-paths.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { inEnglish, type Wording } from '../wording/wording.js';
import { type GraphJob, type GraphProblem, graphProblems, graphProblemWording, upstreamsOf } from './job-graph.js';

/** More jobs than any graph has that people have drawn; beyond them, cycles are not looked for. */
const MOST_JOBS = 1_000;

/** A problem, and its words. */
export interface FoundProblem {
  readonly problem: GraphProblem;
  /** Reason and cure, in words that follow the name of the job. */
  readonly wording: Wording;
  /** `wording` in English. */
  readonly text: string;
}

/**
 * Reads the settings of all jobs before a job, and checks its place among them.
 * @param job the settings of the job itself, stored or not
 * @returns its problems; none for a job that runs after no other
 * @throws RegistryUnavailableError if the registry centre does not answer
 */
export async function findGraphProblems(registry: RegistryCenter, job: GraphJob): Promise<readonly FoundProblem[]> {
  if (upstreamsOf(job).length === 0) return [];
  const jobs = await readUpstreams(registry, job);
  const problems = graphProblems(job, (name) => jobs.get(name));
  const isAnyUnknown = problems.some(({ type }) => type === 'unknown');
  const names = isAnyUnknown ? (await registry.children('/')).filter((name) => name !== job.jobName) : [];
  return problems.map((problem) => {
    const wording = graphProblemWording(problem, names);
    return { problem, wording, text: inEnglish(wording) };
  });
}

/**
 * Those of these jobs that run after this one no more: they are removed, or their settings name other jobs. A job whose
 * settings cannot be read is none of them.
 */
export async function formerSuccessors(
  registry: RegistryCenter,
  jobName: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const nodes = await registry.getAll(names.map((name) => new JobPaths(name).config));
  return names.filter((name, index) => {
    const text = nodes[index]?.value;
    const settings = settingsIn(text, name);
    return text === undefined || (settings !== undefined && !upstreamsOf(settings).includes(jobName));
  });
}

/** The job and all jobs before it, by name; those without readable settings are left out. */
async function readUpstreams(registry: RegistryCenter, job: GraphJob): Promise<ReadonlyMap<string, GraphJob>> {
  const found = new Map([[job.jobName, job]]);
  const asked = new Set([job.jobName]);
  let next = newNames([job], asked);
  while (next.length > 0 && asked.size <= MOST_JOBS) {
    const nodes = await registry.getAll(next.map((name) => new JobPaths(name).config));
    const read = next.flatMap((name, index) => settingsIn(nodes[index]?.value, name) ?? []);
    for (const settings of read) found.set(settings.jobName, settings);
    next = newNames(read, asked);
  }
  return found;
}

function newNames(jobs: readonly GraphJob[], asked: Set<string>): readonly string[] {
  const names = [...new Set(jobs.flatMap(upstreamsOf))].filter((name) => !asked.has(name));
  for (const name of names) asked.add(name);
  return names;
}

function settingsIn(text: string | undefined, jobName: string): GraphJob | undefined {
  if (text === undefined) return undefined;
  try {
    return { ...fromYaml(text, jobName).configuration, jobName };
  } catch (error) {
    // Instances of that job report it.
    if (error instanceof InvalidConfigurationError) return undefined;
    throw error;
  }
}
