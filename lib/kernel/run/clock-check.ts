import { ElasticJobError } from '../../api/errors/errors.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { jobPath, keyPath } from '../../api/job/job-name.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type JobContext } from '../job/job-context.js';

/**
 * Compares this process's clock with the registry centre's, if the job asks for that (manual, `maxTimeDiffSeconds`).
 * @throws ClockDifferenceError if they differ by more than the job allows
 * @throws ClockUnknownError if the registry centre has no clock that can be asked
 * @throws RegistryUnavailableError if the registry centre does not answer
 */
export async function checkClock({ registry, watch, paths, clock }: JobContext): Promise<void> {
  const maxSeconds = watch.view.config?.maxTimeDiffSeconds ?? -1;
  if (maxSeconds < 0) return;
  if (registry.time === undefined) throw new ClockUnknownError(paths.jobName, maxSeconds, registry.description);
  const before = clock.now();
  const registryTime = await registry.time(paths.systemTime);
  // The registry read its clock somewhere between sending and receiving; only an excess over that interval is a
  // difference.
  const differenceMs = Math.max(0, before - registryTime, registryTime - clock.now());
  if (differenceMs > maxSeconds * 1000) throw new ClockDifferenceError(paths.jobName, differenceMs, maxSeconds);
}

/**
 * Checks that the registry centre can do what `maxTimeDiffSeconds` asks for.
 * @returns the problem, or undefined
 */
export function clockProblem(
  { jobName, maxTimeDiffSeconds }: JobConfiguration,
  { time, description }: Pick<RegistryCenter, 'time' | 'description'>,
): string | undefined {
  if (maxTimeDiffSeconds < 0 || time !== undefined) return undefined;
  return (
    `${keyPath(jobPath(jobName), 'maxTimeDiffSeconds')}: must be -1, since there is no clock to compare with at the ` +
    `${description}; synchronise the clocks of all machines by NTP instead; got ${maxTimeDiffSeconds}`
  );
}

/** The job asks for a comparison of clocks that this registry centre cannot make. */
class ClockUnknownError extends ElasticJobError {
  override readonly name = 'ClockUnknownError';
  constructor(jobName: string, maxSeconds: number, registry: string) {
    super(
      'JOB_STATE',
      `Job '${jobName}' did not run: maxTimeDiffSeconds is ${maxSeconds}, but there is no clock to compare with at the ` +
        `${registry}. Set maxTimeDiffSeconds to -1, and synchronise the clocks of all machines by NTP.`,
    );
  }
}

/** The clocks of this process and of the registry centre differ too much for the job to run. */
class ClockDifferenceError extends ElasticJobError {
  override readonly name = 'ClockDifferenceError';
  constructor(jobName: string, differenceMs: number, maxSeconds: number) {
    super(
      'JOB_STATE',
      `Job '${jobName}' did not run: Time different between job server and register center exceed ` +
        `'${Math.floor(differenceMs / 1000)}' seconds, max time different is '${maxSeconds}' seconds.`,
    );
  }
}
