/**
 * Our own record of begun runs: the value of `x-node/fired/{instance}`.
 *
 * Before an instance runs items, it writes its record in the very commit that creates their `running` marks. An
 * instance that gets an item later, or takes over its crashed run, finds in the records of all instances the latest
 * instant for which the item was begun. Java neither writes nor reads it.
 *
 * One line for each instant, the latest first, with the items for which it is the last one begun; then, if there are
 * any, the items that were begun manually after that, and the items that a leader has re-added, with the last instant
 * before that:
 * ```
 * 1767225600000: 0-3,7
 * 1767225595000: 4
 * manual: 2
 * manual "only Beijing": 3
 * run 1767225605001: 5
 * earlier run 1767225605001: 6
 * returned 1767225600000: 4
 * rewritten
 * ```
 * Item 3 was begun manually with a job parameter of its own. Items 5 and 6 were begun for a run key (→ run-key.ts),
 * item 6 then for another firing. Run keys are a sequence of their own: an item runs for each, and for each instant of
 * its schedule. Item 4 was not in the assignment at 1767225600000, and is not to be run for that instant. It may still
 * run for 1767225595000. The last line states that the record was last written for another reason than a begin: it
 * proves no run since then.
 */

import { ItemRanges, toRanges } from './item-ranges.js';
import { quotedText } from './quoted-text.js';
import { isRunKey } from './run-key.js';

/** The runs that one instance, or several together, have begun. */
export interface BeginRecord {
  /** The last scheduled instant begun, in milliseconds since 1970, by item. */
  readonly instants: ReadonlyMap<number, number>;
  /** Items that were begun manually after that, with the `jobParameter` of that run if it had one of its own. */
  readonly manual: ReadonlyMap<number, string | undefined>;
  /**
   * For each item that the instance, as the leader, has re-added: the last scheduled instant before that, in
   * milliseconds since 1970, at which the item was not in the assignment. Removed when the item is begun for that
   * instant or a later one.
   */
  readonly returned: ReadonlyMap<number, number>;
  /** The last run key begun, in milliseconds since 1970, by item. */
  readonly keys: ReadonlyMap<number, number>;
  /** Items whose last run is the one for their run key. */
  readonly keyed: ReadonlySet<number>;
  /** True if it was last written for another reason than a begin: merged, undone, or for a new session. */
  readonly isRewritten?: boolean;
}

/** The record of an instance that has begun nothing. */
export const NOTHING_BEGUN: BeginRecord = {
  instants: new Map(),
  manual: new Map(),
  returned: new Map(),
  keys: new Map(),
  keyed: new Set(),
};

/** The text of a record. An empty record has an empty text. */
export function encodeBeginRecord({ instants, manual, returned, keys, keyed, isRewritten }: BeginRecord): string {
  const lines = linesOf(instants);
  const byParameter = new Map<string | undefined, number[]>();
  for (const [item, parameter] of manual) {
    const items = byParameter.get(parameter);
    if (items === undefined) byParameter.set(parameter, [item]);
    else items.push(item);
  }
  for (const [parameter, items] of byParameter)
    lines.push(`${MANUAL}${parameter === undefined ? '' : ` ${JSON.stringify(parameter)}`}: ${toRanges(items)}`);
  lines.push(...linesOf(returned).map((line) => `${RETURNED} ${line}`));
  const linesOfKeys = (word: string, isMeant: (item: number) => boolean): readonly string[] =>
    linesOf(new Map([...keys].filter(([item]) => isMeant(item)))).map((line) => `${word} ${line}`);
  lines.push(...linesOfKeys(RUN, (item) => keyed.has(item)), ...linesOfKeys(EARLIER, (item) => !keyed.has(item)));
  if (isRewritten === true && lines.length > 0) lines.push(REWRITTEN);
  return lines.join('\n');
}

/** The text of the same record, written for another reason than a begin. */
export function rewritten(text: string): string {
  return text === '' || text.endsWith(REWRITTEN) ? text : `${text}\n${REWRITTEN}`;
}

/** A line for each instant, the latest first. */
function linesOf(instants: ReadonlyMap<number, number>): string[] {
  const itemsByInstant = new Map<number, number[]>();
  for (const [item, instant] of instants) {
    const items = itemsByInstant.get(instant);
    if (items === undefined) itemsByInstant.set(instant, [item]);
    else items.push(item);
  }
  return [...itemsByInstant]
    .sort(([one], [other]) => other - one)
    .map(([instant, items]) => `${instant}: ${toRanges(items)}`);
}

/**
 * The inverse of `encodeBeginRecord`. It leaves out all lines that it cannot read; if an item occurs twice, the later
 * instant counts.
 */
export function decodeBeginRecord(text: string): BeginRecord {
  const instants = new Map<number, number>();
  const manual = new Map<number, string | undefined>();
  const returned = new Map<number, number>();
  const keys = new Map<number, number>();
  const keyed = new Set<number>();
  const ranges = new ItemRanges(LISTS);
  let isRewritten = false;
  for (const line of text.split('\n')) {
    if (line.trim() === REWRITTEN) isRewritten = true;
    const [, kind, instant, parameter, list] = LINE.exec(line.trimEnd()) ?? [];
    if (list === undefined) continue;
    for (const item of ranges.read(list)) {
      if (instant === undefined) manual.set(item, parameter === undefined ? undefined : quotedText(parameter));
      else noteLater(kind === undefined ? instants : kind === RETURNED ? returned : keys, item, Number(instant));
      if (kind === RUN) keyed.add(item);
    }
  }
  const record = { instants, manual, returned, keys, keyed };
  return isRewritten ? { ...record, isRewritten } : record;
}

function noteLater(instants: Map<number, number>, item: number, instant: number): void {
  instants.set(item, Math.max(instant, instants.get(item) ?? instant));
}

/** All records as one. Those that have not been read (`undefined`) are left out. */
export function mergeBeginRecords(records: Iterable<BeginRecord | undefined>): BeginRecord {
  const known = [...records].filter((record) => record !== undefined);
  const instants = new Map<number, number>();
  const latestReturned = new Map<number, number>();
  const keys = new Map<number, number>();
  for (const record of known) {
    for (const [item, instant] of record.instants) noteLater(instants, item, instant);
    for (const [item, instant] of record.returned) noteLater(latestReturned, item, instant);
    for (const [item, key] of record.keys) noteLater(keys, item, key);
  }
  const manual = new Map<number, string | undefined>();
  for (const record of known)
    for (const [item, parameter] of record.manual)
      if (record.instants.get(item) === instants.get(item)) manual.set(item, parameter);
  const returned = [...latestReturned].filter(([item, instant]) => (instants.get(item) ?? -Infinity) < instant);
  const keyed = known.flatMap((record) => [...record.keyed].filter((item) => record.keys.get(item) === keys.get(item)));
  return { instants, manual, returned: new Map(returned), keys, keyed: new Set(keyed) };
}

/**
 * The last instants, in milliseconds since 1970, for which the items are not to be run any more: because they were
 * begun for them, or re-added after them.
 */
export function lastInstants({ instants, returned }: BeginRecord): ReadonlyMap<number, number> {
  return new Map([...instants, ...returned]);
}

/** The firing that items are begun for. */
export interface BegunFor {
  /** The scheduled instant, or the run key, in milliseconds since 1970; `undefined` for a manual run. */
  readonly instant: number | undefined;
  /** The `jobParameter` of this manual run alone. */
  readonly jobParameter?: string | undefined;
}

/** The record after these items have been begun. `known`: the last instants that any instance has begun them for. */
export function withBegun(
  record: BeginRecord,
  items: readonly number[],
  { instant, jobParameter }: BegunFor,
  known: ReadonlyMap<number, number>,
): BeginRecord {
  const keyed = new Set(record.keyed);
  for (const item of items) keyed.delete(item);
  if (instant !== undefined && isRunKey(instant)) return withKey(record, items, instant);
  const instants = new Map(record.instants);
  const manual = new Map(record.manual);
  const returned = new Map(record.returned);
  for (const item of items) {
    // A manual run keeps the item's last scheduled instant: of two records with that instant, the one marked manual is
    // newer.
    const last = instant ?? known.get(item);
    if (last !== undefined) {
      instants.set(item, last);
      if ((returned.get(item) ?? Infinity) <= last) returned.delete(item);
    }
    if (instant === undefined) manual.set(item, jobParameter);
    else manual.delete(item);
  }
  return {
    ...{ instants, manual, returned, keyed },
    keys: record.keys,
    ...(instant === undefined && record.isRewritten === true && { isRewritten: true }),
  };
}

/** A run for a key keeps the last scheduled instant, as a manual one does. */
function withKey(record: BeginRecord, items: readonly number[], key: number): BeginRecord {
  const manual = new Map(record.manual);
  for (const item of items) manual.delete(item);
  return {
    ...{ instants: record.instants, manual, returned: record.returned },
    keys: new Map([...record.keys, ...items.map((item) => [item, key] as const)]),
    keyed: new Set([...record.keyed, ...items]),
    ...(record.isRewritten === true && { isRewritten: true }),
  };
}

/** The record with the job parameters of only those manual runs that an instance may still have to take over. */
export function withParametersOf(record: BeginRecord, isNeeded: (item: number) => boolean): BeginRecord {
  const manual = [...record.manual].map(([item, parameter]) => [item, isNeeded(item) ? parameter : undefined] as const);
  return { ...record, manual: new Map(manual) };
}

/**
 * The record after the leader has re-added these items, which were not in the assignment at `instant` (milliseconds
 * since 1970).
 */
export function withReturned(record: BeginRecord, items: readonly number[], instant: number): BeginRecord {
  return { ...record, returned: new Map([...record.returned, ...items.map((item) => [item, instant] as const)]) };
}

/** The record without the begin of these items since it was `former`. */
export function withoutBegun(record: BeginRecord, items: readonly number[], former: BeginRecord): BeginRecord {
  const instants = new Map(record.instants);
  const manual = new Map(record.manual);
  const returned = new Map(record.returned);
  const keys = new Map(record.keys);
  const keyed = new Set(record.keyed);
  for (const item of items) {
    const key = former.keys.get(item);
    if (key === undefined) keys.delete(item);
    else keys.set(item, key);
    if (former.keyed.has(item)) keyed.add(item);
    else keyed.delete(item);
    const instant = former.instants.get(item);
    if (instant === undefined) instants.delete(item);
    else instants.set(item, instant);
    if (former.manual.has(item)) manual.set(item, former.manual.get(item));
    else manual.delete(item);
    const absentUntil = former.returned.get(item);
    // The leader may have re-added the item once more meanwhile.
    if (absentUntil !== undefined) noteLater(returned, item, absentUntil);
  }
  return { instants, manual, returned, keys, keyed, isRewritten: true };
}

/** An item occurs once among the instants, the manual runs, the re-added items and the run keys. */
const LISTS = 4;

const MANUAL = 'manual';
const RETURNED = 'returned';
const REWRITTEN = 'rewritten';
const RUN = 'run';
const EARLIER = 'earlier run';
const LINE = /^\s*(?:(?:(returned|run|earlier run)\s+)?(\d{1,15})|manual(?:\s+("(?:[^"\\]|\\.)*"))?)\s*:(.*)/;
