/**
 * Addresses of registry centres as people type them, of any kind:
 *
 * ```
 *   zk1:2181,zk2:2181/chroot            ZooKeeper
 *   postgres://user:password@host/db    PostgreSQL; user and password are kept apart from the address
 *   https://etcd1:2379,https://etcd2    etcd
 * ```
 */
import { type ConnectionSettings } from '../../../settings/reg-center-settings.js';
import { placeOfAddress, registryType } from '../../../settings/registry-kind.js';
import { type RegistryChange, type RegistryInfo, type RegistryType } from '../../contract/registries.js';

/** The parts of `postgres://user:password@host:5432/database`. */
export interface PostgresAddress {
  /** A name, or an address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

const DEFAULT_PORT = 5432;
/** Stands for a URL whose parts cannot be told apart. */
const HIDDEN_URL = 'postgres://…';

/**
 * Parameters are refused: `sslkey` and others name files of this machine, which callers must not read through the
 * console.
 */
const POSTGRES_URL =
  /^postgres(?:ql)?:\/\/(?:([^:@/?#\s]+)(?::([^@/?#\s]*))?@)?(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?\/([\w$-]+)$/i;

/** The kind of a registry centre: the given one, else that of its address. */
export function typeOfChange({ type, serverLists }: Pick<RegistryChange, 'type' | 'serverLists'>): RegistryType {
  return type ?? typeOfAddress(serverLists);
}

/** The kind that an address has by its scheme. */
export function typeOfAddress(address: string): RegistryType {
  return registryType({ [placeOfAddress(address.trim())]: address }) ?? 'ZOOKEEPER';
}

/** Reads the URL of a PostgreSQL; `undefined` if it is no such URL, or has parameters. */
export function readPostgresAddress(text: string): PostgresAddress | undefined {
  const [, username, password, ipv6, name, digits, database] = POSTGRES_URL.exec(text.trim()) ?? [];
  const host = ipv6 ?? name;
  const port = Number(digits ?? DEFAULT_PORT);
  if (host === undefined || database === undefined || port < 1 || port > 65_535) return undefined;
  const [user, secret] = [decoded(username), decoded(password)];
  return { host, port, database, username: user, password: secret };
}

/** The URL of a PostgreSQL, for the driver. */
export function postgresUrl({ host, port, database, username = '', password = '' }: PostgresAddress): string {
  const secret = password === '' ? '' : `:${encodeURIComponent(password)}`;
  const user = username === '' ? '' : `${encodeURIComponent(username)}${secret}@`;
  return `postgres://${user}${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
}

/** The form of addresses with a user before a host; the path of ZooKeeper may have an @ of its own. */
const WITH_USER = /^[^/]*(?:@|:\/\/.*@)/s;

/** The change with user and password taken out of its address: addresses are shown and recorded. */
export function withoutSecretsInAddress(change: RegistryChange): RegistryChange {
  const { serverLists } = change;
  if (typeof serverLists !== 'string') return change;
  // The address will be refused, and the record of that must not have a part of a password.
  if (typeOfChange(change) !== 'POSTGRESQL')
    return WITH_USER.test(serverLists) ? { ...change, serverLists: '…@…' } : change;
  const read = readPostgresAddress(serverLists);
  if (read === undefined) return { ...change, serverLists: HIDDEN_URL };
  const { username, password, ...place } = read;
  const address = postgresUrl({ ...place, username: undefined, password: undefined });
  if (username === undefined || (change.credentials !== undefined && change.credentials !== null))
    return { ...change, serverLists: address };
  return { ...change, serverLists: address, credentials: { username, ...(password !== undefined && { password }) } };
}

/** The facts that the page shows about a registry centre of the settings. */
export function placeOfSettings(
  settings: ConnectionSettings,
): Pick<RegistryInfo, 'serverLists' | 'type' | 'schema' | 'username'> {
  const type = registryType(settings);
  const { serverLists, url = '', endpoints = '', schema, username } = settings;
  switch (type) {
    case undefined:
      return { serverLists: serverLists ?? 'in this process' };
    case 'ZOOKEEPER':
      return { type, serverLists: serverLists ?? '' };
    case 'POSTGRESQL': {
      const address = withoutParameters(url);
      const read = readPostgresAddress(address);
      const place = read && postgresUrl({ ...read, username: undefined, password: undefined });
      return {
        ...{
          type,
          serverLists: place ?? withoutUser(address),
          schema: schema ?? DEFAULT_SCHEMA,
        },
        ...(read?.username !== undefined && { username: read.username }),
      };
    }
    case 'ETCD':
      return { type, serverLists: endpoints, ...(username !== undefined && { username }) };
    default:
      return type satisfies never;
  }
}

/** The schema that has the tables unless another one is given. */
export const DEFAULT_SCHEMA = 'elasticjob';

const DESCRIPTION = /^(ZooKeeper|PostgreSQL|etcd) at (.+?), (?:schema '([^']*)', )?namespace '/;
const TYPES: Readonly<Record<string, RegistryType>> = {
  ZooKeeper: 'ZOOKEEPER',
  PostgreSQL: 'POSTGRESQL',
  etcd: 'ETCD',
};

/**
 * The facts in the description of a registry centre, such as `ZooKeeper at host:2181, namespace 'orders'`; of any other
 * description, the text without its namespace.
 */
export function placeOfDescription(description: string): Pick<RegistryInfo, 'serverLists' | 'type' | 'schema'> {
  const [, kind = '', serverLists, schema] = DESCRIPTION.exec(description) ?? [];
  const type = TYPES[kind];
  if (type === undefined || serverLists === undefined)
    return { serverLists: description.replace(/, namespace '.*$/, '') };
  return { type, serverLists, ...(schema !== undefined && { schema }) };
}

/** The URL without its parameters, some of which are secrets; empty if an @ after them may end a password instead. */
function withoutParameters(url: string): string {
  return /^([^?#]*)(?:\?[^@#]*)?$/.exec(url)?.[1] ?? '';
}

/** Several hosts, and the database. */
const HOSTS =
  /^postgres(?:ql)?:\/\/(?:[^/\s]*@)?((?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:,(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?)*\/[\w$-]+)$/i;

/** A URL of several hosts without user and password; nothing of any other. */
function withoutUser(url: string): string {
  const hosts = HOSTS.exec(url)?.[1];
  return hosts === undefined ? HIDDEN_URL : `postgres://${hosts}`;
}

function decoded(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % stands for itself, as people paste passwords as they are.
    return text;
  }
}
