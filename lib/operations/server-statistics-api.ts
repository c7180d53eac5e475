import { type RegistryCenter } from '../registry/registry-center.js';
import { checkedSource, registryFrom, type RegistrySource } from './registry-source.js';
import { jobNames, type ReadJob, readJobs } from './job-reading.js';
import { isDisabled } from './statuses.js';

/** A server with the jobs that have run there. */
export interface ServerBriefInfo {
  readonly serverIp: string;
  /** Ids of the living instances there; an instance that takes part in several jobs counts once. */
  readonly instances: ReadonlySet<string>;
  readonly jobNames: ReadonlySet<string>;
  readonly instancesNum: number;
  readonly jobsNum: number;
  /** The number of jobs that are disabled there. */
  readonly disabledJobsNum: number;
}

/** Lists and counts servers, read from the registry centre only: no job need run in this process. */
export class ServerStatisticsAPI {
  readonly #source: RegistrySource;

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

  /** The number of servers of all jobs. */
  async getServersTotalCount(): Promise<number> {
    const names = await jobNames(this.#registry);
    return new Set((await readJobs(this.#registry, names, {})).flatMap(({ view }) => [...view.servers.keys()])).size;
  }

  /** All servers, sorted by ip. As in Java, an instance is left out if its job has no node for the server. */
  async getAllServersBriefInfo(): Promise<readonly ServerBriefInfo[]> {
    const names = await jobNames(this.#registry);
    const drafts = new Map<string, ServerDraft>();
    for (const job of await readJobs(this.#registry, names, { instanceServers: true })) addJob(drafts, job);
    return [...drafts.values()]
      .sort((one, other) => (one.serverIp < other.serverIp ? -1 : 1))
      .map(({ serverIp, instances, jobNames: jobs, disabled }) => ({
        serverIp,
        instances,
        jobNames: jobs,
        instancesNum: instances.size,
        jobsNum: jobs.size,
        disabledJobsNum: disabled,
      }));
  }
}

interface ServerDraft {
  readonly serverIp: string;
  readonly instances: Set<string>;
  readonly jobNames: Set<string>;
  disabled: number;
}

function addJob(drafts: Map<string, ServerDraft>, { jobName, view }: ReadJob): void {
  for (const [serverIp, status] of view.servers) {
    const draft = drafts.get(serverIp) ?? { serverIp, instances: new Set(), jobNames: new Set(), disabled: 0 };
    drafts.set(serverIp, draft);
    draft.jobNames.add(jobName);
    if (isDisabled(status)) draft.disabled++;
  }
  for (const { jobInstanceId, serverIp } of view.instances.values())
    if (view.servers.has(serverIp)) drafts.get(serverIp)?.instances.add(jobInstanceId);
}
