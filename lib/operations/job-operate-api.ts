import { InvalidConfigurationError, JobStateError } from '../api/errors/errors.js';
import { anything, checkOptions, milliseconds, type OptionRules, trueOrFalse } from '../api/settings/call-options.js';
import { describeValue } from '../api/text/describe-value.js';
import { type OperationContext } from '../api/events/operation-record.js';
import { startsGraph } from '../graphs/orders.js';
import { JobPaths } from '../layout/job-paths.js';
import { AuditedOperations } from './audited-operations.js';
import { followJob, jobNames, readJob, type ReadJob, readJobs } from './job-reading.js';
import {
  type AvailabilityTarget,
  availabilityOf,
  type JobTarget,
  refuseServerOfNoJob,
  serverIpRule,
  targetOf,
} from './changes/job-target.js';
import { changeNodes, type WantedNode } from './changes/node-changes.js';
import { CONTEXT_RULES } from './operation-audit.js';
import { type TriggeredJob } from './changes/triggered-job.js';
import { triggerGraph } from './graphs/trigger-graph.js';
import { triggerInstances } from './changes/triggering.js';

/** A job on a server. */
export interface JobServer {
  readonly jobName: string;
  readonly serverIp: string;
}

/** An instance of a job. */
export interface JobServerInstance extends JobServer {
  readonly instanceId: string;
}

/** The servers that were removed, and the instances that were ended. */
export interface RemovedServers {
  readonly instances: readonly JobServerInstance[];
  readonly servers: readonly JobServer[];
}

/** Options of triggering a job. */
export interface TriggerJobOptions extends OperationContext {
  /** The most milliseconds to wait until the instances accept the trigger. Default: 5000. */
  readonly acceptTimeoutMs?: number;
  /** The job parameter of this run alone. At most 10,000 characters. Default: that of the settings. */
  readonly jobParameter?: string;
  /**
   * The only items that run, such as those that have failed. Only their owners are triggered. Default: all items of the
   * job.
   */
  readonly items?: readonly number[];
  /**
   * The only server whose instances are triggered. Not with `items`, whose owners are. Default: the servers of all
   * instances.
   */
  readonly serverIp?: string;
  /**
   * True triggers this job alone, although others run after it. Default: a trigger of a job that others run after, and
   * that runs after none, begins a round of its whole graph (`JobGraphAPI.trigger`), unless it has `jobParameter`,
   * `items` or `serverIp`.
   */
  readonly only?: boolean;
}

/** The servers to prune. */
export interface PruneOptions extends OperationContext {
  /** The job whose servers are pruned. Default: all jobs. */
  readonly jobName?: string;
  /** True only lists the servers, and changes nothing. Default: false. */
  readonly dryRun?: boolean;
  /**
   * True also removes servers that an operator has disabled: instances that come back there are enabled. Default:
   * false.
   */
  readonly includeDisabled?: boolean;
}

const TRIGGER_RULES: OptionRules<TriggerJobOptions> = {
  ...CONTEXT_RULES,
  acceptTimeoutMs: milliseconds,
  // The trigger itself checks these, so that a refusal is recorded.
  jobParameter: anything,
  items: anything,
  serverIp: serverIpRule,
  only: trueOrFalse,
};

const PRUNE_RULES: OptionRules<PruneOptions> = {
  ...CONTEXT_RULES,
  // Checked when the job is read.
  jobName: anything,
  dryRun: trueOrFalse,
  includeDisabled: trueOrFalse,
};

/** Steers jobs on the registry centre only: no job need run in this process. Java instances obey it too. */
export class JobOperateAPI extends AuditedOperations {
  /**
   * Makes all instances of a job run their items once, now; with `items` only these, with `serverIp` only the instances
   * there. An instance that has not accepted an earlier trigger yet runs once for both. Listeners that are called once
   * in the cluster are not called for single items. A job that others run after runs them, too: see `only`.
   * @param options options, or the only server whose instances are triggered
   * @returns the answer of each instance; `ended()` waits for the runs
   * @throws UnknownJobError if there is no job of that name
   * @throws JobStateError if no instance of it lives, or none on that server, or that server is not enabled, or one has
   *   not accepted a trigger with another job parameter yet; with a job parameter also if Java instances take part,
   *   which would run without it; with `items` also if one of them does not exist, is disabled, is about to be assigned
   *   again, or has no living owner, or one that is disabled or a Java instance
   * @throws InvalidConfigurationError if the job parameter is too long, or cannot be stored, or `items` is no list of
   *   items, or an option is unknown or of a wrong kind
   */
  async trigger(jobName: string, options: TriggerJobOptions | string = {}): Promise<TriggeredJob> {
    const given = typeof options === 'string' ? { serverIp: options } : options;
    checkOptions('JobOperateAPI.trigger()', given, TRIGGER_RULES, { example: '{ items: [3, 7] }', secrecy: 'hidden' });
    const { acceptTimeoutMs = 5_000, jobParameter, items, serverIp, only, ...context } = given;
    const isWhole = [jobParameter, items, serverIp].every((each) => each === undefined) && only !== true;
    return await this.audit.record({ ...context, operation: 'trigger', jobName, serverIp }, async (changes) => {
      using job = await followJob(this.registry, jobName);
      const parts = { registry: this.registry, clock: this.clock, job };
      if (isWhole && startsGraph(job.now.view)) return await triggerGraph(parts, changes);
      return await triggerInstances(parts, changes, {
        acceptTimeoutMs,
        ...(jobParameter !== undefined && { jobParameter }),
        ...(items !== undefined && { items }),
        ...(serverIp !== undefined && { serverIp }),
      });
    });
  }

  /**
   * Disables servers: their instances are given no items until they are enabled. With a job and a server, the job is
   * disabled there, even if only other jobs have run there so far. With a job, all its servers are. With a server, all
   * jobs that have it are.
   * @param target `{ jobName, serverIp }`, or as in Java the name of a job before the address of a server
   * @returns the servers that are disabled now, including those that were disabled before
   * @throws InvalidConfigurationError if neither is given, or an option is unknown or of a wrong kind
   * @throws UnknownJobError if there is no job of that name
   * @throws JobStateError if no job has that server, or the job has none
   */
  disable(target: AvailabilityTarget): Promise<readonly JobServer[]>;
  disable(jobName: string, serverIp: string): Promise<readonly JobServer[]>;
  async disable(...target: readonly unknown[]): Promise<readonly JobServer[]> {
    return await this.#setServers('disable', availabilityOf('JobOperateAPI.disable()', target));
  }

  /** Enables servers. Otherwise as `disable`. */
  enable(target: AvailabilityTarget): Promise<readonly JobServer[]>;
  enable(jobName: string, serverIp: string): Promise<readonly JobServer[]>;
  async enable(...target: readonly unknown[]): Promise<readonly JobServer[]> {
    return await this.#setServers('enable', availabilityOf('JobOperateAPI.enable()', target));
  }

  /**
   * Ends jobs on their instances, which bring running items to their end first, until their applications are started
   * again. With a job and a server, the instances there end. With a job, all its instances end. With a server, the
   * instances of all jobs there end.
   * @param target `{ jobName, serverIp }`, or as in Java the name of a job before the address of a server
   * @returns the instances that were ended; none if none lived there
   * @throws InvalidConfigurationError if neither is given, or an option is unknown or of a wrong kind
   * @throws UnknownJobError if there is no job of that name
   * @throws JobStateError if no job has that server
   */
  shutdown(target: JobTarget): Promise<readonly JobServerInstance[]>;
  shutdown(jobName: string, serverIp: string): Promise<readonly JobServerInstance[]>;
  async shutdown(...target: readonly unknown[]): Promise<readonly JobServerInstance[]> {
    return (await this.#takeDown('shutdown', targetOf('JobOperateAPI.shutdown()', target))).instances;
  }

  /** As `shutdown`, and removes the servers too. The configuration stays. */
  remove(target: JobTarget): Promise<RemovedServers>;
  remove(jobName: string, serverIp: string): Promise<RemovedServers>;
  async remove(...target: readonly unknown[]): Promise<RemovedServers> {
    return await this.#takeDown('remove', targetOf('JobOperateAPI.remove()', target));
  }

  /**
   * Removes servers that have no living instance, such as those of pods that will not come back.
   * @returns the servers that were removed; with `dryRun`, those that would be
   * @throws UnknownJobError if there is no job of that name
   * @throws InvalidConfigurationError if an option is unknown or of a wrong kind
   */
  async pruneServers(options: PruneOptions = {}): Promise<readonly JobServer[]> {
    checkOptions('JobOperateAPI.pruneServers()', options, PRUNE_RULES, { example: "{ jobName: 'syncOrders' }" });
    const { jobName, dryRun = false, includeDisabled = false, ...context } = options;
    const plan = async () => {
      const jobs = await this.#jobs(jobName);
      const offline = jobs.flatMap((job) =>
        serversOf(job).filter(({ serverIp }) => isOffline(job, serverIp, includeDisabled)),
      );
      return { nodes: nodesOf(jobs), wanted: offline.map((each) => serverNode(each, undefined)), result: offline };
    };
    if (dryRun) return (await plan()).result;
    return await this.audit.record(
      { ...context, operation: 'prune-servers', jobName },
      async (changes) => (await changeNodes(this.registry, changes, plan)).result,
    );
  }

  #setServers(
    operation: 'disable' | 'enable',
    { unknownServer = false, ...target }: AvailabilityTarget,
  ): Promise<readonly JobServer[]> {
    const value = operation === 'disable' ? 'DISABLED' : 'ENABLED';
    return this.audit.record({ ...target, operation }, async (changes) => {
      const { result } = await changeNodes(this.registry, changes, async () => {
        const jobs = await this.#jobsOf(target);
        const servers = await this.#serversToSet(jobs, { ...target, unknownServer });
        return { nodes: nodesOf(jobs), wanted: servers.map((each) => serverNode(each, value)), result: servers };
      });
      return result;
    });
  }

  async #serversToSet(
    jobs: readonly ReadJob[],
    { jobName, serverIp, unknownServer }: AvailabilityTarget,
  ): Promise<readonly JobServer[]> {
    const isToExist = jobName === undefined || unknownServer !== true;
    if (serverIp !== undefined && isToExist) await refuseServerOfNoJob(this.registry, serverIp, jobs);
    if (jobName !== undefined && serverIp !== undefined) return [{ jobName, serverIp }];
    const servers = jobs.flatMap(serversOf).filter((server) => serverIp === undefined || server.serverIp === serverIp);
    if (servers.length === 0 && jobName !== undefined)
      throw new JobStateError(`Job '${jobName}' has no server.`, {
        because: { code: 'no-server', values: { jobName } },
      });
    return servers;
  }

  #takeDown(operation: 'shutdown' | 'remove', target: JobTarget): Promise<RemovedServers> {
    const { serverIp: ip } = target;
    return this.audit.record({ ...target, operation }, async (changes) => {
      const { result } = await changeNodes(this.registry, changes, async () => {
        const jobs = await this.#jobsOf(target);
        if (ip !== undefined) await refuseServerOfNoJob(this.registry, ip, jobs);
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
    const problem = serverIp === undefined ? undefined : serverIpRule(serverIp);
    if (problem !== undefined)
      throw new InvalidConfigurationError([`serverIp ${problem}, got ${describeValue(serverIp)}`]);
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
