/** The types of the parts of `worker-thread.cjs` that the process uses. */

/** A thrown value in a form that a message between threads can carry. */
export type EncodedError = Readonly<Record<string, unknown>>;

/** The path of the file; `undefined`, or another file, if a bundler has moved the code elsewhere. */
export const threadFile: string | undefined;

/**
 * The problem with a function that does a job's work, as a predicate, or undefined: such a function would be called,
 * but would not do its work.
 * @param parameters the parameters of the call
 */
export function signatureProblem(
  work: (...given: never[]) => unknown,
  parameters: readonly string[],
): string | undefined;

/**
 * Refuses a result of a job's code that would never run (an Observable, a generator, promises in a list), and errors.
 * @param call the call that returned the result, for the message
 * @throws TypeError, Error
 */
export function refuseResult(call: string, result: unknown): void;

/** Encodes a thrown value with its message, stack, code and causes, for a message between threads. Never throws. */
export function encode(thrown: unknown): EncodedError;

/** Decodes a value of `encode`. */
export function decode(encoded: EncodedError): unknown;
