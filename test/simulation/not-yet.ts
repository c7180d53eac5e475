/**
 * What the library does not do yet as the oracle demands. The oracle itself knows nothing of this list: campaigns leave
 * out faults that it names, and count them. An entry goes when its fault is mended.
 */
import { type History } from './history.js';
import { type Fault } from './oracle.js';

/** Faults that are known. */
export interface NotYet {
  /** Name of the rule that they break; `*`: any. */
  readonly rule: string;
  /** In which histories; absent: in all. */
  readonly of?: (history: History) => boolean;
  readonly because: string;
}

/** All faults that are known; none at present. */
export const NOT_YET: readonly NotYet[] = [];

/** Whether nothing is expected of a history yet. */
export function isExempt(history: History): boolean {
  return NOT_YET.some(({ rule, of }) => rule === '*' && of?.(history) === true);
}

/** The faults that are not known. */
export function unknownFaults(history: History, faults: readonly Fault[]): readonly Fault[] {
  const known = NOT_YET.filter(({ of }) => of?.(history) !== false);
  return faults.filter((fault) => !known.some(({ rule }) => rule === '*' || rule === fault.rule));
}
