import { type ClassedJobItemExecutor } from '../api/extensions/job-executor.js';
import { isSimpleJob, type SimpleJob } from '../api/job/job.js';
import { refuseIdleWorker } from './idle-worker.js';

/** Runs jobs whose items are each run by one call of `execute(context)`. */
export const simpleExecutor: ClassedJobItemExecutor<SimpleJob> = {
  requirement: 'a method execute(context)',
  accepts: isSimpleJob,
  validate: (configuration, job) => {
    refuseIdleWorker(configuration, job, 'the method execute(context)');
    return [];
  },
  process: (job, _configuration, context) => job.execute(context),
};
