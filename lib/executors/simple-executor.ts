import { type ClassedJobItemExecutor } from '../api/extensions/job-executor.js';
import { isSimpleJob, type SimpleJob } from '../api/job/job.js';
import { refuseIdleWorker } from './idle-worker.js';
import { refuseIdleMethods } from './job-methods.js';
import { refuseResult } from './worker/worker-thread.cjs';

/** Runs jobs whose items are each run by one call of `execute(context)`. */
export const simpleExecutor: ClassedJobItemExecutor<SimpleJob> = {
  requirement: 'a method execute(context)',
  accepts: isSimpleJob,
  validate: (configuration, job) => {
    refuseIdleWorker(configuration, job, 'the method execute(context)');
    // eslint-disable-next-line @typescript-eslint/unbound-method -- only its signature counts
    refuseIdleMethods(configuration, [{ name: 'execute', work: job.execute, parameters: ['context'] }]);
    return [];
  },
  async process(job, _configuration, context) {
    refuseResult('execute()', await job.execute(context));
  },
};
