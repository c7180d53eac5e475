/**
 * The public API of `nestjs-elasticjob/extensions`: what applications may add to the library – executors, sharding
 * strategies, error handlers, observers and interceptors. Their decorators are in `nestjs-elasticjob`. Anything that is
 * not exported here may change with any version.
 */

// Executors
export {
  type ClassedJobItemExecutor,
  type PropertyProblem,
  type RunningJob,
  type TypedJobItemExecutor,
} from '../api/extensions/job-executor.js';
export { isDataflowJob, isSimpleJob } from '../api/job/job.js';

// Sharding strategies
export { type JobInstance } from '../api/extensions/sharding-strategy.js';

// Error handlers
export { type JobFailure } from '../api/extensions/error-handler.js';
export {
  notifyingErrorHandlers,
  type NotifyingErrorHandlersOptions,
} from '../error-handlers/notifying-error-handlers.js';

// Observing and wrapping runs
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
} from '../api/events/run-events.js';
export {
  type ObservedHost,
  type ObservedJob,
  type ObservedJobState,
  type ObserverBacklog,
} from '../api/events/observed-host.js';
