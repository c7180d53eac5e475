/** Targets of operations: jobs and servers, in the forms in which callers name them. */
import { InvalidConfigurationError, JobStateError } from '../../api/errors/errors.js';
import { type OperationContext } from '../../api/events/operation-record.js';
import {
  anything,
  checkOptions,
  type OptionRules,
  trueOrFalse,
  type ValueRule,
} from '../../api/settings/call-options.js';
import { describeValue } from '../../api/text/describe-value.js';
import { knownNames } from '../../api/text/nearest.js';
import { isServerIp } from '../../api/text/node-name.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { jobNames, type ReadJob, readJobs } from '../job-reading.js';
import { CONTEXT_RULES } from '../operation-audit.js';

/** The target of an operation (a job, a server of all jobs, or a job on one server), its operator and reason. */
export interface JobTarget extends OperationContext {
  readonly jobName?: string;
  readonly serverIp?: string;
}

/** A target of `disable` and `enable`. */
export interface AvailabilityTarget extends JobTarget {
  /**
   * True allows a server that no job has yet, such as before a move. Default: false, as an unknown server is usually
   * misspelt.
   */
  readonly unknownServer?: boolean;
}

/** The address of a server must be usable as the name of a node. */
export const serverIpRule: ValueRule = (value) =>
  typeof value === 'string' && isServerIp(value) ? undefined : 'must be the address of a server';

// The operation itself checks these values, so that a refusal is recorded.
const RULES: OptionRules<JobTarget> = { ...CONTEXT_RULES, jobName: anything, serverIp: anything };
const AVAILABILITY_RULES: OptionRules<AvailabilityTarget> = { ...RULES, unknownServer: trueOrFalse };

const EXAMPLE = "{ jobName: 'syncOrders' } or { serverIp: '10.0.0.7' }";

/** As `targetOf`, for `disable` and `enable`. */
export function availabilityOf(call: string, given: readonly unknown[]): AvailabilityTarget {
  return targetOf(call, given, AVAILABILITY_RULES);
}

/**
 * The target that the arguments of a call name: `({ jobName, serverIp })`, or as in Java `(jobName, serverIp)`.
 * @throws InvalidConfigurationError if they name none, or an option is unknown or of a wrong kind
 */
export function targetOf(
  call: string,
  given: readonly unknown[],
  rules: Readonly<Record<string, ValueRule>> = RULES,
): JobTarget {
  const [first, second, ...others] = given;
  const refuse = (problem: string): never => {
    throw new InvalidConfigurationError([`${call}: ${problem}`]);
  };
  if (typeof first === 'string' && typeof second === 'string' && others.length === 0)
    return { jobName: first, serverIp: second };
  if (typeof first === 'string') {
    const got = given.map((each) => describeValue(each)).join(', ');
    refuse(`got ${got}; write { jobName: ${describeValue(first)} }, or (jobName, serverIp)`);
  }
  if (second !== undefined || others.length > 0)
    refuse(`takes one object, such as { jobName, serverIp, reason }, got ${given.length} arguments`);
  checkOptions(call, first, rules, { example: EXAMPLE });
  return first as JobTarget;
}

/** Addresses of all servers that a job has, or on which instances of it live. */
function serversOfJob({ view }: ReadJob): ReadonlySet<string> {
  return new Set([...view.servers.keys(), ...[...view.instances.values()].map(({ serverIp }) => serverIp)]);
}

/** As `refuseUnknownServer` if only some jobs were read: a server that they do not have may be another job's. */
export async function refuseServerOfNoJob(
  registry: RegistryCenter,
  serverIp: string,
  jobs: readonly ReadJob[],
): Promise<void> {
  if (jobs.some((job) => serversOfJob(job).has(serverIp))) return;
  const all = await readJobs(registry, await jobNames(registry), { instanceServers: true });
  refuseUnknownServer(registry, serverIp, all);
}

/**
 * Refuses a server that none of these jobs has, as it is misspelt.
 * @throws JobStateError naming the servers of the jobs
 */
export function refuseUnknownServer(registry: RegistryCenter, serverIp: string, all: readonly ReadJob[]): void {
  const known = [...new Set(all.flatMap((job) => [...serversOfJob(job)]))].sort();
  if (known.includes(serverIp)) return;
  const hint = known.length === 0 ? '; no job has a server' : knownNames(serverIp, known);
  const end = hint.endsWith('?') ? '' : '.';
  throw new JobStateError(`No job in ${registry.fullPath('/')} has a server ${serverIp}${hint}${end}`, {
    because: { code: 'unknown-server', values: { serverIp } },
  });
}
