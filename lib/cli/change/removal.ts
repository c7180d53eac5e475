import { JobConfigurationAPI, refuseIfLiving } from '../../operations/job-configuration-api.js';
import { JobOperateAPI, type JobServer, type JobServerInstance } from '../../operations/job-operate-api.js';
import { type JobTarget } from '../../operations/changes/job-target.js';
import { readJob } from '../../operations/job-reading.js';
import { JobStatisticsAPI } from '../../operations/job-statistics-api.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type ChangeOptions } from '../surroundings.js';
import { type Column } from '../terminal/table.js';
import { contextOf, counted, inWords, targetOf } from './context.js';

/** Options of `shutdown` and `remove`. */
export interface RemovalOptions extends ChangeOptions {
  readonly server?: string;
  /** For `remove`: true ends the living instances of the job. */
  readonly living?: boolean;
}

/** Options of `prune`. */
export interface PruneServersOptions extends ChangeOptions {
  readonly dryRun?: boolean;
  readonly includeDisabled?: boolean;
}

/** `shutdown`: ends a job on its instances, until their applications are started again. */
export async function shutdown(
  invocation: Invocation,
  jobName: string | undefined,
  options: RemovalOptions,
): Promise<ExitCode> {
  const { output, operations } = invocation;
  const target = targetOf(jobName, options);
  const registry = await invocation.registry();
  const count = counted(await instanceCount(registry, target), 'instance');
  await invocation.confirm(`Shut down ${inWords(target)} (${count}), in ${registry.description}?`, options);
  const instances = await new JobOperateAPI(registry, operations).shutdown(target);
  const json = { shutDown: instances, record: invocation.record };
  output.list({ rows: instances, columns: INSTANCE_COLUMNS, empty: 'No instance was there to be shut down.' }, json);
  return EXIT.done;
}

/** `remove`: a job with all its nodes; with `--server`, a server and its instances. */
export async function remove(
  invocation: Invocation,
  jobName: string | undefined,
  options: RemovalOptions,
): Promise<ExitCode> {
  if (jobName !== undefined && options.server === undefined) return removeJob(invocation, jobName, options);
  if (options.living !== undefined)
    throw new CommandError(
      EXIT.usage,
      '--living goes with the removal of a whole job; remove with --server ends the instances there in any case.',
    );
  return removeServer(invocation, targetOf(jobName, options), options);
}

async function removeJob(invocation: Invocation, jobName: string, options: RemovalOptions): Promise<ExitCode> {
  const { output, operations } = invocation;
  const registry = await invocation.registry();
  const { living = false } = options;
  const job = await readJob(registry, jobName);
  // A refusal comes before the question.
  if (!living) refuseIfLiving(job);
  const count = counted(job.view.instances.size, 'instance');
  const question = `Remove job '${jobName}' with its configuration, and shut down ${count}, in ${registry.description}?`;
  await invocation.confirm(question, options);
  const configurations = new JobConfigurationAPI(registry, operations);
  const removed = await configurations.removeJobConfiguration(jobName, { ...contextOf(options), living });
  if (output.isJson) output.json({ jobName, ...removed, record: invocation.record });
  else output.text(`Removed job '${jobName}' (${count} shut down).\n`);
  for (const id of removed.stillRunning) output.note(`Instance ${id} is still running items. It ends by itself.`);
  return EXIT.done;
}

async function removeServer(invocation: Invocation, target: JobTarget, options: ChangeOptions): Promise<ExitCode> {
  const { output, operations } = invocation;
  const registry = await invocation.registry();
  const count = counted(await instanceCount(registry, target), 'instance');
  const question = `Remove server ${target.serverIp} from ${target.jobName === undefined ? 'all jobs' : `job '${target.jobName}'`}, and shut down ${count} there, in ${registry.description}?`;
  await invocation.confirm(question, options);
  const removed = await new JobOperateAPI(registry, operations).remove(target);
  const json = { ...removed, record: invocation.record };
  const rows = removed.servers;
  output.list({ rows, columns: SERVER_COLUMNS, empty: `No job has a server ${target.serverIp}.` }, json);
  return EXIT.done;
}

/** `prune`: removes servers that have no living instance. */
export async function prune(
  invocation: Invocation,
  jobName: string | undefined,
  options: PruneServersOptions,
): Promise<ExitCode> {
  const { output, operations } = invocation;
  const { dryRun = false, includeDisabled = false } = options;
  const registry = await invocation.registry();
  const api = new JobOperateAPI(registry, operations);
  const which = { includeDisabled, ...(jobName !== undefined && { jobName }), ...contextOf(options) };
  const offline = await api.pruneServers({ ...which, dryRun: true });
  if (!output.isJson) output.list({ rows: offline, columns: SERVER_COLUMNS, empty: NONE_OFFLINE }, offline);
  let removed: readonly JobServer[] = [];
  if (!dryRun && offline.length > 0) {
    await invocation.confirm(`Remove ${counted(offline.length, 'server')}, in ${registry.description}?`, options);
    removed = await api.pruneServers(which);
    output.note(`Removed ${counted(removed.length, 'server')}.`);
  }
  if (output.isJson) output.json({ offline, removed, record: invocation.record });
  return EXIT.done;
}

const NONE_OFFLINE = 'Each server has a living instance, or is disabled.';

async function instanceCount(registry: RegistryCenter, { jobName, serverIp }: JobTarget): Promise<number> {
  if (jobName !== undefined) {
    const { view } = await readJob(registry, jobName);
    return [...view.instances.values()].filter((each) => serverIp === undefined || each.serverIp === serverIp).length;
  }
  const jobs = await new JobStatisticsAPI(registry).getJobsBriefInfo(serverIp ?? '');
  return jobs.reduce((sum, each) => sum + each.instanceCount, 0);
}

const SERVER_COLUMNS: readonly Column<JobServer>[] = [
  { title: 'JOB', text: ({ jobName }) => jobName },
  { title: 'SERVER', text: ({ serverIp }) => serverIp },
];

const INSTANCE_COLUMNS: readonly Column<JobServerInstance>[] = [
  { title: 'JOB', text: ({ jobName }) => jobName },
  { title: 'SERVER', text: ({ serverIp }) => serverIp },
  { title: 'INSTANCE', text: ({ instanceId }) => instanceId },
];
