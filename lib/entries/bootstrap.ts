/**
 * The public API of `nestjs-elasticjob/bootstrap`: jobs in a program without Nest. Anything that is not exported here
 * may change with any version.
 */
export { type JobBootstrapOptions, OneOffJobBootstrap, ScheduleJobBootstrap } from '../kernel/job-bootstrap.js';
export { JobHost, type JobHostOptions } from '../kernel/job-host.js';
export { type JobRuntime } from '../kernel/job-runtime.js';
export { type FiringTimers } from '../kernel/lanes/cron-timer.js';
export { JobConfiguration, jobConfiguration, JobConfigurationBuilder } from '../api/job/job-configuration.js';
export { type Clock, systemClock } from '../time/clock.js';
