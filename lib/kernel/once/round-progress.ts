import { describeCause } from '../../api/text/describe-cause.js';
import { type ItemView, type JobView } from '../../layout/job-view.js';
import { type JobContext } from '../job/job-context.js';
import { type MayBeMadeUpFor, type MissingItem, missingItems } from './missing-items.js';
import { type BarrierRound, type RoundFiring } from './round.js';

/**
 * How long a barrier waits for an item that does not arrive although its instance lives and is free, or whose state is
 * unknown; the times in which it is overdue add up. There is no such limit for an item that runs, or that waits for an
 * earlier run.
 */
export const LATE_ITEM_DEADLINE_MS = 10_000;

/** After this time, the instance reads values that the mirror has left unread, to learn the state of an item. */
const READING_AFTER_MS = 1_000;

/** Progress of a round, and what its barrier does about it. */
export type Progress =
  /** No item is missing, except those in `givenUp`, which are overdue; texts for people. */
  | { readonly type: 'complete'; readonly givenUp: readonly string[] }
  /** These items have to begin, or to be taken over, first, and that may be up to this instance. */
  | { readonly type: 'leave'; readonly items: readonly number[] }
  /** The barrier waits until the view changes, or until a time on the monotonic scale. `whom`: a text for people. */
  | { readonly type: 'wait'; readonly untilMs: number; readonly whom: string; readonly items: readonly number[] };

/** The present reason for which an item is missing, and the times that follow from it. */
interface Sighting {
  readonly why: MissingItem['why'];
  readonly sinceMs: number;
  /** Until when the barrier waits for the item, on the monotonic scale. */
  readonly untilMs: number;
  /** When the wait reads unread values for its sake, on the monotonic scale. */
  readAtMs: number;
}

/** Dependencies of a `RoundProgress`. */
export interface RoundProgressOptions {
  /** The part of this run in the firing. */
  readonly firing: RoundFiring;
  /** Since when this instance itself makes up for missed firings; milliseconds since 1970. */
  readonly missedSinceMs: number;
  readonly mayBeMadeUpFor: MayBeMadeUpFor;
}

/**
 * Progress of one firing in the cluster, as one run on this instance follows it: the missing items, and since when they
 * are missing. Items given up before the start are given up at completion, too.
 */
export class RoundProgress {
  readonly #context: JobContext;
  readonly #mayBeMadeUpFor: MayBeMadeUpFor;
  readonly #sightings = new Map<number, Sighting>();
  /** How long items have been overdue before their present sighting, in milliseconds. */
  readonly #overdueMs = new Map<number, number>();
  /** Items with the owner they had when all records were read. */
  readonly #read = new Set<string>();
  /** Instances that have arrived with a takeover, and whose own firing follows. */
  readonly #arrivedByTakeover = new Set<string>();

  constructor(context: JobContext, { firing, missedSinceMs, mayBeMadeUpFor }: RoundProgressOptions) {
    this.#context = context;
    if (firing.isPartial && (firing.instant ?? 0) >= missedSinceMs) this.#arrivedByTakeover.add(context.me);
    this.#mayBeMadeUpFor = mayBeMadeUpFor;
  }

  of(view: JobView, round: BarrierRound): Progress {
    const missing = this.#missing(view, round);
    this.#sight(missing);
    const left = missing
      .filter(({ why }) => why === 'crashed' || why === 'moved-to-next-owner')
      .map(({ item }) => item);
    if (left.length > 0) return { type: 'leave', items: left };
    const now = this.#context.clock.monotonic();
    const isAwaited = ({ item }: MissingItem): boolean => (this.#sightings.get(item)?.untilMs ?? Infinity) > now;
    const awaited = missing.filter(isAwaited);
    if (awaited.length === 0) return { type: 'complete', givenUp: missing.map(describe) };
    const items = awaited.map(({ item }) => item);
    const sightings = items.flatMap((item) => this.#sightings.get(item) ?? []);
    return {
      type: 'wait',
      untilMs: Math.min(...sightings.flatMap(({ untilMs, readAtMs }) => [untilMs, readAtMs])),
      whom: `items ${awaited.map(describe).join(', ')}`,
      items,
    };
  }

  /** Reads unread values when their time has come. Never rejects; a failed reading is repeated. */
  async readWhatIsDue(): Promise<void> {
    const { watch, clock, logger } = this.#context;
    const now = clock.monotonic();
    const due = [...this.#sightings.values()].filter(({ readAtMs }) => readAtMs <= now);
    if (due.length === 0) return;
    const { items } = watch.view;
    try {
      await watch.readAll();
    } catch (error) {
      for (const sighting of due) sighting.readAtMs = now + READING_AFTER_MS;
      logger.debug(`could not read what items are missing for: ${describeCause(error)}`);
      return;
    }
    for (const sighting of due) sighting.readAtMs = Infinity;
    for (const item of items) if (this.#sightings.has(item.item)) this.#read.add(itemAndOwnerKey(item));
  }

  #missing(view: JobView, round: BarrierRound): readonly MissingItem[] {
    this.#noteTakeovers(view, round);
    return missingItems(view, round, {
      mayBeMadeUpFor: this.#mayBeMadeUpFor,
      isRead: (item) => this.#read.has(itemAndOwnerKey(item)),
      hasArrivedByTakeover: (instance) => this.#arrivedByTakeover.has(instance),
    });
  }

  /** The marks of a takeover vanish with its end, before the instance comes to its own firing. */
  #noteTakeovers({ items, guarantee }: JobView, { key }: BarrierRound): void {
    const takers = new Map(items.map(({ item, takenOverBy }) => [item, takenOverBy]));
    for (const [id, rounds] of guarantee.arrivals) {
      const { started = [], completed = [] } = rounds.get(key) ?? {};
      const arrived = [...started, ...completed];
      if (arrived.length > 0 && arrived.every((item) => takers.get(item) === id)) this.#arrivedByTakeover.add(id);
    }
  }

  #sight(missing: readonly MissingItem[]): void {
    const present = new Map(missing.map(({ item, why }) => [item, why]));
    const now = this.#context.clock.monotonic();
    for (const [item, { why, sinceMs }] of this.#sightings) {
      if (present.get(item) === why) continue;
      this.#sightings.delete(item);
      // Otherwise peers that take turns with firings of their own would each be overdue for a while, without end.
      if (why === 'overdue') this.#overdueMs.set(item, (this.#overdueMs.get(item) ?? 0) + now - sinceMs);
    }
    for (const [item, why] of present)
      if (!this.#sightings.has(item)) this.#sightings.set(item, this.#sighting(item, why, now));
  }

  #sighting(item: number, why: MissingItem['why'], sinceMs: number): Sighting {
    const alreadyMs = why === 'overdue' ? (this.#overdueMs.get(item) ?? 0) : 0;
    return { why, sinceMs, untilMs: deadlineOf(why, sinceMs) - alreadyMs, readAtMs: readingOf(why, sinceMs) };
  }
}

function readingOf(why: MissingItem['why'], sinceMs: number): number {
  switch (why) {
    case 'unread':
      return sinceMs;
    case 'running':
    case 'busy':
      return Infinity;
    case 'ending':
    case 'overdue':
    case 'runner-unknown':
    case 'crashed':
    case 'moved-to-next-owner':
      return sinceMs + READING_AFTER_MS;
    default:
      return why satisfies never;
  }
}

function deadlineOf(why: MissingItem['why'], sinceMs: number): number {
  return why === 'running' || why === 'busy' ? Infinity : sinceMs + LATE_ITEM_DEADLINE_MS;
}

function itemAndOwnerKey({ item, owner }: ItemView): string {
  return `${item} ${owner ?? ''}`;
}

function describe({ item, why, by }: MissingItem): string {
  return `${item} (${why}, ${by ?? 'unknown instance'})`;
}
