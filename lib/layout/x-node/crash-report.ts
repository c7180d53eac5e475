/**
 * The value of `x-node/crashed/{item}`: the run that was cut short. It is written down because by the time an instance
 * takes the item over, its owner may have begun it for a later firing. Java neither writes nor reads it.
 *
 * It is the scheduled instant in milliseconds since 1970, `unknown`, or for a manual run with a job parameter of its
 * own `manual "only Beijing"`.
 */

import { quotedText } from './quoted-text.js';

/** A run that was cut short. */
export interface CrashedRun {
  /**
   * The scheduled instant in milliseconds since 1970; `undefined` if the item was run manually, or no instance knows.
   */
  readonly instant: number | undefined;
  /** The `jobParameter` of this manual run alone; `undefined` if it had none. */
  readonly jobParameter: string | undefined;
}

const UNKNOWN = 'unknown';
const MANUAL = 'manual ';

/** The text for a run. */
export function encodeCrash({ instant, jobParameter }: CrashedRun): string {
  if (instant !== undefined) return String(instant);
  return jobParameter === undefined ? UNKNOWN : MANUAL + JSON.stringify(jobParameter);
}

/** The inverse of `encodeCrash`; a text that cannot be read is a run without known facts. */
export function decodeCrash(text: string): CrashedRun {
  if (/^\d{1,15}$/.test(text)) return { instant: Number(text), jobParameter: undefined };
  return {
    instant: undefined,
    jobParameter: text.startsWith(MANUAL) ? quotedText(text.slice(MANUAL.length)) : undefined,
  };
}
