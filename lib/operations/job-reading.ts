/** Reads jobs from the registry centre for operations: one job as of one moment, or very many with few requests. */
import { inEnglish } from '../wording/wording.js';
import {
  DeadlineExceededError,
  InvalidConfigurationError,
  type RegistryCredentialsError,
  UnknownJobError,
} from '../api/errors/errors.js';
import { jobNameProblem } from '../api/job/job-name.js';
import { withValue } from '../api/text/describe-value.js';
import { knownNames } from '../api/text/nearest.js';
import { JobPaths } from '../layout/job-paths.js';
import { type JobView, readJobView } from '../layout/job-view.js';
import { type Mirror, type MirroredNode, type RegistryCenter } from '../registry/registry-center.js';
import { type Clock } from '../time/clock.js';

/** A job as it was read from the registry centre. */
export interface ReadJob {
  readonly jobName: string;
  readonly paths: JobPaths;
  /** Its nodes by absolute path, as far as they were read. */
  readonly nodes: ReadonlyMap<string, MirroredNode>;
  readonly view: JobView;
}

/** The job that these nodes describe. */
export function readMoment(nodes: ReadonlyMap<string, MirroredNode>, paths: JobPaths): ReadJob {
  const { jobName } = paths;
  return { jobName, paths, nodes, view: readJobView(nodes, jobName) };
}

/** A wait for a job to get into some state. */
export interface JobWait {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** The awaited state, for the message when the deadline has passed. */
  readonly what: string;
}

/** A job that is followed as long as the caller needs it. */
export class FollowedJob implements Disposable {
  readonly #mirror: Mirror;
  readonly #paths: JobPaths;

  constructor(mirror: Mirror, paths: JobPaths) {
    this.#mirror = mirror;
    this.#paths = paths;
  }

  /** The job as of the latest moment that is known. */
  get now(): ReadJob {
    // A copy, as the mirror changes its own map.
    return readMoment(new Map(this.#mirror.nodes), this.#paths);
  }

  /** The job, including everything that was written before the call. */
  async synced(): Promise<ReadJob> {
    await this.#mirror.sync();
    return this.now;
  }

  /**
   * Resolves with the job at the first moment when `predicate` is true, which may be now. `predicate` must not throw.
   * @throws DeadlineExceededError when the deadline has passed
   */
  until(predicate: (job: ReadJob) => boolean, { clock, timeoutMs, what }: JobWait): Promise<ReadJob> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        unsubscribe();
        cancel();
        settle();
      };
      const look = (): void => {
        if (!this.#mirror.isCurrent) return;
        const { now } = this;
        if (predicate(now)) end(() => resolve(now));
      };
      const unsubscribe = this.#mirror.onChange(look);
      const cancel = clock.after(timeoutMs, () => end(() => reject(new DeadlineExceededError(what, timeoutMs))));
      look();
    });
  }

  [Symbol.dispose](): void {
    this.#mirror.close();
  }
}

/**
 * Follows a job. Dispose of it when it is needed no longer.
 * @throws UnknownJobError if there is none of that name
 */
export async function followJob(registry: RegistryCenter, jobName: string): Promise<FollowedJob> {
  const problem = jobNameProblem(jobName);
  if (problem !== undefined)
    throw new InvalidConfigurationError([`jobName: the job's name ${inEnglish(withValue(problem, jobName))}`]);
  const paths = new JobPaths(jobName);
  const job = new FollowedJob(await registry.mirror(paths.root), paths);
  if (job.now.view.exists) return job;
  job[Symbol.dispose]();
  throw await unknownJob(registry, jobName);
}

/** Reads a job as of one moment. @throws UnknownJobError if there is none of that name */
export async function readJob(registry: RegistryCenter, jobName: string): Promise<ReadJob> {
  using job = await followJob(registry, jobName);
  return job.now;
}

async function unknownJob(registry: RegistryCenter, jobName: string): Promise<UnknownJobError> {
  const names = await jobNames(registry);
  const known = names.length === 0 ? '; it has no job' : knownNames(jobName, names);
  const end = known.endsWith('?') ? '' : '.';
  return new UnknownJobError(
    `There is no job '${jobName}' in ${registry.fullPath('/')} of the registry centre${known}${end}`,
  );
}

/** The names of all jobs, in ascending order of UTF-16 code units, as Java sorts them. */
export async function jobNames(registry: RegistryCenter): Promise<readonly string[]> {
  return [...(await registry.children('/'))].sort();
}

/** The parts of each job to read, besides its servers and the ids of its instances. */
export interface JobParts {
  /** Its configuration, and the owners of its items. */
  readonly assignment?: boolean;
  /** The servers of its instances. */
  readonly instanceServers?: boolean;
  /** Configurations that were read before, by path: an unchanged one is not parsed again. */
  readonly known?: ReadonlyMap<string, MirroredNode>;
}

/** Most jobs that are read at a time. It bounds the memory, and the work that is done without a pause. */
const JOBS_AT_ONCE = 1000;

/**
 * Reads many jobs, in the order given, with few requests. The nodes of a job need not be of the same moment. Items that
 * only have marks other than an owner are left out of the views. Jobs that these credentials may not read are left out.
 */
export async function readJobs(
  registry: RegistryCenter,
  names: readonly string[],
  parts: JobParts,
): Promise<readonly ReadJob[]> {
  return (await readVisibleJobs(registry, names, parts)).jobs;
}

/** Jobs that could be read, and the names of jobs that belong to other credentials. */
export interface VisibleJobs {
  readonly jobs: readonly ReadJob[];
  readonly hidden: readonly RefusedName[];
}

/** As `readJobs`; also names the jobs that were left out because these credentials may not read them. */
export async function readVisibleJobs(
  registry: RegistryCenter,
  names: readonly string[],
  parts: JobParts,
): Promise<VisibleJobs> {
  const jobs: ReadJob[] = [];
  const hidden: RefusedName[] = [];
  for (let start = 0; start < names.length; start += JOBS_AT_ONCE) {
    const portion = names.slice(start, start + JOBS_AT_ONCE);
    // One after the other, so that the nodes of very many jobs are never in memory at once.
    const { read, refused } = await readApart(portion, (some) => readSome(registry, some, parts));
    jobs.push(...read);
    hidden.push(...refused);
  }
  return { jobs, hidden };
}

/** A job that belongs to other credentials. */
export interface RefusedName {
  readonly name: string;
  readonly error: RegistryCredentialsError;
}

/**
 * Reads jobs in one request. A job that these credentials may not read fails the whole request: it is then found by
 * halving, and only this job is left out.
 */
export async function readApart<T>(
  names: readonly string[],
  read: (names: readonly string[]) => Promise<readonly T[]>,
): Promise<{ readonly read: readonly T[]; readonly refused: readonly RefusedName[] }> {
  try {
    return { read: await read(names), refused: [] };
  } catch (error) {
    const [name] = names;
    if (!isRefusal(error) || name === undefined) throw error;
    if (names.length === 1) return { read: [], refused: [{ name, error }] };
    const middle = Math.ceil(names.length / 2);
    // One after the other, to limit the load on the registry centre.
    const first = await readApart(names.slice(0, middle), read);
    const second = await readApart(names.slice(middle), read);
    return { read: [...first.read, ...second.read], refused: [...first.refused, ...second.refused] };
  }
}

function isRefusal(error: unknown): error is RegistryCredentialsError {
  return error instanceof Error && 'code' in error && error.code === 'REGISTRY_CREDENTIALS';
}

async function readSome(
  registry: RegistryCenter,
  names: readonly string[],
  { assignment = false, instanceServers = false, known }: JobParts,
): Promise<readonly ReadJob[]> {
  const paths = names.map((name) => new JobPaths(name));
  const [configurations, instances, servers, items] = await Promise.all([
    assignment ? registry.getAll(paths.map(({ config }) => config)) : [],
    registry.childrenOfAll(paths.map((each) => each.instances)),
    registry.childrenOfAll(paths.map((each) => each.servers)),
    assignment ? registry.childrenOfAll(paths.map(({ sharding }) => sharding)) : [],
  ]);
  const wanted = paths.map((each, job) => [
    ...(servers[job] ?? []).map((ip) => each.server(ip)),
    ...(instanceServers ? (instances[job] ?? []).map((id) => each.instance(id)) : []),
    ...(items[job] ?? []).map((name) => `${each.sharding}/${name}/instance`),
  ]);
  const values = (await registry.getAll(wanted.flat())).values();
  return paths.map((each, job): ReadJob => {
    const nodes = new Map<string, MirroredNode>();
    const add = (path: string, node: MirroredNode | undefined): void => void (node && nodes.set(path, node));
    add(each.config, sameNode(known?.get(each.config), configurations[job]));
    if (!instanceServers) for (const id of instances[job] ?? []) add(each.instance(id), PRESENT);
    for (const path of wanted[job] ?? []) add(path, values.next().value);
    return readMoment(nodes, each);
  });
}

/** Stands for a node that was only listed, not read. */
const PRESENT: MirroredNode = { value: '', version: 0, revision: 0, session: undefined };

/**
 * The node object that was read before if the node has not changed: its parsed configuration is remembered by that
 * object.
 */
function sameNode(known: MirroredNode | undefined, read: MirroredNode | undefined): MirroredNode | undefined {
  const isSame = known?.revision === read?.revision && known?.version === read?.version && known?.value === read?.value;
  return isSame ? known : read;
}
