import { type ClassedJobItemExecutor } from '../api/extensions/job-executor.js';
import { type DataflowJob, isSimpleJob, type SimpleJob } from '../api/job/job.js';
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { jobPath } from '../api/job/job-name.js';
import { idleStreamingDoubts } from './dataflow-executor.js';
import { refuseIdleWorker } from './idle-worker.js';
import { refuseIdleMethods } from './job-methods.js';
import { refuseResult } from './worker/worker-thread.cjs';

/** Runs each item of a job by one call of `execute(context)`. */
export const simpleExecutor: ClassedJobItemExecutor<SimpleJob> = {
  requirement: 'a method execute(context)',
  accepts: isSimpleJob,
  validate: (configuration, job) => {
    refuseIdleWorker(configuration, job, 'the method execute(context)');
    if (isAlsoDataflow(job))
      throw new InvalidConfigurationError([
        `${jobPath(configuration.jobName)}: has both the method execute(context) and the methods fetchData(context) and ` +
          "processData(context, data): only one of them can do the job's work, so remove or rename the others",
      ]);
    // eslint-disable-next-line @typescript-eslint/unbound-method -- only its signature counts
    refuseIdleMethods(configuration, [{ name: 'execute', work: job.execute, parameters: ['context'] }]);
    return [];
  },
  doubts: idleStreamingDoubts,
  async process(job, _configuration, context) {
    refuseResult('execute()', await job.execute(context));
  },
};

function isAlsoDataflow(job: object): boolean {
  const { fetchData, processData } = job as Partial<DataflowJob>;
  return typeof fetchData === 'function' && typeof processData === 'function';
}
