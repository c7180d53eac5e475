import { type Wording } from './common.js';

/** How a registry centre is reached now. */
export interface RegistryStatus {
  readonly phase: 'connected' | 'connecting' | 'suspended' | 'lost' | 'disconnected';
  /** The whole sentence of why it is not connected, with its cure. */
  readonly reason?: string;
  /** Since when it is in this phase. */
  readonly since: number;
  /** How long the last request took. */
  readonly latencyMs?: number;
}

/** A registry centre that the console knows: `GET /api/v1/registries`. */
export interface RegistryInfo {
  /** Its id in paths. */
  readonly name: string;
  readonly serverLists: string;
  readonly namespace: string;
  readonly hasDigest: boolean;
  /** How it is connected to by TLS; absent: connections are not encrypted. */
  readonly tls?: TlsInfo;
  /** The user of SASL DIGEST-MD5, if there is one. */
  readonly saslUsername?: string;
  /** `settings`: stands in the settings or is the application's own, and cannot be changed here. */
  readonly origin: 'settings' | 'application' | 'console';
  readonly status: RegistryStatus;
  readonly jobCount?: number;
}

/**
 * `POST /api/v1/registries` and `/test`, `PUT /api/v1/registries/{r}` (an omitted digest, `tls` or `sasl` stays as it
 * is).
 */
export interface RegistryChange {
  readonly name: string;
  readonly serverLists: string;
  readonly namespace: string;
  readonly digest?: string;
  /** `null`: connections are not encrypted. */
  readonly tls?: TlsChange | null;
  /** `null`: none. */
  readonly sasl?: SaslChange | null;
}

/** How a registry centre or database is connected to by TLS, without what is secret. */
export interface TlsInfo {
  readonly hasCa: boolean;
  /** Whether the console has a certificate of its own. */
  readonly hasCertificate: boolean;
  readonly servername?: string;
  /** False: any certificate is accepted. */
  readonly rejectUnauthorized: boolean;
}

/**
 * TLS to a registry centre or database: texts in PEM format, no files. An omitted text stays as it is, an empty one is
 * removed.
 */
export interface TlsChange {
  /** Certificates of the authorities that are trusted. Default: those that Node knows. */
  readonly ca?: string;
  /** The console's own certificate, with `key`. */
  readonly cert?: string;
  readonly key?: string;
  /** What decrypts the key. */
  readonly passphrase?: string;
  /** The name that certificates must have. Default: that of the host. */
  readonly servername?: string;
  /** False accepts any certificate. Default: true. */
  readonly rejectUnauthorized?: boolean;
}

/** Credentials for SASL DIGEST-MD5. An omitted password stays as it is. */
export interface SaslChange {
  readonly username: string;
  readonly password?: string;
}

/** Answer of `POST /api/v1/registries/test` and of the data sources'. */
export interface ConnectionTest {
  readonly isOk: boolean;
  readonly latencyMs?: number;
  /** Why not: a category, never the answer of who was asked. */
  readonly reason?:
    'refused' | 'time-out' | 'name-unknown' | 'no-route' | 'credentials' | 'tls' | 'not-allowed' | 'other';
  readonly detail?: string;
  /** `detail` for programs. */
  readonly wording?: Wording;
}
