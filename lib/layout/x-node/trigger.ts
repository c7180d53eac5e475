/**
 * The value of `trigger/{instance}`, whose presence makes that instance run its items once. It is empty, as Java writes it, or
 * has what this run alone is given: `{"jobParameter":"only Beijing"}`. Java instances do not read it.
 */
import { describeValue, isMap } from '../../api/text/describe-value.js';
import { storedTextProblem } from '../../api/text/stored-text.js';

/** What one manual firing is given instead of what the job's settings say. */
export interface Trigger {
  /** Default: that of the settings. */
  readonly jobParameter?: string;
}

/** The text for a trigger. */
export function encodeTrigger({ jobParameter }: Trigger): string {
  return jobParameter === undefined ? '' : JSON.stringify({ jobParameter });
}

/** The inverse of `encodeTrigger`; a text that cannot be read is a trigger without anything of its own. */
export function decodeTrigger(text: string): Trigger {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) && typeof value['jobParameter'] === 'string' ? { jobParameter: value['jobParameter'] } : {};
  } catch {
    return {};
  }
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
