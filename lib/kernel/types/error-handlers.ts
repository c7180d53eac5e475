import { describeCause, stackOf } from '../../api/describe-cause.js';
import { type JobErrorHandler } from '../../api/error-handler.js';
import { type JobLogger } from '../../api/logger.js';

/** `LOG` (the default), `THROW` and `IGNORE`, as in the manual §6.2.8. Java's words, by which people search. */
export function builtInErrorHandlers(logger: JobLogger): readonly JobErrorHandler[] {
  return [
    {
      type: 'LOG',
      handleException: ({ configuration: { jobName }, cause }) =>
        logger.error(`Job '${jobName}' exception occur in job processing: ${describeCause(cause)}`, stackOf(cause)),
    },
    {
      type: 'THROW',
      handleException: ({ configuration: { jobName }, cause }) => {
        throw new Error(`Job '${jobName}' failed: ${describeCause(cause)}`, { cause });
      },
    },
    { type: 'IGNORE', handleException: () => undefined },
  ];
}
