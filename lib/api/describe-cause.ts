import { inspect } from 'node:util';

/**
 * What was thrown, in words for a message. Anything can be thrown, an object whose `toString` throws too, so this never
 * throws itself.
 */
export function describeCause(cause: unknown): string {
  return attempt(() => (cause instanceof Error ? String(cause) : inspect(cause, INSPECTION))) ?? UNDESCRIBABLE;
}

/** The stack trace of what was thrown; `undefined` if it has none that can be read. Never throws. */
export function stackOf(cause: unknown): string | undefined {
  const stack: unknown = attempt(() => (cause instanceof Error ? cause.stack : undefined));
  return typeof stack === 'string' ? stack : undefined;
}

const INSPECTION = { depth: 2, breakLength: Infinity } as const;
const UNDESCRIBABLE = 'an error that throws when it is described';

function attempt<T>(describe: () => T): T | undefined {
  try {
    return describe();
  } catch {
    // The error of the attempt says nothing about the failure to describe.
    return undefined;
  }
}
