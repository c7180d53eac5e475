import { toRanges } from '../../../layout/x-node/item-ranges.js';
import { type Explanation as Found, type Reason } from '../../../operations/explain/explanation.js';
import { type ExplainedReason, type Explanation } from '../../contract/jobs.js';

/** An explanation in the form of the contract. @param timeZone of the job's schedule */
export function explained({ reason, others, limits, instant }: Found, timeZone: string | undefined): Explanation {
  return {
    sentence: reason.sentence,
    reason: explainedReason(reason),
    others: others.map(explainedReason),
    unknown: limits,
    ...(instant && { at: instant.getTime() }),
    ...(timeZone !== undefined && { timeZone }),
  };
}

function explainedReason({ type, code, values, sentence, items, holds, cure, remedy }: Reason): ExplainedReason {
  return {
    ...{ type, code, values, sentence, holds, items: shortened(toRanges(items)) },
    ...(remedy &&
      cure !== undefined && {
        cure: {
          ...{ code: remedy.code, values, sentence: cure },
          ...(remedy.command !== undefined && { command: remedy.command }),
        },
      }),
  };
}

/** The longest list of items that a page shows, in characters. */
const LONGEST = 200;

const shortened = (ranges: string): string =>
  ranges.length <= LONGEST ? ranges : `${ranges.slice(0, ranges.lastIndexOf(',', LONGEST))},…`;
