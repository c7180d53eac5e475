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

/** The change with user and password taken out of its address: addresses are shown and recorded. */
export function withoutSecretsInAddress(change: RegistryChange): RegistryChange {
  if (typeof change.serverLists !== 'string' || typeOfChange(change) !== 'POSTGRESQL') return change;
  const read = readPostgresAddress(change.serverLists);
  // It will be refused, and the record of that must not have a password.
  if (read === undefined) return { ...change, serverLists: `postgres://…${shown(change.serverLists)}` };
  const { username, password, ...place } = read;
  const serverLists = postgresUrl({ ...place, username: undefined, password: undefined });
  if (username === undefined || (change.credentials !== undefined && change.credentials !== null))
    return { ...change, serverLists };
  return { ...change, serverLists, credentials: { username, ...(password !== undefined && { password }) } };
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
      // Parameters such as passwords of keys are secrets, too.
      const read = readPostgresAddress(beforeParameters(url));
      const place = read && postgresUrl({ ...read, username: undefined, password: undefined });
      return {
        ...{
          type,
          serverLists: place ?? `postgres://${shown(url)}`,
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

function beforeParameters(url: string): string {
  return url.slice(0, url.includes('?') ? url.indexOf('?') : undefined);
}

/** The part of a URL that has no secrets, whatever it looks like. */
function shown(url: string): string {
  const address = beforeParameters(url);
  return address.slice(Math.max(address.lastIndexOf('@'), address.lastIndexOf('//') + 1) + 1);
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
