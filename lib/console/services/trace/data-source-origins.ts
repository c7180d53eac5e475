/**
 * Data sources by where they come from, and what differs between these places:
 *
 * ```
 *   settings      ─▶ opened by the console, at any address; closed by it
 *   application   ─▶ open already, and never closed by the console
 *   page (store)  ─▶ opened at addresses that connections.allow has; the password is sealed in the store
 * ```
 */
import { type DataSource } from 'typeorm';
import { type DataSourceDriver, type DataSourceInfo } from '../../contract/trace.js';
import {
  clockOf,
  type ConsoleServiceOptions,
  type DataSourceSettings,
  type GivenDataSource,
  loggerOf,
} from '../console-service-options.js';
import { type TargetGuard } from '../registries/target-guard.js';
import { type DataSourcePlace, openDataSource, PORTS } from './open-data-source.js';
import { type StoredDataSource } from './stored-data-sources.js';
import { TraceSource } from './trace-source.js';

/** Makes data sources from what each place says of them. */
export class DataSourceOrigins {
  readonly #options: ConsoleServiceOptions;
  readonly #guard: TargetGuard;

  constructor(options: ConsoleServiceOptions, guard: TargetGuard) {
    this.#options = options;
    this.#guard = guard;
  }

  /** One that stands in the settings or was given in code. */
  fromSettings(settings: DataSourceSettings | GivenDataSource): TraceSource {
    if ('dataSource' in settings) return this.given(settings.name, settings.dataSource as DataSource, 'settings');
    const { name, driver, host, port = PORTS[driver], database, username, password } = settings;
    return this.#source({
      info: {
        ...{ name, driver, database, hasPassword: password !== undefined && password !== '', origin: 'settings' },
        ...(host !== undefined && { host }),
        ...(port !== undefined && { port }),
        ...(username !== undefined && { username }),
      },
      open: () => openDataSource({ driver, host, port, database, username, password }),
      isOurs: true,
    });
  }

  /** One that was added in the page. */
  fromStored(stored: StoredDataSource): TraceSource {
    const { password, ...info } = stored;
    return this.#source({
      info: { ...info, hasPassword: password !== undefined, origin: 'console' },
      open: () => this.open({ ...stored, password: this.passwordOf(stored) }),
      isOurs: true,
    });
  }

  /** One that the application or the code has opened: the console never closes it. */
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
   * Connects to where the name leads now, if the console may connect there.
   * @throws TargetRefusedError if it may not
   */
  async open(place: DataSourcePlace & { readonly host: string; readonly port: number }): Promise<DataSource> {
    return openDataSource({ ...place, host: await this.#guard.check(place.host, place.port) });
  }

  /** The password as the store keeps it; nothing if there is none. */
  sealed(name: string, password: string | undefined): Pick<StoredDataSource, 'password'> {
    if (password === undefined || password === '') return {};
    return { password: this.#options.secrets.seal(`data-sources/${name}`, password) };
  }

  passwordOf({ name, password }: StoredDataSource): string | undefined {
    return password === undefined ? undefined : this.#options.secrets.open(`data-sources/${name}`, password);
  }
}
