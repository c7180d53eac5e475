/**
 * `nestjs-elasticjob/tracing-rdb`: event tracing into a relational database by TypeORM, which the application installs.
 */
export { type TraceSchema } from './found-tables.js';
export { type DurationFigures, type ExecutionFigures } from './figures/execution-figures.js';
export { type LatestExecution, type LatestFilter } from './figures/latest-rows.js';
export { type CountFilter, type OutcomeCounts } from './figures/outcome-counts.js';
export { type Orphans } from './orphans.js';
export { RdbOperationLog } from './rdb-operation-log.js';
export { type DeletedRows, RdbTraceStorage, type RdbTraceStorageOptions, type Retention } from './rdb-trace-storage.js';
export {
  type ExecutionFilter,
  type JobNameFilter,
  type OperationFilter,
  type StatusFilter,
  type TraceFilter,
  type TracePage,
} from './trace-query.js';
