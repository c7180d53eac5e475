/**
 * The value of `x-node/crashed/{item}`: the instant whose firing was cut short. It is written down because by the time
 * somebody takes the item over, its owner may have begun it for a later one. Java neither writes nor reads it.
 */

const UNKNOWN = 'unknown';

/** The text for an instant in milliseconds since 1970; `undefined` if the item was run manually, or nobody can tell. */
export function encodeCrash(instant: number | undefined): string {
  return instant === undefined ? UNKNOWN : String(instant);
}

/** The inverse of `encodeCrash`; what cannot be read tells nothing. */
export function decodeCrash(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
