import { DeadlineExceededError } from '../../api/errors/errors.js';
import { dependenciesOf } from '../../api/settings/dependencies.js';
import { type AbortSource } from '../../async/abort.js';
import { isGone, type JobView, type JobViewReader } from '../../layout/job-view.js';
import { type Mirror, type MirroredNode } from '../../registry/registry-center.js';
import { type Clock } from '../../time/clock.js';
import { hasUnreadDeadMarks } from './crashes.js';
import { JavaPeers } from './java-peers.js';

/** Limits of a wait, and its name for messages. */
export interface Wait {
  readonly timeoutMs: number;
  readonly signal: AbortSource;
  /** Completes the sentence "Waited … in vain for"; called only when the time is up. */
  readonly what: () => string;
}

/** How far ahead of this instance's clock a peer's may be before its records are not believed. */
export const WRONG_CLOCK_MS = 600_000;

/**
 * The job's mirror, read as a `JobView`. Reading is local and synchronous; waiting is woken by changes, not by a timer.
 */
export class JobWatch {
  /** Notified of each change, before those who wait for a view. */
  observer: { noteChange(): void } | undefined;
  readonly #mirror: Mirror;
  readonly #reader: JobViewReader;
  readonly #clock: Clock;
  readonly #lastBegun = new Map<number, number>();
  readonly #lastKeys = new Map<number, number>();
  #lastBegunReadFor: number | undefined;
  /** Instances that were present when the runners of all items were last known; `undefined` if they are not known. */
  #runnersReadFor: Pick<JobView, 'instances' | 'live'> | undefined;
  /** Times by item, in milliseconds since 1970: when its owner was last seen to be an instance that keeps no record. */
  readonly #lastSeenWithJavaOwner = new Map<number, number>();
  readonly #javaPeers: JavaPeers;
  /** The mirror's moment that the reader has seen last. */
  #readMoment: number | undefined;
  /** When a change other than a routine change was last seen, by the monotonic clock. */
  #lastSignificantChangeAt: number;
  #significantChanges = 0;
  /** The mirror's moment at the last call of `newChanges`. */
  #changesSeen: number | undefined;
  /** The view read at `#readMoment`, unless it has to be read again. */
  #view: JobView | undefined;
  /** The last begun instants of a view that are believed. */
  #believed: { readonly read: JobView['lastBegun']; readonly lastBegun: ReadonlyMap<number, number> } | undefined;

  constructor(mirror: Mirror, reader: JobViewReader, clock: Clock) {
    this.#mirror = mirror;
    this.#reader = reader;
    this.#clock = clock;
    this.#javaPeers = new JavaPeers(clock);
    this.#lastSignificantChangeAt = clock.monotonic();
    mirror.onChange(() => this.#onChange());
  }

  #onChange(): void {
    const { significantChanges, isCurrent } = this.#mirror;
    if (this.#significantChanges !== significantChanges) this.#lastSignificantChangeAt = this.#clock.monotonic();
    this.#significantChanges = significantChanges;
    // Changes that came while the mirror was out of date may include a write of our own whose answer was lost.
    if (!isCurrent) this.forgetReadings();
    this.observer?.noteChange();
  }

  /** The job as of the mirror's present moment. */
  get view(): JobView {
    const { moment } = this.#mirror;
    if (this.#view !== undefined && this.#readMoment === moment) return this.#view;
    const changes = this.#readMoment === undefined ? undefined : this.#mirror.changesSince(this.#readMoment);
    const seen = this.#reader.read(this.#mirror.nodes, changes);
    this.#readMoment = moment;
    const view = this.#javaPeers.remember(this.#withAllKeys(this.#withAllBegun(seen)));
    this.#view = view;
    this.#noteJavaOwners(view);
    return view;
  }

  /** Paths that have changed since the last call, some perhaps twice; `undefined`: everything may have changed. */
  newChanges(): readonly string[] | undefined {
    const since = this.#changesSeen;
    this.#changesSeen = this.#mirror.moment;
    return since === undefined ? undefined : this.#mirror.changesSince(since);
  }

  /** Milliseconds since a change other than a routine change was last seen. */
  get sinceSignificantChangeMs(): number {
    return this.#clock.monotonic() - this.#lastSignificantChangeAt;
  }

  /**
   * True while the mirror is narrowed: the view shows other instances' items as they were then, until something else
   * changes.
   */
  get isNarrowed(): boolean {
    return this.#mirror.isNarrowed;
  }

  /** From now on follows only these subtrees, until a change other than a routine change happens in them. */
  async narrow(subtrees: readonly string[]): Promise<void> {
    await this.#mirror.narrow(subtrees);
  }

  /** True if Java instances have vanished that still count as present. */
  get hasFlappingPeers(): boolean {
    return this.#javaPeers.areFlapping;
  }

  #noteJavaOwners({ items, beginRecords }: JobView): void {
    const now = this.#clock.now();
    for (const { item, owner } of items)
      if (owner !== undefined && !beginRecords.has(owner)) this.#lastSeenWithJavaOwner.set(item, now);
  }

  /**
   * True if every owner of the item that this instance has seen since `mark` (milliseconds since 1970) keeps a record
   * of its runs. Java instances do not.
   */
  isHistoryCompleteSince(item: number, mark: number): boolean {
    return (this.#lastSeenWithJavaOwner.get(item) ?? -Infinity) < mark;
  }

  /** Makes the next view be read again although no node has changed: time has passed, or the clock was set. */
  reread(): void {
    this.#view = undefined;
    this.#believed = undefined;
  }

  /**
   * An instant once read from a peer's record remains known, also when the record has changed and has not been read
   * again.
   */
  #withAllBegun(view: JobView): JobView {
    if (this.#believed?.read === view.lastBegun) return { ...view, lastBegun: this.#believed.lastBegun };
    // The instants of a job that runs after others are theirs, and not judged by this clock.
    const isOwnSchedule = view.config === undefined || dependenciesOf(view.config) === undefined;
    const latestTrusted = isOwnSchedule ? this.#clock.now() + WRONG_CLOCK_MS : Infinity;
    for (const [item, instant] of view.lastBegun) {
      const known = this.#lastBegun.get(item) ?? -Infinity;
      // An instant that was believed while this clock was wrong itself gives way to a plausible one.
      if (instant > known || known > latestTrusted) this.#lastBegun.set(item, instant);
    }
    if (this.#isAllBegunIn(view.lastBegun, latestTrusted)) {
      this.#believed = undefined;
      return view;
    }
    // A mark far in the future was made by a clock that was wrong, and must not keep the item from running until then.
    const lastBegun = new Map<number, number>();
    for (const [item, instant] of this.#lastBegun) if (instant <= latestTrusted) lastBegun.set(item, instant);
    // An instant that is not believed now may be believed at the next reading.
    const isAllBelieved = lastBegun.size === this.#lastBegun.size;
    this.#believed = isAllBelieved ? { read: view.lastBegun, lastBegun } : undefined;
    return { ...view, lastBegun };
  }

  /** A run key once read remains known, as an instant does, until all records have been read again. */
  #withAllKeys(view: JobView): JobView {
    if (view.lastKeys.size === 0 && this.#lastKeys.size === 0) return view;
    if (![...view.beginRecords.values()].includes(undefined)) this.#lastKeys.clear();
    for (const [item, key] of view.lastKeys)
      this.#lastKeys.set(item, Math.max(key, this.#lastKeys.get(item) ?? -Infinity));
    return { ...view, lastKeys: new Map(this.#lastKeys) };
  }

  /** True if a view has all instants that were ever read, and all of them are believed: the usual case. */
  #isAllBegunIn(read: ReadonlyMap<number, number>, latestTrusted: number): boolean {
    if (read.size !== this.#lastBegun.size) return false;
    for (const [item, instant] of this.#lastBegun)
      if (instant > latestTrusted || read.get(item) !== instant) return false;
    return true;
  }

  /** True if the runs that peers have begun are known, so that `readBeginRecords` has nothing to do. */
  get areBeginRecordsRead(): boolean {
    return this.view.shardingVersion === this.#lastBegunReadFor;
  }

  /**
   * Reads the records of the runs that peers have begun, if they may matter: once after each assignment, because under
   * the same one no other instance begins this instance's items.
   * @returns whether anything had to be read, so that the view may have changed meanwhile
   */
  async readBeginRecords(): Promise<boolean> {
    const { shardingVersion, beginRecords } = this.view;
    if (shardingVersion === this.#lastBegunReadFor) return false;
    const isUnread = [...beginRecords.values()].includes(undefined);
    if (isUnread) await this.#mirror.load();
    this.#lastBegunReadFor = shardingVersion;
    return isUnread;
  }

  /**
   * Reads the runners of the items and the records, if an instance is gone that may have been running an item: once for
   * each such instance.
   * @returns whether anything had to be read, so that the view may have changed meanwhile
   */
  async readRunners(): Promise<boolean> {
    const { view } = this;
    const seen = this.#runnersReadFor;
    const isKnown = seen !== undefined && !isAnyGone(view, seen) && !hasUnreadDeadMarks(view);
    const isUnread =
      !isKnown && view.items.some(({ running, runningOn }) => running && isPartlyUnread(view, runningOn));
    if (isUnread) await this.#mirror.load();
    const { instances, live } = view;
    if (seen?.instances !== instances || seen.live !== live) this.#runnersReadFor = { instances, live };
    return isUnread;
  }

  /** Makes the records and runners of peers be read again when they are needed. */
  forgetReadings(): void {
    this.#lastBegunReadFor = undefined;
    this.#runnersReadFor = undefined;
  }

  /** Reads everything that the mirror has left unread. */
  async readAll(): Promise<void> {
    await this.#mirror.load();
  }

  /** The nodes of the view, for code that removes or rewrites nodes. They change with the view. */
  get nodes(): ReadonlyMap<string, MirroredNode> {
    return this.#mirror.nodes;
  }

  /**
   * False while the view may be out of date: without a connection, and while everything is read again after the mirror
   * was narrowed, because the view lacks even our own writes then.
   */
  get isCurrent(): boolean {
    return this.#mirror.isCurrent && !this.#mirror.isWidening;
  }

  /** Calls `listener` after each change; returns a function that ends the subscription. */
  onChange(listener: () => void): () => void {
    return this.#mirror.onChange(listener);
  }

  /** Brings the view up to everything that was written before this call. */
  async sync(): Promise<JobView> {
    await this.#mirror.sync();
    return this.view;
  }

  /**
   * Resolves with the first current view that fulfils `predicate`, the present one included.
   * @throws DeadlineExceededError when the time is up; the signal's reason when it is aborted
   */
  until(predicate: (view: JobView) => boolean, wait: Wait): Promise<JobView> {
    if (!wait.signal.aborted && this.isCurrent) {
      const { view } = this;
      if (predicate(view)) return Promise.resolve(view);
    }
    return this.#awaitView(predicate, wait);
  }

  #awaitView(predicate: (view: JobView) => boolean, { timeoutMs, signal, what }: Wait): Promise<JobView> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (settle: () => void): void => {
        isOver = true;
        unsubscribe();
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      const look = (): void => {
        if (!this.isCurrent) return;
        const { view } = this;
        if (predicate(view)) end(() => resolve(view));
      };
      const onAbort = (): void => end(() => reject(signal.reason as Error));
      const unsubscribe = this.onChange(look);
      const cancelTimer = this.#clock.after(timeoutMs, () =>
        end(() => reject(new DeadlineExceededError(what(), timeoutMs))),
      );
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      else look();
      // The awaited change may happen outside the subtrees of a narrowed mirror.
      if (!isOver) this.#mirror.widen();
    });
  }

  close(): void {
    this.#mirror.close();
  }
}

/** True if one of the instances that were there is gone. */
function isAnyGone(view: JobView, { instances, live }: Pick<JobView, 'instances' | 'live'>): boolean {
  if (instances === view.instances && live === view.live) return false;
  return [...instances.keys(), ...live].some((id) => isGone(view, id));
}

/** True if the runner of an item is unknown, or is gone and its record has changed since it was last read. */
function isPartlyUnread(view: JobView, runningOn: string | undefined): boolean {
  if (runningOn === undefined) return true;
  return isGone(view, runningOn) && view.beginRecords.has(runningOn) && view.beginRecords.get(runningOn) === undefined;
}
