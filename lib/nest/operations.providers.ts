import { type FactoryProvider, type Provider } from '@nestjs/common';
import { DoctorAPI } from '../operations/doctor-api.js';
import { ExplanationAPI } from '../operations/explanation-api.js';
import { JobConfigurationAPI } from '../operations/job-configuration-api.js';
import { JobGraphAPI } from '../operations/job-graph-api.js';
import { JobOperateAPI } from '../operations/job-operate-api.js';
import { JobStatisticsAPI } from '../operations/job-statistics-api.js';
import { OperationAudit } from '../operations/operation-audit.js';
import { ServerStatisticsAPI } from '../operations/server-statistics-api.js';
import { ShardingOperateAPI } from '../operations/sharding-operate-api.js';
import { ShardingStatisticsAPI } from '../operations/sharding-statistics-api.js';
import { DEFAULT_REG_CENTER } from '../settings/reg-center-names.js';
import { type NamedRegistryCenter, RegistryCenters } from './centers/registry-centers.js';

/** The operations by their classes: those on the default registry centre are injected. */
const OPERATIONS = [
  [JobConfigurationAPI, 'jobConfiguration'],
  [JobOperateAPI, 'jobOperate'],
  [JobGraphAPI, 'jobGraph'],
  [ShardingOperateAPI, 'shardingOperate'],
  [DoctorAPI, 'doctor'],
  [JobStatisticsAPI, 'jobStatistics'],
  [ServerStatisticsAPI, 'serverStatistics'],
  [ShardingStatisticsAPI, 'shardingStatistics'],
  [ExplanationAPI, 'explanation'],
] as const satisfies readonly (readonly [type: object, name: keyof NamedRegistryCenter])[];

/** The classes under which operations are injected. */
export const operationClasses = [...OPERATIONS.map(([type]) => type), RegistryCenters];

/** Provides the operations, which can be used once the application has booted, and their audit. */
export const operationProviders: readonly Provider[] = [
  { provide: OperationAudit, useFactory: () => new OperationAudit() },
  RegistryCenters,
  ...OPERATIONS.map(([type, name]): FactoryProvider => ({
    provide: type,
    useFactory: (centers: RegistryCenters) => centers.of(DEFAULT_REG_CENTER)[name],
    inject: [RegistryCenters],
  })),
];
