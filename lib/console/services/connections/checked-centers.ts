/**
 * Makes registry centres at addresses that were checked, as a name may have another address the next time. Certificates
 * are still checked against the names.
 */
import { checkServerIdentity, type ConnectionOptions } from 'node:tls';
import { type JobLogger } from '../../../api/text/logger.js';
import { readEndpoints } from '../../../registry/etcd/client/endpoints.js';
import { EtcdRegistryCenter } from '../../../registry/etcd/etcd-registry-center.js';
import { PostgresqlRegistryCenter } from '../../../registry/postgresql/postgresql-registry-center.js';
import { type RegistryCenter } from '../../../registry/registry-center.js';
import { tlsOptions, type TlsSettings } from '../../../registry/tls-settings.js';
import { readServerLists } from '../../../registry/zookeeper/server-lists.js';
import { ZookeeperRegistryCenter } from '../../../registry/zookeeper/zookeeper-registry-center.js';
import { type SaslSettings } from '../../../registry/zookeeper/zookeeper-security.js';
import { type Clock } from '../../../time/clock.js';
import { type RegistryType } from '../../contract/registries.js';
import { postgresTls } from './database-tls.js';
import { postgresCredentials } from './postgres-credentials.js';
import { postgresUrl, readPostgresAddress } from './registry-address.js';
import { type TargetGuard } from './target-guard.js';

/** The target of a connection to a registry centre, with its credentials. */
export interface RegistryTarget {
  readonly type: RegistryType;
  readonly serverLists: string;
  readonly namespace: string;
  /** Of PostgreSQL. */
  readonly schema?: string | undefined;
  readonly notify?: boolean | undefined;
  /** Of PostgreSQL and etcd. */
  readonly credentials?: { readonly username: string; readonly password: string } | undefined;
  readonly digest?: string | undefined;
  readonly tls?: TlsSettings | undefined;
  readonly sasl?: SaslSettings | undefined;
}

/** The parts that a connection needs besides its target. */
export interface CheckedCenterParts {
  readonly guard: TargetGuard;
  readonly logger: JobLogger;
  readonly clock: Clock;
}

/** A short session costs nothing, as the console has no ephemeral nodes, and it shows an outage soon. */
const SHORT_SESSION = { sessionTimeoutMilliseconds: 10_000, connectionTimeoutMilliseconds: 3_000 } as const;

/** The limits of waiting for a registry centre of that kind. */
export function consoleSession(type: RegistryType | undefined): typeof SHORT_SESSION {
  const retries = { baseSleepTimeMilliseconds: 200, maxSleepTimeMilliseconds: 1_000 };
  return type === 'POSTGRESQL' || type === 'ETCD' ? SHORT_SESSION : { ...SHORT_SESSION, ...retries };
}

/**
 * The registry centre at the checked addresses of its servers; not connected yet.
 * @throws TargetRefusedError if one of its servers is not allowed
 */
export function checkedCenter(target: RegistryTarget, parts: CheckedCenterParts): Promise<RegistryCenter> {
  const { type } = target;
  switch (type) {
    case 'ZOOKEEPER':
      return checkedZookeeper(target, parts);
    case 'POSTGRESQL':
      return checkedPostgresql(target, parts);
    case 'ETCD':
      return checkedEtcd(target, parts);
    default:
      return type satisfies never;
  }
}

async function checkedZookeeper(
  { serverLists, namespace, digest, tls, sasl }: RegistryTarget,
  { guard, logger, clock }: CheckedCenterParts,
): Promise<RegistryCenter> {
  const { servers, chroot } = readServerLists(serverLists);
  const { addresses, names } = await checkedServers(servers, guard);
  const configuration = {
    ...{ serverLists: addresses.join(',') + chroot, namespace },
    ...(digest && { digest }),
    ...(sasl !== undefined && { sasl }),
    ...consoleSession('ZOOKEEPER'),
  };
  const options =
    tls === undefined ? {} : { tls: { ...tlsOptions(tls, 'tls'), checkServerIdentity: identityOf(names) } };
  return new ZookeeperRegistryCenter(configuration, { logger, clock, ...options });
}

async function checkedPostgresql(
  { serverLists, namespace, schema, notify, credentials, tls }: RegistryTarget,
  { guard, logger, clock }: CheckedCenterParts,
): Promise<RegistryCenter> {
  const read = readPostgresAddress(serverLists);
  if (read === undefined) throw new Error(`'${serverLists}' was stored, and is no address of a PostgreSQL`);
  const { host, port } = read;
  const address = await guard.check(host, port);
  const configuration = {
    ...{ url: postgresUrl({ ...read, host: address, ...postgresCredentials(credentials ?? {}) }), namespace },
    ...(schema !== undefined && { schema }),
    ...(notify !== undefined && { notify }),
    ...consoleSession('POSTGRESQL'),
  };
  const ssl = tls === undefined ? false : postgresTls({ host, address, port, tls });
  return new PostgresqlRegistryCenter(configuration, { logger, clock, tls: ssl });
}

async function checkedEtcd(
  { serverLists, namespace, credentials, tls = {} }: RegistryTarget,
  { guard, logger, clock }: CheckedCenterParts,
): Promise<RegistryCenter> {
  const endpoints = readEndpoints(serverLists);
  const { addresses, names } = await checkedServers(endpoints, guard);
  const isSecure = endpoints.some((each) => each.isSecure);
  const configuration = {
    ...{ endpoints: addresses.map((each) => `http${isSecure ? 's' : ''}://${each}`).join(','), namespace },
    ...(credentials !== undefined && credentials),
    ...consoleSession('ETCD'),
  };
  const options = isSecure ? { tls: { ...tlsOptions(tls, 'tls'), checkServerIdentity: identityOf(names) } } : {};
  return new EtcdRegistryCenter(configuration, { logger, clock, ...options });
}

/** The addresses of servers, as `host:port`, and the names that each address was found by. */
async function checkedServers(
  servers: readonly { readonly host: string; readonly port: number }[],
  guard: TargetGuard,
): Promise<{ readonly addresses: readonly string[]; readonly names: ReadonlyMap<string, readonly string[]> }> {
  const names = new Map<string, string[]>();
  const addresses = await Promise.all(
    servers.map(async ({ host, port }) => {
      const address = await guard.check(host, port);
      names.set(address, [...(names.get(address) ?? []), host]);
      return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
    }),
  );
  return { addresses, names };
}

/** Checks a certificate against the names that were resolved to the address, or against `servername` if that is set. */
function identityOf(
  names: ReadonlyMap<string, readonly string[]>,
): NonNullable<ConnectionOptions['checkServerIdentity']> {
  return (host, certificate) => {
    const faults = (names.get(host) ?? [host]).map((name) => checkServerIdentity(name, certificate));
    return faults.includes(undefined) ? undefined : faults[0];
  };
}
