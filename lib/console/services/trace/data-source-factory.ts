/**
 * Makes data sources from their three sources, which differ:
 *
 * ```
 *   settings      ─▶ opened by the console, at any address; closed by it
 *   application   ─▶ open already, and never closed by the console
 *   page (store)  ─▶ opened at addresses that connections.allow has; its secrets are sealed in the store
 * ```
 */
import { type DataSource } from 'typeorm';
import { type DataSourceChange, type DataSourceDriver, type DataSourceInfo } from '../../contract/trace.js';
import {
  clockOf,
  type ConsoleServiceOptions,
  type DataSourceSettings,
  type GivenDataSource,
  loggerOf,
} from '../../options/console-service-options.js';
import { ConnectionCiphers } from '../connections/connection-ciphers.js';
import { postgresCredentials } from '../connections/postgres-credentials.js';
import { tlsInfo } from '../connections/stored-tls.js';
import { type TargetGuard } from '../connections/target-guard.js';
import { type DataSourceTarget, openDataSource, PORTS } from './open-data-source.js';
import { isSameTarget } from './data-source-description.js';
import { changedDataSource, openedDataSource, type StoredDataSource } from './stored-data-sources.js';
import { TraceSource } from './trace-source.js';

/** Makes data sources of all three sources. */
export class DataSourceFactory {
  readonly #options: ConsoleServiceOptions;
  readonly #guard: TargetGuard;
  readonly #ciphers: ConnectionCiphers;

  constructor(options: ConsoleServiceOptions, guard: TargetGuard) {
    this.#options = options;
    this.#guard = guard;
    this.#ciphers = new ConnectionCiphers(options.secrets, { kind: 'data-sources', main: 'password' });
  }

  /** A data source of the settings, or one that code has given. */
  fromSettings(settings: DataSourceSettings | GivenDataSource): TraceSource {
    if ('dataSource' in settings) return this.given(settings.name, settings.dataSource as DataSource, 'settings');
    const { name, driver, host, port = PORTS[driver], database, username, password, tls } = settings;
    return this.#source({
      info: {
        ...{ name, driver, database, hasPassword: password !== undefined && password !== '', origin: 'settings' },
        ...(host !== undefined && { host }),
        ...(port !== undefined && { port }),
        ...(username !== undefined && { username }),
        ...tlsInfo(tls),
      },
      open: () => openDataSource({ driver, host, port, database, username, password, tls }),
      isOurs: true,
    });
  }

  /** A data source that was added in the page. */
  fromStored(stored: StoredDataSource): TraceSource {
    const { password, tls, ...info } = stored;
    return this.#source({
      info: { ...info, hasPassword: password !== undefined, ...tlsInfo(tls), origin: 'console' },
      open: () => this.open(this.targetOf(stored)),
      isOurs: true,
    });
  }

  /** A data source that the application or the code has opened: the console never closes it. */
  given(name: string, dataSource: DataSource, origin: DataSourceInfo['origin']): TraceSource {
    const { type, host, port, username, password } = dataSource.options as unknown as Readonly<Record<string, unknown>>;
    const { database } = dataSource.options;
    return this.#source({
      info: {
        ...{ name, driver: type as DataSourceDriver, origin },
        database: typeof database === 'string' ? database : '',
        hasPassword: typeof password === 'string' && password !== '',
        ...(typeof host === 'string' && { host }),
        ...(typeof port === 'number' && { port }),
        ...(typeof username === 'string' && { username }),
      },
      open: () => dataSource,
      isOurs: false,
    });
  }

  #source(parts: Pick<ConstructorParameters<typeof TraceSource>[0], 'info' | 'open' | 'isOurs'>): TraceSource {
    const onFailure = (message: string): void => loggerOf(this.#options).warn(message);
    return new TraceSource({ ...parts, clock: clockOf(this.#options), onFailure });
  }

  /**
   * Connects to the present address of the host, if the console may connect there.
   * @throws TargetRefusedError if it may not
   */
  async open(target: DataSourceTarget & { readonly host: string; readonly port: number }): Promise<DataSource> {
    const credentials = target.driver === 'postgres' && postgresCredentials(target);
    return openDataSource({ ...target, ...credentials, address: await this.#guard.check(target.host, target.port) });
  }

  /** The data source to store after a change; secrets that the change omits are kept. */
  changed(change: DataSourceChange, before?: StoredDataSource): StoredDataSource {
    return changedDataSource(change, before, this.#ciphers.seal(change.name));
  }

  /** The connection of a stored data source, with its secrets. */
  targetOf(stored: StoredDataSource): ReturnType<typeof openedDataSource> {
    return openedDataSource(stored, this.#ciphers.open(stored.name));
  }

  /**
   * The connection that a change describes. Omitted secrets are those of the stored data source, if they may be sent to
   * the new target.
   */
  targetOfChange(change: DataSourceChange, stored: StoredDataSource | undefined): ReturnType<typeof openedDataSource> {
    const { leave } = this.#ciphers;
    const after = changedDataSource(change, stored, leave);
    if (stored === undefined || isSameTarget(stored, after)) return this.targetOf(after);
    return this.targetOf(changedDataSource(change, withoutPassword(stored), leave));
  }
}

function withoutPassword({ password: _, ...others }: StoredDataSource): StoredDataSource {
  return others;
}
