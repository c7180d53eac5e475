/**
 * The public API of `nestjs-elasticjob`: what an application needs. Anything that neither this nor another entry of the
 * package exports may change with any version.
 */

// The module
export {
  ElasticJobModule,
  type ElasticJobModuleAsyncOptions,
  type ElasticJobOptionsFactory,
} from './nest/elastic-job.module.js';
export { type ElasticJobModuleOptions } from './nest/settings/module-options.js';
export { elasticJobConfig, type ElasticJobConfigFactory } from './nest/settings/elastic-job-config.js';
export { JobSettings } from './settings/job-settings.js';
export { RegCenterSettings } from './settings/reg-center-settings.js';
export { DumpSettings } from './settings/dump-settings.js';
export { TracingSettings } from './settings/tracing-settings.js';

// Decorators
export {
  ElasticJob,
  type ElasticJobOptions,
  InjectOneOffJob,
  type ElasticJobDecorator,
  type JobDecorator,
} from './nest/decorators/elastic-job.decorator.js';
export { TracingListener } from './nest/decorators/tracing-listener.decorator.js';
export { OperationListener } from './nest/decorators/operation-listener.decorator.js';
export { JobListener, type ListenerDecorator } from './nest/decorators/job-listener.decorator.js';
export {
  type ClassedExecutor,
  type ClassOf,
  JobErrorHandler,
  JobExecutor,
  JobExecutorThreadPoolSizeProvider,
  JobShardingStrategy,
} from './nest/decorators/extension.decorators.js';

// Jobs
export { type DataflowJob, type ElasticJob as ElasticJobObject, type SimpleJob } from './api/job/job.js';
export { type WorkerJob, type WorkerThreadJob } from './api/job/worker-job.js';
export { type ShardingContext } from './api/job/sharding-context.js';
export { type ShardingContexts } from './api/job/sharding-contexts.js';
export {
  AbstractDistributeOnceElasticJobListener,
  type AnyJobListener,
  type ElasticJobListener,
} from './api/extensions/job-listener.js';
export { JobConfiguration, jobConfiguration, JobConfigurationBuilder } from './api/job/job-configuration.js';
export { JobOptions } from './api/job/job-options.js';
export { type PropsOptions } from './api/settings/props.js';
export { type ItemParameter, type ItemParameters } from './api/job/sharding-item-parameters.js';

// Jobs at run time, and their health
export { type AddJobOptions, type JobBootstrap, JobBootstraps } from './nest/jobs/job-bootstraps.js';
export { JobHandle } from './nest/jobs/job-handle.js';
export { OneOffJobBootstrap } from './kernel/job-bootstrap.js';
export { type TriggerOptions } from './kernel/life/job-trigger.js';
export { ElasticJobHealth, type ElasticJobHealthReport, type RegistryCenterHealth } from './nest/elastic-job.health.js';
export { type NamedRegistryCenter, RegistryCenters } from './nest/centers/registry-centers.js';
export { type JobHealth } from './kernel/life/job-health.js';
export { type JobPhase } from './kernel/life/job-state.js';
export { type JobLogger, type LogEntry, type LogFields, type LogLevel } from './api/text/logger.js';

// Errors
export {
  DeadlineExceededError,
  ElasticJobError,
  type ElasticJobErrorCode,
  FiringInterruptedError,
  InvalidConfigurationError,
  ItemTimeoutError,
  JobConflictError,
  JobExecutionError,
  JobStateError,
  JobStoppedError,
  RegistryConflictError,
  RegistryOutcomeUnknownError,
  RegistryCredentialsError,
  RegistryIncompatibleError,
  RegistryRefusedError,
  RegistryUnavailableError,
  SessionLostError,
  TraceRefusedError,
  UnknownJobError,
} from './api/errors/errors.js';
export { InvalidCronError, InvalidTimeZoneError } from './time/cron.js';

// Until 1.0, names that have moved to other entries can be imported from here as well. The build marks each of them.

/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export {
  JobConfigurationAPI,
  type JobConfigurationPOJO,
  type JobConfigurationUpdate,
  type RemovedJob,
  type RemoveJobOptions,
} from './operations/job-configuration-api.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export {
  JobOperateAPI,
  type JobServer,
  type JobServerInstance,
  type PruneOptions,
  type RemovedServers,
  type TriggerJobOptions,
} from './operations/job-operate-api.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { type AvailabilityTarget, type JobTarget } from './operations/changes/job-target.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { type TriggerAnswer, TriggeredJob, type TriggeredInstance } from './operations/changes/triggered-job.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { ShardingOperateAPI } from './operations/sharding-operate-api.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { type JobBriefInfo, JobStatisticsAPI } from './operations/job-statistics-api.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { type ServerBriefInfo, ServerStatisticsAPI } from './operations/server-statistics-api.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { type ShardingInfo, ShardingStatisticsAPI } from './operations/sharding-statistics-api.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { type ItemStatus, type JobStatus } from './operations/statuses.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { ExplanationAPI, type ExplanationOptions } from './operations/explanation-api.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export {
  type Cause,
  type Explanation,
  type InstanceFault,
  type InstantCause,
  type ItemCause,
  type JobCause,
  type OnRecord,
  type Past,
  type PastExecution,
  type PastState,
  type Reason,
  type ServerOff,
  type Stated,
} from './operations/explain/explanation.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { type JobPast, type OperationReader, type PastFilter, type TraceReader } from './operations/job-past.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { DoctorAPI, type Examination, type ExamineOptions } from './operations/doctor-api.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { type Finding, type FindingType, type Severity } from './operations/doctor/finding.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { OperationAudit, type OperationsOptions } from './operations/operation-audit.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { type OperationContext, type OperationName, type OperationRecord } from './api/events/operation-record.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { type DumpedNode } from './dump/job-dump.js';
/** @deprecated Import it from 'nestjs-elasticjob/operations'. */
export { SnapshotService, type SnapshotServiceOptions } from './dump/snapshot-service.js';
/** @deprecated Import it from 'nestjs-elasticjob/registry'. */
export {
  type CommitLimits,
  type Lifetime,
  type Mirror,
  type MirroredNode,
  type MirrorOptions,
  type Operation,
  type RegistryCenter,
  type Session,
  type SessionState,
} from './registry/registry-center.js';
/** @deprecated Import it from 'nestjs-elasticjob/registry'. */
export {
  type EmbeddedFaults,
  EmbeddedRegistryCenter,
  type EmbeddedRegistryCenterOptions,
} from './registry/embedded/embedded-registry-center.js';
/** @deprecated Import it from 'nestjs-elasticjob/registry'. */
export { EmbeddedRegistryServer } from './registry/embedded/embedded-registry-server.js';
/** @deprecated Import it from 'nestjs-elasticjob/registry'. */
export { ZookeeperRegistryCenter } from './registry/zookeeper/zookeeper-registry-center.js';
/** @deprecated Import it from 'nestjs-elasticjob/registry'. */
export { type ZookeeperConfiguration } from './registry/zookeeper/zookeeper-configuration.js';
/** @deprecated Import it from 'nestjs-elasticjob/extensions'. */
export {
  type ClassedJobItemExecutor,
  type PropertyProblem,
  type RunningJob,
  type TypedJobItemExecutor,
} from './api/extensions/job-executor.js';
/** @deprecated Import it from 'nestjs-elasticjob/extensions'. */
export { isDataflowJob, isSimpleJob } from './api/job/job.js';
/** @deprecated Import it from 'nestjs-elasticjob/extensions'. */
export { type JobInstance } from './api/extensions/sharding-strategy.js';
/** @deprecated Import it from 'nestjs-elasticjob/extensions'. */
export { type JobFailure } from './api/extensions/error-handler.js';
/** @deprecated Import it from 'nestjs-elasticjob/extensions'. */
export {
  notifyingErrorHandlers,
  type NotifyingErrorHandlersOptions,
} from './error-handlers/notifying-error-handlers.js';
/** @deprecated Import it from 'nestjs-elasticjob/extensions'. */
export {
  type DueFiring,
  type FiringCause,
  type InstanceCrash,
  type InstanceRegistration,
  type ItemInterceptor,
  type ItemOutcome,
  type JavaInstanceGone,
  type NothingToRun,
  type RoundCompletion,
  type RunEvent,
  type RunInfo,
  type RunItem,
  type RunObserver,
  type RunOutcome,
} from './api/events/run-events.js';
/** @deprecated Import it from 'nestjs-elasticjob/extensions'. */
export {
  type ObservedHost,
  type ObservedJob,
  type ObservedJobState,
  type ObserverBacklog,
} from './api/events/observed-host.js';
/** @deprecated Import it from 'nestjs-elasticjob/tracing'. */
export {
  type ExecutionSource,
  type JobExecutionEvent,
  type JobState,
  type JobStatusTraceEvent,
  type TraceEvent,
  type TraceStorage,
} from './api/events/trace-events.js';
/** @deprecated Import it from 'nestjs-elasticjob/tracing'. */
export { TraceQueue, type TraceQueueOptions, type TraceQueueStatus } from './tracing/trace-queue.js';
/** @deprecated Import it from 'nestjs-elasticjob/tracing'. */
export { type TracedJobs, Tracing, type TracingOptions } from './tracing/tracing.js';
/** @deprecated Import it from 'nestjs-elasticjob/tracing'. */
export { type DeadInstance, type MaintainedStorage } from './tracing/trace-upkeep.js';
/** @deprecated Import it from 'nestjs-elasticjob/bootstrap'. */
export { type JobBootstrapOptions, ScheduleJobBootstrap } from './kernel/job-bootstrap.js';
/** @deprecated Import it from 'nestjs-elasticjob/bootstrap'. */
export { JobHost, type JobHostOptions } from './kernel/job-host.js';
/** @deprecated Import it from 'nestjs-elasticjob/bootstrap'. */
export { type JobRuntime } from './kernel/job-runtime.js';
/** @deprecated Import it from 'nestjs-elasticjob/bootstrap'. */
export { type FiringTimers } from './kernel/lanes/cron-timer.js';
/** @deprecated Import it from 'nestjs-elasticjob/bootstrap'. */
export { type Clock, systemClock } from './time/clock.js';
/** @deprecated Import it from 'nestjs-elasticjob/cron'. */
export { type CronFieldName, type CronOptions, QuartzCron } from './time/cron.js';
/** @deprecated Import it from 'nestjs-elasticjob/cron'. */
export { toQuartz } from './time/crontab.js';
