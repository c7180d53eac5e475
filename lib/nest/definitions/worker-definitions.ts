import { describeValue } from '../../api/text/describe-value.js';
import { jobPath, keyPath, propertyPath } from '../../api/job/job-name.js';
import { flattenProps } from '../../api/settings/props.js';
import { RUN_WORKER, WORKER_TYPE } from '../../api/settings/run-properties.js';
import { type WorkerThreadJob, workerProblem, workerText } from '../../api/job/worker-job.js';
import { type JobSettings } from '../../settings/job-settings.js';

/** The worker module that does a job's work. */
export interface WorkerWork {
  /** The job object, whose module stays in this process, or the type of a job whose module is a property. */
  readonly job: WorkerThreadJob | typeof WORKER_TYPE;
  /** The type, if the module is a property or the type is set. */
  readonly javaName?: string;
  readonly owner: string;
}

/** The class that is decorated as the job. */
export interface DecoratedClass {
  readonly label: string;
  /** True if it has a method that does the work. */
  readonly isJob: boolean;
}

/**
 * The worker module that does a job's work, or the problem if something else does it, too; `undefined` if settings name
 * no module.
 */
export function workerOf(
  jobName: string,
  settings: JobSettings,
  decorated: DecoratedClass | undefined,
): WorkerWork | { readonly problems: readonly string[] } | undefined {
  const { worker, elasticJobType: type } = settings;
  const property = propertyOf(settings);
  if (worker === undefined && property === undefined) return undefined;
  // The module's problem is among the job's problems already.
  if (worker !== undefined && workerProblem(worker) !== undefined) return { problems: [] };
  const path = worker === undefined ? propertyPath(jobName, RUN_WORKER) : keyPath(jobPath(jobName), 'worker');
  const text = describeValue(worker === undefined ? property : workerText(worker));
  const other = otherWork(settings, decorated, property);
  if (other !== undefined)
    return { problems: [`${path}: must not be set beside ${other}: only one can do the work, got ${text}`] };
  return {
    job: worker === undefined ? WORKER_TYPE : { worker },
    ...((worker === undefined || type !== undefined) && { javaName: WORKER_TYPE }),
    owner: decorated?.label ?? `worker ${text}`,
  };
}

/** The text of `run.worker`; `undefined` if there is none. */
function propertyOf({ props = {} }: JobSettings): string | undefined {
  const read = flattenProps(props);
  return 'flat' in read ? read.flat.get(RUN_WORKER) : undefined;
}

function otherWork(
  { worker, elasticJobClass: named, elasticJobType: type }: JobSettings,
  decorated: DecoratedClass | undefined,
  property: string | undefined,
): string | undefined {
  if (type !== undefined && String(type).toUpperCase() !== WORKER_TYPE) return `elasticJobType ${describeValue(type)}`;
  if (named !== undefined) return `elasticJobClass ${typeof named === 'function' ? named.name : describeValue(named)}`;
  if (decorated?.isJob === true) return `the methods of ${decorated.label}`;
  if (worker !== undefined && property !== undefined) return `props['${RUN_WORKER}'] ${describeValue(property)}`;
  return undefined;
}
