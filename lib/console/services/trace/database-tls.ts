/**
 * TLS to databases: one description, as for registry centres, and what each driver makes of it.
 *
 * ```
 *   postgres          checks a certificate by any name or address: it is given our own check
 *   mysql, mariadb    check a certificate by the name that they believe to connect to, never by an address
 * ```
 * A database may be connected to at an address that was checked before; its certificate is still held against its name.
 */
import { connect, isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type Wording, wording } from '../../../wording/wording.js';
import { tlsOptions, type TlsSettings } from '../../../registry/zookeeper/zookeeper-security.js';

/** Where a database is, and how its certificate is checked. */
export interface TlsTarget {
  /** The name or address that was given. */
  readonly host: string;
  /** Where to connect to. */
  readonly address: string;
  readonly port: number;
  readonly tls: TlsSettings;
}

/** The problem with `servername` of TLS, as a requirement, or undefined. */
export function servernameProblem({
  driver,
  host,
  tls,
}: {
  readonly driver: unknown;
  readonly host: unknown;
  readonly tls: Readonly<Partial<Record<keyof TlsSettings, unknown>>>;
}): Wording | undefined {
  const { servername = '', rejectUnauthorized } = tls;
  const isByName = driver === 'mysql' || driver === 'mariadb';
  if (!isByName || servername !== '' || rejectUnauthorized === false) return undefined;
  if (typeof host !== 'string' || isIP(host) === 0) return undefined;
  return wording('servername-needed', { driver });
}

/** What the driver pg takes as `ssl`. */
export function postgresTls({ host, tls }: TlsTarget) {
  const name = tls.servername ?? host;
  return {
    ...tlsOptions(tls, 'tls'),
    ...(isIP(name) === 0 && { servername: name }),
    checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(name, certificate),
  };
}

/**
 * What the driver mysql2 takes: it checks the certificate by `host`, so that `stream` alone knows where to connect to.
 */
export function mysqlTls({ host, address, port, tls }: TlsTarget) {
  const { servername, ...ssl } = tlsOptions(tls, 'tls');
  const { rejectUnauthorized = true } = ssl;
  return {
    host: servername ?? host,
    ssl: { ...ssl, rejectUnauthorized, verifyIdentity: rejectUnauthorized },
    extra: { stream: () => connect(port, address) },
  };
}
