/** Makes registry centres from descriptions in the settings or in the page. */
import { checkServerIdentity } from 'node:tls';
import { type Wording, wording } from '../../../wording/wording.js';
import { isMap } from '../../../api/text/describe-value.js';
import { type JobLogger } from '../../../api/text/logger.js';
import { InvalidConfigurationError } from '../../../api/errors/errors.js';
import { whenConnected } from '../../../registry/session-state.js';
import { type RegistryCenter } from '../../../registry/registry-center.js';
import { namespaceProblem } from '../../../registry/zookeeper/namespace.js';
import { readServerLists, serverListsProblem } from '../../../registry/zookeeper/server-lists.js';
import { ZookeeperRegistryCenter } from '../../../registry/zookeeper/zookeeper-registry-center.js';
import { type SaslSettings, tlsOptions, type TlsSettings } from '../../../registry/zookeeper/zookeeper-security.js';
import { type Clock } from '../../../time/clock.js';
import { type SettingProblem } from '../../contract/common.js';
import { type ConnectionTest, type RegistryChange } from '../../contract/registries.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { settingProblem } from '../../answers/setting-problem.js';
import { failedTest } from './connection-failures.js';
import { tlsChangeProblems } from './stored-tls.js';
import { type TargetGuard } from './target-guard.js';

/** Names that can stand in a URL path without special treatment. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_. -]{0,62}[\p{L}\p{N}]$|^[\p{L}\p{N}]$/u;

/** The problem with the name of a registry centre or data source, or undefined. */
export function connectionNameProblem(name: unknown): Wording | undefined {
  if (typeof name === 'string' && NAME.test(name)) return undefined;
  return wording('connection-name');
}

/** @throws ConsoleProblem 422 naming all problems */
export function checkRegistryChange({ name, serverLists, namespace, digest, tls, sasl }: RegistryChange): void {
  const problems: SettingProblem[] = [];
  const add = (setting: string, problem: Wording | undefined): void =>
    void (problem !== undefined && problems.push(settingProblem(setting, problem)));
  add('name', connectionNameProblem(name));
  add('serverLists', typeof serverLists === 'string' ? serverListsProblem(serverLists) : wording('servers-text'));
  add(
    'namespace',
    typeof namespace === 'string' && namespace !== '' ? namespaceProblem(namespace) : wording('not-empty'),
  );
  const isDigest = digest === undefined || digest === '' || (typeof digest === 'string' && /^[^:]+:.+$/s.test(digest));
  add('digest', isDigest ? undefined : wording('digest'));
  problems.push(...tlsChangeProblems(tls), ...saslProblems(sasl));
  requireUsable(problems, 'The registry centre');
}

/** @throws ConsoleProblem 422 with these problems, if there are any */
export function requireUsable(problems: readonly SettingProblem[], thing: string): void {
  if (problems.length > 0) throw invalid(`${thing} cannot be used as it is described`, problems);
}

function saslProblems(sasl: unknown): readonly SettingProblem[] {
  if (sasl === undefined || sasl === null) return [];
  const { username, password = '' } = isMap(sasl) ? sasl : {};
  const isUser = typeof username === 'string' && username !== '' && username.length <= LONGEST_CREDENTIAL;
  const isPassword = typeof password === 'string' && password.length <= LONGEST_CREDENTIAL;
  return [
    ...(isUser ? [] : [settingProblem('sasl.username', wording('not-empty'))]),
    ...(isPassword ? [] : [settingProblem('sasl.password', wording('text'))]),
  ];
}

const LONGEST_CREDENTIAL = 1_000;

function invalid(what: string, problems: readonly SettingProblem[]): ConsoleProblem {
  return new ConsoleProblem(422, 'invalid-settings', `${what}: ${problems.map(({ message }) => message).join(' ')}`, {
    problems,
  });
}

/**
 * The registry centre at the addresses that were checked, as a name may have another address the next time.
 * @throws TargetRefusedError if one of its servers is not allowed
 */
export async function checkedCenter(
  { serverLists, namespace, digest, tls, sasl }: RegistryTarget,
  { guard, logger, clock }: { readonly guard: TargetGuard; readonly logger: JobLogger; readonly clock: Clock },
): Promise<RegistryCenter> {
  const { servers, chroot } = readServerLists(serverLists);
  const names = new Map<string, string[]>();
  const addresses = await Promise.all(
    servers.map(async ({ host, port }) => {
      const address = await guard.check(host, port);
      names.set(address, [...(names.get(address) ?? []), host]);
      return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
    }),
  );
  const configuration = {
    serverLists: addresses.join(',') + chroot,
    namespace,
    ...(digest && { digest }),
    ...(sasl !== undefined && { sasl }),
    ...CONSOLE_SESSION,
  };
  const options =
    tls === undefined ? {} : { tls: { ...tlsOptions(tls, 'tls'), checkServerIdentity: identityOf(names) } };
  return new ZookeeperRegistryCenter(configuration, { logger, clock, ...options });
}

/** Checks a certificate against the names that were resolved to the address, or against `servername` if that is set. */
function identityOf(names: ReadonlyMap<string, readonly string[]>): typeof checkServerIdentity {
  return (host, certificate) => {
    const faults = (names.get(host) ?? [host]).map((name) => checkServerIdentity(name, certificate));
    return faults.includes(undefined) ? undefined : faults[0];
  };
}

/** The target of a connection to a registry centre, with its credentials. */
export interface RegistryTarget {
  readonly serverLists: string;
  readonly namespace: string;
  readonly digest?: string | undefined;
  readonly tls?: TlsSettings | undefined;
  readonly sasl?: SaslSettings | undefined;
}

/** A short session costs nothing, as the console has no ephemeral nodes, and it shows an outage soon. */
export const CONSOLE_SESSION = {
  sessionTimeoutMilliseconds: 10_000,
  connectionTimeoutMilliseconds: 3_000,
  baseSleepTimeMilliseconds: 200,
  maxSleepTimeMilliseconds: 1_000,
} as const;

const TEST_MS = 5_000;

/** Connects, sends one request, and closes the connection. */
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
