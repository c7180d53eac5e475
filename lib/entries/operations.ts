/**
 * The public API of `nestjs-elasticjob/operations`: what operators do with jobs and learn of them, in an application or
 * in a program of their own. Anything that is not exported here may change with any version.
 */
export {
  JobConfigurationAPI,
  type JobConfigurationPOJO,
  type JobConfigurationUpdate,
  type RemovedJob,
  type RemoveJobOptions,
} from '../operations/job-configuration-api.js';
export {
  JobOperateAPI,
  type JobServer,
  type JobServerInstance,
  type PruneOptions,
  type RemovedServers,
  type TriggerJobOptions,
} from '../operations/job-operate-api.js';
export { type AvailabilityTarget, type JobTarget } from '../operations/changes/job-target.js';
export { type TriggerAnswer, TriggeredJob, type TriggeredInstance } from '../operations/changes/triggered-job.js';
export { JobGraphAPI, type RoundsOptions, type RunAgainOptions } from '../operations/job-graph-api.js';
export {
  type BegunRound,
  type GraphBriefInfo,
  type GraphEdge,
  type GraphInfo,
  type GraphNodeInfo,
} from '../operations/graphs/graph-infos.js';
export { type GraphRound, type GraphRoundState, type NodeRound, type NodeState } from '../graphs/graph-round.js';
export { type Dependencies } from '../api/settings/dependencies.js';
export { UnknownGraphError } from '../api/errors/errors.js';
export { ShardingOperateAPI } from '../operations/sharding-operate-api.js';
export { type JobBriefInfo, JobStatisticsAPI } from '../operations/job-statistics-api.js';
export { type ServerBriefInfo, ServerStatisticsAPI } from '../operations/server-statistics-api.js';
export { type ShardingInfo, ShardingStatisticsAPI } from '../operations/sharding-statistics-api.js';
export { type ItemStatus, type JobStatus } from '../operations/statuses.js';

// Why a job does not run, and what is wrong with a namespace
export { ExplanationAPI, type ExplanationOptions } from '../operations/explanation-api.js';
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
} from '../operations/explain/explanation.js';
export { type JobPast, type OperationReader, type PastFilter, type TraceReader } from '../operations/job-past.js';
export { DoctorAPI, type Examination, type ExamineOptions } from '../operations/doctor-api.js';
export { type Finding, type FindingType, type Severity } from '../operations/doctor/finding.js';

// The record of changes
export { OperationAudit, type OperationsOptions } from '../operations/operation-audit.js';
export { type OperationContext, type OperationName, type OperationRecord } from '../api/events/operation-record.js';

// The dump port
export { type DumpedNode } from '../dump/job-dump.js';
export { SnapshotService, type SnapshotServiceOptions } from '../dump/snapshot-service.js';
