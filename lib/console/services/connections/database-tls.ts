/**
 * TLS to databases: one description, as for registry centres, converted for each driver:
 *
 * ```
 *   postgres          checks a certificate by any name or address: it is given our own check
 *   mysql, mariadb    check a certificate by the host name of the options, never by an address
 * ```
 * The console may connect to an address that was checked before; the certificate is still checked against the host
 * name.
 */
import { connect, isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type Wording, wording } from '../../../wording/wording.js';
import { tlsOptions, type TlsSettings } from '../../../registry/zookeeper/zookeeper-security.js';

/** The address of a database, and the name in its certificate. */
export interface TlsTarget {
  /** The name or address that was given. */
  readonly host: string;
  /** The address to connect to. */
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

/** The option `ssl` of the driver pg. */
export function postgresTls({ host, tls }: TlsTarget) {
  const name = tls.servername ?? host;
  return {
    ...tlsOptions(tls, 'tls'),
    ...(isIP(name) === 0 && { servername: name }),
    checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(name, certificate),
  };
}

/** The options of the driver mysql2: it checks the certificate by `host`, so `stream` connects to the address. */
export function mysqlTls({ host, address, port, tls }: TlsTarget) {
  const { servername, ...ssl } = tlsOptions(tls, 'tls');
  const { rejectUnauthorized = true } = ssl;
  return {
    host: servername ?? host,
    ssl: { ...ssl, rejectUnauthorized, verifyIdentity: rejectUnauthorized },
    extra: { stream: () => connect(port, address) },
  };
}
