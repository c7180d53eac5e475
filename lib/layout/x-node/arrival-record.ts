/**
 * Our own records of the items that have arrived at the barriers of a firing, for listeners that are called once in the
 * cluster. Java has only the nodes `guarantee/{stage}/{item}`, which show neither their firing nor the instance that
 * created them. We write these for Java peers, and use our own records among ourselves:
 *
 * ```
 *  x-node/guarantee/present/{id}   session node: reports of the instance by round, the latest last
 *                                    dropped 1893456010000:0-4
 *                                    1893456005000/AUDIT started 4 completed 0-3
 *                                    1893456000000/AUDIT completed 0-4 left
 *  x-node/guarantee/{stage}        rounds whose callback was begun, the latest last; those of `started` only until that of
 *                                    `completed` is begun, too, so that the open rounds stand there
 *  x-node/guarantee/{stage}-by     session node of the instance that makes a callback now: the round, and the instance's id
 * ```
 * A *round* is one firing for one listener. A scheduled firing is named by its instant, a manual one by a number. An
 * instance that was busy when a firing came, with `misfire` off, lists its instant as `dropped`, with the items that it
 * had then, so that no other instance waits for these or makes up for them.
 */
import { ItemRanges, toRanges } from './item-ranges.js';

/** One firing for one type of listener. */
export interface Round {
  /** Instant in milliseconds since 1970, or the running number of a manual firing. */
  readonly firing: { readonly instant: number } | { readonly manual: number };
  /** The listener's type. */
  readonly type: string;
}

/** The items that an instance has reported for a round, each in the last of its two states. */
export interface ArrivalRecord {
  readonly started: ReadonlySet<number>;
  readonly completed: ReadonlySet<number>;
  /** True if the instance waits there no more, although it does not know of the last callback. Default: false. */
  readonly isLeft?: boolean;
}

/**
 * Firings in which an instance takes no part: by instant (milliseconds since 1970), the latest last, the items that the
 * instance had when the firing came.
 */
export type DroppedFirings = ReadonlyMap<number, ReadonlySet<number>>;

/** All reports of an instance. */
export interface Arrivals {
  /** By round key, the latest last. */
  readonly rounds: ReadonlyMap<string, ArrivalRecord>;
  readonly dropped: DroppedFirings;
}

/** A callback that is in progress. */
export interface CallView {
  /** Key of the round. */
  readonly key: string;
  /** Id of the instance that makes it. */
  readonly instance: string;
}

/**
 * An instance takes part in eight open rounds, and has dropped eight firings, at most: no record needs more of each.
 */
const MOST_READ = 8;

/** A record lists each item at most once in each of these. */
const LISTS = 2 * MOST_READ;

/** Most rounds that a record of callbacks holds. An instance that comes to an older round comes too late. */
const REMEMBERED_ROUNDS = 32;

/** The round's name in records; without spaces, and independent of the type's case. */
export function roundKey({ firing, type }: Round): string {
  // By way of UTF-8: half a surrogate pair must not throw.
  const name = encodeURIComponent(Buffer.from(type.toUpperCase()).toString());
  return `${'instant' in firing ? firing.instant : `hand-${firing.manual}`}/${name}`;
}

/** The round as a text for people. */
export function describeRound(key: string): string {
  const round = parseRoundKey(key);
  if (round === undefined) return key;
  const { firing, type } = round;
  const which =
    'instant' in firing
      ? `firing at ${new Date(firing.instant).toISOString()}`
      : `manual firing number ${firing.manual}`;
  return `the ${which} (listener ${type})`;
}

/** The inverse of `roundKey`, up to the type's case; `undefined` if `key` is none. */
export function parseRoundKey(key: string): Round | undefined {
  const [, instant, manual, name] = /^(?:(\d{1,15})|hand-(\d{1,15}))\/(\S*)$/.exec(key) ?? [];
  if (name === undefined) return undefined;
  const firing = instant === undefined ? { manual: Number(manual) } : { instant: Number(instant) };
  try {
    return { firing, type: decodeURIComponent(name) };
  } catch {
    return undefined;
  }
}

/** The text of an instance's record. */
export function encodeArrivals({ rounds, dropped }: Arrivals): string {
  const lines = [...rounds].map(([round, { started, completed, isLeft = false }]) =>
    [round, ...part('started', started), ...part('completed', completed), ...(isLeft ? ['left'] : [])].join(' '),
  );
  const firings = [...dropped].map(([instant, items]) =>
    items.size === 0 ? `${instant}` : `${instant}:${toRanges(items)}`,
  );
  return [...(firings.length > 0 ? [['dropped', ...firings].join(' ')] : []), ...lines].join('\n');
}

/** The inverse of `encodeArrivals`. It leaves out all lines that it cannot read. */
export function decodeArrivals(text: string): Arrivals {
  const rounds = new Map<string, ArrivalRecord>();
  const dropped = new Map<number, ReadonlySet<number>>();
  const ranges = new ItemRanges(LISTS);
  for (const line of text.split('\n')) {
    const [, firings] = /^dropped((?: \d{1,15}(?::[\d,-]+)?)+)$/.exec(line) ?? [];
    for (const firing of firings?.trim().split(' ') ?? []) {
      const [instant, items] = firing.split(':');
      dropped.set(Number(instant), new Set(ranges.read(items)));
    }
    const [, round, started, completed, left] =
      /^(\S+)(?: started ([\d,-]+))?(?: completed ([\d,-]+))?( left)?$/.exec(line) ?? [];
    if (round === undefined) continue;
    const items = { started: new Set(ranges.read(started)), completed: new Set(ranges.read(completed)) };
    rounds.set(round, left === undefined ? items : { ...items, isLeft: true });
  }
  return { rounds, dropped };
}

/** The round keys that a record of callbacks holds, the latest last. */
export function decodeCalled(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** The text of a record of callbacks: of the latest rounds only. */
export function encodeCalled(rounds: readonly string[]): string {
  const recent = rounds.slice(-REMEMBERED_ROUNDS);
  // Manual rounds continue the number of the last one, however long ago it was.
  const manual = rounds.filter((one) => one.startsWith('hand-')).slice(-REMEMBERED_ROUNDS / 4);
  return [...manual.filter((one) => !recent.includes(one)), ...recent].join('\n');
}

/** The text of the node that shows a callback in progress. */
export function encodeCall({ key, instance }: CallView): string {
  return `${key}\n${instance}`;
}

/** The inverse of `encodeCall`; `undefined` if the text is none. */
export function decodeCall(text: string): CallView | undefined {
  const [key, instance] = text.split('\n');
  return key && instance ? { key, instance } : undefined;
}

function part(name: string, items: ReadonlySet<number>): readonly string[] {
  return items.size === 0 ? [] : [`${name} ${toRanges(items)}`];
}
