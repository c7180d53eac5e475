import { type FactoryProvider } from '@nestjs/common';
import { JobStateError } from '../api/errors/errors.js';
import { DoctorAPI } from '../operations/doctor-api.js';
import { ExplanationAPI } from '../operations/explanation-api.js';
import { JobConfigurationAPI } from '../operations/job-configuration-api.js';
import { JobOperateAPI } from '../operations/job-operate-api.js';
import { JobStatisticsAPI } from '../operations/job-statistics-api.js';
import { type InstanceFault } from '../operations/explain/explanation.js';
import { OperationAudit } from '../operations/operation-audit.js';
import { ServerStatisticsAPI } from '../operations/server-statistics-api.js';
import { ShardingOperateAPI } from '../operations/sharding-operate-api.js';
import { ShardingStatisticsAPI } from '../operations/sharding-statistics-api.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { ElasticJobLifecycle } from './elastic-job.lifecycle.js';

const AUDITED = [JobConfigurationAPI, JobOperateAPI, ShardingOperateAPI, DoctorAPI] as const;
const STATISTICS = [JobStatisticsAPI, ServerStatisticsAPI, ShardingStatisticsAPI] as const;

/** The operations, by their classes, on the registry centre of the application. */
export const operationClasses = [...AUDITED, ...STATISTICS, ExplanationAPI] as const;

/** Provides the operations, which can be used once the application has booted, and their audit. */
export const operationProviders: readonly FactoryProvider[] = [
  { provide: OperationAudit, useFactory: () => new OperationAudit() },
  ...AUDITED.map((Operations): FactoryProvider => ({
    provide: Operations,
    useFactory: (lifecycle: ElasticJobLifecycle, audit: OperationAudit) =>
      new Operations(() => registryOf(lifecycle), { audit }),
    inject: [ElasticJobLifecycle, OperationAudit],
  })),
  ...STATISTICS.map((Statistics): FactoryProvider => ({
    provide: Statistics,
    useFactory: (lifecycle: ElasticJobLifecycle) => new Statistics(() => registryOf(lifecycle)),
    inject: [ElasticJobLifecycle],
  })),
  {
    provide: ExplanationAPI,
    useFactory: (lifecycle: ElasticJobLifecycle) =>
      new ExplanationAPI(() => registryOf(lifecycle), {
        ...{ past: () => lifecycle.past, isSwitchedOff: () => lifecycle.isSwitchedOff },
        fault: (jobName) => faultOf(lifecycle, jobName),
      }),
    inject: [ElasticJobLifecycle],
  },
];

/** The health report of this application's job, if it does not run as it should. */
function faultOf({ host }: ElasticJobLifecycle, jobName: string): InstanceFault | undefined {
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

function registryOf({ host, isSwitchedOff }: ElasticJobLifecycle): RegistryCenter {
  if (host !== undefined) return host.registryCenter;
  throw new JobStateError(
    isSwitchedOff
      ? 'Jobs cannot be operated: ElasticJob is switched off in this application (elasticjob.enabled is false).'
      : 'Jobs cannot be operated: the application has not booted yet, or is shutting down.',
  );
}
