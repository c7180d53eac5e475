import { describeCause, describeFailure, stackWithCauses } from '../../api/text/describe-cause.js';
import { type JobErrorHandler, type JobFailure } from '../../api/extensions/error-handler.js';
import { type JobLogger, type LogFields } from '../../api/text/logger.js';
import { JobLog } from '../job/job-log.js';

/** `LOG` (the default), `THROW` and `IGNORE`, as in the manual §6.2.8. */
export function builtInErrorHandlers(logger: JobLogger): readonly JobErrorHandler[] {
  return [
    {
      type: 'LOG',
      handleException: (failure) => {
        const { configuration, instance } = failure;
        const log = new JobLog(logger, { jobName: configuration.jobName, instance: instance.jobInstanceId });
        log.error(describeJobFailure(failure), stackWithCauses(failure.cause), failureFields(failure));
      },
    },
    {
      type: 'THROW',
      afterFailure: 'interrupt',
      handleException: ({ configuration: { jobName }, cause }) => {
        throw new Error(`Job '${jobName}' failed: ${describeCause(cause)}`, { cause });
      },
    },
    { type: 'IGNORE', handleException: () => undefined },
  ];
}

/**
 * Names the item, the firing and the error: `item 2 (parameter 'Beijing', firing of 2030-01-01T00:00:05.000Z) failed:
 * Error: no stock`.
 */
export function describeJobFailure({ cause, item, parameter, scheduledAt, attempt }: JobFailure): string {
  const remarks = [
    ...(parameter === undefined ? [] : [`parameter '${parameter}'`]),
    ...(scheduledAt === undefined ? [] : [`firing of ${scheduledAt.toISOString()}`]),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
  ];
  const what = item === undefined ? 'the run' : `item ${item}`;
  const details = remarks.length === 0 ? '' : ` (${remarks.join(', ')})`;
  return `${what}${details} failed: ${cause === undefined || cause === null ? `it threw ${cause}` : describeFailure(cause)}`;
}

/** The same facts for loggers that keep fields. */
export function failureFields({ item, parameter, scheduledAt }: JobFailure): LogFields {
  return {
    event: 'failed',
    ...(item !== undefined && { item }),
    ...(parameter !== undefined && { parameter }),
    ...(scheduledAt !== undefined && { scheduledAt }),
  };
}
