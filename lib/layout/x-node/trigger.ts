/**
 * The value of `trigger/{instance}`, whose presence makes that instance run its items once. It is empty, as Java writes it, or
 * has what this run alone is given: `{"jobParameter":"only Beijing"}`. Java instances do not read it.
 */
import { isMap } from '../../api/describe-value.js';

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
