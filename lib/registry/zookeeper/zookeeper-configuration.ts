import { InvalidConfigurationError } from '../../api/errors.js';

/** Settings of the ZooKeeper registry centre, named as in Java. A number that is 0 or missing takes its default. */
export interface ZookeeperConfiguration {
  /** Servers as `host:port`, separated by commas; the port defaults to 2181, IPv6 hosts stand in brackets. A `/path` at the end roots everything there. */
  readonly serverLists: string;
  /** Where the jobs live: one or several path segments, such as `orders` or `shop/orders`. */
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
  /** `user:password`. If given, nodes are created so that only holders of the same credentials can use them. */
  readonly digest?: string;
}

/** A configuration in which everything is checked and nothing is missing. */
export interface ZookeeperSettings {
  readonly servers: readonly { readonly host: string; readonly port: number }[];
  /** Absolute path of the namespace node at the servers, without a slash at the end. */
  readonly root: string;
  readonly namespace: string;
  readonly retry: { readonly baseMs: number; readonly maxMs: number; readonly retries: number };
  readonly sessionTimeoutMs: number;
  readonly connectionTimeoutMs: number;
  /** Longest time that one operation of the registry centre takes, attempts and pauses together. */
  readonly operationTimeoutMs: number;
  readonly digest: string | undefined;
}

const DEFAULT_PORT = 2181;
/** Curator's limit: the delay doubles with each retry and must fit 32 bits. */
const MOST_RETRIES = 29;

/**
 * Checks a configuration and fills in the defaults.
 * @throws InvalidConfigurationError naming every fault
 */
export function resolveZookeeperConfiguration(configuration: ZookeeperConfiguration): ZookeeperSettings {
  const faults: string[] = [];
  const positive = (key: NumberKey, fallback: number, most = Number.MAX_SAFE_INTEGER): number => {
    const value = configuration[key] || fallback;
    if (Number.isInteger(value) && value > 0 && value <= most) return value;
    const limit = most === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${most}`;
    faults.push(`${key} is ${String(value)}; it must be a positive integer${limit}, or 0 for the default ${fallback}.`);
    return fallback;
  };

  const { servers, chroot } = parseServers(configuration.serverLists, faults);
  const namespace = parseNamespace(configuration.namespace, faults);
  const retry = {
    baseMs: positive('baseSleepTimeMilliseconds', 1000),
    maxMs: positive('maxSleepTimeMilliseconds', 3000),
    retries: positive('maxRetries', 3, MOST_RETRIES),
  };
  const connectionTimeoutMs = positive('connectionTimeoutMilliseconds', 15_000);
  const settings = {
    servers,
    root: `${chroot}/${namespace}`,
    namespace,
    retry,
    sessionTimeoutMs: positive('sessionTimeoutMilliseconds', 60_000),
    connectionTimeoutMs,
    operationTimeoutMs: connectionTimeoutMs + retry.maxMs * retry.retries,
    digest: parseDigest(configuration.digest, faults),
  };
  if (faults.length > 0) throw new InvalidConfigurationError(faults);
  return settings;
}

type NumberKey = {
  [Key in keyof ZookeeperConfiguration]-?: ZookeeperConfiguration[Key] extends number | undefined ? Key : never;
}[keyof ZookeeperConfiguration];

function parseServers(
  text: unknown,
  faults: string[],
): { readonly servers: ZookeeperSettings['servers']; readonly chroot: string } {
  if (typeof text !== 'string' || text.trim() === '') {
    faults.push("serverLists is empty; it must name at least one server, such as 'localhost:2181'.");
    return { servers: [], chroot: '' };
  }
  const slash = text.indexOf('/');
  const list = slash < 0 ? text : text.slice(0, slash);
  const chroot = slash < 0 ? '' : text.slice(slash).trim().replace(/\/$/, '');
  const servers = list.split(',').map((entry) => {
    const server = parseServer(entry.trim());
    if (server) return server;
    faults.push(
      `serverLists contains '${entry.trim()}'; each entry must be host, host:port or [IPv6]:port with a port from 1 to 65535.`,
    );
    return { host: '', port: 0 };
  });
  return { servers, chroot };
}

function parseServer(entry: string): { readonly host: string; readonly port: number } | undefined {
  const match = /^(?:\[([0-9a-fA-F:.%\w]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/.exec(entry);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? DEFAULT_PORT);
  return host !== undefined && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

function parseNamespace(namespace: unknown, faults: string[]): string {
  const isUsable =
    typeof namespace === 'string' &&
    namespace.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (isUsable) return namespace;
  faults.push(
    `namespace is ${JSON.stringify(namespace)}; it must be one or several names joined by '/', such as 'orders', without a '/' at the ends.`,
  );
  return '';
}

function parseDigest(digest: unknown, faults: string[]): string | undefined {
  if (digest === undefined || digest === '') return undefined;
  if (typeof digest === 'string' && /^[^:]+:.+$/s.test(digest)) return digest;
  // The value is a secret and stays out of the message.
  faults.push("digest is not of the form 'user:password'.");
  return undefined;
}
