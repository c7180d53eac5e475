import { isMap } from '../../api/text/describe-value.js';
import { type ConnectedRegCenter } from '../../settings/create-registry-center.js';
import { regCenterPath } from '../../settings/reg-center-names.js';
import { type RegCenters } from '../../settings/reg-centers.js';
import { type RegCenterSettings } from '../../settings/reg-center-settings.js';
import { dataSourceNamed } from '../definitions/named-data-source.js';
import { type FoundDataSource } from '../elastic-job.explorer.js';

/** The options of a TypeORM `DataSource` of PostgreSQL that say where the database is. */
interface ConnectionOptions {
  readonly type?: unknown;
  readonly url?: string;
  readonly host?: string;
  readonly port?: number;
  readonly username?: string;
  readonly password?: unknown;
  readonly database?: string;
  readonly ssl?: boolean | object;
  readonly extra?: { readonly ssl?: boolean | object };
  readonly replication?: { readonly master?: ConnectionOptions };
}

/** The settings of registry centres whose `dataSource` has been replaced by its connection, and the problems. */
export interface ConnectedRegCenters {
  readonly regCenters: ReadonlyMap<string, ConnectedRegCenter>;
  readonly problems: readonly string[];
}

/**
 * Replaces each `dataSource` by the address in its options: the registry centre opens connections of its own, as it
 * needs notifications and sessions.
 */
export function connectedRegCenters(
  regCenters: RegCenters,
  dataSources: readonly FoundDataSource[],
): ConnectedRegCenters {
  const problems: string[] = [];
  const connected = [...regCenters].map(([name, settings]): [string, ConnectedRegCenter] => {
    if (settings.dataSource === undefined) return [name, settings];
    const found = connectedBy(`${regCenterPath(name)}.dataSource`, settings, dataSources);
    if (typeof found !== 'string') return [name, found];
    problems.push(found);
    return [name, settings];
  });
  return { regCenters: new Map(connected), problems };
}

/** @returns the settings with an address, or the problem, a complete line */
function connectedBy(
  path: string,
  { dataSource: wanted, ...settings }: RegCenterSettings,
  dataSources: readonly FoundDataSource[],
): ConnectedRegCenter | string {
  const dataSource = dataSourceNamed(path, wanted, dataSources);
  if (typeof dataSource === 'string') return dataSource;
  const options = (dataSource as { readonly options: ConnectionOptions }).options;
  if (options.type !== 'postgres')
    return `${path}: must be a DataSource of PostgreSQL, whose type is postgres, but its type is ${String(options.type)}`;
  const { master } = options.replication ?? {};
  const place = { ...options, ...master };
  if (place.password !== undefined && typeof place.password !== 'string')
    return `${path}: its password must be a text, not a function: give the registry centre a url`;
  if (place.url !== undefined && !URL.canParse(place.url))
    return `${path}: its url must be like postgres://user:password@host:5432/database, got one that is not shown`;
  const { ssl = options.extra?.ssl } = place;
  return { ...settings, url: urlOf(place, place.password), ...((typeof ssl === 'boolean' || isMap(ssl)) && { ssl }) };
}

/** As TypeORM builds it: the parts of `url` win, and the other options fill in what it lacks. */
function urlOf(
  { url, host = 'localhost', port, username = '', database = '' }: ConnectionOptions,
  password = '',
): string {
  const isSocket = host.startsWith('/');
  const authority = host.includes(':') ? `[${host}]` : host;
  const place = new URL(url ?? `postgres://${isSocket ? 'localhost' : authority}`);
  place.port ||= String(port ?? '');
  place.username ||= encodeURIComponent(username);
  place.password ||= encodeURIComponent(password);
  if (place.pathname.length < 2) place.pathname = `/${encodeURIComponent(database)}`;
  if (isSocket && url === undefined) place.searchParams.set('host', host);
  return place.href;
}
