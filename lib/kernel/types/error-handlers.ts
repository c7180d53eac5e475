import { describeCause, stackOf } from '../../api/describe-cause.js';
import { type JobErrorHandler } from '../../api/error-handler.js';
import { type JobLogger } from '../../api/logger.js';
import { writeEntry } from '../../api/log-entry.js';

/** `LOG` (the default), `THROW` and `IGNORE`, as in the manual §6.2.8. Java's words, by which people search. */
export function builtInErrorHandlers(logger: JobLogger): readonly JobErrorHandler[] {
  return [
    {
      type: 'LOG',
      handleException: ({ configuration: { jobName }, cause, instance: { jobInstanceId: instance } }) => {
        const message = `Job '${jobName}' exception occur in job processing: ${describeCause(cause)}`;
        const stack = stackOf(cause);
        writeEntry(logger, { level: 'error', message, jobName, instance, ...(stack !== undefined && { stack }) });
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
