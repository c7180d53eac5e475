import { type Role } from '../contract/common.js';
import { type AuditRecord } from '../contract/session.js';
import { type CasdoorSettings, type OidcSettings } from './oidc-settings.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type ConnectionSettings } from '../../settings/reg-center-settings.js';
import { type ConsoleServiceOptions } from './console-service-options.js';
import { type ConsoleStore } from '../store/console-store.js';
import { type Clock } from '../../time/clock.js';

/** A user of the settings, with either `password` or `passwordHash`. */
export interface ConsoleUserSettings {
  readonly username: string;
  readonly role: Role;
  /** In plain text; at least 12 characters. It is hashed in memory when the console starts, and never logged. */
  readonly password?: string;
  /** The output of `npx elasticjob hash-password`. */
  readonly passwordHash?: string;
}

/** The registry centre in which replicas of the console share their state, in a separate namespace without jobs. */
export type StateRegistrySettings =
  | (ConnectionSettings & { readonly namespace: string })
  /** A registry centre that the application has made. The console connects and never closes it. */
  | { readonly registryCenter: RegistryCenter };

/** The files of the audit, in the state folder. */
export interface AuditSettings {
  /**
   * The key of the check codes, with which `npx elasticjob audit verify` finds changed records; at least 32 characters.
   * Default: the variable `EJC_AUDIT_KEY`, or else a random key in the folder, beside the records.
   */
  readonly key?: string;
  /** The most files. Default: 10. */
  readonly files?: number;
  /** The size at which a new file is begun. Default: 10. */
  readonly megabytes?: number;
  /** Days after which a file is removed, counted from its newest record. Default: never. */
  readonly days?: number;
}

/** Options that the services share. */
export const SERVICE_OPTIONS = [
  'registries',
  'dataSources',
  'connections',
  'dump',
  'hideParameters',
  'compat',
  'events',
] as const;

/** Options of the console. */
export interface ElasticJobConsoleOptions extends Pick<ConsoleServiceOptions, (typeof SERVICE_OPTIONS)[number]> {
  /** The path of the console, below the application's own prefix. Default: `/elasticjob`. */
  readonly path?: string;
  /**
   * The URL of the page for browsers, if a proxy is in between: `https://ops.example.com/elasticjob`. Needed for OpenID
   * Connect. Default: the URL of the request.
   */
  readonly publicUrl?: string;
  /** The name of the environment, such as `production`, which the page shows. Default: none. */
  readonly environment?: string;
  /**
   * A folder for users, tokens, connections and the audit. Default: none; they are then kept in memory until the
   * process ends.
   */
  readonly stateFolder?: string;
  /**
   * For several replicas: the registry centre in which they share users, tokens, sessions and connections;
   * `stateFolder` then contains only the audit. Needs `sessionKeys` and `secretKey`. Default: none; each process then
   * has its own state.
   */
  readonly stateRegistry?: StateRegistrySettings;
  /** Your own store, instead of a folder. */
  readonly store?: ConsoleStore;
  /** Users of the settings. Default: none; the first administrator is created with a code from the log. */
  readonly users?: readonly ConsoleUserSettings[];
  /**
   * Keys that sign cookies, at least 32 characters each; the first one signs, all are accepted. Default: the variable
   * `EJC_SESSION_KEYS` (with commas in between), or else a random key at each start.
   */
  readonly sessionKeys?: readonly string[];
  /**
   * The key that secrets entered in the page are encrypted with, at least 32 characters. Default: the variable
   * `EJC_SECRET_KEY`; without a key, the page accepts no secrets.
   */
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
  /** The files of the audit in the state folder. */
  readonly audit?: AuditSettings;
  /** Called with each record of the audit. */
  readonly onAudit?: (record: AuditRecord) => void;
  /**
   * Decorators for all controllers of the console, such as one that your own global guard checks to let them pass.
   * Default: none.
   */
  readonly decorators?: readonly ClassDecorator[];
  /** @internal For tests: the folder of the built page. Default: `dist/console-ui` of the package. */
  readonly pageFolder?: string;
  /** For tests. Default: the clock of this machine. */
  readonly clock?: Clock;
}
