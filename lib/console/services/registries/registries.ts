/**
 * The registry centres that the console knows, by name. They have three sources: the settings and the code; the
 * application itself, if it runs jobs; and the page, if `connections.allow` lets users add some.
 */
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { describeCause } from '../../../api/text/describe-cause.js';
import { knownNames } from '../../../api/text/nearest.js';
import { type ConnectionTest, type RegistryChange, type RegistryInfo } from '../../contract/registries.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { ConsoleStore } from '../../store/console-store.js';
import { type StoreDocument } from '../../store/store-document.js';
import {
  clockOf,
  CONSOLE_SERVICE_OPTIONS,
  type ConsoleServiceOptions,
  loggerOf,
} from '../../options/console-service-options.js';
import { DEFAULT_REG_CENTER } from '../../../settings/reg-center-names.js';
import { LastRuns } from '../trace/last-runs.js';
import { ApplicationJobs } from '../connections/application-registry.js';
import { type ConsoleRegistry } from './console-registry.js';
import { testRegistry } from '../connections/connection-test.js';
import { checkRegistryChange, requireUsable } from '../connections/registry-changes.js';
import { RegistryFactory } from './registry-factory.js';
import { isSameTarget, openStoredRegistries, type StoredRegistry } from './stored-registries.js';
import { tlsProblems } from '../connections/stored-tls.js';
import { TargetGuard, TargetRefusedError } from '../connections/target-guard.js';

/** The name of the application's default registry centre, with which those of its others begin. */
const APPLICATION = 'application';
const THING = 'The registry centre';

/**
 * The most milliseconds that the start of a console waits for a registry centre; the page reports one that does not
 * answer.
 */
const START_CONNECTION_MS = 2_000;

/** All registry centres of the console. */
@Injectable()
export class Registries implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #options: ConsoleServiceOptions;
  readonly #application: ApplicationJobs;
  readonly #store: ConsoleStore;
  readonly #guard: TargetGuard;
  readonly #factory: RegistryFactory;
  readonly #runs: LastRuns;
  readonly #registries = new Map<string, ConsoleRegistry>();
  #isFollowingAlways = false;
  /** The registry centres that were added in the page, with the stored description from which each was made. */
  readonly #added = new Map<string, StoredRegistry>();
  #document: StoreDocument<readonly StoredRegistry[]> | undefined;
  /** Settles when all former connections are closed. */
  #left: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(CONSOLE_SERVICE_OPTIONS) options: ConsoleServiceOptions,
    @Inject(ConsoleStore) store: ConsoleStore,
    @Inject(ApplicationJobs) application: ApplicationJobs,
    @Inject(LastRuns) runs: LastRuns,
  ) {
    this.#options = options;
    this.#store = store;
    this.#application = application;
    this.#guard = new TargetGuard(options.connections?.allow ?? [], { clock: clockOf(options) });
    this.#factory = new RegistryFactory(options, this.#guard, runs);
    this.#runs = runs;
    for (const settings of options.registries ?? [])
      this.#registries.set(settings.name, this.#factory.fromSettings(settings));
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#opened();
    for (const registry of this.all) if (registry.origin !== 'console') this.#connectSoon(registry);
  }

  /** After the hooks of modules, in which the streams of events announce that the console stops. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#runs.stop();
    await Promise.all([...this.#registries.values()].map((registry) => registry.disconnect()));
  }

  /**
   * Follows the jobs of all registry centres from now on, even without readers, for a standalone console. Resolves when
   * the jobs of all registry centres that are connected within two seconds have been read.
   */
  async followAlways(): Promise<void> {
    this.#isFollowingAlways = true;
    for (const registry of this.all) registry.followAlways();
    await Promise.allSettled(
      this.all
        .filter(({ status: { phase } }) => phase !== 'disconnected')
        .map((registry) => registry.jobs(START_CONNECTION_MS)),
    );
  }

  /** True if registry centres can be added in the page. */
  get canAdd(): boolean {
    return this.#guard.isOpen;
  }

  /** All registry centres, the application's own first. */
  get all(): readonly ConsoleRegistry[] {
    this.#findApplication();
    return [...this.#registries.values()];
  }

  /** The rows of all registry centres, with the time that each takes to answer. */
  async list(): Promise<readonly RegistryInfo[]> {
    const all = this.all;
    await Promise.all(all.map((registry) => registry.measure()));
    return all.map(({ info }) => info);
  }

  /** @throws ConsoleProblem 404 if there is none of that name */
  find(name: string): ConsoleRegistry {
    const all = this.all;
    const registry = all.find((each) => each.name === name);
    if (registry !== undefined) return registry;
    const names = all.map((each) => each.name);
    const known = names.length === 0 ? '; the console knows none' : knownNames(name, names);
    throw new ConsoleProblem(
      404,
      'unknown-registry',
      `There is no registry centre '${name}'${known}`.replace(/([^?.])$/, '$1.'),
    );
  }

  /**
   * The registry centre of that name; without a name, the only one.
   * @throws ConsoleProblem 400 if it must be named, 404 if there is none
   */
  only(name: string | undefined): ConsoleRegistry {
    if (name !== undefined) return this.find(name);
    const all = this.all;
    const [first, ...others] = all;
    if (first === undefined)
      throw new ConsoleProblem(404, 'no-registry', 'The console knows no registry centre. Add one first.');
    if (others.length === 0) return first;
    const names = all.map((each) => `'${each.name}'`).join(', ');
    throw new ConsoleProblem(
      400,
      'registry-needed',
      `There are several registry centres: name one in the header X-Registry-Center: ${names}.`,
    );
  }

  /** @throws ConsoleProblem 422, 409 or 403 if it cannot be added */
  async add(change: RegistryChange): Promise<RegistryInfo> {
    this.#requireOpen();
    checkRegistryChange(change);
    if (this.all.some(({ name }) => name === change.name)) throw nameTaken(change.name);
    const { name } = change;
    if (isWithoutPassword(change.sasl)) throw passwordNeeded('SASL', 'is needed');
    if (isWithoutPassword(change.credentials)) throw passwordNeeded(USER, 'is needed');
    const stored = this.#factory.changed(change);
    await this.#admit(stored);
    await this.#write((all) => {
      if (all.some((each) => each.name === name)) throw nameTaken(name);
      return [...all, stored];
    });
    return this.find(name).info;
  }

  /** Changes a registry centre that was added in the page. An omitted digest is kept, an empty one is removed. */
  async edit(name: string, change: RegistryChange): Promise<RegistryInfo> {
    const before = this.#own(name);
    this.#requireOpen();
    checkRegistryChange(change);
    if (change.name !== name)
      throw new ConsoleProblem(
        422,
        'name-fixed',
        `The registry centre is called '${name}': its name stands in links. Add another one for another name.`,
      );
    const stored = this.#factory.changed(change, before);
    const isElsewhere = !isSameTarget(before, stored);
    if (before.digest !== undefined && change.digest === undefined && isElsewhere)
      throw new ConsoleProblem(
        422,
        'digest-needed',
        'The digest must be given again when the servers, the namespace or the checks of TLS change: it would be sent elsewhere.',
      );
    for (const [name, owner] of [
      ['sasl', 'SASL'],
      ['credentials', USER],
    ] as const) {
      const isOther = isElsewhere || stored[name]?.username !== before[name]?.username;
      if (stored[name] === undefined || change[name]?.password !== undefined || !isOther) continue;
      const what = 'the servers, the namespace, the user or the checks of TLS';
      throw passwordNeeded(owner, `must be given again when ${what} change: it would be sent elsewhere`);
    }
    await this.#admit(stored);
    await this.#write((all) => all.map((each) => (each.name === name ? stored : each)));
    return this.find(name).info;
  }

  /** Removes a registry centre that was added in the page. */
  async remove(name: string): Promise<void> {
    this.#own(name);
    await this.#write((all) => all.filter((each) => each.name !== name));
  }

  async connect(name: string): Promise<RegistryInfo> {
    const registry = this.find(name);
    await this.#remember(name, true);
    try {
      await registry.connect();
    } catch (error) {
      throw refusedTarget(error);
    }
    return registry.info;
  }

  async disconnect(name: string): Promise<RegistryInfo> {
    const registry = this.find(name);
    await this.#remember(name, false);
    await registry.disconnect();
    return registry.info;
  }

  /**
   * Tests if a registry centre can be used as described. Omitted secrets are those of the stored one, if the target is
   * the same.
   */
  async test(change: RegistryChange): Promise<ConnectionTest> {
    this.#requireOpen();
    checkRegistryChange(change);
    const target = this.#factory.targetOfChange(change, this.#stored(change.name));
    requireUsable(tlsProblems(target.tls), THING);
    return testRegistry(() => this.#factory.open(target), clockOf(this.#options));
  }

  /** Adds the application's own registry centres, if it has any and they are not listed yet. */
  #findApplication(): void {
    for (const [ownName, center] of this.#application.registryCenters) {
      const name = ownName === DEFAULT_REG_CENTER ? APPLICATION : `${APPLICATION}-${ownName}`;
      if (this.#registries.has(name)) continue;
      const registry = this.#factory.fromApplication(name, center, this.#application);
      this.#registries.set(name, registry);
      this.#connectSoon(registry);
    }
  }

  #connectSoon(registry: ConsoleRegistry): void {
    if (this.#isFollowingAlways) registry.followAlways();
    registry.connect().catch((error: unknown) => {
      loggerOf(this.#options).warn(
        `The console cannot connect to registry centre '${registry.name}': ${describeCause(error)}`,
      );
    });
  }

  /** Refuses a registry centre that the console cannot or may not connect to, before it is stored. */
  async #admit(stored: StoredRegistry): Promise<void> {
    const target = this.#factory.targetOf(stored);
    requireUsable(tlsProblems(target.tls), THING);
    try {
      await (await this.#factory.open(target)).close();
    } catch (error) {
      throw refusedTarget(error);
    }
  }

  #requireOpen(): void {
    if (this.#guard.isOpen) return;
    throw new ConsoleProblem(
      403,
      'connections-closed',
      'Registry centres cannot be added in the page: connections.allow of the settings is empty.',
    );
  }

  #stored(name: string): StoredRegistry | undefined {
    return this.#document?.value.find((each) => each.name === name);
  }

  #own(name: string): StoredRegistry {
    const { origin } = this.find(name);
    const stored = this.#stored(name);
    if (origin === 'console' && stored !== undefined) return stored;
    throw new ConsoleProblem(
      409,
      'not-changeable',
      `Registry centre '${name}' stands in the settings or is the application's own: change it there.`,
    );
  }

  async #remember(name: string, isConnected: boolean): Promise<void> {
    if (this.#stored(name) === undefined) return;
    await this.#write((all) => all.map((each) => (each.name === name ? { ...each, isConnected } : each)));
  }

  async #write(change: (all: readonly StoredRegistry[]) => readonly StoredRegistry[]): Promise<void> {
    await (await this.#opened()).update(change);
    await this.#left;
  }

  async #opened(): Promise<StoreDocument<readonly StoredRegistry[]>> {
    if (this.#document !== undefined) return this.#document;
    const document = (this.#document = await openStoredRegistries(this.#store));
    document.onChange(() => this.#follow());
    this.#follow();
    return document;
  }

  /** Applies additions, changes and removals in the page, of this process or of another replica. */
  #follow(): void {
    const all = this.#document?.value ?? [];
    for (const name of this.#added.keys()) if (!all.some((each) => each.name === name)) this.#leave(name);
    for (const stored of all) {
      const before = this.#added.get(stored.name);
      if (before === undefined && this.#registries.has(stored.name)) continue;
      const isSame = before !== undefined && isSameConnection(before, stored);
      const former = this.#registries.get(stored.name);
      const registry = isSame && former !== undefined ? former : this.#factory.fromStored(stored);
      this.#registries.set(stored.name, registry);
      this.#added.set(stored.name, stored);
      if (former !== undefined && (former !== registry || !stored.isConnected)) this.#disconnectSoon(former);
      if (stored.isConnected && (former !== registry || !before?.isConnected)) this.#connectSoon(registry);
    }
  }

  #leave(name: string): void {
    const registry = this.#registries.get(name);
    this.#added.delete(name);
    this.#registries.delete(name);
    if (registry !== undefined) this.#disconnectSoon(registry);
  }

  #disconnectSoon(registry: ConsoleRegistry): void {
    this.#left = Promise.allSettled([this.#left, registry.disconnect()]);
  }
}

/** True if both can use the same connection. */
function isSameConnection(one: StoredRegistry, other: StoredRegistry): boolean {
  const textOf = (stored: StoredRegistry): string => JSON.stringify({ ...stored, isConnected: true });
  return textOf(one) === textOf(other);
}

function isWithoutPassword(credentials: RegistryChange['credentials']): boolean {
  return credentials !== undefined && credentials !== null && credentials.password === undefined;
}

const USER = 'the user';

function passwordNeeded(owner: string, why: string): ConsoleProblem {
  return new ConsoleProblem(422, 'password-needed', `The password of ${owner} ${why}.`);
}

function nameTaken(name: string): ConsoleProblem {
  return new ConsoleProblem(409, 'name-taken', `There is a registry centre '${name}' already. Use another name.`);
}

function refusedTarget(error: unknown): unknown {
  if (!(error instanceof TargetRefusedError)) return error;
  return new ConsoleProblem(error.reason === 'not-allowed' ? 403 : 422, `target-${error.reason}`, error.message);
}
