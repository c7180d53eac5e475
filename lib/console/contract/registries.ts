import { type Wording } from './common.js';

/** The state of the connection to a registry centre. */
export interface RegistryStatus {
  readonly phase: 'connected' | 'connecting' | 'suspended' | 'lost' | 'disconnected';
  /** The reason why it is not connected, with its cure. */
  readonly reason?: string;
  /** The time since which it is in this phase. */
  readonly since: number;
  /** The duration of the last request. */
  readonly latencyMs?: number;
}

/** A registry centre that the console knows: `GET /api/v1/registries`. */
export interface RegistryInfo {
  /** The id of the registry centre in paths. */
  readonly name: string;
  readonly serverLists: string;
  readonly namespace: string;
  readonly hasDigest: boolean;
  /** The TLS of its connections; absent if they are not encrypted. */
  readonly tls?: TlsInfo;
  /** The user of SASL DIGEST-MD5, if there is one. */
  readonly saslUsername?: string;
  /**
   * Only a registry centre with `console` can be changed here; the others come from the settings or are the
   * application's own.
   */
  readonly origin: 'settings' | 'application' | 'console';
  readonly status: RegistryStatus;
  readonly jobCount?: number;
}

/** `POST /api/v1/registries` and `/test`, `PUT /api/v1/registries/{r}` (an omitted digest, `tls` or `sasl` is kept). */
export interface RegistryChange {
  readonly name: string;
  readonly serverLists: string;
  readonly namespace: string;
  readonly digest?: string;
  /** `null` turns encryption off. */
  readonly tls?: TlsChange | null;
  /** `null` removes the credentials. */
  readonly sasl?: SaslChange | null;
}

/** The TLS of connections to a registry centre or database, without secrets. */
export interface TlsInfo {
  readonly hasCa: boolean;
  /** True if the console has its own certificate. */
  readonly hasCertificate: boolean;
  readonly servername?: string;
  /** False if any certificate is accepted. */
  readonly rejectUnauthorized: boolean;
}

/**
 * TLS to a registry centre or database: texts in PEM format, no files. An omitted text is kept, an empty one is
 * removed.
 */
export interface TlsChange {
  /** Certificates of the authorities that are trusted. Default: those that Node knows. */
  readonly ca?: string;
  /** The console's own certificate, with `key`. */
  readonly cert?: string;
  readonly key?: string;
  /** The passphrase of the key. */
  readonly passphrase?: string;
  /** The name that certificates must have. Default: that of the host. */
  readonly servername?: string;
  /** False accepts any certificate. Default: true. */
  readonly rejectUnauthorized?: boolean;
}

/** Credentials for SASL DIGEST-MD5. An omitted password is kept. */
export interface SaslChange {
  readonly username: string;
  readonly password?: string;
}

/** Answer of `POST /api/v1/registries/test` and `POST /api/v1/data-sources/test`. */
export interface ConnectionTest {
  readonly isOk: boolean;
  readonly latencyMs?: number;
  /** The category of the failure, never the answer of the other side. */
  readonly reason?:
    'refused' | 'time-out' | 'name-unknown' | 'no-route' | 'credentials' | 'tls' | 'not-allowed' | 'other';
  readonly detail?: string;
  /** The code of `detail`. */
  readonly wording?: Wording;
}
