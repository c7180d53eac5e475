import { type ClassedJobItemExecutor } from '../api/job-executor.js';
import { isSimpleJob, type SimpleJob } from '../api/job.js';

/** Runs jobs whose items are each run by one call of `execute(context)`. */
export const simpleExecutor: ClassedJobItemExecutor<SimpleJob> = {
  requirement: 'a method execute(context)',
  accepts: isSimpleJob,
  process: (job, _configuration, context) => job.execute(context),
};
