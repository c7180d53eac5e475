import { type Role } from '../contract/common.js';
import { type AuditRecord } from '../contract/session.js';
import { type ConsoleServiceOptions } from '../services/console-service-options.js';
import { type CasdoorSettings, type OidcSettings } from '../security/oidc/oidc-settings.js';
import { type ConsoleStore } from '../store/console-store.js';
import { type Clock } from '../../time/clock.js';

/** A user who stands in the settings; exactly one of `password` and `passwordHash`. */
export interface ConsoleUserSettings {
  readonly username: string;
  readonly role: Role;
  /** In clear; at least 12 characters. It is hashed in memory when the console starts, and logged nowhere. */
  readonly password?: string;
  /** What `npx elasticjob hash-password` prints. */
  readonly passwordHash?: string;
}

/** To where the page may add connections. */
export interface ConnectionOptions {
  /** Hosts: names (`*.db.example.com`), addresses or networks (`10.0.0.0/8`), each with a port or without (`10.0.0.0/8:2181`). Default: none, nothing can be added. */
  readonly allow?: readonly string[];
}

/** Options of the console. */
export interface ElasticJobConsoleOptions {
  /** Where it is mounted, below the application's own prefix. Default: `/elasticjob`. */
  readonly path?: string;
  /** The URL at which browsers find its page, if a proxy stands in between: `https://ops.example.com/elasticjob`. Needed for OpenID Connect. Default: as the request says. */
  readonly publicUrl?: string;
  /** A word that tells environments apart, such as `production`; the page shows it. Default: none. */
  readonly environment?: string;
  /** A folder for users, tokens, connections and the audit. Default: none, all that is forgotten when the process ends. */
  readonly stateFolder?: string;
  /** Instead of a folder: a store of your own. */
  readonly store?: ConsoleStore;
  /** Users that stand in the settings. Default: none; the first administrator is made with a code from the log. */
  readonly users?: readonly ConsoleUserSettings[];
  /** Keys that sign cookies, at least 32 characters each; the first one signs, all are accepted. Default: the variable `EJC_SESSION_KEYS` (with commas in between), else a random one at each start. */
  readonly sessionKeys?: readonly string[];
  /** The key that secrets entered in the page are encrypted with, at least 32 characters. Default: the variable `EJC_SECRET_KEY`; without it, the page takes no secrets. */
  readonly secretKey?: string;
  /** Minutes without a request after which a session ends. Default: 30. */
  readonly sessionIdleMinutes?: number;
  /** Hours after which a session ends in any case. Default: 12. */
  readonly sessionHours?: number;
  /** Proxies whose `X-Forwarded-…` headers count: addresses, networks, or `loopback`. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** Providers of logins by OpenID Connect; needs the package openid-client. Default: none. */
  readonly oidc?: readonly OidcSettings[];
  /** Logins by Casdoor, with the keys of ElasticJob's console. Default: none. */
  readonly casdoor?: CasdoorSettings;
  /** Called with each record of the audit. */
  readonly onAudit?: (record: AuditRecord) => void;
  /** Registry centres, besides the application's own. Default: none. */
  readonly registries?: ConsoleServiceOptions['registries'];
  /** Databases with the tables of event tracing, besides the application's own. Default: none. */
  readonly dataSources?: ConsoleServiceOptions['dataSources'];
  /** To where the page may add registry centres and data sources. */
  readonly connections?: ConnectionOptions;
  /** At which ports instances may be asked for a dump. Default: 9888 alone. */
  readonly dump?: ConsoleServiceOptions['dump'];
  /** How the older APIs answer. */
  readonly compat?: ConsoleServiceOptions['compat'];
  /** How many streams of live events may be open. Default: 16 a session, 500 in all. */
  readonly events?: ConsoleServiceOptions['events'];
  /** Decorators for all controllers of the console, such as one by which your own global guard lets them pass. Default: none. */
  readonly decorators?: readonly ClassDecorator[];
  /** For tests. Default: the clock of this machine. */
  readonly clock?: Clock;
}
