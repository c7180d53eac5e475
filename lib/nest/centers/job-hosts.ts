import { type JobHost } from '../../kernel/job-host.js';
import { type JobRuntime } from '../../kernel/job-runtime.js';
import { type RegistryCenter } from '../../registry/registry-center.js';

/**
 * The jobs of an application: one host for each of its registry centres, by the centre's name.
 *
 * ```
 *   JobHosts ─┬─ 'default'  JobHost ── RegistryCenter     session · jobs
 *             └─ 'reports'  JobHost ── RegistryCenter     session · jobs
 * ```
 * An application with one registry centre has one host. The hosts share the instance id and the extensions, and nothing
 * else: the outage of one registry centre concerns the jobs of its own host alone. Names of jobs are unique in the
 * application.
 */
export class JobHosts {
  /** @param byName the hosts by the name of their registry centre, the default one first */
  constructor(readonly byName: ReadonlyMap<string, JobHost>) {}

  /** The host of the default registry centre. */
  get ofDefault(): JobHost {
    const [first] = this.byName.values();
    if (first === undefined) throw new Error('an application has a default registry centre');
    return first;
  }

  /** The host of that registry centre; `undefined` if the application has no such one. */
  of(registryCenterName: string): JobHost | undefined {
    return this.byName.get(registryCenterName);
  }

  /** The registry centres by name, the default one first. */
  get registryCenters(): ReadonlyMap<string, RegistryCenter> {
    return new Map([...this.byName].map(([name, { registryCenter }]) => [name, registryCenter]));
  }

  /** The host that has the job, and the name of its registry centre; `undefined` if none has it. */
  hostOf(jobName: string): { readonly name: string; readonly host: JobHost } | undefined {
    for (const [name, host] of this.byName) if (host.jobs.has(jobName)) return { name, host };
    return undefined;
  }

  /** The job of that name, on whichever registry centre it is. */
  job(jobName: string): JobRuntime | undefined {
    return this.hostOf(jobName)?.host.jobs.get(jobName);
  }

  /** All jobs by name. */
  get jobs(): ReadonlyMap<string, JobRuntime> {
    return new Map([...this.byName.values()].flatMap(({ jobs }) => [...jobs]));
  }

  /** True if this process is ending its jobs, or has ended them. */
  get isStopping(): boolean {
    return [...this.byName.values()].some(({ isStopping }) => isStopping);
  }

  /** Connects all registry centres, those without jobs included: operations use them too. Does not wait. */
  connect(): void {
    for (const { registryCenter } of this.byName.values()) registryCenter.connect();
  }

  /** Stops the jobs of all hosts at the same time, as `JobHost.stop`. Never rejects. */
  async stop(): Promise<void> {
    for (const host of this.byName.values()) host.stopFirings();
    await Promise.all([...this.byName.values()].map((host) => host.stop()));
  }
}
