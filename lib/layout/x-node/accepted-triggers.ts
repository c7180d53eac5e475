/**
 * The value of `x-node/triggered/{instance}`: the items for which the instance has accepted a trigger, and that no
 * instance has begun yet. It is written in the commit that accepts the trigger. The instance that owns an item when it
 * is free begins it, and removes it from this list in the commit that begins it. Java neither writes nor reads it.
 *
 * A line for each job parameter, in the order in which the triggers came; `all` if the trigger was for all items of the
 * instance:
 * ```
 * all: 0-3
 * waiting "only Beijing": 7
 * dropped: 4
 * ```
 * Item 4 was triggered, and could not be run any more, because an operator had disabled it, for example. That stays on
 * record until the item is triggered here again, or this instance is gone.
 */
import { ItemRanges, toRanges } from './item-ranges.js';
import { quotedText } from './quoted-text.js';

/** Items that wait for a manual run. */
export interface WaitingRun {
  /** The `jobParameter` of this run alone. */
  readonly jobParameter: string | undefined;
  /** True if the trigger was for all items of the instance, and that run has not begun. */
  readonly isForAll: boolean;
  readonly items: ReadonlySet<number>;
}

/** The triggers that one instance has accepted. */
export interface AcceptedTriggers {
  /** In the order in which the triggers came. */
  readonly waiting: readonly WaitingRun[];
  /** Items that could not be run any more. */
  readonly dropped: ReadonlySet<number>;
}

/** No trigger was accepted. */
export const NOTHING_ACCEPTED: AcceptedTriggers = { waiting: [], dropped: new Set() };

/** The text of the accepted triggers; empty if there are none. */
export function encodeAccepted({ waiting, dropped }: AcceptedTriggers): string {
  const lines = waiting.map(({ jobParameter, isForAll, items }) => {
    const parameter = jobParameter === undefined ? '' : ` ${JSON.stringify(jobParameter)}`;
    return `${isForAll ? 'all' : 'waiting'}${parameter}: ${toRanges(items)}`;
  });
  return [...lines, ...(dropped.size > 0 ? [`dropped: ${toRanges(dropped)}`] : [])].join('\n');
}

/** The inverse of `encodeAccepted`. It leaves out all lines that it cannot read. */
export function decodeAccepted(text: string): AcceptedTriggers {
  const waiting: WaitingRun[] = [];
  let dropped: ReadonlySet<number> = new Set();
  const ranges = new ItemRanges(LISTS);
  for (const line of text.split('\n')) {
    const [, kind, parameter, list] = LINE.exec(line) ?? [];
    const items = new Set(list === undefined ? [] : ranges.read(list));
    if (items.size === 0) continue;
    if (kind === 'dropped') dropped = items;
    else
      waiting.push({
        jobParameter: parameter === undefined ? undefined : quotedText(parameter),
        isForAll: kind === 'all',
        items,
      });
  }
  return { waiting, dropped };
}

/**
 * Number of times that the record may list all items of the largest job; a job of 1,000 items may wait with 1,600 job
 * parameters.
 */
const LISTS = 16;

const LINE = /^(all|waiting|dropped)(?: ("(?:[^"\\]|\\.)*"))?: ([\d,-]+)$/;

/**
 * True if all of this text is read back: no more items wait, each for several job parameters, than a record may list.
 */
export function isReadBack(text: string): boolean {
  return encodeAccepted(decodeAccepted(text)) === text;
}

/** Adds a trigger. Triggers with the same job parameter are one for an item that waits. */
export function withAccepted(
  { waiting, dropped }: AcceptedTriggers,
  { jobParameter, isForAll, items }: Omit<WaitingRun, 'items'> & { readonly items: readonly number[] },
): AcceptedTriggers {
  const isLike = (run: WaitingRun): boolean => run.jobParameter === jobParameter && run.isForAll === isForAll;
  const earlier = waiting.find(isLike);
  const run = { jobParameter, isForAll, items: new Set([...(earlier?.items ?? []), ...items]) };
  const others = earlier === undefined ? [...waiting, run] : waiting.map((each) => (each === earlier ? run : each));
  const added = new Set(items);
  return {
    waiting: others.filter((each) => each.items.size > 0),
    dropped: new Set([...dropped].filter((item) => !added.has(item))),
  };
}

/** Removes items that a manual run with this job parameter has begun; the remaining ones complete that run. */
export function withoutBegun(
  accepted: AcceptedTriggers,
  begun: ReadonlySet<number>,
  jobParameter: string | undefined,
): AcceptedTriggers {
  const waiting: WaitingRun[] = [];
  for (const run of accepted.waiting) {
    const isBegun = run.jobParameter === jobParameter && [...run.items].some((item) => begun.has(item));
    const items = isBegun ? new Set([...run.items].filter((item) => !begun.has(item))) : run.items;
    if (items.size > 0) waiting.push(isBegun ? { ...run, isForAll: false, items } : run);
  }
  return { ...accepted, waiting };
}

/** Removes items that cannot be run any more, and notes them as dropped. */
export function withDropped(accepted: AcceptedTriggers, items: ReadonlySet<number>): AcceptedTriggers {
  const dropped = new Set(accepted.dropped);
  const waiting = accepted.waiting.map((run) => ({
    ...run,
    items: new Set(
      [...run.items].filter((item) => {
        if (items.has(item)) dropped.add(item);
        return !items.has(item);
      }),
    ),
  }));
  return { waiting: waiting.filter((run) => run.items.size > 0), dropped };
}
