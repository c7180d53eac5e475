/**
 * Properties that nothing reads, because their keys are misspelt. Each reader of properties has the table of its own
 * keys.
 */
import { legible } from '../text/describe-value.js';
import { type Wording, wording, type WordingValue } from '../../wording/wording.js';
import { knownNamesHint, relaxed } from '../text/nearest.js';

/** The keys that share the prefix (`http.`) or the letters of known ones, and are none of them. */
export function unknownKeys(keys: Iterable<string>, known: readonly string[]): readonly string[] {
  const prefixes = new Set(known.map(prefixOf));
  const letters = new Set(known.map(relaxed));
  return [...keys].filter(
    (key) => !known.includes(key) && (prefixes.has(prefixOf(key)) || letters.has(relaxed(key.slice(0, 200)))),
  );
}

/** The end of a message about an unknown key: `; did you mean 'email.username'?` */
export function knownKeysHint(key: string, known: readonly string[]): WordingValue {
  const parent = known.find((each) => key.startsWith(`${each}.`));
  return parent === undefined ? knownNamesHint(key, known) : wording('one-text', { name: parent });
}

/**
 * @param keys the keys of the properties that a user gives
 * @returns the problem with a key that shares the prefix of known ones and is none of them, or undefined
 */
export function propertyKeyProblem(keys: Iterable<string>, known: readonly string[]): Wording | undefined {
  const [unknown] = unknownKeys(keys, known);
  if (unknown === undefined) return undefined;
  return wording('run-key', { key: legible(unknown), hint: knownKeysHint(unknown, known) });
}

/**
 * @param reader the code that reads the known properties: `HTTP jobs`
 * @returns the doubts about properties that it does not know, one clause each
 */
export function unknownKeyDoubts(
  props: Readonly<Record<string, string>>,
  known: readonly string[],
  reader: WordingValue,
): readonly Wording[] {
  return unknownKeys(Object.keys(props), known).map((key) =>
    wording('doubt-key', { key: legible(key), reader, hint: knownKeysHint(key, known) }),
  );
}

function prefixOf(key: string): string {
  return key.split('.', 1)[0] ?? '';
}
