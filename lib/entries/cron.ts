/**
 * The public API of `nestjs-elasticjob/cron`: Quartz's cron expressions. Anything that is not exported here may change
 * with any version.
 */
export { type CronFieldName, type CronOptions, QuartzCron } from '../time/cron.js';
export { toQuartz } from '../time/crontab.js';
