import { hasRefusedCharacters } from '../api/text/node-name.js';
import { describeValue } from '../api/text/describe-value.js';
import { InvalidConfigurationError, JobStateError } from '../api/errors/errors.js';
import { knownNames } from '../api/text/nearest.js';
import { type OperationContext } from '../api/events/operation-record.js';
import { JobPaths } from '../layout/job-paths.js';
import { AuditedOperations } from './audited-operations.js';
import { followJob, jobNames, readJob, type ReadJob, readJobs } from './job-reading.js';
import { changeNodes, type WantedNode } from './node-changes.js';
import { type TriggeredJob } from './triggered-job.js';
import { triggerInstances } from './triggering.js';

/** What an operation is about: a job, a server of all jobs, or a job on one server; and who does it and why. */
export interface JobTarget extends OperationContext {
  readonly jobName?: string;
  readonly serverIp?: string;
}

/** A job on a server. */
export interface JobServer {
  readonly jobName: string;
  readonly serverIp: string;
}

/** An instance of a job. */
export interface JobServerInstance extends JobServer {
  readonly instanceId: string;
}

/** What was removed. */
export interface RemovedServers {
  readonly instances: readonly JobServerInstance[];
  readonly servers: readonly JobServer[];
}

/** How a job is triggered. */
export interface TriggerJobOptions extends OperationContext {
  /** How long the instances are waited for to accept it, in milliseconds. Default: 5000. */
  readonly acceptTimeoutMs?: number;
  /** The job parameter of this run alone. At most 10,000 characters. Default: that of the settings. */
  readonly jobParameter?: string;
  /** The only items that run, such as those that have failed. Only their owners are triggered. Default: all items of the job. */
  readonly items?: readonly number[];
}

/** Which servers are pruned. */
export interface PruneOptions extends OperationContext {
  /** Default: those of all jobs. */
  readonly jobName?: string;
  /** Only finds them, and changes nothing. Default: false. */
  readonly dryRun?: boolean;
  /** Also those that an operator has disabled, whose instances would be enabled when they come back. Default: false. */
  readonly includeDisabled?: boolean;
}

/** Steers jobs on the registry centre only: no job need run in this process. Java instances obey it too. */
export class JobOperateAPI extends AuditedOperations {
  /**
   * Makes all instances of a job run their items once, now; with `items` only these. An instance that has not accepted an
   * earlier trigger yet runs once for both. Listeners that are called once in the cluster are not called for single items.
   * @returns what each instance has made of it; `ended()` of it waits for the runs
   * @throws UnknownJobError if there is no job of that name
   * @throws JobStateError if no instance of it lives, or one has not accepted a trigger with another job parameter yet; with a
   * job parameter also if Java instances take part, which would run without it; with `items` also if one of them does not exist,
   * is disabled, is about to be assigned again, or has no living owner, or one that is disabled or a Java instance
   * @throws InvalidConfigurationError if the job parameter is too long, or cannot be stored, or `items` is no list of items
   */
  trigger(
    jobName: string,
    { acceptTimeoutMs = 5_000, jobParameter, items, ...context }: TriggerJobOptions = {},
  ): Promise<TriggeredJob> {
    return this.audit.record({ ...context, operation: 'trigger', jobName }, async (changes) => {
      using job = await followJob(this.registry, jobName);
      const parts = { registry: this.registry, clock: this.clock, job };
      return await triggerInstances(parts, changes, {
        acceptTimeoutMs,
        ...(jobParameter !== undefined && { jobParameter }),
        ...(items !== undefined && { items }),
      });
    });
  }

  /**
   * Disables servers: their instances are given no items until they are enabled. A job and a server: the job there, even if
   * it has never run there. A job: all its servers. A server: all jobs that have it.
   * @returns what was disabled, also what had been before
   * @throws InvalidConfigurationError if neither is given
   * @throws UnknownJobError if there is no job of that name
   * @throws JobStateError if no job has that server, or the job has none
   */
  disable(target: JobTarget): Promise<readonly JobServer[]> {
    return this.#setServers('disable', target);
  }

  /** Enables servers. Otherwise as `disable`. */
  enable(target: JobTarget): Promise<readonly JobServer[]> {
    return this.#setServers('enable', target);
  }

  /**
   * Ends jobs on their instances, which bring running items to their end first, until their applications are started again.
   * A job and a server: the instances there. A job: all its instances. A server: the instances of all jobs there.
   * @returns the instances that were ended
   * @throws InvalidConfigurationError if neither is given
   * @throws UnknownJobError if there is no job of that name
   */
  async shutdown(target: JobTarget): Promise<readonly JobServerInstance[]> {
    return (await this.#takeDown('shutdown', target)).instances;
  }

  /** As `shutdown`, and removes the servers too. The configuration stays. */
  remove(target: JobTarget): Promise<RemovedServers> {
    return this.#takeDown('remove', target);
  }

  /**
   * Removes servers that have no living instance, such as those of pods that will not come back.
   * @returns the servers that were removed, or would be
   * @throws UnknownJobError if there is no job of that name
   */
  pruneServers({ jobName, dryRun = false, includeDisabled = false, ...context }: PruneOptions = {}): Promise<
    readonly JobServer[]
  > {
    const plan = async () => {
      const jobs = await this.#jobs(jobName);
      const offline = jobs.flatMap((job) =>
        serversOf(job).filter(({ serverIp }) => isOffline(job, serverIp, includeDisabled)),
      );
      return { nodes: nodesOf(jobs), wanted: offline.map((each) => serverNode(each, undefined)), result: offline };
    };
    if (dryRun) return plan().then(({ result }) => result);
    return this.audit.record(
      { ...context, operation: 'prune-servers', jobName },
      async (changes) => (await changeNodes(this.registry, changes, plan)).result,
    );
  }

  #setServers(operation: 'disable' | 'enable', target: JobTarget): Promise<readonly JobServer[]> {
    const value = operation === 'disable' ? 'DISABLED' : 'ENABLED';
    return this.audit.record({ ...target, operation }, async (changes) => {
      const { result } = await changeNodes(this.registry, changes, async () => {
        const jobs = await this.#jobsOf(target);
        const servers = this.#serversToSet(jobs, target);
        return { nodes: nodesOf(jobs), wanted: servers.map((each) => serverNode(each, value)), result: servers };
      });
      return result;
    });
  }

  #serversToSet(jobs: readonly ReadJob[], { jobName, serverIp }: JobTarget): readonly JobServer[] {
    if (jobName !== undefined && serverIp !== undefined) return [{ jobName, serverIp }];
    const all = jobs.flatMap(serversOf);
    const servers = all.filter((server) => serverIp === undefined || server.serverIp === serverIp);
    if (servers.length > 0) return servers;
    if (serverIp === undefined) throw new JobStateError(`Job '${String(jobName)}' has no server.`);
    const known = [...new Set(all.map((server) => server.serverIp))].sort();
    const hint = known.length === 0 ? '; no job has a server' : knownNames(serverIp, known);
    throw new JobStateError(`No job in ${this.registry.fullPath('/')} has a server ${serverIp}${hint}.`);
  }

  #takeDown(operation: 'shutdown' | 'remove', target: JobTarget): Promise<RemovedServers> {
    const { serverIp: ip } = target;
    return this.audit.record({ ...target, operation }, async (changes) => {
      const { result } = await changeNodes(this.registry, changes, async () => {
        const jobs = await this.#jobsOf(target);
        const isMeant = ({ serverIp }: JobServer): boolean => ip === undefined || serverIp === ip;
        const instances = jobs.flatMap(instancesOf).filter(isMeant);
        const servers = operation === 'remove' ? jobs.flatMap(serversOf).filter(isMeant) : [];
        const wanted = [
          ...instances.map((each) => instanceNode(each)),
          ...servers.map((each) => serverNode(each, undefined)),
        ];
        return { nodes: nodesOf(jobs), wanted, result: { instances, servers } };
      });
      return result;
    });
  }

  async #jobsOf({ jobName, serverIp }: JobTarget): Promise<readonly ReadJob[]> {
    if (jobName === undefined && serverIp === undefined)
      throw new InvalidConfigurationError(['At least indicate jobName or serverIp.']);
    const isName =
      serverIp === undefined || (serverIp !== '' && !serverIp.includes('/') && !hasRefusedCharacters(serverIp));
    if (!isName)
      throw new InvalidConfigurationError([`serverIp must be the address of a server, got ${describeValue(serverIp)}`]);
    return this.#jobs(jobName);
  }

  async #jobs(jobName: string | undefined): Promise<readonly ReadJob[]> {
    if (jobName !== undefined) return [await readJob(this.registry, jobName)];
    return readJobs(this.registry, await jobNames(this.registry), { instanceServers: true });
  }
}

function serversOf({ jobName, view }: ReadJob): readonly JobServer[] {
  return [...view.servers.keys()].map((serverIp) => ({ jobName, serverIp }));
}

function instancesOf({ jobName, view }: ReadJob): readonly JobServerInstance[] {
  return [...view.instances.values()].map(({ jobInstanceId: instanceId, serverIp }) => ({
    jobName,
    serverIp,
    instanceId,
  }));
}

function isOffline({ view }: ReadJob, ip: string, includeDisabled: boolean): boolean {
  if ([...view.instances.values()].some(({ serverIp }) => serverIp === ip)) return false;
  return includeDisabled || view.servers.get(ip) !== 'DISABLED';
}

function nodesOf(jobs: readonly ReadJob[]): ReadJob['nodes'] {
  const [first] = jobs;
  return jobs.length === 1 && first ? first.nodes : new Map(jobs.flatMap(({ nodes }) => [...nodes]));
}

function serverNode({ jobName, serverIp }: JobServer, value: string | undefined): WantedNode {
  return { path: new JobPaths(jobName).server(serverIp), value };
}

function instanceNode({ jobName, instanceId }: JobServerInstance): WantedNode {
  return { path: new JobPaths(jobName).instance(instanceId), value: undefined };
}
