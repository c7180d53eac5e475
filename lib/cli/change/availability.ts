import { JobOperateAPI } from '../../operations/job-operate-api.js';
import { ShardingOperateAPI } from '../../operations/sharding-operate-api.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type ChangeOptions } from '../surroundings.js';
import { contextOf, counted, inWords, targetOf } from './context.js';

/** Options of `disable` and `enable`. */
export interface AvailabilityOptions extends Pick<ChangeOptions, 'reason'> {
  readonly server?: string;
  readonly item?: number;
  /** True allows a server that no job has yet. */
  readonly unknownServer?: boolean;
}

/** `disable` and `enable`: servers, jobs, or one item of a job. */
export async function setAvailability(
  invocation: Invocation,
  verb: 'disable' | 'enable',
  { jobName, ...options }: AvailabilityOptions & { readonly jobName: string | undefined },
): Promise<ExitCode> {
  if (options.item !== undefined) return setItem(invocation, verb, { jobName, ...options, item: options.item });
  const { output, operations } = invocation;
  const target = targetOf(jobName, options);
  const { unknownServer = false } = options;
  const servers = await new JobOperateAPI(await invocation.registry(), operations)[verb]({ ...target, unknownServer });
  if (output.isJson) output.json({ [`${verb}d`]: servers, record: invocation.record });
  else {
    const what = target.jobName === undefined ? counted(servers.length, 'job') : counted(servers.length, 'server');
    output.text(`${PAST[verb]} ${inWords(target)} (${what}).\n`);
  }
  return EXIT.done;
}

async function setItem(
  invocation: Invocation,
  verb: 'disable' | 'enable',
  {
    jobName,
    item,
    server,
    reason,
  }: AvailabilityOptions & { readonly jobName: string | undefined; readonly item: number },
): Promise<ExitCode> {
  if (jobName === undefined || server !== undefined)
    throw new CommandError(EXIT.usage, `Items belong to a job, wherever they run: ${verb} syncOrders --item 3.`);
  const { output, operations } = invocation;
  const items = new ShardingOperateAPI(await invocation.registry(), operations);
  await items[verb](jobName, item, contextOf({ ...(reason !== undefined && { reason }) }));
  if (output.isJson) output.json({ [`${verb}d`]: [{ jobName, item }], record: invocation.record });
  else output.text(`${PAST[verb]} item ${item} of job '${jobName}'.\n`);
  return EXIT.done;
}

const PAST = { disable: 'Disabled', enable: 'Enabled' } as const;
