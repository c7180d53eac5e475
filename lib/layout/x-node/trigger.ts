/**
 * The value of `trigger/{instance}`, whose presence makes that instance run its items once. It is empty, as Java writes it, or
 * says what this run alone is given, and which items it is for: `{"jobParameter":"only Beijing","items":"0-3,7"}`. A
 * trigger for all items lists those that the instance had when it was written (`"all":true`), so that an item that
 * moves before the trigger is accepted is run once all the same. If it is for all items that the instance owns when it
 * accepts the trigger, `"also":"3"` lists those of another trigger that was merged into it. Java instances do not read
 * it.
 */
import { describeValue, isMap } from '../../api/text/describe-value.js';
import { storedTextProblem } from '../../api/text/stored-text.js';
import { fromRanges, toRanges } from './item-ranges.js';

/** What one manual firing is told. */
export interface Trigger {
  /** Default: that of the settings. */
  readonly jobParameter?: string;
  /** The only items that are run. Default: all that the instance owns when it accepts the trigger. */
  readonly items?: readonly number[];
  /** Whether the trigger is for all items of the instance; some only if `items` says so. */
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

/** The inverse of `encodeTrigger`; a text that cannot be read is a trigger without anything of its own. */
export function decodeTrigger(text: string): Trigger {
  const { jobParameter, items, all, also } = fieldsOf(text);
  const numbers = numbersIn(items);
  const isListed = numbers.length > 0 || (items === '' && all === true);
  const others = isListed ? [] : numbersIn(also);
  return {
    ...(typeof jobParameter === 'string' && { jobParameter }),
    ...(isListed && { items: numbers }),
    isForAll: !isListed || all === true,
    ...(others.length > 0 && { also: others }),
  };
}

function numbersIn(ranges: unknown): readonly number[] {
  return typeof ranges === 'string' ? fromRanges(ranges) : [];
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * One trigger that asks for all that both ask for, and for nothing else.
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

/** An instance stores it in its record as long as the run may have to be taken over, so that it outlives a crash. */
const LONGEST_PARAMETER = 10_000;

/**
 * Checks the job parameter of a trigger.
 * @returns the problem, in words that follow its name, or undefined
 */
export function triggerParameterProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return `must be a text, got ${describeValue(value, 'hidden')}`;
  if (value.length > LONGEST_PARAMETER)
    return `must have at most ${LONGEST_PARAMETER} characters, got ${value.length}: store the data where all instances can read it`;
  return storedTextProblem(value);
}

/**
 * Checks the items of a trigger.
 * @returns the problem, in words that follow their name, or undefined
 */
export function triggerItemsProblem(value: unknown): string | undefined {
  const isList = Array.isArray(value) && value.length > 0 && value.every((item) => Number.isInteger(item) && item >= 0);
  return isList ? undefined : `must be a list of at least one item, such as [0, 3], got ${describeValue(value)}`;
}
