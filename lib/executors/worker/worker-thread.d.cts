/** The types of `worker-thread.cjs`, as far as the process uses it. */

/** What was thrown, as a message between threads can carry it. */
export type EncodedError = Readonly<Record<string, unknown>>;

/** The path of the file; `undefined`, or another file, if a bundler has moved the code elsewhere. */
export const threadFile: string | undefined;

/**
 * The problem with a function that does a job's work, as a predicate, or undefined: it would be called, and its work
 * not done.
 * @param parameters what it is called with
 */
export function signatureProblem(
  work: (...given: never[]) => unknown,
  parameters: readonly string[],
): string | undefined;

/**
 * Refuses what a job's code has returned, if nobody will run it (an Observable, a generator, promises in a list), and
 * errors.
 * @param call what has returned it, for the message
 * @throws TypeError, Error
 */
export function refuseResult(call: string, result: unknown): void;

/** What was thrown, with its message, stack, code and causes, as a message can carry it. Never throws. */
export function encode(thrown: unknown): EncodedError;

/** The opposite of `encode`. */
export function decode(encoded: EncodedError): unknown;
