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
  /** How many of the jobs are disabled there. */
  readonly disabledJobsNum: number;
}

/** What there is of servers, read from the registry centre only: no job need run in this process. */
export class ServerStatisticsAPI {
  readonly #source: RegistrySource;

  /**
   * @param registryCenter is to be connected, and stays the caller's to close; a function is asked at each operation
   * @throws InvalidConfigurationError if it is none
   */
  constructor(registryCenter: RegistrySource) {
    this.#source = checkedSource(`new ${new.target.name}()`, registryCenter);
  }

  get #registry(): RegistryCenter {
    return registryFrom(this.#source);
  }

  /** How many servers the jobs have together. */
  async getServersTotalCount(): Promise<number> {
    const names = await jobNames(this.#registry);
    return new Set((await readJobs(this.#registry, names, {})).flatMap(({ view }) => [...view.servers.keys()])).size;
  }

  /** All servers, sorted by ip. Instances on servers that their job has no node for are left out, as in Java. */
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
