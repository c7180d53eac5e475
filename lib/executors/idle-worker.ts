import { describeValue } from '../api/text/describe-value.js';
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { type JobConfiguration } from '../api/job/job-configuration.js';
import { jobPath } from '../api/job/job-name.js';
import { ineffectiveWorkerOf } from '../api/job/worker-job.js';

/**
 * Refuses a job object that names a worker module beside its own methods: the methods would block the main thread,
 * which the worker should prevent.
 * @param methods the methods that do the job's work: `the method execute(context)`
 * @throws InvalidConfigurationError
 */
export function refuseIdleWorker({ jobName }: JobConfiguration, job: object, methods: string): void {
  const worker = ineffectiveWorkerOf(job);
  if (worker === undefined) return;
  throw new InvalidConfigurationError([
    `${jobPath(jobName)}: has both a worker ${describeValue(worker)} and ${methods}: only one of them can do the job's work, ` +
      'so remove the other one, or give the property worker another name if it names no module',
  ]);
}
