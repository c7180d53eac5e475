/**
 * The value of `leader/failover/items/{item}`: the instant whose firing was cut short. It is written down because by the time
 * somebody takes the item over, its owner may have begun it for a later one. Java writes the empty text and reads nothing.
 */

const UNKNOWN = 'unknown';

/** The text for an instant in milliseconds since 1970; `undefined` if the item was run by hand, or nobody can tell. */
export function encodeCrash(instant: number | undefined): string {
  return instant === undefined ? UNKNOWN : String(instant);
}

/** The inverse of `encodeCrash`; `'unsaid'` for what a Java instance, or somebody else, has written. */
export function decodeCrash(text: string): number | undefined | 'unsaid' {
  if (text === UNKNOWN) return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : 'unsaid';
}
