import { Inject, Injectable } from '@nestjs/common';
import { describeValue } from '../../api/text/describe-value.js';
import { InvalidConfigurationError, JobStateError } from '../../api/errors/errors.js';
import { knownNames } from '../../api/text/nearest.js';
import { DoctorAPI } from '../../operations/doctor-api.js';
import { type InstanceFault } from '../../operations/explain/explanation.js';
import { ExplanationAPI } from '../../operations/explanation-api.js';
import { JobConfigurationAPI } from '../../operations/job-configuration-api.js';
import { JobGraphAPI } from '../../operations/job-graph-api.js';
import { JobOperateAPI } from '../../operations/job-operate-api.js';
import { JobStatisticsAPI } from '../../operations/job-statistics-api.js';
import { OperationAudit } from '../../operations/operation-audit.js';
import { ServerStatisticsAPI } from '../../operations/server-statistics-api.js';
import { ShardingOperateAPI } from '../../operations/sharding-operate-api.js';
import { ShardingStatisticsAPI } from '../../operations/sharding-statistics-api.js';
import { type JobHost } from '../../kernel/job-host.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { ElasticJobLifecycle } from '../elastic-job.lifecycle.js';

/**
 * One registry centre of the application, and the operations on it. It can be used once the application has booted.
 * Until then, and after shutdown, each call throws a `JobStateError`, as it does if there is no registry centre of that
 * name.
 */
export class NamedRegistryCenter {
  readonly jobConfiguration: JobConfigurationAPI;
  readonly jobOperate: JobOperateAPI;
  readonly jobGraph: JobGraphAPI;
  readonly shardingOperate: ShardingOperateAPI;
  readonly doctor: DoctorAPI;
  readonly jobStatistics: JobStatisticsAPI;
  readonly serverStatistics: ServerStatisticsAPI;
  readonly shardingStatistics: ShardingStatisticsAPI;
  readonly explanation: ExplanationAPI;
  readonly #host: () => JobHost;

  /** @internal */
  constructor(
    /** `default`, or the name of an entry of `elasticjob.regCenters`. */
    readonly name: string,
    lifecycle: ElasticJobLifecycle,
    records: OperationAudit,
  ) {
    this.#host = () => hostOf(name, lifecycle);
    const registry = (): RegistryCenter => this.registryCenter;
    const audit = records.on(name);
    this.jobConfiguration = new JobConfigurationAPI(registry, { audit });
    this.jobOperate = new JobOperateAPI(registry, { audit });
    this.jobGraph = new JobGraphAPI(registry, { audit });
    this.shardingOperate = new ShardingOperateAPI(registry, { audit });
    this.doctor = new DoctorAPI(registry, { audit });
    this.jobStatistics = new JobStatisticsAPI(registry);
    this.serverStatistics = new ServerStatisticsAPI(registry);
    this.shardingStatistics = new ShardingStatisticsAPI(registry);
    this.explanation = new ExplanationAPI(registry, {
      ...{ past: () => lifecycle.past, isSwitchedOff: () => lifecycle.isSwitchedOff },
      fault: (jobName) => faultOf(lifecycle.hosts?.of(name), jobName),
    });
  }

  /**
   * The registry centre itself.
   * @throws JobStateError before the application has booted, after its shutdown, and if there is none of that name
   */
  get registryCenter(): RegistryCenter {
    return this.#host().registryCenter;
  }
}

/**
 * The registry centres of the application, by name; injectable. `registryCenters.of('reports').jobOperate.trigger(…)`
 * operates on the jobs of `elasticjob.regCenters.reports`; `JobOperateAPI` and the others, injected by their classes,
 * operate on those of `elasticjob.regCenter`.
 */
@Injectable()
export class RegistryCenters {
  readonly #lifecycle: ElasticJobLifecycle;
  readonly #audit: OperationAudit;
  readonly #named = new Map<string, NamedRegistryCenter>();

  constructor(
    @Inject(ElasticJobLifecycle) lifecycle: ElasticJobLifecycle,
    @Inject(OperationAudit) audit: OperationAudit,
  ) {
    this.#lifecycle = lifecycle;
    this.#audit = audit;
  }

  /** The names of all registry centres, `default` first; empty before the application has booted and after shutdown. */
  get names(): readonly string[] {
    return [...(this.#lifecycle.hosts?.byName.keys() ?? [])];
  }

  /**
   * The registry centre of that name. It may be asked for before the application has booted, in a constructor; whether
   * there is one of that name shows when it is used.
   * @throws InvalidConfigurationError if the name is not a text
   */
  of(name: string): NamedRegistryCenter {
    if (typeof name !== 'string' || name === '')
      throw new InvalidConfigurationError([
        `RegistryCenters.of(): must be given the name of a registry centre, got ${describeValue(name)}`,
      ]);
    const known = this.#named.get(name);
    if (known !== undefined) return known;
    const named = new NamedRegistryCenter(name, this.#lifecycle, this.#audit);
    this.#named.set(name, named);
    return named;
  }
}

function hostOf(name: string, { hosts, isSwitchedOff }: ElasticJobLifecycle): JobHost {
  const host = hosts?.of(name);
  if (host !== undefined) return host;
  if (hosts !== undefined)
    throw new JobStateError(
      `There is no registry centre '${name}' in this application${knownNames(name, [...hosts.byName.keys()])}`.replace(
        /([^?.])$/,
        '$1.',
      ),
    );
  throw new JobStateError(
    isSwitchedOff
      ? 'Jobs cannot be operated: ElasticJob is switched off in this application (elasticjob.enabled is false).'
      : 'Jobs cannot be operated: the application has not booted yet, or is shutting down.',
  );
}

/** The health report of this application's job, if it does not run as it should. */
function faultOf(host: JobHost | undefined, jobName: string): InstanceFault | undefined {
  const health = host?.jobs.get(jobName)?.health;
  if (host === undefined || health === undefined) return undefined;
  const { jobInstanceId: instanceId } = host.instance;
  switch (health.state) {
    case 'blocked':
    case 'failed':
    case 'impaired':
    case 'created':
    case 'starting':
    case 'suspended':
      return { instanceId, state: health.state, reason: health.reason };
    // An operator's wish, and the end of the job, stand in the registry centre.
    default:
      return undefined;
  }
}
