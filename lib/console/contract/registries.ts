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

/** The kinds of registry centres outside the process, with the names of the setting `regCenter.type`. */
export type RegistryType = 'ZOOKEEPER' | 'POSTGRESQL' | 'ETCD';

/** A registry centre that the console knows: `GET /api/v1/registries`. */
export interface RegistryInfo {
  /** The id of the registry centre in paths. */
  readonly name: string;
  /** Absent if it is inside a process, or of a kind that code has made. */
  readonly type?: RegistryType;
  /**
   * Its address: servers of ZooKeeper (`zk1:2181,zk2:2181`), a PostgreSQL (`postgres://host:5432/database`), or members
   * of etcd (`https://etcd1:2379,https://etcd2:2379`). It never has a password.
   */
  readonly serverLists: string;
  readonly namespace: string;
  /** PostgreSQL: the schema that has the tables. */
  readonly schema?: string;
  /** PostgreSQL: false if changes are polled, as behind a pooler of transactions. */
  readonly notify?: boolean;
  /** PostgreSQL and etcd: the user, if there is one. */
  readonly username?: string;
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

/**
 * `POST /api/v1/registries` and `/test`, `PUT /api/v1/registries/{r}`. An omitted digest, `tls`, `sasl` or
 * `credentials` is kept.
 */
export interface RegistryChange {
  readonly name: string;
  /** Default: that of the address: `postgres://` PostgreSQL, `http://` or `https://` etcd, anything else ZooKeeper. */
  readonly type?: RegistryType;
  /**
   * The address, as in `RegistryInfo`. The URL of a PostgreSQL may have user and password, which are then stored as
   * `credentials`, and no parameters: TLS has its own fields.
   */
  readonly serverLists: string;
  readonly namespace: string;
  /** PostgreSQL: the schema that has the tables. Default: elasticjob. */
  readonly schema?: string;
  /** PostgreSQL: false behind a pooler of transactions. Default: true. */
  readonly notify?: boolean;
  /** PostgreSQL and etcd: user and password. `null` removes them. */
  readonly credentials?: CredentialsChange | null;
  /** ZooKeeper. */
  readonly digest?: string;
  /** `null` turns encryption off. */
  readonly tls?: TlsChange | null;
  /** ZooKeeper: credentials for SASL DIGEST-MD5. `null` removes them. */
  readonly sasl?: CredentialsChange | null;
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

/** A user and its password. An omitted password is kept. */
export interface CredentialsChange {
  readonly username: string;
  readonly password?: string;
}

/** Answer of `POST /api/v1/registries/test` and `POST /api/v1/data-sources/test`. */
export interface ConnectionTest {
  readonly isOk: boolean;
  readonly latencyMs?: number;
  /** The category of the failure, never the answer of the other side. */
  readonly reason?:
    | 'refused'
    | 'time-out'
    | 'name-unknown'
    | 'no-route'
    | 'credentials'
    | 'rights'
    | 'database-unknown'
    | 'pooler'
    | 'tls'
    | 'not-allowed'
    | 'package-missing'
    | 'other';
  readonly detail?: string;
  /** The code of `detail`. */
  readonly wording?: Wording;
}
