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

const hasOnceListener = ({ onceListener }: History): boolean => onceListener !== undefined;
/** Whether firings that come while a firing is in progress are dropped, for some time at least. */
const dropsFirings = (history: History): boolean =>
  hasOnceListener(history) &&
  (!history.job.misfire || history.steps.some((step) => step.type === 'reconfigure' && step.change.misfire === false));

/** All faults that are known. */
export const NOT_YET: readonly NotYet[] = [
  { rule: 'itemsAfterLastCall', because: 'a call is made although an item of its firing is still to come: seed 182' },
  { rule: 'earlyItems', because: 'seen beside the rule above' },
  { rule: 'unorderedCalls', because: 'the calls before two firings change places after an outage: seed 947' },
  ...['unquietFirings', 'unrest', 'quietCalls', 'requests'].map((rule) => ({
    ...{ rule, of: dropsFirings },
    because: 'instances that wait for each other by turns drop every other firing for ever',
  })),
];

/** Whether nothing is expected of a history yet. */
export function isExempt(history: History): boolean {
  return NOT_YET.some(({ rule, of }) => rule === '*' && of?.(history) === true);
}

/** The faults that are not known. */
export function unknownFaults(history: History, faults: readonly Fault[]): readonly Fault[] {
  const known = NOT_YET.filter(({ of }) => of?.(history) !== false);
  return faults.filter((fault) => !known.some(({ rule }) => rule === '*' || rule === fault.rule));
}
