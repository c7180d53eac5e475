import { wording } from '../../../wording/wording.js';
import { DeadlineExceededError } from '../../../api/errors/errors.js';
import { withDeadline } from '../../../async/wait.js';
import { AddressMask } from '../../../api/text/address-mask.js';
import { withoutSecrets } from '../../../api/text/secrets.js';
import { SnapshotService } from '../../../dump/snapshot-service.js';
import { JobPaths } from '../../../layout/job-paths.js';
import { readJob } from '../../../operations/job-reading.js';
import { type Clock } from '../../../time/clock.js';
import { type Page } from '../../contract/common.js';
import { type TreeNode } from '../../contract/jobs.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { type ConsoleRegistry } from '../registries/console-registry.js';
import { type IsSecret } from './job-secrets.js';
import { type PagePart, pageOf } from './page-part.js';

/** The most milliseconds that an instance may take to answer with a dump. */
const DUMP_MS = 3_000;

/** Greatest length of a dump, in characters. */
const LONGEST_DUMP = 1_048_576;

const DEFAULT_PORTS = [9888, 9888] as const;

/**
 * The nodes of a job in the order of their paths, without secrets, a page at a time.
 * @param options.addresses `masked`: `ip1`, `ip2`, … stand for addresses, as in a dump
 * @throws ConsoleProblem 400 if the cursor is none
 */
export async function jobTree(
  registry: ConsoleRegistry,
  jobName: string,
  { addresses, isSecret, ...part }: TreeOptions,
): Promise<Page<TreeNode>> {
  const { nodes, paths } = await readJob(registry.center, jobName);
  const all = [...nodes.keys()].sort();
  const page = pageOf(all, { keyOf: (path) => path, ...part });
  const mask = new AddressMask();
  const shown = (text: string): string => (addresses === 'masked' ? mask.apply(text) : text);
  // Addresses are numbered from the first node on, so that a page has the numbers of the pages before it.
  const before = addresses === 'masked' ? all.slice(0, all.indexOf(page.items[0] ?? '')) : [];
  for (const path of before) shown(path + withoutSecrets(nodes.get(path)?.value ?? '', isSecret));
  const items = page.items.flatMap((path): TreeNode[] => {
    const node = nodes.get(path);
    if (node === undefined) return [];
    const { version, session } = node;
    const rest = path.slice(paths.root.length);
    const value = shown(withoutSecrets(node.value ?? '', isSecret));
    return [{ path: paths.root + shown(rest), value, version, isEphemeral: session !== undefined }];
  });
  return { ...page, items };
}

interface TreeOptions extends PagePart {
  readonly addresses: 'masked' | 'shown';
  readonly isSecret: IsSecret;
}

/** The nodes of a job in the registry centre, in the form of ElasticJob's dump. */
export async function jobDumpText(registry: ConsoleRegistry, jobName: string, isSecret: IsSecret): Promise<string> {
  await readJob(registry.center, jobName);
  const text = await new SnapshotService(registry.center, { port: 0 }).dumpJobDirectly(jobName);
  return withoutSecrets(text, isSecret);
}

/** The instance to ask for a dump. */
export interface DumpRequest {
  readonly jobName: string;
  /** The address of a server on which an instance of the job lives now. */
  readonly serverIp: string;
  readonly port: number;
}

/**
 * Asks an instance for its dump: only an instance that is registered under the job now, and only at a port that the
 * settings allow.
 * @throws ConsoleProblem 403 if the port is not allowed, 404 if no instance lives there, 504 if it does not answer
 */
export async function askForDump(
  registry: ConsoleRegistry,
  { jobName, serverIp, port }: DumpRequest,
  {
    ports = DEFAULT_PORTS,
    clock,
    isSecret,
  }: { readonly ports?: readonly [number, number] | undefined; readonly clock: Clock; readonly isSecret: IsSecret },
): Promise<string> {
  const [from, to] = ports;
  if (!Number.isInteger(port) || port < from || port > to)
    throw new ConsoleProblem(403, 'port-not-allowed', wording('port-not-allowed', { from, to, port }));
  const { view } = await readJob(registry.center, new JobPaths(jobName).jobName);
  if (![...view.instances.values()].some((instance) => instance.serverIp === serverIp))
    throw new ConsoleProblem(404, 'unknown-instance', `No instance of job '${jobName}' lives on ${serverIp} now.`);
  const late = (): Error => new DeadlineExceededError('the dump', DUMP_MS);
  try {
    const text = await withDeadline(clock, SnapshotService.dumpJob(serverIp, port, jobName), DUMP_MS, late);
    // The instance may be of Java, or of a release that hides less.
    return withoutSecrets(text.slice(0, LONGEST_DUMP), isSecret);
  } catch (cause) {
    throw new ConsoleProblem(504, 'no-dump', wording('no-dump', { serverIp, port }), { cause });
  }
}
