import { type ConnectionOptions } from 'node:tls';
import { inEnglish, type Wording } from '../../wording/wording.js';
import { isMap } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { problemsInMap } from '../../api/settings/setting.js';
import { type SaslCredentials } from './client/sasl-digest-md5.js';
import { type ServerAddress } from './client/server-list.js';
import { namespaceProblem } from './namespace.js';
import { readServerLists, serverListsProblem } from './server-lists.js';
import { DEFAULTS, SECURITY_SECTIONS, ZookeeperOptions } from './zookeeper-options.js';
import { type SaslSettings, tlsOptions, type TlsSettings } from './zookeeper-security.js';

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
  /** Connects by TLS, with these files. Default: connections are not encrypted. */
  readonly tls?: TlsSettings;
  /** Credentials for SASL DIGEST-MD5. Default: none. */
  readonly sasl?: SaslSettings;
}

/** A configuration that has been checked and completed. */
export interface ZookeeperSettings {
  readonly servers: readonly ServerAddress[];
  /** Absolute path of the namespace node at the servers, without a slash at the end. */
  readonly root: string;
  readonly namespace: string;
  readonly retry: { readonly baseMs: number; readonly maxMs: number; readonly retries: number };
  readonly sessionTimeoutMs: number;
  readonly connectionTimeoutMs: number;
  /** How long one operation of the registry centre may take, attempts and pauses together. */
  readonly operationTimeoutMs: number;
  readonly digest: string | undefined;
  readonly tls: ConnectionOptions | undefined;
  readonly sasl: SaslCredentials | undefined;
}

/**
 * Checks a configuration and fills in the defaults.
 * @throws InvalidConfigurationError naming every fault
 */
export function resolveZookeeperConfiguration(configuration: ZookeeperConfiguration): ZookeeperSettings {
  const faults = faultsOf(configuration);
  if (faults.length > 0) throw new InvalidConfigurationError(faults);
  const { serverLists, namespace } = configuration;
  const { servers, chroot } = readServerLists(serverLists);
  const retry = {
    baseMs: configuration.baseSleepTimeMilliseconds || DEFAULTS.baseSleepTimeMilliseconds,
    maxMs: configuration.maxSleepTimeMilliseconds || DEFAULTS.maxSleepTimeMilliseconds,
    retries: configuration.maxRetries || DEFAULTS.maxRetries,
  };
  const connectionTimeoutMs = configuration.connectionTimeoutMilliseconds || DEFAULTS.connectionTimeoutMilliseconds;
  return {
    servers,
    root: `${chroot}/${namespace}`,
    namespace,
    retry,
    sessionTimeoutMs: configuration.sessionTimeoutMilliseconds || DEFAULTS.sessionTimeoutMilliseconds,
    connectionTimeoutMs,
    operationTimeoutMs: connectionTimeoutMs + retry.maxMs * retry.retries,
    digest: configuration.digest || undefined,
    tls: configuration.tls && tlsOptions(configuration.tls, `${CENTER}.tls`),
    sasl: configuration.sasl && credentials(configuration.sasl),
  };
}

/** The path of a setting in messages. */
const CENTER = 'ZookeeperRegistryCenter';

function faultsOf(configuration: ZookeeperConfiguration): readonly string[] {
  if (!isMap(configuration)) return problemsInMap(configuration, ZookeeperOptions, CENTER);
  const { serverLists, namespace } = configuration as Partial<ZookeeperConfiguration>;
  const missing = (key: string, problem: Wording | undefined): readonly string[] => [
    `${CENTER}.${key}: is required and ${problem === undefined ? '' : inEnglish(problem)}`,
  ];
  return [
    ...problemsInMap(configuration, ZookeeperOptions, CENTER),
    ...securityProblems(configuration),
    ...(serverLists === undefined ? missing('serverLists', serverListsProblem(undefined)) : []),
    ...(namespace === undefined ? missing('namespace', namespaceProblem(undefined)) : []),
  ];
}

function securityProblems(configuration: Pick<ZookeeperConfiguration, 'tls' | 'sasl'>): readonly string[] {
  return (['tls', 'sasl'] as const).flatMap((section) => {
    const given = configuration[section];
    // The settings of an application come as objects of the declaring class.
    const map: unknown = given instanceof SECURITY_SECTIONS[section] ? { ...given } : given;
    return given === undefined ? [] : problemsInMap(map, SECURITY_SECTIONS[section], `${CENTER}.${section}`);
  });
}

function credentials({ username = '', password = '' }: SaslSettings): SaslCredentials {
  return { username, password };
}
