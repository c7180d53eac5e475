import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { problemsInMap } from '../../api/settings/setting.js';
import { isMap } from '../../api/text/describe-value.js';
import { tlsOptions, TlsSettings } from '../tls-settings.js';
import { type Endpoint, endpointsProblem, readEndpoints } from './client/endpoints.js';
import { type EtcdTls } from './client/channel-credentials.js';
import { DEFAULTS, EtcdOptions, namespaceProblem, tlsSchemeProblem } from './etcd-options.js';

/** Settings of the registry centre on etcd. A number that is 0 or missing takes its default. */
export interface EtcdConfiguration {
  /**
   * The members of the cluster, separated by commas: `http://host1:2379,http://host2:2379`, or all with `https`. The
   * port defaults to 2379; IPv6 addresses stand in brackets. If the connection to one breaks, the next one is tried.
   */
  readonly endpoints: string;
  /** The beginning of all keys, after a slash: `orders`, or several names such as `shop/orders`. */
  readonly namespace: string;
  /** User of etcd; with `password`. Its role must be allowed to read and write the keys that begin with `/{namespace}:`. */
  readonly username?: string;
  /** The user's password. */
  readonly password?: string;
  /**
   * Session timeout asked for, in milliseconds; etcd grants whole seconds, and at least one and a half times its
   * election timeout. Default 60000.
   */
  readonly sessionTimeoutMilliseconds?: number;
  /** How long connecting, and one request, may take, in milliseconds. Default 5000. */
  readonly connectionTimeoutMilliseconds?: number;
  /**
   * How much the servers accept in one transaction: their `--max-txn-ops`, 128 by default. A third of it is the most
   * operations of one commit, so that a firing with more items takes several commits, one after the other.
   */
  readonly maxTxnOps?: number;
  /** Connects by TLS, with these files. Only with `https` in `endpoints`. Default: Node's certificate authorities. */
  readonly tls?: TlsSettings;
}

/** A configuration that has been checked and completed. */
export interface EtcdSettings {
  readonly endpoints: readonly Endpoint[];
  readonly namespace: string;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
  readonly tls: EtcdTls | undefined;
  /** The session timeout that was asked for. */
  readonly sessionTimeoutMs: number;
  /** The same in seconds, as leases have it. */
  readonly ttlSeconds: number;
  /** The longest that one request may take. */
  readonly requestTimeoutMs: number;
  /** `--max-txn-ops` of the servers. */
  readonly maxTxnOps: number;
  /** The pauses between attempts to connect, and between attempts of one call. */
  readonly pause: { readonly baseMs: number; readonly maxMs: number };
}

/** The path of a setting in messages. */
const CENTER = 'EtcdRegistryCenter';

/** Short at first: a member that starts again is back within a second, and a change of etcd's leader takes as long. */
const PAUSE = { baseMs: 50, maxMs: 2_000 };

/**
 * Checks a configuration and fills in the defaults.
 * @throws InvalidConfigurationError naming every fault
 */
export function resolveEtcdConfiguration(configuration: EtcdConfiguration): EtcdSettings {
  const faults = faultsOf(configuration);
  if (faults.length > 0) throw new InvalidConfigurationError(faults);
  const { endpoints, namespace, username, password, tls } = configuration;
  const sessionTimeoutMs = configuration.sessionTimeoutMilliseconds || DEFAULTS.sessionTimeoutMilliseconds;
  return {
    endpoints: readEndpoints(endpoints),
    namespace,
    credentials: username !== undefined && password !== undefined ? { username, password } : undefined,
    tls: tls && etcdTls(tlsOptions(tls, `${CENTER}.tls`)),
    sessionTimeoutMs,
    ttlSeconds: Math.ceil(sessionTimeoutMs / 1_000),
    requestTimeoutMs: configuration.connectionTimeoutMilliseconds || DEFAULTS.connectionTimeoutMilliseconds,
    maxTxnOps: configuration.maxTxnOps || DEFAULTS.maxTxnOps,
    pause: PAUSE,
  };
}

function faultsOf(configuration: EtcdConfiguration): readonly string[] {
  const problems = problemsInMap(configuration, EtcdOptions, CENTER);
  if (!isMap(configuration)) return problems;
  const { endpoints, namespace, tls } = configuration as Partial<EtcdConfiguration>;
  return [
    ...problems,
    ...(endpoints === undefined ? [`${CENTER}.endpoints: is required and ${endpointsProblem(undefined)}`] : []),
    ...(namespace === undefined ? [`${CENTER}.namespace: is required and ${namespaceProblem(undefined)}`] : []),
    ...tlsProblems(tls, endpoints),
  ];
}

function tlsProblems(tls: unknown, endpoints: unknown): readonly string[] {
  if (tls === undefined) return [];
  const scheme = tlsSchemeProblem(endpoints);
  // The settings of an application come as objects of the declaring class.
  const map: unknown = tls instanceof TlsSettings ? { ...tls } : tls;
  return [
    ...(scheme === undefined ? [] : [`${CENTER}.tls: ${scheme}`]),
    ...problemsInMap(map, TlsSettings, `${CENTER}.tls`),
  ];
}

/** The options of Node's `tls.connect` in the form of the client. */
export function etcdTls({
  servername,
  rejectUnauthorized = true,
  checkServerIdentity,
  ...material
}: ConnectionOptions): EtcdTls {
  return { context: createSecureContext(material), rejectUnauthorized, servername, checkServerIdentity };
}
