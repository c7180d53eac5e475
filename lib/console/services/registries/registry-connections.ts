/** Making registry centres from what the settings or the page say. */
import { type JobLogger } from '../../../api/text/logger.js';
import { InvalidConfigurationError } from '../../../api/errors/errors.js';
import { whenConnected } from '../../../registry/session-state.js';
import { type RegistryCenter } from '../../../registry/registry-center.js';
import { namespaceProblem } from '../../../registry/zookeeper/namespace.js';
import { readServerLists, serverListsProblem } from '../../../registry/zookeeper/server-lists.js';
import { ZookeeperRegistryCenter } from '../../../registry/zookeeper/zookeeper-registry-center.js';
import { type Clock } from '../../../time/clock.js';
import { type SettingProblem } from '../../contract/common.js';
import { type ConnectionTest, type RegistryChange } from '../../contract/registries.js';
import { ConsoleProblem } from '../../http/console-problem.js';
import { failedTest } from './connection-failures.js';
import { type TargetGuard } from './target-guard.js';

/** A name in paths: what needs no care there. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_. -]{0,62}[\p{L}\p{N}]$|^[\p{L}\p{N}]$/u;

/** The problem with the name of a registry centre or data source, or undefined. */
export function connectionNameProblem(name: unknown): string | undefined {
  if (typeof name === 'string' && NAME.test(name)) return undefined;
  return 'must be 1 to 64 letters, digits, spaces, dots, hyphens and underscores, with a letter or digit at both ends';
}

/** @throws ConsoleProblem 422 naming everything that is wrong */
export function checkRegistryChange({ name, serverLists, namespace, digest }: RegistryChange): void {
  const problems: SettingProblem[] = [];
  const add = (setting: string, message: string | undefined): void =>
    void (message !== undefined && problems.push({ setting, message: `${setting} ${message}.` }));
  add('name', connectionNameProblem(name));
  add('serverLists', serverListsProblem(serverLists));
  add(
    'namespace',
    typeof namespace === 'string' && namespace !== ''
      ? namespaceProblem(namespace)
      : 'must be a text that is not empty',
  );
  const isDigest = digest === undefined || digest === '' || (typeof digest === 'string' && /^[^:]+:.+$/s.test(digest));
  add('digest', isDigest ? undefined : 'must be of the form user:password');
  if (problems.length > 0) throw invalid('The registry centre cannot be used as it is described', problems);
}

/** A refusal of settings. */
export function invalid(what: string, problems: readonly SettingProblem[]): ConsoleProblem {
  return new ConsoleProblem(422, 'invalid-settings', `${what}: ${problems.map(({ message }) => message).join(' ')}`, {
    problems,
  });
}

/**
 * The registry centre, at the addresses that were checked: a name may lead elsewhere the next time.
 * @throws TargetRefusedError if one of its servers may not be connected to
 */
export async function checkedCenter(
  { serverLists, namespace, digest }: Omit<RegistryChange, 'name'>,
  { guard, logger, clock }: { readonly guard: TargetGuard; readonly logger: JobLogger; readonly clock: Clock },
): Promise<RegistryCenter> {
  const { servers, chroot } = readServerLists(serverLists);
  const addresses = await Promise.all(
    servers.map(async ({ host, port }) => {
      const address = await guard.check(host, port);
      return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
    }),
  );
  const configuration = {
    serverLists: addresses.join(',') + chroot,
    namespace,
    ...(digest && { digest }),
    ...PATIENCE,
  };
  return new ZookeeperRegistryCenter(configuration, { logger, clock });
}

/** The console holds no node of its session, so that a short one costs nothing and shows an outage soon. */
export const PATIENCE = {
  sessionTimeoutMilliseconds: 10_000,
  connectionTimeoutMilliseconds: 3_000,
  baseSleepTimeMilliseconds: 200,
  maxSleepTimeMilliseconds: 1_000,
} as const;

const TEST_MS = 5_000;

/** Connects, asks one thing, and closes the connection. */
export async function testRegistry(open: () => Promise<RegistryCenter>, clock: Clock): Promise<ConnectionTest> {
  const began = clock.monotonic();
  const waiting = new AbortController();
  let registry: RegistryCenter | undefined;
  const cancel = clock.after(TEST_MS, () => waiting.abort(new Error(registry?.session.reason ?? 'time out')));
  try {
    registry = await open();
    const { session } = registry;
    session.onChange((state) => {
      if (state.phase === 'closed') waiting.abort(state.refusal ?? new Error(state.reason));
    });
    registry.connect();
    await whenConnected(session, waiting.signal);
    await registry.children('/');
    return { isOk: true, latencyMs: Math.round(clock.monotonic() - began) };
  } catch (error) {
    if (error instanceof InvalidConfigurationError) throw error;
    return failedTest(error);
  } finally {
    cancel();
    await registry?.close();
  }
}
