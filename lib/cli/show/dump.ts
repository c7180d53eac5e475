import { SnapshotService } from '../../dump/snapshot-service.js';
import { readJob } from '../../operations/job-reading.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';

/** Options of `dump`. */
export interface DumpOptions {
  /** The dump port to ask. Default: the registry centre is read. */
  readonly from?: { readonly host: string; readonly port: number };
}

/** `dump <job>`: all nodes of a job, without addresses and secrets. */
export async function dump(invocation: Invocation, jobName: string, { from }: DumpOptions): Promise<ExitCode> {
  const { output } = invocation;
  const text = from === undefined ? await fromRegistry(invocation, jobName) : await fromProcess(from, jobName);
  if (output.isJson) output.json({ jobName, dump: text });
  else output.text(text);
  return EXIT.done;
}

async function fromRegistry(invocation: Invocation, jobName: string): Promise<string> {
  const registry = await invocation.registry();
  // Throws for an unknown job, whose dump would only be empty.
  await readJob(registry, jobName);
  return new SnapshotService(registry, { port: 0 }).dumpJobDirectly(jobName);
}

async function fromProcess({ host, port }: NonNullable<DumpOptions['from']>, jobName: string): Promise<string> {
  let text: string;
  try {
    text = await SnapshotService.dumpJob(host, port, jobName);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new CommandError(EXIT.unreachable, `The dump port ${host}:${port} cannot be asked: ${reason}.`, { cause });
  }
  if (text === '\n')
    throw new CommandError(EXIT.unknownJob, `The process at ${host}:${port} knows no job '${jobName}'.`);
  return text;
}
