import { inEnglish, wording, type WordingValue } from '../../wording/wording.js';

/**
 * The candidate that a misspelt name probably means, for "did you mean": the one with the fewest letters to change,
 * at most a third of them. Case and the separators `-`, `_` and `.` do not count.
 * @param atMost the part of the letters that may change
 */
export function nearest(name: string, candidates: Iterable<string>, atMost = 1 / 3): string | undefined {
  const wanted = relaxed(beginning(name));
  let best: { readonly candidate: string; readonly changes: number } | undefined;
  for (const candidate of candidates) {
    const letters = relaxed(beginning(candidate));
    const few = Math.max(1, Math.floor(Math.min(wanted.length, letters.length) * atMost));
    // Each letter more is a change.
    if (Math.abs(wanted.length - letters.length) > few) continue;
    const changes = distance(wanted, letters);
    if (changes <= few && (best === undefined || changes < best.changes)) best = { candidate, changes };
  }
  return best?.candidate;
}

/** A name without case and separators, so that `reg-center`, `regCenter` and `REG_CENTER` are equal. */
export function relaxed(name: string): string {
  return name.replace(/[-_.]/g, '').toLowerCase();
}

/** The end of a message about a misspelt name: `; did you mean 'namespace'?`, or the empty text. */
export function suggestion(name: string, candidates: Iterable<string>): string {
  return hintText(meantHint(nearest(name, candidates)));
}

/** The hint that the name was probably meant, as a value of a sentence; the empty text if there is none. */
export function meantHint(name: string | undefined): WordingValue {
  return name === undefined ? '' : wording('did-you-mean', { name });
}

/** Such a value in English. */
export function hintText(hint: WordingValue): string {
  return typeof hint === 'object' ? inEnglish(hint) : String(hint);
}

/** The most names that a message lists. */
const MOST_NAMES = 21;

/**
 * The end of a message about an unknown name: the name that was probably meant, which may be the only one that begins
 * with it; otherwise the known names, or, if they are too many, the nearest one.
 */
export function knownNames(name: string, candidates: readonly string[]): string {
  return hintText(knownNamesHint(name, candidates));
}

/** As `knownNames`, as a value of a sentence. */
export function knownNamesHint(name: string, candidates: readonly string[]): WordingValue {
  const meant = nearest(name, candidates);
  if (meant !== undefined && isNearly(name, meant)) return meantHint(meant);
  const likely = onlyCompletion(relaxed(name), candidates) ?? meant;
  if (likely !== undefined) return meantHint(likely);
  if (candidates.length <= MOST_NAMES) return wording('known-are', { names: candidates.join(', ') });
  return meantHint(nearest(name, candidates, 1 / 2));
}

/** Fewer letters may begin another name by chance. */
const SHORTEST_BEGINNING = 6;

function onlyCompletion(start: string, candidates: readonly string[]): string | undefined {
  if (start.length < SHORTEST_BEGINNING) return undefined;
  const [only, ...others] = candidates.filter((candidate) => relaxed(candidate).startsWith(start));
  return others.length === 0 ? only : undefined;
}

/**
 * True if a name has one letter too many, too few or wrong, or two letters swapped. Case and separators do not count.
 */
export function isNearly(name: string, other: string): boolean {
  return distance(relaxed(beginning(name)), relaxed(beginning(other))) <= 1;
}

/** Comparing two names takes as many steps as the product of their lengths. No name of ours is that long. */
const LONGEST = 200;

function beginning(name: string): string {
  return name.slice(0, LONGEST);
}

/** Number of letters that must be replaced, inserted, removed, or swapped with their neighbour. */
function distance(from: string, to: string): number {
  // The distances from beginnings of `from` to all beginnings of `to`: those with two letters fewer, one fewer, and
  // now.
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = at(above, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? at(before, j - 2) + 1 : Infinity;
      row.push(Math.min(replaced, swapped, at(above, j) + 1, at(row, j - 1) + 1));
    }
    [before, above] = [above, row];
  }
  return at(above, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
