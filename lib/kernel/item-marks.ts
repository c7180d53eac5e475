/**
 * The marks of a run in the registry centre: an item that bears `running` is begun by nobody else. A run costs two commits
 * whatever the number of its items: one that creates all marks, one that removes them. The first one also writes down
 * for which instant the items are begun, and checks that the assignment it relies on is still the present one.
 */
import { RegistryConflictError, RegistryOutcomeUnknownError } from '../api/errors.js';
import { type JobLogger } from '../api/logger.js';
import { encodeFirings } from '../layout/firing-record.js';
import { type JobPaths } from '../layout/job-paths.js';
import { type ItemView } from '../layout/job-view.js';
import { type Operation, type RegistryCenter, type SessionState } from '../registry/registry-center.js';
import { type JobWatch } from './job-watch.js';

/** What marking needs. */
export interface ItemMarksPorts {
  readonly registry: RegistryCenter;
  readonly watch: JobWatch;
  readonly paths: JobPaths;
  readonly me: string;
  readonly logger: JobLogger;
  /** Resolves as soon as the session is connected; rejects with the signal's reason when it is aborted. */
  readonly whenConnected: (signal: AbortSignal) => Promise<void>;
}

/** Marks the items of this instance's runs as running. */
export class ItemMarks {
  readonly #ports: ItemMarksPorts;
  readonly #leftovers = new Set<number>();
  /** Items of the run in progress. */
  #present: readonly number[] = [];
  /** Id of the session the present run's marks live with. */
  #session: string | undefined;

  constructor(ports: ItemMarksPorts) {
    this.#ports = ports;
  }

  /** Items whose marks could not be removed when their run ended; they may still bear one. */
  get leftovers(): readonly number[] {
    return [...this.#leftovers];
  }

  /** Forgets leftovers: the session they were bound to is gone, and they with it. */
  forgetLeftovers(): void {
    this.#leftovers.clear();
  }

  /**
   * Marks all `items` as running, and as begun for `instant` if there is one.
   * @returns false if nothing was marked because the view they were chosen from is out of date
   * @throws RegistryUnavailableError if nothing was marked because the registry cannot be reached
   */
  async begin(items: readonly ItemView[], instant: number | undefined, signal: AbortSignal): Promise<boolean> {
    this.#session = idOf(this.#ports.registry.session.state);
    this.#present = items.map(({ item }) => item);
    const begun = await this.#commitBegin(items, instant, signal);
    if (!begun || this.#session === idOf(this.#ports.registry.session.state)) return begun;
    // A process that was suspended begins before it has heard that its session is over, and the marks came to live with
    // the next one: what they were chosen by may be long out of date.
    await this.clearOwn(this.#present);
    return false;
  }

  async #commitBegin(items: readonly ItemView[], instant: number | undefined, signal: AbortSignal): Promise<boolean> {
    const { registry, watch, paths } = this.#ports;
    const { shardingVersion } = watch.view;
    try {
      await registry.commit([
        shardingVersion === undefined
          ? { type: 'check', path: paths.sharding }
          : { type: 'check', path: paths.sharding, version: shardingVersion },
        ...items.map(({ item }) => this.#creation(item)),
        ...(await this.#record(items, instant)),
      ]);
      return true;
    } catch (error) {
      if (error instanceof RegistryConflictError) return false;
      if (error instanceof RegistryOutcomeUnknownError) return this.#wasBegun(items, signal);
      throw error;
    }
  }

  /** Removes the marks of the run that ends. What cannot be removed now is a leftover, to be removed later. */
  async end(items: readonly ItemView[]): Promise<void> {
    this.#present = [];
    // Marks of an earlier session have gone with it, and what stands in their place is a peer's.
    if (this.#session !== idOf(this.#ports.registry.session.state)) return;
    await this.#clear(items.map(({ item }) => item));
  }

  /** Removes all marks this instance may have made: of the run in progress, and leftovers. */
  async clearAll(): Promise<void> {
    const items = new Set([...this.#present, ...this.#leftovers]);
    if (items.size > 0) await this.clearOwn([...items]);
  }

  /**
   * Removes the marks of items by number, but only those that are this instance's: after an answer was lost, or the session,
   * a peer's may stand in their place. Nobody else removes a living instance's mark, so there is no race.
   */
  async clearOwn(items: readonly number[]): Promise<void> {
    const { registry, paths, me, logger } = this.#ports;
    for (const item of items) this.#leftovers.add(item);
    const results = await Promise.allSettled(
      items.map(async (item) => {
        const path = paths.item(item, 'running');
        if ((await registry.get(path)) === me) await registry.remove(path);
        this.#leftovers.delete(item);
      }),
    );
    for (const result of results)
      if (result.status === 'rejected') logger.debug(`Job '${paths.jobName}': ${String(result.reason)}`);
  }

  /** In one commit; if it fails, they are leftovers. */
  async #clear(items: readonly number[]): Promise<void> {
    const { registry, paths, logger } = this.#ports;
    for (const item of items) this.#leftovers.add(item);
    try {
      await registry.commit(items.map((item) => ({ type: 'remove', path: paths.item(item, 'running') })));
      for (const item of items) this.#leftovers.delete(item);
    } catch (error) {
      // Some marks are gone already: removed by a peer, or with an item that was dropped.
      if (error instanceof RegistryConflictError) return this.clearOwn(items);
      logger.warn(
        `Job '${paths.jobName}': could not tell that items ${items.join(',')} have finished, ` +
          `and will as soon as the registry centre answers: ${String(error)}`,
      );
    }
  }

  // Bound to the session also with failover: a persistent mark is of use only to those who rescue crashed items.
  #creation(item: number): Operation {
    const { paths, me } = this.#ports;
    return { type: 'create', path: paths.item(item, 'running'), value: me, lifetime: 'session' };
  }

  async #record(items: readonly ItemView[], instant: number | undefined): Promise<readonly Operation[]> {
    if (instant === undefined) return [];
    const { registry, watch, paths, me } = this.#ports;
    const path = paths.firing(me);
    if (!watch.nodes.has(path)) {
      await registry.create(path, '');
      await watch.sync();
    }
    // After a disconnection the mirror need not know what this instance itself has written.
    if (watch.nodes.get(path)?.value === undefined) await watch.readAll();
    const record = new Map(watch.view.firingRecords.get(me));
    for (const { item } of items) record.set(item, instant);
    // The leader may be taking over records of instances that are gone, so nothing may be overwritten unseen.
    const version = watch.nodes.get(path)?.version;
    const value = encodeFirings(record);
    return [version === undefined ? { type: 'set', path, value } : { type: 'set', path, value, version }];
  }

  /** After an unknown outcome: all marks were made in one commit, so the first one tells. */
  async #wasBegun(items: readonly ItemView[], signal: AbortSignal): Promise<boolean> {
    const [first] = items;
    if (first === undefined) return true;
    const { registry, paths, me, whenConnected } = this.#ports;
    for (const { item } of items) this.#leftovers.add(item);
    await whenConnected(signal);
    const begun = (await registry.get(paths.item(first.item, 'running'))) === me;
    for (const { item } of items) this.#leftovers.delete(item);
    return begun;
  }
}

/** Id of a session that lives, or may live. */
function idOf(state: SessionState): string | undefined {
  return state.phase === 'connected' || state.phase === 'suspended' ? state.id : undefined;
}
