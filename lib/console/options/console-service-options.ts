import { type JobLogger } from '../../api/text/logger.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type ConnectionSettings } from '../../settings/reg-center-settings.js';
import { type TlsSettings } from '../../registry/zookeeper/zookeeper-security.js';
import { type Clock, systemClock } from '../../time/clock.js';
import { type ConsoleSecrets } from '../store/console-secrets.js';
import { type DataSourceDriver } from '../contract/trace.js';

/** Token of the `ConsoleServiceOptions`. */
export const CONSOLE_SERVICE_OPTIONS = Symbol.for('nestjs-elasticjob:console-service-options');

/** A registry centre of the settings. */
export interface RegistrySettings extends ConnectionSettings {
  /** Its name in the page and in paths. */
  readonly name: string;
}

/**
 * A registry centre that the application has made, such as an embedded one. The console connects and never closes it.
 */
export interface GivenRegistry {
  readonly name: string;
  readonly registryCenter: RegistryCenter;
}

/** A database of the settings, in which runs are recorded. */
export interface DataSourceSettings {
  readonly name: string;
  readonly driver: DataSourceDriver;
  /** Default: localhost. */
  readonly host?: string;
  /** Default: the usual port of the driver. */
  readonly port?: number;
  /** The name of the database; for `sqljs`, the path of the file. */
  readonly database: string;
  readonly username?: string;
  readonly password?: string;
  /** TLS to the database. Default: connections are not encrypted. */
  readonly tls?: TlsSettings;
}

/** A TypeORM `DataSource` that the application has made. The console never closes it. */
export interface GivenDataSource {
  readonly name: string;
  readonly dataSource: object;
}

/** The options of the console's services. */
export interface ConsoleServiceOptions {
  /** Default: only those of the application and of the page. */
  readonly registries?: readonly (RegistrySettings | GivenRegistry)[];
  /** Default: only those of the application and of the page. */
  readonly dataSources?: readonly (DataSourceSettings | GivenDataSource)[];
  readonly connections?: {
    /**
     * Allowed addresses of registry centres and databases that are added in the page: `10.0.0.0/8`,
     * `*.db.internal:5432`, `zk1:2181`. Default: none, so that none can be added.
     */
    readonly allow?: readonly string[];
  };
  readonly dump?: {
    /** The range of ports at which instances may be asked for a dump, both ends included. Default: only 9888. */
    readonly ports?: readonly [from: number, to: number];
  };
  /**
   * True hides parameters of jobs and of items from all users: they are shown as `******`, and cannot be changed to
   * that. Default: false, which hides only secrets in them.
   */
  readonly hideParameters?: boolean;
  readonly compat?: {
    /** True makes the older APIs answer all requests with 200, as ElasticJob's console does. Default: false. */
    readonly always200?: boolean;
    /** True allows changes by GET requests of the oldest API, if the caller uses a token. Default: false. */
    readonly unsafeGet?: boolean;
  };
  readonly events?: {
    /** The most open streams of one session. Default: 16. */
    readonly perSession?: number;
    /** The most open streams in all. Default: 500. */
    readonly total?: number;
  };
  /** Default: nothing is logged. */
  readonly logger?: JobLogger;
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
  /** Encrypts secrets of connections that are added in the page. */
  readonly secrets: ConsoleSecrets;
}

/** The clock of the options. */
export function clockOf({ clock = systemClock }: ConsoleServiceOptions): Clock {
  return clock;
}

const nothing = (): void => undefined;
const SILENT: JobLogger = { debug: nothing, log: nothing, warn: nothing, error: nothing };

/** The logger of the options. */
export function loggerOf({ logger = SILENT }: ConsoleServiceOptions): JobLogger {
  return logger;
}
