import { type Story } from './golden-records.js';
import { toRanges } from '../../../../lib/layout/x-node/item-ranges.js';
import { only, type Portrait } from './portrait.js';

/**
 * Converts the recorded nodes of Java into those of Node. Every byte is the same; only the times at which some come and
 * go differ. This is all of it:
 * - Java's leader only notes that items are to be assigned, which is done at the next firing. Node's assigns them at
 *   once.
 * - Java holds a latch while it makes a call of a distribute-once listener. Node does so only where Java instances
 *   live.
 * - Java marks items as running after the listeners that are called before. Node marks them first, lest one be
 *   forgotten whose instance dies in such a call.
 * - Java marks what missed a firing when its run ends, for the next firing to make good, whether or not the job is to
 *   make it good. Node marks it at once, makes it good as soon as the run ends, and marks nothing if that is not
 *   wanted.
 * - Java triggers an instance by a node without a value. Node lists the items that the instance has, where no Java
 *   instance has items that are about to move.
 * - Java names who is to run next of a job of one item with SINGLE_SHARDING_BALANCE. Node goes by the assignment, and
 *   beside Java takes that note away, lest a firing be run twice or never.
 */
export function asNodeLeavesIt(java: Story): Story {
  return mapped(java, (moments) => {
    const names = Object.keys(moments);
    const portraits = Object.values(moments);
    return Object.fromEntries(names.map((name, index) => [name, ofNode(portraits.slice(index))]));
  });
}

function ofNode([now = {}, ...later]: readonly Portrait[]): Portrait {
  const next = later[0] ?? {};
  let portrait = without(now, /^\/(guarantee\/(started|completed)-latch(\/|$)|next-job-instance-ip$)/);
  if (NECESSARY in portrait) {
    const assigned = later.find((each) => !(NECESSARY in each)) ?? {};
    const table = only(assigned, /^\/sharding($|\/\d+($|\/instance$))/);
    portrait = { ...without(portrait, /^\/leader\/sharding\/necessary$/), ...table };
  }
  portrait = { ...portrait, ...listedTriggers(portrait) };
  if ('/guarantee/started' in portrait) portrait = { ...portrait, ...only(next, /\/running$/) };
  if (Object.keys(portrait).some((path) => path.endsWith('/misfire'))) return without(portrait, /\/misfire$/);
  if (portrait['/config']?.includes('misfire: true') === true) portrait = { ...portrait, ...only(next, /\/misfire$/) };
  return portrait;
}

/** The triggers, each with the items of its instance. */
function listedTriggers(portrait: Portrait): Portrait {
  const ofOwner = (id: string): string =>
    toRanges(
      Object.entries(portrait).flatMap(([path, text]) => {
        const [, item] = /^\/sharding\/(\d+)\/instance$/.exec(path) ?? [];
        return item !== undefined && text.endsWith(`\n|${id}`) ? [Number(item)] : [];
      }),
    );
  return Object.fromEntries(
    Object.entries(portrait).flatMap(([path, text]) => {
      const [, id] = /^\/trigger\/(.+)$/.exec(path) ?? [];
      return id === undefined ? [] : [[path, `${text}\n|${JSON.stringify({ items: ofOwner(id), all: true })}`]];
    }),
  );
}

const NECESSARY = '/leader/sharding/necessary';

function without(portrait: Portrait, paths: RegExp): Portrait {
  return Object.fromEntries(Object.entries(portrait).filter(([path]) => !paths.test(path)));
}

function mapped<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
