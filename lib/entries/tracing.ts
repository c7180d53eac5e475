/**
 * The public API of `nestjs-elasticjob/tracing`: the events of event tracing, and what stores and delivers them.
 * Anything that is not exported here may change with any version.
 */
export {
  type ExecutionSource,
  type JobExecutionEvent,
  type JobState,
  type JobStatusTraceEvent,
  type TraceEvent,
  type TraceStorage,
} from '../api/events/trace-events.js';
export { TraceQueue, type TraceQueueOptions, type TraceQueueStatus } from '../tracing/trace-queue.js';
export { type TracedJobs, Tracing, type TracingOptions } from '../tracing/tracing.js';
export { type DeadInstance, type MaintainedStorage } from '../tracing/trace-upkeep.js';
