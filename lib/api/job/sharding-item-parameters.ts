import { describeValue, isMap, legible } from '../text/describe-value.js';
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
export function itemParametersProblem(given: unknown, shardingTotalCount: unknown): string | undefined {
  if (typeof given === 'string') return storedTextProblem(given) ?? textProblem(given, shardingTotalCount);
  const entries = entriesOf(given);
  if (entries === undefined) return `must be ${FORMS}`;
  // Also keys without a value: in `{0=a, 1=b}` YAML sees two of these.
  const strange = isMap(given) ? Object.keys(given).find((key) => !ITEM.test(key)) : undefined;
  if (strange !== undefined) return `must be ${FORMS}, but '${legible(strange)}' is not the number of an item`;
  for (const [key, value] of entries) {
    if (!isParameter(value)) return `must be ${FORMS}, but the parameter of item ${key} is ${described(value)}`;
    const problem = storedTextProblem(String(value));
    if (problem !== undefined) return `${problem}, as the parameter of item ${key} does`;
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

const FORMS = "a text like '0=Beijing,1=Shanghai', a list of texts, or texts by item (0: Beijing)";
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

function described(value: unknown): string {
  return Array.isArray(value) ? 'a list' : describeValue(value);
}

/**
 * Checks `0=Beijing,1=Shanghai`. Java reads the text by the same rules, but late, when the job fires (see
 * `readItemParameters` in lib/layout); so everything that Java would refuse then is refused here, and mistakes that it
 * would ignore too. A text that begins with `{` is JSON, which only this library reads.
 */
function textProblem(text: string, shardingTotalCount: unknown): string | undefined {
  if (isJsonOfItems(text)) {
    const parameters = jsonOfItems(text);
    return typeof parameters === 'string' ? parameters : totalProblem(new Set(parameters.keys()), shardingTotalCount);
  }
  const items = new Set<number>();
  for (const piece of pieces(text)) {
    const [key = '', value = '', ...rest] = piece.split('=').map((side) => side.trim());
    if (key === '' || value === '' || rest.length > 0)
      return unlike(`'${legible(piece)}' is not of the form item=parameter`);
    if (!/^\+?\d{1,10}$/.test(key)) return unlike(`'${legible(key)}' is not the number of an item`);
    if (items.has(Number(key))) return unlike(`item ${Number(key)} has two parameters`);
    items.add(Number(key));
  }
  return totalProblem(items, shardingTotalCount);
}

/**
 * Texts that Java reads without an error, but perhaps not as they were meant.
 * @returns a clause for each, saying how the text is read
 */
export function itemParametersDoubts(text: string): readonly string[] {
  if (isJsonOfItems(text))
    return [
      'Java instances cannot run the job, because Java ElasticJob refuses shardingItemParameters in JSON, which only Node reads',
    ];
  const odd = pieces(text)
    .map((piece) => (piece.split('=')[0] ?? '').trim())
    .filter((key) => /^(\+|0\d)/.test(key));
  return [
    ...(text.endsWith(',')
      ? [
          `the commas at the end of shardingItemParameters '${legible(text)}' have no effect: no item gets an empty parameter`,
        ]
      : []),
    ...odd.map((key) => `shardingItemParameters names item '${key}', which is read as item ${Number(key)}`),
  ];
}

/** Whether parameters are written as JSON, `{"0":"a,b"}`. Java refuses all such texts, for no item's number begins with `{`. */
export function isJsonOfItems(text: string): boolean {
  return text.trimStart().startsWith('{');
}

/**
 * The parameters by item of a text in JSON, whose values may have commas and equals signs.
 * @returns the problem with the text, as a requirement, if it is not a map of texts by the numbers of items
 */
export function jsonOfItems(text: string): ReadonlyMap<number, string> | string {
  const entries = entriesOfJson(text);
  if (entries === undefined) return `must be like ${JSON_FORM}, but is not valid JSON`;
  const [strange] = entries.filter(([key]) => !ITEM.test(key));
  if (strange !== undefined)
    return `must be like ${JSON_FORM}, but '${legible(strange[0])}' is not the number of an item`;
  const parameters = new Map<number, string>();
  for (const [key, value] of entries) {
    if (typeof value !== 'string') return `must be like ${JSON_FORM}, but the parameter of item ${key} is not a text`;
    parameters.set(Number(key), value);
  }
  return parameters;
}

const JSON_FORM = `'{"0":"Beijing","1":"a,b"}'`;

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

function unlike(complaint: string): string {
  return `must be like '0=Beijing,1=Shanghai', but ${complaint}`;
}

function totalProblem(items: ReadonlySet<number>, shardingTotalCount: unknown): string | undefined {
  if (!Number.isInteger(shardingTotalCount)) return undefined;
  const total = shardingTotalCount as number;
  const beyond = [...items].find((item) => item >= total);
  if (beyond === undefined || total < 1) return undefined;
  return `must only name items from 0 to ${total - 1}, as shardingTotalCount is ${total}, but names item ${beyond}`;
}
