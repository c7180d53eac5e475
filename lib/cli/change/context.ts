import { type OperationContext } from '../../api/events/operation-record.js';
import { type JobTarget } from '../../operations/changes/job-target.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { type ChangeOptions } from '../surroundings.js';

/** The reason, for the record of the operation. */
export function contextOf({ reason }: Pick<ChangeOptions, 'reason'>): OperationContext {
  return reason === undefined ? {} : { reason };
}

/** The target of a command: a job, a server, or a job on a server. @throws CommandError if neither is given */
export function targetOf(
  jobName: string | undefined,
  { server, reason }: Pick<ChangeOptions, 'reason'> & { readonly server?: string },
): JobTarget {
  if (jobName === undefined && server === undefined)
    throw new CommandError(EXIT.usage, 'Name a job, a server (--server 10.0.0.7), or both.');
  return {
    ...(jobName !== undefined && { jobName }),
    ...(server !== undefined && { serverIp: server }),
    ...contextOf({ ...(reason !== undefined && { reason }) }),
  };
}

/** The target in words: `job 'bill' on server 10.0.0.7`. */
export function inWords({ jobName, serverIp }: Pick<JobTarget, 'jobName' | 'serverIp'>): string {
  if (jobName === undefined) return `all jobs on server ${serverIp}`;
  return serverIp === undefined ? `job '${jobName}' on all its servers` : `job '${jobName}' on server ${serverIp}`;
}

/** `1 instance`, `2 instances`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
