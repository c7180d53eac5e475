import { type FactoryProvider } from '@nestjs/common';
import { JobStateError } from '../api/errors/errors.js';
import { DoctorAPI } from '../operations/doctor-api.js';
import { ExplanationAPI, type ExplanationOptions } from '../operations/explanation-api.js';
import { JobConfigurationAPI } from '../operations/job-configuration-api.js';
import { JobOperateAPI } from '../operations/job-operate-api.js';
import { JobStatisticsAPI } from '../operations/job-statistics-api.js';
import { OperationAudit } from '../operations/operation-audit.js';
import { ServerStatisticsAPI } from '../operations/server-statistics-api.js';
import { ShardingOperateAPI } from '../operations/sharding-operate-api.js';
import { ShardingStatisticsAPI } from '../operations/sharding-statistics-api.js';
import { type RegistrySource } from '../operations/registry-source.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { ElasticJobLifecycle } from './elastic-job.lifecycle.js';

/** The operations, by their classes, on the registry centre of the application. */
export const operationClasses = [
  JobConfigurationAPI,
  JobOperateAPI,
  ShardingOperateAPI,
  JobStatisticsAPI,
  ServerStatisticsAPI,
  ShardingStatisticsAPI,
  ExplanationAPI,
  DoctorAPI,
] as const;

/** Each takes of the options what concerns it. */
type OperationsClass = new (
  source: RegistrySource,
  options: ExplanationOptions & { readonly audit: OperationAudit },
) => object;

/** Provides the operations, which can be used once the application has booted, and their audit. */
export const operationProviders: readonly FactoryProvider[] = [
  { provide: OperationAudit, useFactory: () => new OperationAudit() },
  ...operationClasses.map((Operations: OperationsClass): FactoryProvider => ({
    provide: Operations,
    useFactory: (lifecycle: ElasticJobLifecycle, audit: OperationAudit) =>
      new Operations(() => registryOf(lifecycle), {
        ...{ audit, past: () => lifecycle.past, isSwitchedOff: () => lifecycle.isSwitchedOff },
      }),
    inject: [ElasticJobLifecycle, OperationAudit],
  })),
];

function registryOf({ host, isSwitchedOff }: ElasticJobLifecycle): RegistryCenter {
  if (host !== undefined) return host.registryCenter;
  throw new JobStateError(
    isSwitchedOff
      ? 'Jobs cannot be operated: ElasticJob is switched off in this application (elasticjob.enabled is false).'
      : 'Jobs cannot be operated: the application has not booted yet, or is shutting down.',
  );
}
