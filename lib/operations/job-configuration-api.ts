import { DeadlineExceededError, InvalidConfigurationError, JobStateError } from '../api/errors/errors.js';
import { jobConfiguration, type JobConfiguration } from '../api/job/job-configuration.js';
import { callingCode } from '../api/job/running-code.js';
import { type OperationContext } from '../api/events/operation-record.js';
import { checkOptions, milliseconds, type OptionRules, trueOrFalse } from '../api/settings/call-options.js';
import { describeValue, isMap } from '../api/text/describe-value.js';
import { sleep } from '../async/wait.js';
import { dependenciesOf } from '../api/settings/dependencies.js';
import { JobPaths } from '../layout/job-paths.js';
import { type JobView } from '../layout/job-view.js';
import { keptFrom, toYaml } from '../layout/job-configuration-yaml.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { AuditedOperations } from './audited-operations.js';
import { type FollowedJob, followJob, readJob, type ReadJob } from './job-reading.js';
import { changeNodes, type WantedNode } from './changes/node-changes.js';
import { type ChangeNotes, CONTEXT_RULES } from './operation-audit.js';
import { changedSettings } from './changes/setting-changes.js';

/**
 * A stored configuration. A copy with changes, `{ ...configuration, cron }`, keeps the version, so that it can be
 * written back.
 */
export interface JobConfigurationPOJO extends JobConfiguration {
  /** Grows with each write of the configuration. */
  readonly version: number;
}

/** A configuration to be stored. */
export interface JobConfigurationUpdate extends JobConfiguration {
  /**
   * The version that it was made from: if a later one is stored, the update is refused. Default: the update replaces
   * any version.
   */
  readonly version?: number;
}

/** Options of removing a job. */
export interface RemoveJobOptions extends OperationContext {
  /** True ends the living instances of the job. Default: false, which refuses to remove a job that has any. */
  readonly living?: boolean;
  /** The most milliseconds to wait for the instances, which finish their running items first. Default: 5000. */
  readonly timeoutMs?: number;
}

const REMOVE_RULES: OptionRules<RemoveJobOptions> = { ...CONTEXT_RULES, living: trueOrFalse, timeoutMs: milliseconds };

/** The instances of a removed job. */
export interface RemovedJob {
  /** Ids of the instances that the job had. */
  readonly instances: readonly string[];
  /** Ids of the instances that still ran items when the job was removed. They end by themselves, and store nothing. */
  readonly stillRunning: readonly string[];
}

/**
 * The milliseconds for which a removed job is watched if it had instances: one of their writes may still be on its way.
 */
const SETTLING_MS = 1_000;
const LOOK_EVERY_MS = 100;

/** Reads and changes the settings of jobs in the registry centre: no job need run in this process. */
export class JobConfigurationAPI extends AuditedOperations {
  /**
   * The stored configuration of a job.
   * @throws UnknownJobError if there is no job of that name
   * @throws JobStateError if it has no configuration
   * @throws InvalidConfigurationError if the stored one cannot be read
   */
  async getJobConfiguration(jobName: string): Promise<JobConfigurationPOJO> {
    return stored(this.registry, await readJob(this.registry, jobName));
  }

  /**
   * Replaces the whole configuration of a job: change the one that `getJobConfiguration` returns. Keys of Java that
   * this library does not know are kept. Running instances apply the configuration at once.
   * @returns the configuration with its new version
   * @throws InvalidConfigurationError naming all problems; cron expressions and options are checked too
   * @throws UnknownJobError if there is no job of that name
   * @throws RegistryConflictError if the configuration has been changed since the given version
   */
  async updateJobConfiguration(
    update: JobConfigurationUpdate,
    context: OperationContext = {},
  ): Promise<JobConfigurationPOJO> {
    const call = 'JobConfigurationAPI.updateJobConfiguration()';
    if (!isMap(update))
      throw new InvalidConfigurationError([
        `${call}: needs a configuration, got ${describeValue(update, 'hidden')}; take the one that getJobConfiguration() ` +
          'returns and change it: { ...configuration, cron }',
      ]);
    checkOptions(call, context, CONTEXT_RULES, { example: "{ reason: 'less load at noon' }" });
    const { version, ...settings } = update;
    if (version !== undefined && !(Number.isInteger(version) && version >= 0))
      throw new InvalidConfigurationError([
        `${call}: version must be that of the configuration that was read, got ${describeValue(version)}`,
      ]);
    const target = { ...context, operation: 'update-configuration', jobName: settings.jobName } as const;
    return await this.audit.record(target, async (changes) => {
      const configuration = jobConfiguration(settings);
      const job = await readJob(this.registry, configuration.jobName);
      const { paths, nodes, view } = job;
      const node = nodes.get(paths.config);
      if (node === undefined) throw noConfiguration(this.registry, job);
      const value = toYaml(configuration, keptFrom(node.value ?? '', paths.config));
      const path = paths.config;
      const known = version ?? node.version;
      await this.registry.commit([{ type: 'set', path, value, version: known }]);
      for (const { setting, before, after } of changedSettings(view.config, configuration))
        changes.note(setting, before, after);
      return { ...configuration, version: known + 1 };
    });
  }

  /**
   * Removes all nodes of a job from the registry centre. With `living: true`, a job with living instances is removed
   * too: first its configuration and these instances, which finish their items, then the rest. An application that has
   * the job stores it again when it starts. If code of the job itself calls this, the call does not wait for the code's
   * own instance, which is then in `stillRunning`.
   * @throws UnknownJobError if there is no job of that name
   * @throws JobStateError if instances of it live and `living` is not true; if instances store parts of it again and
   *   again
   * @throws InvalidConfigurationError if an option is unknown or of a wrong kind
   */
  async removeJobConfiguration(jobName: string, options: RemoveJobOptions = {}): Promise<RemovedJob> {
    checkOptions('JobConfigurationAPI.removeJobConfiguration()', options, REMOVE_RULES);
    const { timeoutMs = 5_000, living = false, ...context } = options;
    return await this.audit.record({ ...context, operation: 'remove-job', jobName }, async (changes) => {
      using job = await followJob(this.registry, jobName);
      const { paths, view } = job.now;
      const instances = await this.#shutDown(job, changes, living ? undefined : refuseIfLiving);
      const stillRunning = await this.#untilEnded(job, timeoutMs);
      await this.#removeAll(job, instances.length > 0 || stillRunning.length > 0 ? SETTLING_MS : 0);
      await this.#leaveGraph(jobName, view);
      changes.note(paths.root, view.jobClass ?? '', undefined);
      for (const { setting, before } of changedSettings(view.config, undefined))
        changes.note(setting, before, undefined);
      return { instances, stillRunning };
    });
  }

  /** The jobs after which it ran write no ends for it any more. */
  async #leaveGraph(jobName: string, { config }: JobView): Promise<void> {
    for (const upstream of (config && dependenciesOf(config)?.after) ?? [])
      await this.registry.remove(new JobPaths(upstream).successor(jobName));
  }

  async #shutDown(
    job: FollowedJob,
    changes: ChangeNotes,
    check: (now: ReadJob) => void = () => undefined,
  ): Promise<readonly string[]> {
    const { result } = await changeNodes(this.registry, changes, async () => {
      const now = await job.synced();
      check(now);
      const { paths, nodes, view } = now;
      const ids = [...view.instances.keys()];
      // Without the configuration, the instances know that the whole job is removed, and begin nothing any more.
      const configuration: WantedNode = { path: paths.config, value: undefined, isRecorded: false };
      const instances = ids.map((id): WantedNode => ({ path: paths.instance(id), value: undefined }));
      return { nodes, wanted: [configuration, ...instances], result: ids };
    });
    return result;
  }

  /** @returns the instances that have not ended before the deadline */
  async #untilEnded(job: FollowedJob, timeoutMs: number): Promise<readonly string[]> {
    const caller = callingCode();
    // Otherwise code of the job would wait for itself.
    const own = caller?.jobName === job.now.jobName ? caller.instanceId : undefined;
    const hasEnded = ({ view }: ReadJob): boolean => [...view.live].every((id) => id === own);
    try {
      await job.until(hasEnded, { clock: this.clock, timeoutMs, what: 'the instances of a removed job' });
    } catch (error) {
      if (!(error instanceof DeadlineExceededError)) throw error;
    }
    return [...job.now.view.live];
  }

  async #removeAll(job: FollowedJob, settlingMs: number): Promise<void> {
    const { jobName, paths } = job.now;
    const until = this.clock.monotonic() + settlingMs;
    await this.registry.remove(paths.root);
    while (this.clock.monotonic() < until) {
      await sleep(this.clock, LOOK_EVERY_MS);
      if ((await job.synced()).nodes.size > 0) await this.registry.remove(paths.root);
    }
    if ((await job.synced()).nodes.size > 0)
      throw new JobStateError(
        `Job '${jobName}' was removed, but an instance has stored parts of it again. Stop its applications, and remove it again.`,
        { because: { code: 'stored-again', values: { jobName } } },
      );
  }
}

/** The most instances that the refusal names. */
const MOST_NAMED = 3;

/** @throws JobStateError if instances of the job live */
export function refuseIfLiving({ jobName, view }: ReadJob): void {
  const living = [...view.instances.keys()];
  if (living.length === 0) return;
  const count = living.length;
  const named = living.slice(0, MOST_NAMED);
  const rest = count > named.length ? `, and ${count - named.length} more` : '';
  const instances = `${named.join(', ')}${rest}`;
  throw new JobStateError(
    `Job '${jobName}' was not removed: ${count} ${count === 1 ? 'instance' : 'instances'} of it ${count === 1 ? 'lives' : 'live'} (${instances}). ` +
      'Stop their applications first, or say that they are to be ended: living: true in code, --living on the command line.',
    { because: { code: 'job-lives', values: { jobName, count, instances } } },
  );
}

function stored(registry: RegistryCenter, job: ReadJob): JobConfigurationPOJO {
  const { config, configFault, configVersion } = job.view;
  if (configFault !== undefined) throw new InvalidConfigurationError([configFault]);
  if (config === undefined || configVersion === undefined) throw noConfiguration(registry, job);
  return { ...config, version: configVersion };
}

function noConfiguration(registry: RegistryCenter, { jobName, paths }: ReadJob): JobStateError {
  return new JobStateError(
    `Job '${jobName}' has no configuration: there is no node ${registry.fullPath(paths.config)}.`,
    { because: { code: 'no-configuration', values: { jobName } } },
  );
}
