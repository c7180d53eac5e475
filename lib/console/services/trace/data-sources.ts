/**
 * The databases in which runs are recorded, by name: those of the settings, the application's own, and those that were
 * added in the page. One is activated: pages show its runs unless they ask for another.
 */
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type DataSource } from 'typeorm';
import { knownNames } from '../../../api/text/nearest.js';
import { type ConnectionTest } from '../../contract/registries.js';
import { type DataSourceChange, type DataSourceInfo, type SchemaCheck } from '../../contract/trace.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { ConsoleStore } from '../../store/console-store.js';
import { type StoreDocument } from '../../store/store-document.js';
import { clockOf, CONSOLE_SERVICE_OPTIONS, type ConsoleServiceOptions } from '../../options/console-service-options.js';
import { ApplicationJobs } from '../connections/application-registry.js';
import { failedTest } from '../connections/connection-failures.js';
import { TargetGuard, TargetRefusedError } from '../connections/target-guard.js';
import { checkDataSourceChange, checkDataSourceTls, isSameTarget } from './data-source-description.js';
import { DataSourceFactory } from './data-source-factory.js';
import { openStoredDataSources, type StoredDataSource, type StoredDataSources } from './stored-data-sources.js';
import { type TraceSource } from './trace-source.js';

/** The name of the application's default database, with which those of its others begin. */
const APPLICATION = 'application';

/** All databases with traces. */
@Injectable()
export class DataSources implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #options: ConsoleServiceOptions;
  readonly #store: ConsoleStore;
  readonly #application: ApplicationJobs;
  readonly #guard: TargetGuard;
  readonly #factory: DataSourceFactory;
  readonly #sources = new Map<string, TraceSource>();
  /** The data sources that were added in the page, with the stored text from which each was made. */
  readonly #added = new Map<string, string>();
  #document: StoreDocument<StoredDataSources> | undefined;
  /** Settles when all former connections are closed. */
  #left: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(CONSOLE_SERVICE_OPTIONS) options: ConsoleServiceOptions,
    @Inject(ConsoleStore) store: ConsoleStore,
    @Inject(ApplicationJobs) application: ApplicationJobs,
  ) {
    this.#options = options;
    this.#store = store;
    this.#application = application;
    this.#guard = new TargetGuard(options.connections?.allow ?? [], { clock: clockOf(options) });
    this.#factory = new DataSourceFactory(options, this.#guard);
    for (const settings of options.dataSources ?? [])
      this.#sources.set(settings.name, this.#factory.fromSettings(settings));
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#opened();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.#sources.values()].map((source) => source.close()));
  }

  list(): readonly DataSourceInfo[] {
    const activated = this.activated;
    return this.#all().map((source) => source.info(source === activated));
  }

  /** The data source whose runs pages show; `undefined` if there is none. */
  get activated(): TraceSource | undefined {
    const all = this.#all();
    const name = this.#document?.value.activated;
    return all.find((source) => source.name === name) ?? all[0];
  }

  /** The data source of that name; without a name, the activated one. @throws ConsoleProblem 404 if there is none */
  find(name: string | undefined): TraceSource {
    const found =
      name === undefined || name === '' ? this.activated : this.#all().find((source) => source.name === name);
    if (found !== undefined) return found;
    if (name === undefined || name === '')
      throw new ConsoleProblem(
        404,
        'no-data-source',
        'The console knows no database with recorded runs. Add a data source, or set tracing in the application.',
      );
    const names = this.#all().map((source) => source.name);
    const known = names.length === 0 ? '; the console knows none' : knownNames(name, names);
    throw new ConsoleProblem(
      404,
      'unknown-data-source',
      `There is no data source '${name}'${known}`.replace(/([^?.])$/, '$1.'),
    );
  }

  async activate(name: string): Promise<DataSourceInfo> {
    const source = this.find(name);
    await source.use((storage, signal) => storage.schema(signal));
    await this.#write((all) => ({ ...all, activated: name }));
    return source.info(true);
  }

  async add(change: DataSourceChange): Promise<DataSourceInfo> {
    this.#requireOpen();
    checkDataSourceChange(change);
    if (this.#all().some((source) => source.name === change.name)) throw nameTaken(change.name);
    const { name } = change;
    const stored = this.#factory.changed(change);
    checkDataSourceTls(this.#factory.targetOf(stored));
    await this.#admit(change);
    await this.#write((all) => {
      if (all.sources.some((each) => each.name === name)) throw nameTaken(name);
      return { ...all, sources: [...all.sources, stored] };
    });
    const source = this.find(name);
    return source.info(source === this.activated);
  }

  /** Changes a data source that was added in the page. An omitted password is kept, an empty one is removed. */
  async edit(name: string, change: DataSourceChange): Promise<DataSourceInfo> {
    const before = this.#own(name);
    this.#requireOpen();
    checkDataSourceChange(change);
    if (change.name !== name)
      throw new ConsoleProblem(
        422,
        'name-fixed',
        `The data source is called '${name}': its name stands in links. Add another one for another name.`,
      );
    const stored = this.#factory.changed(change, before);
    if (before.password !== undefined && change.password === undefined && !isSameTarget(before, stored))
      throw new ConsoleProblem(
        422,
        'password-needed',
        'The password must be given again when the database is another one, or its certificate is checked in another way: it would be sent elsewhere.',
      );
    checkDataSourceTls(this.#factory.targetOf(stored));
    await this.#admit(change);
    await this.#write((all) => ({ ...all, sources: all.sources.map((each) => (each.name === name ? stored : each)) }));
    const source = this.find(name);
    return source.info(source === this.activated);
  }

  async remove(name: string): Promise<void> {
    this.#own(name);
    await this.#write((all) => ({ ...all, sources: all.sources.filter((each) => each.name !== name) }));
  }

  /** Tests if a database can be used as described. */
  async test(change: DataSourceChange): Promise<ConnectionTest> {
    this.#requireOpen();
    checkDataSourceChange(change);
    const stored = this.#document?.value.sources.find((each) => each.name === change.name);
    const target = this.#factory.targetOfChange(change, stored);
    checkDataSourceTls(target);
    const clock = clockOf(this.#options);
    const began = clock.monotonic();
    try {
      const dataSource = await this.#factory.open(target);
      await dataSource.destroy();
      return { isOk: true, latencyMs: Math.round(clock.monotonic() - began) };
    } catch (error) {
      if (error instanceof ConsoleProblem) throw error;
      return failedTest(error);
    }
  }

  schema(name: string): Promise<SchemaCheck> {
    return this.find(name).use((storage, signal) => storage.schema(signal));
  }

  /** Creates the missing tables. */
  async createSchema(name: string): Promise<SchemaCheck> {
    await this.find(name).use((storage, signal) => storage.prepare(signal));
    return this.schema(name);
  }

  #all(): readonly TraceSource[] {
    this.#findApplication();
    return [...this.#sources.values()];
  }

  #findApplication(): void {
    for (const [ownName, dataSource] of this.#application.traceDataSources) {
      const name = ownName === '' ? APPLICATION : `${APPLICATION}-${ownName}`;
      if (this.#sources.has(name)) continue;
      this.#sources.set(name, this.#factory.given(name, dataSource as DataSource, 'application'));
    }
  }

  async #admit({ host, port }: DataSourceChange): Promise<void> {
    await this.#guard.check(host, port).catch((error: unknown) => {
      if (!(error instanceof TargetRefusedError)) throw error;
      throw new ConsoleProblem(error.reason === 'not-allowed' ? 403 : 422, `target-${error.reason}`, error.message);
    });
  }

  #requireOpen(): void {
    if (this.#guard.isOpen) return;
    throw new ConsoleProblem(
      403,
      'connections-closed',
      'Data sources cannot be added in the page: connections.allow of the settings is empty.',
    );
  }

  #own(name: string): StoredDataSource {
    const { origin } = this.find(name);
    const stored = this.#document?.value.sources.find((each) => each.name === name);
    if (origin === 'console' && stored !== undefined) return stored;
    throw new ConsoleProblem(
      409,
      'not-changeable',
      `Data source '${name}' stands in the settings or is the application's own: change it there.`,
    );
  }

  async #write(change: (all: StoredDataSources) => StoredDataSources): Promise<void> {
    await (await this.#opened()).update(change);
    await this.#left;
  }

  async #opened(): Promise<StoreDocument<StoredDataSources>> {
    if (this.#document !== undefined) return this.#document;
    const document = (this.#document = await openStoredDataSources(this.#store));
    document.onChange(() => this.#follow());
    this.#follow();
    return document;
  }

  /** Applies additions, changes and removals in the page, of this process or of another replica. */
  #follow(): void {
    const { sources = [] } = this.#document?.value ?? {};
    for (const name of this.#added.keys()) if (!sources.some((each) => each.name === name)) this.#leave(name);
    for (const stored of sources) {
      const [text, former] = [JSON.stringify(stored), this.#sources.get(stored.name)];
      const before = this.#added.get(stored.name);
      if (before === text || (before === undefined && former !== undefined)) continue;
      this.#added.set(stored.name, text);
      this.#sources.set(stored.name, this.#factory.fromStored(stored));
      this.#closeSoon(former);
    }
  }

  #leave(name: string): void {
    const source = this.#sources.get(name);
    this.#added.delete(name);
    this.#sources.delete(name);
    this.#closeSoon(source);
  }

  #closeSoon(source: TraceSource | undefined): void {
    if (source !== undefined) this.#left = Promise.allSettled([this.#left, source.close()]);
  }
}

function nameTaken(name: string): ConsoleProblem {
  return new ConsoleProblem(409, 'name-taken', `There is a data source '${name}' already. Use another name.`);
}
