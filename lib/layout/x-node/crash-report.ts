/**
 * The value of `x-node/crashed/{item}`: the instant whose firing was cut short. It is written down because by the time
 * an instance takes the item over, its owner may have begun it for a later one. Java neither writes nor reads it.
 */

const UNKNOWN = 'unknown';

/** The text for an instant in milliseconds since 1970; `undefined` if the item was run manually, or no instance knows. */
export function encodeCrash(instant: number | undefined): string {
  return instant === undefined ? UNKNOWN : String(instant);
}

/** The inverse of `encodeCrash`; `undefined` for a text that cannot be read. */
export function decodeCrash(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
