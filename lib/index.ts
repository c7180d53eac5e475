/**
 * The public API of `nestjs-elasticjob`. Anything that is not exported here may change with any version.
 */

// In a Nest application
export {
  ElasticJobModule,
  type ElasticJobModuleAsyncOptions,
  type ElasticJobOptionsFactory,
} from './nest/elastic-job.module.js';
export { type ElasticJobModuleOptions } from './nest/settings/module-options.js';
export { JobSettings } from './settings/job-settings.js';
export { RegCenterSettings } from './settings/reg-center-settings.js';
export { DumpSettings } from './settings/dump-settings.js';
export { TracingSettings } from './settings/tracing-settings.js';
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
export { elasticJobConfig, type ElasticJobConfigFactory } from './nest/settings/elastic-job-config.js';
export { type AddJobOptions, type JobBootstrap, JobBootstraps } from './nest/jobs/job-bootstraps.js';
export { JobHandle } from './nest/jobs/job-handle.js';
export { ElasticJobHealth, type ElasticJobHealthReport } from './nest/elastic-job.health.js';

// Jobs
export {
  type DataflowJob,
  type ElasticJob as ElasticJobObject,
  isDataflowJob,
  isSimpleJob,
  type SimpleJob,
} from './api/job/job.js';
export { type WorkerJob, type WorkerThreadJob } from './api/job/worker-job.js';
export { type ShardingContext } from './api/job/sharding-context.js';
export { JobConfiguration, jobConfiguration, JobConfigurationBuilder } from './api/job/job-configuration.js';
export { JobOptions } from './api/job/job-options.js';
export { type PropsOptions } from './api/settings/props.js';
export { type ItemParameter, type ItemParameters } from './api/job/sharding-item-parameters.js';

// Without Nest
export { type JobBootstrapOptions, OneOffJobBootstrap, ScheduleJobBootstrap } from './kernel/job-bootstrap.js';
export { JobHost, type JobHostOptions } from './kernel/job-host.js';
export { type JobHealth } from './kernel/life/job-health.js';
export { type JobPhase } from './kernel/life/job-state.js';
export { type JobRuntime } from './kernel/job-runtime.js';
export { type TriggerOptions } from './kernel/life/job-trigger.js';
export { type FiringTimers } from './kernel/lanes/cron-timer.js';

// What users may add
export {
  AbstractDistributeOnceElasticJobListener,
  type AnyJobListener,
  type ElasticJobListener,
} from './api/extensions/job-listener.js';
export { type ShardingContexts } from './api/job/sharding-contexts.js';
export { type JobFailure } from './api/extensions/error-handler.js';
export {
  notifyingErrorHandlers,
  type NotifyingErrorHandlersOptions,
} from './error-handlers/notifying-error-handlers.js';
export {
  type ClassedJobItemExecutor,
  type PropertyProblem,
  type RunningJob,
  type TypedJobItemExecutor,
} from './api/extensions/job-executor.js';
export { type JobInstance } from './api/extensions/sharding-strategy.js';
export { type JobLogger, type LogEntry, type LogFields, type LogLevel } from './api/text/logger.js';

// Observing and wrapping runs
export {
  type DueFiring,
  type FiringCause,
  type ItemInterceptor,
  type ItemOutcome,
  type InstanceCrash,
  type InstanceRegistration,
  type JavaInstanceGone,
  type NothingToRun,
  type RunEvent,
  type RunInfo,
  type RunItem,
  type RunObserver,
  type RunOutcome,
} from './api/events/run-events.js';
export {
  type ObservedHost,
  type ObservedJob,
  type ObservedJobState,
  type ObserverBacklog,
} from './api/events/observed-host.js';

// Event tracing
export {
  type ExecutionSource,
  type JobExecutionEvent,
  type JobState,
  type JobStatusTraceEvent,
  type TraceEvent,
  type TraceStorage,
} from './api/events/trace-events.js';
export { TraceQueue, type TraceQueueOptions, type TraceQueueStatus } from './tracing/trace-queue.js';
export { type TracedJobs, Tracing, type TracingOptions } from './tracing/tracing.js';
export { type DeadInstance, type MaintainedStorage } from './tracing/trace-upkeep.js';

// Operations
export {
  JobConfigurationAPI,
  type JobConfigurationPOJO,
  type JobConfigurationUpdate,
  type RemovedJob,
  type RemoveJobOptions,
} from './operations/job-configuration-api.js';
export {
  JobOperateAPI,
  type JobServer,
  type JobServerInstance,
  type PruneOptions,
  type RemovedServers,
  type TriggerJobOptions,
} from './operations/job-operate-api.js';
export { type AvailabilityTarget, type JobTarget } from './operations/changes/job-target.js';
export { type TriggerAnswer, TriggeredJob, type TriggeredInstance } from './operations/changes/triggered-job.js';
export { ShardingOperateAPI } from './operations/sharding-operate-api.js';
export { type JobBriefInfo, JobStatisticsAPI } from './operations/job-statistics-api.js';
export { type ServerBriefInfo, ServerStatisticsAPI } from './operations/server-statistics-api.js';
export { type ShardingInfo, ShardingStatisticsAPI } from './operations/sharding-statistics-api.js';
export { ExplanationAPI, type ExplanationOptions } from './operations/explanation-api.js';
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
export { type JobPast, type OperationReader, type PastFilter, type TraceReader } from './operations/job-past.js';
export { DoctorAPI, type Examination, type ExamineOptions } from './operations/doctor-api.js';
export { type Finding, type FindingType, type Severity } from './operations/doctor/finding.js';
export { type ItemStatus, type JobStatus } from './operations/statuses.js';
export { OperationAudit, type OperationsOptions } from './operations/operation-audit.js';
export { type OperationContext, type OperationName, type OperationRecord } from './api/events/operation-record.js';

// Registry centres
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
export {
  type EmbeddedFaults,
  EmbeddedRegistryCenter,
  type EmbeddedRegistryCenterOptions,
} from './registry/embedded/embedded-registry-center.js';
export { EmbeddedRegistryServer } from './registry/embedded/embedded-registry-server.js';
export { ZookeeperRegistryCenter } from './registry/zookeeper/zookeeper-registry-center.js';
export { type ZookeeperConfiguration } from './registry/zookeeper/zookeeper-configuration.js';

// Time
export {
  type CronFieldName,
  type CronOptions,
  InvalidCronError,
  InvalidTimeZoneError,
  QuartzCron,
} from './time/cron.js';
export { toQuartz } from './time/crontab.js';
export { type Clock, systemClock } from './time/clock.js';

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
  RegistryRefusedError,
  RegistryUnavailableError,
  SessionLostError,
  TraceRefusedError,
  UnknownJobError,
} from './api/errors/errors.js';

// The dump port
export { type DumpedNode } from './dump/job-dump.js';
export { SnapshotService, type SnapshotServiceOptions } from './dump/snapshot-service.js';
