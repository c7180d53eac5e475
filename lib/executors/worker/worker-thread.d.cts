/** The types of `worker-thread.cjs`, as far as the process uses it. */

/** What was thrown, as a message between threads can carry it. */
export type EncodedError = Readonly<Record<string, unknown>>;

/** The path of the file; `undefined`, or another file, if a bundler has moved the code elsewhere. */
export const threadFile: string | undefined;

/** What was thrown, with its message, stack, code and causes, as a message can carry it. Never throws. */
export function encode(thrown: unknown): EncodedError;

/** The opposite of `encode`. */
export function decode(encoded: EncodedError): unknown;
