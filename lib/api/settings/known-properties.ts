/** Properties that nothing reads, because their keys are misspelt. Each reader of properties has the table of its own keys. */
import { legible } from '../text/describe-value.js';
import { knownNames, relaxed } from '../text/nearest.js';

/** The keys that share the prefix (`http.`) or the letters of known ones, and are none of them. */
export function unknownKeys(keys: Iterable<string>, known: readonly string[]): readonly string[] {
  const prefixes = new Set(known.map(prefixOf));
  const letters = new Set(known.map(relaxed));
  return [...keys].filter(
    (key) => !known.includes(key) && (prefixes.has(prefixOf(key)) || letters.has(relaxed(key.slice(0, 200)))),
  );
}

/** The end of a message about an unknown key: `; did you mean 'email.username'?` */
export function knownKeysHint(key: string, known: readonly string[]): string {
  const parent = known.find((each) => key.startsWith(`${each}.`));
  return parent === undefined ? knownNames(key, known) : `; '${parent}' takes one text, not further keys below it`;
}

/**
 * @param reader what reads the known properties: `HTTP jobs`
 * @returns the doubts about properties that it does not know, one clause each
 */
export function unknownKeyDoubts(
  props: Readonly<Record<string, string>>,
  known: readonly string[],
  reader: string,
): readonly string[] {
  return unknownKeys(Object.keys(props), known).map(
    (key) => `the property '${legible(key)}' means nothing to ${reader}${knownKeysHint(key, known)}`,
  );
}

function prefixOf(key: string): string {
  return key.split('.', 1)[0] ?? '';
}
