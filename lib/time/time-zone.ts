/**
 * Time zones as a cron schedule needs them. They say which time a wall clock shows at an instant, and which instant a
 * wall time stands for, also if wall clocks show it twice, or skip it.
 *
 * A wall time is a number too: the milliseconds since 1970-01-01T00:00 *as the wall clock shows it*. The UTC methods of
 * `Date` take it apart. In the two nights in which clocks are set, the answers are those of `java.util.Calendar`:
 *
 *     spring  01:30 ── 02:00 ╌╌╌ skipped ╌╌╌ 03:00 ── 03:30       02:30 is read as 03:30, with the old offset
 *     autumn  01:30 ── 02:00 ┐
 *                      01:00 ┴─ 01:30 ── 02:00                    01:30 is the second one, with the new offset
 *
 * The offsets come from the zone data of Node's Intl. A question to Intl takes microseconds, so each zone remembers the
 * answers by day.
 */
import { wording } from '../wording/wording.js';
import { InvalidTimeZoneError } from './invalid-cron-error.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** No wall clock has ever been further away from UTC. */
const FARTHEST_OFFSET_MS = 16 * HOUR_MS;

/** The number of days whose offsets a zone remembers. When it has more, it forgets them all. */
const DAYS_KEPT = 4096;

/** No zone has a longer id. Intl would search for one, and takes long. */
const LONGEST_ID = 100;

const JAVA_PREFIX = 'GMT';

/** The offset from UTC at an instant, both in milliseconds. Offsets east of Greenwich are positive. */
type OffsetAt = (instantMs: number) => number;

/** A time zone. Converts between instants and wall times. Immutable; {@link parseTimeZone} makes it. */
export class TimeZone {
  readonly #offsetAt: OffsetAt;

  /** @internal */
  constructor(
    /** The id as it was given. The zone of this process has the id by which Intl knows it. */
    readonly id: string,
    /**
     * True if Java ElasticJob accepts this setting. It refuses every `timeZone` that is not empty and does not start
     * with `GMT`. A job that Java instances share must therefore not name an IANA zone such as `Europe/Berlin`.
     */
    readonly acceptedByJava: boolean,
    offsetAt: OffsetAt,
  ) {
    this.#offsetAt = offsetAt;
  }

  /** The time that a wall clock shows at an instant, both in milliseconds. */
  toWall(instantMs: number): number {
    return instantMs + this.#offsetAt(instantMs);
  }

  /**
   * The instant at which a wall clock shows this time, both in milliseconds. If there are two, it is the later one. A
   * time that clocks skip is read with the offset before the change. Such a time differs from
   * `toWall(toInstant(wall))`.
   */
  toInstant(wallMs: number): number {
    const before = this.#offsetAt(wallMs - FARTHEST_OFFSET_MS);
    const after = this.#offsetAt(wallMs + FARTHEST_OFFSET_MS);
    const later = wallMs - after;
    // Stryker disable next-line ConditionalExpression: the second question has the same answer then; it only takes time
    return before === after || this.#offsetAt(later) === after ? later : wallMs - before;
  }
}

const knownZones = new Map<string, TimeZone>();

/**
 * Reads the setting `timeZone`.
 *
 * @param text `GMT`, `GMT+8`, `GMT+08:00`, `GMT-0530` (fixed offsets up to 23:59, as java.util.TimeZone reads them),
 * `UTC`, or an IANA id such as `Asia/Shanghai`. Empty text and `undefined` stand for the zone of this process
 * @throws InvalidTimeZoneError for any other text. Java silently takes a wrong id for GMT, but a job that runs hours
 * away from the intended time is worse than a job that does not start
 */
export function parseTimeZone(text: string | undefined): TimeZone {
  if (text === undefined || text === '') return processZone();
  const known = knownZones.get(text);
  if (known !== undefined) return known;
  const zone = new TimeZone(text, text.startsWith(JAVA_PREFIX), fixedOffset(text) ?? ianaOffsets(text));
  knownZones.set(text, zone);
  return zone;
}

/** The zone of this process, and the value of the environment variable TZ from which it was made. */
let knownProcessZone: { readonly variable: string | undefined; readonly zone: TimeZone } | undefined;

/** Uses Date, because Intl has no name for some zones that the environment variable TZ can describe. */
function processZone(): TimeZone {
  const variable = process.env['TZ'];
  if (knownProcessZone?.variable !== variable || knownProcessZone === undefined) {
    const id = (Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined) ?? 'system default';
    const offsetAt: OffsetAt = (instantMs) => -new Date(instantMs).getTimezoneOffset() * MINUTE_MS;
    knownProcessZone = { variable, zone: new TimeZone(id, true, offsetAt) };
  }
  return knownProcessZone.zone;
}

function fixedOffset(id: string): OffsetAt | undefined {
  // Stryker disable next-line ConditionalExpression,LogicalOperator,StringLiteral: Intl knows both too, but is slower
  if (id === 'UTC' || id === 'GMT') return () => 0;
  const parts = /^GMT([+-])(\d{1,2}?)(?::?([0-5]\d))?$/.exec(id);
  if (parts === null || Number(parts[2]) > 23) return undefined;
  const offsetMs = Number(parts[2]) * HOUR_MS + Number(parts[3] ?? 0) * MINUTE_MS;
  return () => (parts[1] === '-' ? -offsetMs : offsetMs);
}

function ianaOffsets(id: string): OffsetAt {
  // Newer versions of Intl also accept '+08:00'. A configuration must be valid in all versions of Node, or in none.
  // Stryker disable next-line ConditionalExpression,Regex: Intl of Node 20, which runs this, refuses them by itself
  if (id.length > LONGEST_ID || /^[+-]/.test(id)) throw unknownZone(id);
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: id, timeZoneName: 'longOffset' });
    return rememberedByDay((instantMs) => readOffset(format.format(instantMs)));
  } catch (cause) {
    throw unknownZone(id, cause);
  }
}

function unknownZone(id: string, cause?: unknown): InvalidTimeZoneError {
  const right = id.replace(/(?:gmt|utc)?(?=[+-])/i, JAVA_PREFIX);
  const hint = fixedOffset(right) === undefined ? wording('zone-allowed') : wording('zone-correction', { right });
  return new InvalidTimeZoneError(id, hint, cause === undefined ? undefined : { cause });
}

/** Reads the end of `11/21/2026, GMT+08:05:43`. */
function readOffset(formatted: string): number {
  const [, sign, hours, minutes, seconds] = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(formatted) ?? [];
  const offsetMs = Number(hours ?? 0) * HOUR_MS + Number(minutes ?? 0) * MINUTE_MS + Number(seconds ?? 0) * SECOND_MS;
  return sign === '-' ? -offsetMs : offsetMs;
}

/** Remembers offsets by UTC day. This relies on a fact of all zones: the offset changes at most once in a UTC day. */
function rememberedByDay(offsetAt: OffsetAt): OffsetAt {
  const offsetAtStart = new Map<number, number>();
  const changes = new Map<number, number>();

  const atStartOf = (day: number): number => {
    let offset = offsetAtStart.get(day);
    // Stryker disable ConditionalExpression,EqualityOperator: a forgotten offset is read again, which only takes time
    if (offset === undefined) {
      if (offsetAtStart.size >= DAYS_KEPT) offsetAtStart.clear();
      // Stryker restore ConditionalExpression,EqualityOperator
      offsetAtStart.set(day, (offset = offsetAt(day * DAY_MS)));
    }
    return offset;
  };
  const changeOn = (day: number, before: number): number => {
    let change = changes.get(day);
    // Stryker disable ConditionalExpression,EqualityOperator: as above
    if (change === undefined) {
      if (changes.size >= DAYS_KEPT) changes.clear();
      // Stryker restore ConditionalExpression,EqualityOperator
      changes.set(day, (change = firstInstantNotAt(before, day, offsetAt)));
    }
    return change;
  };
  return (instantMs) => {
    const day = Math.floor(instantMs / DAY_MS);
    const [before, after] = [atStartOf(day), atStartOf(day + 1)];
    // Stryker disable next-line ConditionalExpression: no change is found then, so that the answer is the same, but
    // later
    return before === after || instantMs < changeOn(day, before) ? before : after;
  };
}

/** The instant, on a full second of a UTC day, from which on the offset is no longer `before`. Found by bisection. */
function firstInstantNotAt(before: number, day: number, offsetAt: OffsetAt): number {
  let [low, high] = [0, DAY_MS / SECOND_MS];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (offsetAt(day * DAY_MS + middle * SECOND_MS) === before) low = middle + 1;
    else high = middle;
  }
  return day * DAY_MS + low * SECOND_MS;
}
