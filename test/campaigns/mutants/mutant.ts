/** A replacement of one place in a source. */
export interface Edit {
  /** Path below `lib/`. */
  readonly file: string;
  /** Text that occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A known bug, of ElasticJob as a rule, expressed in this library's code. */
export interface Mutant {
  /** Threads of ElasticJob in which it was reported, such as `EJ2449`; none if it was found elsewhere. */
  readonly threads: readonly string[];
  /** The fault of the mutant, in a few words with hyphens; unique within a thread. */
  readonly name: string;
  /** The bug, as its users met it. */
  readonly bug: string;
  readonly edits: readonly Edit[];
  /** Path below `test/` of the spec that most likely catches it, to be tried first. */
  readonly first: string;
}

/** The library has changed where a mutant would change it. */
export class OutdatedMutantError extends Error {
  override readonly name = 'OutdatedMutantError';
}

/** How often the text occurs in the source. */
export function placesOf(source: string, text: string): number {
  return text === '' ? 0 : source.split(text).length - 1;
}

/** The source with the edits made. @throws OutdatedMutantError if one of them does not fit exactly one place */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  return edits.reduce((text, { file, find, replace }) => {
    const places = placesOf(text, find);
    if (places === 1) return text.split(find).join(replace);
    throw new OutdatedMutantError(
      `lib/${file} has ${places === 0 ? 'no place' : `${places} places`} with\n    ${find.split('\n').join('\n    ')}\n` +
        'The library has changed there. `npm run mutants -- --relocate` follows text that has moved to another file; if the ' +
        'text has changed, say how this bug would look in it.',
    );
  }, source);
}

/** All files that a mutant changes, with the edits of each. */
export function editsByFile({ edits }: Mutant): ReadonlyMap<string, readonly Edit[]> {
  const files = new Map<string, Edit[]>();
  for (const edit of edits) files.set(edit.file, [...(files.get(edit.file) ?? []), edit]);
  return files;
}

/**
 * Mutants whose name, or one of whose threads, is among `wanted`; all if nothing is wanted.
 * @throws RangeError if there is none
 */
export function select(mutants: readonly Mutant[], wanted: readonly string[]): readonly Mutant[] {
  if (wanted.length === 0) return mutants;
  const plain = (text: string): string => text.replace('#', '').toLowerCase();
  const names = ({ name, threads }: Mutant): readonly string[] => [name, ...threads].map(plain);
  for (const each of wanted)
    if (!mutants.some((mutant) => names(mutant).includes(plain(each))))
      throw new RangeError(`No mutant is named ${each}, or is of this thread.`);
  return mutants.filter((mutant) => wanted.some((each) => names(mutant).includes(plain(each))));
}
