import { jobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type JobOptions } from '../../../lib/api/job/job-options.js';
import { instanceYaml, jobInstanceOn } from '../../../lib/layout/job-instance.js';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { whenConnected } from '../../../lib/registry/session-state.js';
import { systemClock } from '../../../lib/time/clock.js';

/** The options of a job of the stage besides its settings. */
export interface StagedJob extends JobOptions {
  /** Items by their owners: `{ '10.0.0.1@-@1': [0, 1] }`; the owners live, and their servers are enabled. */
  readonly owners?: Readonly<Record<string, readonly number[]>>;
}

/** A registry centre with jobs as instances leave them, for the console to read. */
export class JobStage implements AsyncDisposable {
  private constructor(
    /** The registry centre of the console. */
    readonly console: EmbeddedRegistryCenter,
    /** The registry centre of the instances. */
    readonly instances: RegistryCenter,
  ) {}

  static async open(): Promise<JobStage> {
    const server = new EmbeddedRegistryServer({ clock: systemClock });
    const instances = new EmbeddedRegistryCenter({ server });
    instances.connect();
    await whenConnected(instances.session, new AbortController().signal);
    return new JobStage(new EmbeddedRegistryCenter({ server }), instances);
  }

  /** Stores a job. */
  async add(jobName: string, { owners = {}, ...options }: StagedJob = {}): Promise<JobPaths> {
    const paths = await storeJob(this.instances, jobName, options);
    for (const [id, items] of Object.entries(owners)) {
      const [ip = ''] = id.split('@-@');
      await this.instances.create(
        paths.instance(id),
        instanceYaml(jobInstanceOn(ip, id.split('@-@')[1] ?? '')),
        'session',
      );
      await this.instances.put(paths.server(ip), 'ENABLED');
      await this.instances.create(paths.live(id), '', 'session');
      for (const item of items) await this.instances.put(paths.item(item, 'instance'), id);
    }
    return paths;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A session that is cut off would end a minute later, and keep this process until then.
    this.console.faults.resume();
    await this.instances.close();
    await this.console.close();
  }
}

/** Stores the settings of a job. */
export async function storeJob(registry: RegistryCenter, jobName: string, options: JobOptions): Promise<JobPaths> {
  const paths = new JobPaths(jobName);
  const settings = { shardingTotalCount: 2, cron: '0 0/5 * * * ?', ...options };
  await registry.put(paths.root, jobName);
  await registry.put(paths.config, toYaml(jobConfiguration({ ...settings, jobName })));
  return paths;
}
