/**
 * Our own record of ended runs: the value of `x-node/ended/{instance}`, the mirror image of the begin record.
 *
 * An instance writes its record in the very commit that removes the marks of the items that have ended. Only jobs that
 * belong to a graph have such records: those that run after others, and those after which others run. Java neither
 * writes nor reads it.
 *
 * One line for each instant, the latest first, with the items that have succeeded, and one with those that have failed:
 * ```
 * 1767225600000: 0-3,7
 * 1767225600000 failed: 4
 * 1767225595000: 0-4,7
 * ```
 * The last end of each item stays on record; earlier ones go when their round is complete.
 */
import { ItemRanges, toRanges } from './item-ranges.js';
import { type InstantKind, kindOf, type LastInstants } from './run-key.js';

/** How a run of an item has ended, after its retries. A run that died with its instance has failed. */
export type RunEnd = 'succeeded' | 'failed';

/** The runs that one instance, or several together, have brought to an end. */
export interface EndRecord {
  /** By scheduled instant, in milliseconds since 1970: the end of each item. */
  readonly ends: ReadonlyMap<number, ReadonlyMap<number, RunEnd>>;
}

/** The record of an instance that has ended nothing. */
export const NOTHING_ENDED: EndRecord = { ends: new Map() };

/** A run of an item that has ended. */
export interface EndedRun {
  readonly item: number;
  /** The scheduled instant in milliseconds since 1970. */
  readonly instant: number;
  readonly end: RunEnd;
}

/** Earlier ends are left out of a record beyond this length, in characters. */
const LONGEST_HISTORY = 100_000;

/** Number of times that a record may list all items of the largest job. */
const LISTS = 4;

/** The text of a record. If it would be too long, it has only the last end of each item of the earliest instants. */
export function encodeEndRecord({ ends }: EndRecord): string {
  const known = new Set<number>();
  const lines: string[] = [];
  let length = 0;
  for (const [instant, items] of [...ends].sort(([one], [other]) => other - one)) {
    const all = linesOf(instant, items);
    const isShort = length + lengthOf(all) <= LONGEST_HISTORY;
    const written = isShort ? all : linesOf(instant, new Map([...items].filter(([item]) => !known.has(item))));
    for (const item of items.keys()) known.add(item);
    lines.push(...written);
    length += lengthOf(written);
  }
  return lines.join('\n');
}

function linesOf(instant: number, items: ReadonlyMap<number, RunEnd>): readonly string[] {
  const ended = (end: RunEnd): string => toRanges([...items].flatMap(([item, each]) => (each === end ? [item] : [])));
  const [succeeded, failed] = [ended('succeeded'), ended('failed')];
  return [
    ...(succeeded === '' ? [] : [`${instant}: ${succeeded}`]),
    ...(failed === '' ? [] : [`${instant} ${FAILED}: ${failed}`]),
  ];
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length + 1, 0);
}

/** The inverse of `encodeEndRecord`. It leaves out all lines that it cannot read; of two ends, the failure counts. */
export function decodeEndRecord(text: string): EndRecord {
  const draft = new EndDraft();
  const ranges = new ItemRanges(LISTS);
  for (const line of text.split('\n')) {
    const [, instant, failed, list] = LINE.exec(line.trimEnd()) ?? [];
    if (list === undefined) continue;
    const end = failed === undefined ? 'succeeded' : 'failed';
    for (const item of ranges.read(list)) draft.note({ item, instant: Number(instant), end });
  }
  return draft.record;
}

/** All records as one. Of two ends of an item for one instant, the failure counts. */
export function mergeEndRecords(records: Iterable<EndRecord>): EndRecord {
  const draft = new EndDraft();
  for (const { ends } of records)
    for (const [instant, items] of ends) for (const [item, end] of items) draft.note({ item, instant, end });
  return draft.record;
}

/** The record with these runs, which have ended. */
export function withEnded(record: EndRecord, runs: Iterable<EndedRun>): EndRecord {
  const draft = new EndDraft();
  for (const run of runs) draft.note(run);
  return mergeEndRecords([record, draft.record]);
}

/**
 * The record without ends of rounds that are complete, except the last end of each item for an instant of the schedule,
 * and that for a run key.
 * @param completedUpTo the latest complete round of each kind, in milliseconds since 1970
 */
export function withoutCompleted(record: EndRecord, completedUpTo: LastInstants): EndRecord {
  const last = { scheduled: lastEnds(record), key: lastEnds(record, 'key') };
  const draft = new EndDraft();
  for (const [instant, items] of record.ends) {
    const kind = kindOf(instant);
    const isOpen = instant > (completedUpTo[kind] ?? -Infinity);
    for (const [item, end] of items) if (isOpen || last[kind].get(item) === instant) draft.note({ item, instant, end });
  }
  return draft.record;
}

/** By item: the latest instant of that kind for which a run of it has ended, in milliseconds since 1970. */
export function lastEnds({ ends }: EndRecord, kind: InstantKind = 'scheduled'): ReadonlyMap<number, number> {
  const last = new Map<number, number>();
  for (const [instant, items] of ends) {
    if (kindOf(instant) !== kind) continue;
    for (const item of items.keys()) last.set(item, Math.max(instant, last.get(item) ?? instant));
  }
  return last;
}

class EndDraft {
  readonly #ends = new Map<number, Map<number, RunEnd>>();

  note({ item, instant, end }: EndedRun): void {
    const items = this.#ends.get(instant) ?? new Map<number, RunEnd>();
    this.#ends.set(instant, items);
    if (end === 'failed' || !items.has(item)) items.set(item, end);
  }

  get record(): EndRecord {
    return { ends: this.#ends };
  }
}

const FAILED = 'failed';
const LINE = /^\s*(\d{1,15})(\s+failed)?\s*:(.*)/;
