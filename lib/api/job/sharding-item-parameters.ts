import { type Wording, wording, type WordingValue } from '../../wording/wording.js';
import { describedValue, isMap, legible } from '../text/describe-value.js';
import { storedTextProblem } from '../text/stored-text.js';

/**
 * Parameters of a job's items as users write them: by item, `{ 0: 'Beijing', 1: 'a,b' }`, as a list that begins with
 * item 0, `['Beijing', 'a,b']`, or as the text that is stored, `0=Beijing,1=Shanghai`.
 */
export type ItemParameters = string | Readonly<Record<number, ItemParameter>> | readonly ItemParameter[];

/** The parameter of one item. Numbers and booleans count as texts. */
export type ItemParameter = string | number | boolean;

/**
 * Checks the parameters of a job's items in all forms.
 * @param shardingTotalCount the number of items; items from it on are refused
 * @returns the problem, as a requirement, or undefined
 */
export function itemParametersProblem(given: unknown, shardingTotalCount: unknown): Wording | undefined {
  if (typeof given === 'string') return storedTextProblem(given) ?? textProblem(given, shardingTotalCount);
  const entries = entriesOf(given);
  if (entries === undefined) return wording('items-form');
  // Also keys without a value: in `{0=a, 1=b}` YAML sees two of these.
  const strange = isMap(given) ? Object.keys(given).find((key) => !ITEM.test(key)) : undefined;
  if (strange !== undefined) return wording('items-form-number', { key: legible(strange) });
  for (const [key, value] of entries) {
    if (!isParameter(value)) return wording('items-form-value', { item: key, got: described(value) });
    const problem = storedTextProblem(String(value));
    if (problem !== undefined) return wording('as-item', { problem, item: key });
  }
  return (
    totalProblem(new Set(entries.map(([key]) => Number(key))), shardingTotalCount) ??
    storedTextProblem(itemParametersText(given as ItemParameters))
  );
}

/**
 * The text that is stored for parameters without a problem: `0=Beijing,1=Shanghai`, which Java reads too, or JSON if
 * one of them has a comma, an equals sign or blanks at its ends, or is empty.
 */
export function itemParametersText(given: ItemParameters): string {
  if (typeof given === 'string') return given;
  const entries = (entriesOf(given) ?? []).map(([item, value]) => [item, String(value)] as const);
  return entries.some(([, value]) => value === '' || /[,=]|^[\p{Cc}\s]|[\p{Cc}\s]$/u.test(value))
    ? JSON.stringify(Object.fromEntries(entries))
    : entries.map((entry) => entry.join('=')).join(',');
}

const ITEM = /^(?:0|[1-9]\d{0,9})$/;

/** Parameters by item of a list or of keys with values; a key without a value counts as left out. */
function entriesOf(given: unknown): readonly (readonly [string, unknown])[] | undefined {
  // From() makes the holes of a sparse list `undefined`, which is refused.
  if (Array.isArray(given)) return Array.from(given, (value: unknown, item) => [String(item), value] as const);
  return isMap(given) ? Object.entries(given).filter(([, value]) => value !== undefined && value !== null) : undefined;
}

function isParameter(value: unknown): value is ItemParameter {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function described(value: unknown): WordingValue {
  return describedValue(value, Array.isArray(value) ? 'hidden' : 'shown');
}

/**
 * Checks `0=Beijing,1=Shanghai`. Java reads the text by the same rules, but late, when the job fires (see
 * `readItemParameters` in lib/layout); so everything that Java would refuse then is refused here, and also mistakes
 * that it would ignore. A text that begins with `{` is JSON, which only this library reads.
 */
function textProblem(text: string, shardingTotalCount: unknown): Wording | undefined {
  if (isJsonOfItems(text)) {
    const parameters = jsonOfItems(text);
    return 'code' in parameters ? parameters : totalProblem(new Set(parameters.keys()), shardingTotalCount);
  }
  const items = new Set<number>();
  for (const piece of pieces(text)) {
    const [key = '', value = '', ...rest] = piece.split('=').map((side) => side.trim());
    if (key === '' || value === '' || rest.length > 0) return wording('items-piece', { piece: legible(piece) });
    if (!/^\+?\d{1,10}$/.test(key)) return wording('items-number', { key: legible(key) });
    if (items.has(Number(key))) return wording('items-twice', { item: Number(key) });
    items.add(Number(key));
  }
  return totalProblem(items, shardingTotalCount);
}

/**
 * Finds texts that Java reads without an error, but perhaps not as they were meant.
 * @returns a clause for each, with Java's reading of the text
 */
export function itemParametersDoubts(text: string): readonly Wording[] {
  if (isJsonOfItems(text)) return [wording('doubt-json')];
  const odd = pieces(text)
    .map((piece) => (piece.split('=')[0] ?? '').trim())
    .filter((key) => /^(\+|0\d)/.test(key));
  return [
    ...(text.endsWith(',') ? [wording('doubt-commas', { text: legible(text) })] : []),
    ...odd.map((key) => wording('doubt-item', { key, item: Number(key) })),
  ];
}

/**
 * True if parameters are written as JSON, `{"0":"a,b"}`. Java refuses all such texts, for no item's number begins with
 * `{`.
 */
export function isJsonOfItems(text: string): boolean {
  return text.trimStart().startsWith('{');
}

/**
 * The parameters by item of a text in JSON, whose values may have commas and equals signs.
 * @returns the problem with the text, as a requirement, if it is not a map of texts by the numbers of items
 */
export function jsonOfItems(text: string): ReadonlyMap<number, string> | Wording {
  const entries = entriesOfJson(text);
  if (entries === undefined) return wording('items-json');
  const [strange] = entries.filter(([key]) => !ITEM.test(key));
  if (strange !== undefined) return wording('items-json-number', { key: legible(strange[0]) });
  const parameters = new Map<number, string>();
  for (const [key, value] of entries) {
    if (typeof value !== 'string') return wording('items-json-value', { item: key });
    parameters.set(Number(key), value);
  }
  return parameters;
}

function entriesOfJson(text: string): readonly (readonly [string, unknown])[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? Object.entries(value) : undefined;
  } catch {
    return undefined;
  }
}

/** As Java splits the text: empty pieces at the end do not count. */
function pieces(text: string): readonly string[] {
  const list = text.replace(/(?<!,),+$/, '');
  return list === '' ? [] : list.split(',');
}

function totalProblem(items: ReadonlySet<number>, shardingTotalCount: unknown): Wording | undefined {
  if (!Number.isInteger(shardingTotalCount)) return undefined;
  const total = shardingTotalCount as number;
  const beyond = [...items].find((item) => item >= total);
  if (beyond === undefined || total < 1) return undefined;
  return wording('items-beyond', { last: total - 1, total, item: beyond });
}
