import { describeValue, legible } from '../../api/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors.js';
import { hasRefusedCharacters } from '../../api/node-name.js';

/** Settings of the ZooKeeper registry centre, named as in Java. A number that is 0 or missing takes its default. */
export interface ZookeeperConfiguration {
  /**
   * Servers as `host:port`, separated by commas. The port defaults to 2181; IPv6 addresses stand in brackets. If the
   * list ends with a `/path`, all nodes are below that path.
   */
  readonly serverLists: string;
  /** The node below which all jobs are kept: one or several path segments, such as `orders` or `shop/orders`. */
  readonly namespace: string;
  /** First delay between attempts, in milliseconds. Default 1000. */
  readonly baseSleepTimeMilliseconds?: number;
  /** Longest delay between attempts, in milliseconds. Default 3000. */
  readonly maxSleepTimeMilliseconds?: number;
  /** How often an operation is tried again, 1 to 29. Default 3. */
  readonly maxRetries?: number;
  /** Session timeout asked for, in milliseconds; the server may grant another. Default 60000. */
  readonly sessionTimeoutMilliseconds?: number;
  /** How long one attempt to connect to one server may take, in milliseconds. Default 15000. */
  readonly connectionTimeoutMilliseconds?: number;
  /**
   * `user:password`. If given, only clients with the same credentials can use the nodes that are created. Default:
   * none.
   */
  readonly digest?: string;
}

/** A configuration that has been checked and completed. */
export interface ZookeeperSettings {
  readonly servers: readonly { readonly host: string; readonly port: number }[];
  /** Absolute path of the namespace node at the servers, without a slash at the end. */
  readonly root: string;
  readonly namespace: string;
  readonly retry: { readonly baseMs: number; readonly maxMs: number; readonly retries: number };
  readonly sessionTimeoutMs: number;
  readonly connectionTimeoutMs: number;
  /** How long one operation of the registry centre may take, attempts and pauses together. */
  readonly operationTimeoutMs: number;
  readonly digest: string | undefined;
}

const DEFAULT_PORT = 2181;
/** Curator's limit: the delay doubles with each retry, and must fit into 32 bits. */
const MOST_RETRIES = 29;
/** The protocol sends the session timeout as a signed integer of 32 bits. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Checks a configuration and fills in the defaults.
 * @throws InvalidConfigurationError naming every fault
 */
export function resolveZookeeperConfiguration(configuration: ZookeeperConfiguration): ZookeeperSettings {
  const faults = faultsOf(configuration);
  if (faults.length > 0) throw new InvalidConfigurationError(faults);
  const { serverLists, namespace } = configuration;
  const { servers, chroot } = splitServerLists(serverLists);
  const retry = {
    baseMs: configuration.baseSleepTimeMilliseconds || 1000,
    maxMs: configuration.maxSleepTimeMilliseconds || 3000,
    retries: configuration.maxRetries || 3,
  };
  const connectionTimeoutMs = configuration.connectionTimeoutMilliseconds || 15_000;
  return {
    servers: servers.map(toAddress),
    root: `${chroot}/${namespace}`,
    namespace,
    retry,
    sessionTimeoutMs: configuration.sessionTimeoutMilliseconds || 60_000,
    connectionTimeoutMs,
    operationTimeoutMs: connectionTimeoutMs + retry.maxMs * retry.retries,
    digest: configuration.digest || undefined,
  };
}

/**
 * Checks a list of servers: `host:port,…`, with or without a `/path` at the end.
 * @returns the problem, phrased as a requirement (`must be …`), or undefined
 */
export function serverListsProblem(text: unknown): string | undefined {
  if (typeof text !== 'string') return SERVERS;
  const { list, servers, chroot } = splitServerLists(text);
  const wrong = servers.find((server) => !isServer(server));
  if (wrong !== undefined) return SERVERS + complaint(wrong, list);
  if (chroot === '' || namespaceProblem(chroot.slice(1)) === undefined) return undefined;
  return "must end with a path such as '/team', without empty or odd names in it, if with any";
}

/**
 * Checks a namespace, which may be a path such as `team/orders`.
 * @returns the problem, phrased as a requirement (`must be …`), or undefined
 */
export function namespaceProblem(text: unknown): string | undefined {
  const isName = (part: string): boolean => part !== '' && part === part.trim() && part !== '.' && part !== '..';
  const isUsable = typeof text === 'string' && !hasRefusedCharacters(text) && text.split('/').every(isName);
  return isUsable ? undefined : "must be a name like 'orders', or names joined by '/'";
}

/**
 * Checks credentials.
 * @returns the problem, phrased as a requirement (`must be …`), or undefined
 */
export function digestProblem(text: unknown): string | undefined {
  return typeof text === 'string' && /^[^:]+:.+$/s.test(text) ? undefined : 'must be of the form user:password';
}

/**
 * Checks a time in milliseconds; 0 stands for the default.
 * @returns the problem, phrased as a requirement (`must be …`), or undefined
 */
export function timeoutProblem(value: unknown): string | undefined {
  return integerProblem(value, LONGEST_TIMEOUT_MS);
}

/**
 * Checks how often an operation is tried again; 0 stands for the default.
 * @returns the problem, phrased as a requirement (`must be …`), or undefined
 */
export function maxRetriesProblem(value: unknown): string | undefined {
  return integerProblem(value, MOST_RETRIES);
}

const SERVERS = "must be servers like 'host1:2181,host2:2181'";

function faultsOf(configuration: ZookeeperConfiguration): readonly string[] {
  const faults: string[] = [];
  const check = (key: keyof ZookeeperConfiguration, rule: (value: unknown) => string | undefined): void => {
    const value = configuration[key];
    const problem = rule(value);
    // The digest is a secret and stays out of the message.
    const shown = describeValue(value, key === 'digest' ? 'hidden' : 'shown');
    if (problem !== undefined) faults.push(`${key} is ${shown}; it ${problem}.`);
  };
  const orMissing = (rule: (value: unknown) => string | undefined) => (value: unknown) =>
    value === undefined ? undefined : rule(value);
  check('serverLists', serverListsProblem);
  check('namespace', namespaceProblem);
  check('baseSleepTimeMilliseconds', orMissing(timeoutProblem));
  check('maxSleepTimeMilliseconds', orMissing(timeoutProblem));
  check('maxRetries', orMissing(maxRetriesProblem));
  check('sessionTimeoutMilliseconds', orMissing(timeoutProblem));
  check('connectionTimeoutMilliseconds', orMissing(timeoutProblem));
  check('digest', (value) => (value === undefined || value === '' ? undefined : digestProblem(value)));
  return faults;
}

function integerProblem(value: unknown, most: number): string | undefined {
  if (!Number.isInteger(value) || (value as number) < 0) return 'must be an integer of at least 0';
  return (value as number) > most ? `must be an integer of at most ${most}` : undefined;
}

/** `chroot` is empty, or begins with a slash and does not end with one. */
function splitServerLists(text: string): {
  readonly list: string;
  readonly servers: readonly string[];
  readonly chroot: string;
} {
  const slash = text.indexOf('/');
  const list = slash < 0 ? text : text.slice(0, slash);
  const chroot = slash < 0 ? '' : text.slice(slash).trim().replace(/\/$/, '');
  return { list, servers: list.split(',').map((server) => server.trim()), chroot };
}

/** A host, or an IPv6 address in brackets; each with a port or without. */
// eslint-disable-next-line no-control-regex
const SERVER = /^(?:\[([0-9a-fA-F:.]+(?:%\w+)?)\]|([^\s\u0000-\u001f\u007f:/@[\]]+))(?::(\d{1,5}))?$/;

function isServer(text: string): boolean {
  const { host, port } = toAddress(text);
  return host !== '' && port >= 1 && port <= 65_535;
}

/** An empty host if the text is no address. */
function toAddress(text: string): { readonly host: string; readonly port: number } {
  const match = SERVER.exec(text);
  return { host: match?.[1] ?? match?.[2] ?? '', port: Number(match?.[3] ?? DEFAULT_PORT) };
}

function complaint(server: string, list: string): string {
  if (server === '') return list.includes(',') ? ', without commas that separate nothing' : '';
  const hint = (server.match(/:/g) ?? []).length > 1 ? "; an IPv6 address stands in brackets: '[::1]:2181'" : '';
  return `, which '${legible(server)}' is not${hint}`;
}
