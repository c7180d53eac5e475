/**
 * The value of `trigger/{instance}`, whose presence makes that instance run its items once. It is empty, as Java writes
 * it, or has the job parameter of this run alone, and its items: `{"jobParameter":"only Beijing","items":"0-3,7"}`. A
 * trigger for all items lists those that the instance had when it was written (`"all":true`), so that an item that
 * moves before the trigger is accepted is run once all the same. If it is for all items that the instance owns when it
 * accepts the trigger, `"also":"3"` lists those of another trigger that was merged into it. Java instances do not read
 * it.
 */
import { type Wording, wording } from '../../wording/wording.js';
import { describeValue, withValue, isMap } from '../../api/text/describe-value.js';
import { storedTextProblem } from '../../api/text/stored-text.js';
import { fromRanges, isReadWhole, toRanges } from './item-ranges.js';

/** Job parameter and items of one manual firing. */
export interface Trigger {
  /** Default: that of the settings. */
  readonly jobParameter?: string;
  /** The only items that are run. Default: all that the instance owns when it accepts the trigger. */
  readonly items?: readonly number[];
  /** True if the trigger is for all items of the instance; `items` then has those at the time of writing, if it is set. */
  readonly isForAll: boolean;
  /**
   * Only without `items`: these are run, too, although the instance may not own them any more when it accepts the
   * trigger.
   */
  readonly also?: readonly number[];
}

/** The text for a trigger. */
export function encodeTrigger({ jobParameter, items, isForAll, also }: Trigger): string {
  if (jobParameter === undefined && items === undefined && also === undefined) return '';
  return JSON.stringify({
    jobParameter,
    items: items && toRanges(items),
    all: (items !== undefined && isForAll) || undefined,
    also: also && toRanges(also),
  });
}

/** Reason for which the text of a trigger cannot be run, in words that follow the text. */
export interface UnreadableTrigger {
  readonly problem: string;
}

/**
 * The inverse of `encodeTrigger`. `TRIGGER`, which the manuals have in the node of an instance, counts as empty too.
 * Any other text that is not wholly understood is unreadable: it may have been meant for fewer items than all.
 */
export function decodeTrigger(text: string): Trigger | UnreadableTrigger {
  if (isTriggerText(text) || text.trim() === '') return { isForAll: true };
  const fields = fieldsOf(text);
  if (fields === undefined) return { problem: 'is no JSON object' };
  const problem = problemIn(fields);
  if (problem !== undefined) return { problem };
  const { jobParameter, items, all, also } = fields as { readonly [Key in keyof typeof FIELDS]?: never };
  return {
    ...(jobParameter !== undefined && { jobParameter }),
    ...(items !== undefined && { items: fromRanges(items) }),
    isForAll: items === undefined || all === true,
    ...(also !== undefined && { also: fromRanges(also) }),
  };
}

/** True if a text triggers an instance in the words of the manuals. */
export function isTriggerText(text: string): boolean {
  return text.trim() === 'TRIGGER';
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The values that the fields may have. */
const FIELDS = {
  jobParameter: { is: (value: unknown) => typeof value === 'string', what: 'a text' },
  items: { is: isRanges, what: "items such as '0-3,7'" },
  all: { is: (value: unknown) => typeof value === 'boolean', what: 'true or false' },
  also: { is: isRanges, what: "items such as '0-3,7'" },
} as const;

function problemIn(fields: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.keys(fields).find((key) => !Object.hasOwn(FIELDS, key));
  if (unknown !== undefined) return `has the unknown key ${describeValue(unknown)}`;
  const wrong = Object.entries(FIELDS).find(([key, { is }]) => fields[key] !== undefined && !is(fields[key]));
  if (wrong !== undefined) return `must have ${wrong[1].what} as '${wrong[0]}'`;
  const { items, all, also } = fields;
  if (items !== undefined && also !== undefined) return "must not have both 'items' and 'also'";
  return (items === undefined ? all === false : items === '' && all !== true) ? 'is for no item' : undefined;
}

function isRanges(value: unknown): boolean {
  return typeof value === 'string' && (value === '' || isReadWhole(value));
}

/**
 * One trigger for everything that both request, and for nothing else.
 * @returns `undefined` if there is none: their job parameters differ
 */
export function mergedTriggers(one: Trigger, other: Trigger): Trigger | undefined {
  if (one.jobParameter !== other.jobParameter) return undefined;
  const parameter = one.jobParameter === undefined ? {} : { jobParameter: one.jobParameter };
  const isForAll = one.isForAll || other.isForAll;
  const listed = [one, other].flatMap(({ items = [], also = [] }) => [...items, ...also]);
  const numbers = [...new Set(listed)].sort((a, b) => a - b);
  if (one.items !== undefined && other.items !== undefined) return { ...parameter, items: numbers, isForAll };
  return { ...parameter, isForAll, ...(numbers.length > 0 && { also: numbers }) };
}

/**
 * Merges a trigger with the one that a node has already. A text that cannot be read is no trigger, and the other takes
 * its place.
 * @returns `undefined` if they cannot be merged: their job parameters differ
 */
export function withEarlier(text: string, own: Trigger): Trigger | undefined {
  const earlier = decodeTrigger(text);
  return 'problem' in earlier ? own : mergedTriggers(earlier, own);
}

/** The text as `encodeTrigger` writes it: two triggers that request the same have one text. */
export function rewrittenTrigger(text: string): string {
  const trigger = decodeTrigger(text);
  return 'problem' in trigger ? text : encodeTrigger(trigger);
}

/** Limited because an instance stores it in its record as long as the run may have to be taken over. */
const LONGEST_PARAMETER = 10_000;

/**
 * Checks the job parameter of a trigger.
 * @returns the problem, in words that follow its name, or undefined
 */
export function triggerParameterProblem(value: unknown): Wording | undefined {
  if (typeof value !== 'string') return withValue(wording('text'), value, 'hidden');
  if (value.length > LONGEST_PARAMETER)
    return wording('trigger-long', { most: LONGEST_PARAMETER, length: value.length });
  return storedTextProblem(value);
}

/**
 * Checks the items of a trigger.
 * @returns the problem, in words that follow their name, or undefined
 */
export function triggerItemsProblem(value: unknown): Wording | undefined {
  const isList = Array.isArray(value) && value.length > 0 && value.every((item) => Number.isInteger(item) && item >= 0);
  return isList ? undefined : withValue(wording('trigger-items'), value);
}
