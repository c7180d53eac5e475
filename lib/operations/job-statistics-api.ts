import { InvalidConfigurationError } from '../api/errors/errors.js';
import { describeValue } from '../api/text/describe-value.js';
import { type MirroredNode, type RegistryCenter } from '../registry/registry-center.js';
import { refuseUnknownServer, serverIpRule } from './changes/job-target.js';
import { checkedSource, registryFrom, type RegistrySource } from './registry-source.js';
import { jobNames, readJob, type ReadJob, readJobs, readVisibleJobs, type RefusedName } from './job-reading.js';
import { isDisabled, jobStatus, type JobStatus } from './statuses.js';

/** A job in a list of jobs. */
export interface JobBriefInfo {
  readonly jobName: string;
  readonly status: JobStatus;
  /** `undefined` if the list has no settings, or if the configuration cannot be read. */
  readonly description: string | undefined;
  /** `undefined` for one-off jobs too. */
  readonly cron: string | undefined;
  /** Number of living instances. */
  readonly instanceCount: number;
  /** 0 if the list has no settings, or if the configuration cannot be read. */
  readonly shardingTotalCount: number;
  /** Why the stored configuration, or the whole job (`HIDDEN`), cannot be read; absent if it can. */
  readonly configurationProblem?: string;
}

/** Lists and counts jobs, read from the registry centre only: no job need run in this process. */
export class JobStatisticsAPI {
  readonly #source: RegistrySource;
  /** The configurations that the last list of all jobs read, by path. */
  #configurations: ReadonlyMap<string, MirroredNode> = new Map();

  /**
   * @param registryCenter must be connected, and is closed by the caller; a function is called at each operation
   * @throws InvalidConfigurationError if it is none
   */
  constructor(registryCenter: RegistrySource) {
    this.#source = checkedSource(`new ${new.target.name}()`, registryCenter);
  }

  get #registry(): RegistryCenter {
    return registryFrom(this.#source);
  }

  /** The number of jobs, including those without a configuration. */
  async getJobsTotalCount(): Promise<number> {
    return (await this.#registry.children('/')).length;
  }

  /** The row of one job. @throws UnknownJobError if there is none of that name */
  async getJobBriefInfo(jobName: string): Promise<JobBriefInfo> {
    return briefInfo(await readJob(this.#registry, jobName));
  }

  /**
   * All jobs that have a configuration, sorted by name; also those that these credentials may not read, as `HIDDEN`.
   */
  async getAllJobsBriefInfo(): Promise<readonly JobBriefInfo[]> {
    const names = await jobNames(this.#registry);
    const parts = { assignment: true, known: this.#configurations };
    const { jobs, hidden } = await readVisibleJobs(this.#registry, names, parts);
    const configured = jobs.filter(({ nodes, paths }) => nodes.has(paths.config));
    const configurations = new Map<string, MirroredNode>();
    for (const { nodes, paths } of configured) {
      const node = nodes.get(paths.config);
      if (node !== undefined) configurations.set(paths.config, node);
    }
    this.#configurations = configurations;
    return byName([...configured.map(briefInfo), ...hidden.map(hiddenInfo)]);
  }

  /**
   * The jobs that have this server, sorted by name. As in Java they are OK or DISABLED on that server, `instanceCount`
   * is the number of living instances there, and the settings are not read. Jobs that these credentials may not read
   * are left out.
   * @throws InvalidConfigurationError if it is no address
   * @throws JobStateError if no job has that server
   */
  async getJobsBriefInfo(ip: string): Promise<readonly JobBriefInfo[]> {
    const problem = serverIpRule(ip);
    if (problem !== undefined) throw new InvalidConfigurationError([`ip ${problem}, got ${describeValue(ip)}`]);
    const names = await jobNames(this.#registry);
    const jobs = await readJobs(this.#registry, names, { instanceServers: true });
    refuseUnknownServer(this.#registry, ip, jobs);
    return jobs.flatMap(({ jobName, view }): JobBriefInfo[] => {
      const server = view.servers.get(ip);
      if (server === undefined) return [];
      const instances = [...view.instances.values()].filter(({ serverIp }) => serverIp === ip);
      const status = isDisabled(server) ? 'DISABLED' : 'OK';
      const unread = { description: undefined, cron: undefined, shardingTotalCount: 0 };
      return [{ jobName, status, ...unread, instanceCount: instances.length }];
    });
  }
}

/** As Java sorts them, by UTF-16 code units. */
function byName(jobs: readonly JobBriefInfo[]): readonly JobBriefInfo[] {
  return [...jobs].sort((one, other) => (one.jobName < other.jobName ? -1 : 1));
}

function hiddenInfo({ name, error }: RefusedName): JobBriefInfo {
  return {
    jobName: name,
    status: 'HIDDEN',
    ...{ description: undefined, cron: undefined, instanceCount: 0, shardingTotalCount: 0 },
    configurationProblem: error.message,
  };
}

function briefInfo({ jobName, view }: ReadJob): JobBriefInfo {
  const { config, configFault, instances } = view;
  return {
    jobName,
    status: jobStatus(view),
    description: config?.description,
    cron: config?.cron,
    instanceCount: instances.size,
    shardingTotalCount: config?.shardingTotalCount ?? 0,
    ...(configFault !== undefined && { configurationProblem: configFault }),
  };
}
