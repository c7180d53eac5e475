/**
 * Finds firings of items that were lost because their owner was gone: from its death until the items had another owner.
 * If an item has lost a single firing, the new owner makes up for it. If it has lost several, no run makes up for them,
 * and the new owner logs that, once, when it has begun the item.
 *
 * ```
 *   begun on X    X dies                          X is gone, items → here
 *   ──┼─────────────┼──────┼──────┼──────┼──────────────┼───────────┼──▶
 *   lastBegun              └── lost firings ──┘                   until, the first firing here
 * ```
 * The records of begun runs are the proof: they name the last instant for which any instance began the item, and no
 * instance begins it for an earlier one. Before that, an instance that comes back may still make up for a firing. So an
 * entry never names a firing that runs. There is no entry if something else may have kept the item from its firings: a
 * graceful stop, a disabled item, other settings, peers that keep no records. There is also none if an item moves once
 * more before its new owner has begun it: that owner cannot know which firings the next one makes up for.
 */
import { NOTHING_BEGUN } from '../../layout/x-node/begin-record.js';
import { hasJavaPeers, isGone, itemOf, type ItemView, type JobView } from '../../layout/job-view.js';
import { type JobContext } from '../job/job-context.js';
import { type LostFiringsOfItems } from '../job/job-events.js';
import { type Instants } from '../view/firing.js';

/** Dependencies of `LostFirings`. */
export interface LostFiringsDeps extends Pick<JobContext, 'watch' | 'registry' | 'clock' | 'me' | 'paths' | 'logger'> {
  readonly timer: {
    /** The next instant of the schedule; `undefined` if there is none. */
    readonly nextInstant: Date | undefined;
    /** The instants between two others, all in milliseconds since 1970; `undefined` if there are none. */
    instantsBetween(after: number, end: number): Instants | undefined;
  };
}

/** An item that has come here from an instance that is gone. Instants in milliseconds since 1970. */
interface Inherited {
  readonly from: string;
  /** The last instant that it had been begun for when it came here. */
  readonly lastBegun: number;
  /** Firings up to this instant were not lost by its owner's death. */
  readonly after: number;
  /** The first instant for which this instance fires the item itself. */
  readonly until: number;
}

/** Logs the firings of new items of this instance that no instance ran. */
export class LostFirings {
  readonly #deps: LostFiringsDeps;
  #before: JobView | undefined;
  /**
   * Owners of items that are gone, and when this instance saw that: milliseconds since 1970, `-Infinity` if they were
   * gone before this instance started.
   */
  readonly #goneSince = new Map<string, number>();
  /**
   * Since when instances write down the runs that they begin, as far as this one has seen; `Infinity` while they do
   * not.
   */
  #onRecordSince = -Infinity;
  /** Since when this instance watches the job: milliseconds since 1970. */
  #watchingSince: number | undefined;
  /** The version of the settings that this instance saw last. */
  #configVersion: number | undefined;
  /** The revision at which the root node of the job was written. */
  #created: number | undefined;
  readonly #inherited = new Map<number, Inherited>();

  constructor(deps: LostFiringsDeps) {
    this.#deps = deps;
  }

  /**
   * Notes owners that are gone, and their items that have moved to this instance. To be called when the records of
   * begun runs have been read.
   */
  note(): void {
    const { watch, clock } = this.#deps;
    const { view: now } = watch;
    if (this.#hasMissedSettings(now)) this.#watchingSince = undefined;
    this.#watchingSince ??= clock.now();
    // Without monitorExecution, no instance writes down the runs that it begins.
    const isOffRecord = now.config?.monitorExecution === false;
    if (isOffRecord || this.#isCreatedAgain()) this.#forget();
    if (!isOffRecord && this.#onRecordSince === Infinity) this.#onRecordSince = clock.now();
    const before = this.#before;
    if (before === now || !watch.areBeginRecordsRead) return;
    this.#before = now;
    const areSame = before?.instances === now.instances && before.live === now.live;
    if (areSame && this.#goneSince.size === 0) return;
    this.#noteGone(before, now);
    if (before !== undefined && this.#goneSince.size > 0) this.#noteInherited(before, now);
    const owners = ownersIn(now);
    for (const id of [...this.#goneSince.keys()]) if (!owners.has(id)) this.#goneSince.delete(id);
  }

  /**
   * True if settings were in force that this instance never saw, as during an outage: with them, items may have been
   * due at other instants, or have run off the record.
   */
  #hasMissedSettings({ configVersion }: JobView): boolean {
    const former = this.#configVersion;
    this.#configVersion = configVersion ?? former;
    return former !== undefined && configVersion !== undefined && configVersion > former + 1;
  }

  /**
   * True if the job was created again since the former call, as after a wipe of the registry centre: its records are
   * gone.
   */
  #isCreatedAgain(): boolean {
    const { watch, paths } = this.#deps;
    const former = this.#created;
    this.#created = watch.nodes.get(paths.root)?.revision;
    return former !== undefined && former !== this.#created;
  }

  #forget(): void {
    this.#before = undefined;
    this.#goneSince.clear();
    this.#inherited.clear();
    this.#onRecordSince = Infinity;
  }

  #noteGone(before: JobView | undefined, now: JobView): void {
    const { clock } = this.#deps;
    for (const id of new Set([...ownersIn(before), ...ownersIn(now)])) {
      if (!isGone(now, id)) this.#goneSince.delete(id);
      else if (!this.#goneSince.has(id) && !now.withdrawn.includes(id))
        this.#goneSince.set(id, before === undefined ? -Infinity : clock.now());
    }
  }

  #noteInherited(before: JobView, now: JobView): void {
    const { me, registry, timer } = this.#deps;
    const until = timer.nextInstant?.getTime();
    if (until === undefined || now.config?.monitorExecution !== true) return;
    if (hasJavaPeers(before) || hasJavaPeers(now)) return;
    for (const earlier of before.items) {
      const from = earlier.owner ?? '';
      const goneSince = this.#goneSince.get(from);
      const item = itemOf(now, earlier.item);
      const lastBegun = now.lastBegun.get(earlier.item);
      if (goneSince === undefined || item?.owner !== me || lastBegun === undefined) continue;
      if (isExplained(now, item) || isExplained(before, earlier)) continue;
      const after = Math.max(
        lastBegun,
        // The session ended before this instance saw that, and its owner had died at most that long before.
        goneSince - 2 * registry.session.timeoutMs,
        this.#onRecordSince,
        this.#settingsKnownSince(now, from),
      );
      this.#inherited.set(item.item, { from, lastBegun, after, until });
    }
  }

  /**
   * The instant, in milliseconds since 1970, from which on the present settings were in force, as far as this instance
   * knows. Before that, items may have been due at other instants, or have run without a record. If the owner has begun
   * items by its schedule since the settings changed, its record is the proof; otherwise it is the time since which
   * this instance watches the job.
   */
  #settingsKnownSince(now: JobView, owner: string): number {
    const { watch, paths } = this.#deps;
    if (now.configVersion === 0) return -Infinity;
    const revision = watch.nodes.get(paths.beginRecord(owner))?.revision ?? -Infinity;
    // The records of a manual run, of a run for a key and of a re-added item have no instant of their own.
    const { instants, manual, returned, keyed, isRewritten } = now.beginRecords.get(owner) ?? NOTHING_BEGUN;
    const isOfSchedule =
      instants.size > 0 && manual.size === 0 && keyed.size === 0 && returned.size === 0 && isRewritten !== true;
    const isProof = isOfSchedule && revision > (now.configRevision ?? 0);
    return isProof ? latestOf(instants.values()) : (this.#watchingSince ?? Infinity);
  }

  /** True if items that have moved to this instance have not run here yet. */
  get isWaiting(): boolean {
    return this.#inherited.size > 0;
  }

  /** Logs the lost firings of items that have begun here since then: no instance makes up for earlier ones. */
  report(): void {
    if (!this.isWaiting) return;
    const { watch, me, timer } = this.#deps;
    const { view } = watch;
    const groups = new Map<
      string,
      { readonly from: string; readonly after: number; readonly end: number; items: number[] }
    >();
    for (const [number, { from, lastBegun, after, until }] of [...this.#inherited]) {
      const begun = view.lastBegun.get(number) ?? lastBegun;
      const isOwn = itemOf(view, number)?.owner === me;
      if (isOwn && begun <= lastBegun) continue;
      this.#inherited.delete(number);
      if (!isOwn) continue;
      const end = Math.min(begun, until);
      const key = `${after} ${end} ${from}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { from, after, end, items: [number] });
      else group.items.push(number);
    }
    const lost = new Map<string, LostFiringsOfItems[]>();
    for (const { from, after, end, items: numbers } of groups.values()) {
      const firings = timer.instantsBetween(after, end);
      if (firings !== undefined) lost.set(from, [...(lost.get(from) ?? []), { items: numbers, firings }]);
    }
    for (const [peer, groupsOfPeer] of lost)
      this.#deps.logger.event({ type: 'firings-lost', peer, lost: groupsOfPeer });
  }
}

function latestOf(instants: Iterable<number>): number {
  let latest = -Infinity;
  for (const instant of instants) latest = Math.max(latest, instant);
  return latest;
}

function ownersIn(view: JobView | undefined): ReadonlySet<string> {
  return new Set((view?.items ?? []).flatMap(({ owner }) => owner ?? []));
}

/** True if something else may have kept the item from its firings, or one run makes up for them. */
function isExplained({ config }: JobView, { disabled, misfired }: ItemView): boolean {
  return disabled || (misfired && config?.misfire === true);
}
