import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { urlsOf } from './connection/urls.js';
import { isMap } from '../../api/text/describe-value.js';
import { problemsInMap } from '../../api/settings/setting.js';
import { DEFAULTS, PostgresqlOptions } from './postgresql-options.js';

/** Settings of the registry centre on PostgreSQL. A number that is 0 or missing takes its default. */
export interface PostgresqlConfiguration {
  /**
   * `postgres://user:password@host:5432/database`, with the parameters that `pg` knows, such as `sslmode=verify-full`.
   * It may name several hosts, of which one takes writes: `postgres://user@db1:5432,db2:5432/database`.
   */
  readonly url: string;
  /** The node below which all jobs are kept: one or several names, such as `orders` or `shop/orders`. */
  readonly namespace: string;
  /** Schema of the database that has the tables; created if it is not there. Default: `elasticjob`. */
  readonly schema?: string;
  /** How long a session lives without a heartbeat, in milliseconds. Default: 60000. */
  readonly sessionTimeoutMilliseconds?: number;
  /** How long connecting, and one statement, may take, in milliseconds. Default: 15000. */
  readonly connectionTimeoutMilliseconds?: number;
  /** Most connections of this process, 2 or more, one of them for heartbeats. Default: 4. */
  readonly connections?: number;
  /**
   * If true, changes are notified by LISTEN and NOTIFY. Set it to false behind a pooler that gives a connection for
   * each transaction: changes are then polled twice a second. Default: true.
   */
  readonly notify?: boolean;
  /** TLS as `pg` takes it: options of Node's TLS, or true. A `sslmode` in the URL wins. Default: what the URL says. */
  readonly ssl?: boolean | object;
}

/** A configuration that has been checked and completed. */
export interface PostgresqlSettings {
  /** The hosts of the URL, at least one. */
  readonly hosts: readonly PostgresqlHost[];
  /** `host:port` of each host, for messages: the URL may hold a password. */
  readonly place: string;
  readonly database: string;
  readonly namespace: string;
  readonly schema: string;
  readonly sessionTimeoutMs: number;
  readonly connectionTimeoutMs: number;
  readonly connections: number;
  readonly notify: boolean;
  /** How connections are encrypted, as `pg` takes it; `undefined`: as the URL says. */
  readonly ssl: boolean | object | undefined;
}

/** One of the hosts of a URL. */
export interface PostgresqlHost {
  /** A URL with this host alone. */
  readonly url: string;
  /** `host:port`, for messages. */
  readonly place: string;
}

/** The path of a setting in messages. */
const CENTER = 'PostgresqlRegistryCenter';

/**
 * Checks a configuration and fills in the defaults.
 * @throws InvalidConfigurationError naming every fault
 */
export function resolvePostgresqlConfiguration(configuration: PostgresqlConfiguration): PostgresqlSettings {
  const problems = [...problemsInMap(configuration, PostgresqlOptions, CENTER), ...missing(configuration)];
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
  const { url, namespace, schema = DEFAULTS.schema, connections = DEFAULTS.connections, notify = true } = configuration;
  const { ssl } = configuration;
  return {
    ...{ namespace, schema, connections, notify, ssl, ...placesOf(url) },
    sessionTimeoutMs: configuration.sessionTimeoutMilliseconds || DEFAULTS.sessionTimeoutMilliseconds,
    connectionTimeoutMs: configuration.connectionTimeoutMilliseconds || DEFAULTS.connectionTimeoutMilliseconds,
  };
}

function missing(configuration: Partial<PostgresqlConfiguration>): readonly string[] {
  if (!isMap(configuration)) return [];
  const { url, namespace } = configuration;
  return [
    ...(url === undefined
      ? [`${CENTER}.url: is required and must be a URL such as postgres://user@host:5432/database`]
      : []),
    ...(namespace === undefined ? [`${CENTER}.namespace: is required and must be a name such as orders`] : []),
  ];
}

function placesOf(url: string): Pick<PostgresqlSettings, 'hosts' | 'place' | 'database'> {
  const found = urlsOf(url).map((each) => ({ url: each, ...placeOf(each) }));
  const places = found.map(({ place }) => place).join(',');
  return {
    hosts: found.map(({ url: each, place }) => ({ url: each, place })),
    place: places,
    database: found[0]?.database ?? '',
  };
}

function placeOf(url: string): { readonly place: string; readonly database: string } {
  try {
    const { hostname, port, pathname, searchParams } = new URL(url);
    const host = hostname || (searchParams.get('host') ?? 'localhost');
    return { place: `${host}:${port || '5432'}`, database: decodeURIComponent(pathname.slice(1)) };
  } catch {
    // Such as a path of a socket, which the driver understands.
    return { place: 'the configured URL', database: '' };
  }
}
