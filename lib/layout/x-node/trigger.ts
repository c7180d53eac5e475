/**
 * The value of `trigger/{instance}`, whose presence makes that instance run its items once. It is empty, as Java writes it, or
 * says what this run alone is given, and which items it is for: `{"jobParameter":"only Beijing","items":"0-3,7"}`. Java
 * instances do not read it.
 */
import { describeValue, isMap } from '../../api/text/describe-value.js';
import { storedTextProblem } from '../../api/text/stored-text.js';
import { fromRanges, toRanges } from './item-ranges.js';

/** What one manual firing is told. */
export interface Trigger {
  /** Default: that of the settings. */
  readonly jobParameter?: string;
  /** The only items that are run, of those the instance owns. Default: all. */
  readonly items?: readonly number[];
}

/** The text for a trigger. */
export function encodeTrigger({ jobParameter, items }: Trigger): string {
  if (jobParameter === undefined && items === undefined) return '';
  return JSON.stringify({ jobParameter, items: items && toRanges(items) });
}

/** The inverse of `encodeTrigger`; a text that cannot be read is a trigger without anything of its own. */
export function decodeTrigger(text: string): Trigger {
  const { jobParameter, items } = fieldsOf(text);
  const numbers = typeof items === 'string' ? fromRanges(items) : [];
  return {
    ...(typeof jobParameter === 'string' && { jobParameter }),
    ...(numbers.length > 0 && { items: numbers }),
  };
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
  const { jobParameter } = one;
  if (jobParameter !== other.jobParameter) return undefined;
  const parameter = jobParameter === undefined ? {} : { jobParameter };
  if (one.items === undefined || other.items === undefined) return parameter;
  return { ...parameter, items: [...new Set([...one.items, ...other.items])].sort((a, b) => a - b) };
}

/** Whether one trigger asks for all that the other one asks for. */
export function covers(one: Trigger, other: Trigger): boolean {
  const merged = mergedTriggers(one, other);
  return merged !== undefined && encodeTrigger(merged) === encodeTrigger(one);
}

/** It is stored with each instance's record of what it runs, so that it outlives a crash. */
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
