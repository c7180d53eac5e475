import { type Explanation, type Reason } from './explanation.js';
import { foundForInstant } from './found-for-instant.js';
import { type InstantQuestion } from './instant-causes.js';
import { absentItem, itemCauses } from './item-causes.js';
import { instanceFaults } from './instance-faults.js';
import { jobCauses } from './job-causes.js';
import { type Found, type FoundCause, itemsIn, type Question } from './question.js';
import { inWords } from './words/sentences.js';
import { limitsOf } from './limits.js';

/** Explains why an item did not run, or does not run now: a pure function of the question's data. */
export function explain(question: Question): Explanation {
  const { view, paths, item, instant, now } = question;
  const found = grouped(isAboutInstant(question) ? foundForInstant(question, foundNow(question)) : foundNow(question));
  const reasons = found.map((each): Reason => ({
    ...each.cause,
    items: each.items,
    holds: each.holds,
    ...inWords(each, question),
  }));
  const [reason = nothingKnown(question), ...others] = reasons;
  const limits = limitsOf(question, [reason, ...others], view);
  return {
    jobName: paths.jobName,
    item,
    instant: instant === undefined ? undefined : new Date(instant),
    at: new Date(now),
    reason,
    others,
    unknown: limits.map(({ sentence }) => sentence),
    limits,
  };
}

function isAboutInstant(question: Question): question is InstantQuestion {
  return question.instant !== undefined;
}

/** The reason for a job of which nothing is known, not even its items. */
function nothingKnown(question: Question): Reason {
  const found: Found = { cause: { type: 'not-begun', lastBegun: undefined }, items: [], holds: 'now' };
  return { ...found.cause, items: [], holds: 'now', ...inWords(found, question) };
}

function foundNow(question: Question): readonly Found[] {
  const ofAll = (cause: FoundCause): Found => ({ cause, items: [], holds: 'now' });
  const faults = instanceFaults(question);
  const causes = jobCauses(question, faults.decisive);
  const job = causes.map(ofAll);
  const beside = faults.beside.map(ofAll);
  const isKept = causes.length > faults.decisive.length;
  const { item } = question;
  if (!question.view.exists) return [...job, ...beside];
  const items = itemsIn(question).flatMap(([number, view]) => {
    const found = view === undefined ? [absentItem(question, number)] : itemCauses(question, view);
    // If the whole job or the owner is kept, an item that nothing else keeps need not repeat that.
    const isNews = ({ type }: FoundCause): boolean => type !== 'free' || !(isKept || faults.keeps(view?.owner));
    return found.filter(isNews).map((cause): Found => ({ cause, items: [number], holds: 'now' }));
  });
  // For an item number that does not exist, this is the only reason.
  if (item !== undefined && items.some(({ cause }) => cause.type === 'no-such-item'))
    return [...items, ...job, ...beside];
  return [...job, ...byWeight(items), ...beside];
}

/** Items that can run come last. */
function byWeight(items: readonly Found[]): readonly Found[] {
  const isFree = ({ cause }: Found): boolean => cause.type === 'free';
  return [...items.filter((each) => !isFree(each)), ...items.filter(isFree)];
}

/** Joins items that have the same cause. */
function grouped(found: readonly Found[]): readonly Found[] {
  const groups = new Map<string, { readonly first: Found; readonly items: Set<number> }>();
  for (const each of found) {
    const key = JSON.stringify([each.cause, each.holds, each.items.length > 0]);
    const group = groups.get(key) ?? { first: each, items: new Set() };
    groups.set(key, group);
    for (const item of each.items) group.items.add(item);
  }
  return [...groups.values()].map(({ first, items }) => ({ ...first, items: [...items].sort((a, b) => a - b) }));
}
