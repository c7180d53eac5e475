/**
 * Checks of the answers of users' extensions: compiled code may return anything, such as a promise where the library
 * needs the answer at once.
 */
import { type ClassedJobItemExecutor, type PropertyProblem } from './job-executor.js';
import { describeValue, isMap } from '../text/describe-value.js';

/** An answer that cannot be used. */
export class UnusableAnswerError extends TypeError {
  override readonly name = 'UnusableAnswerError';
}

/**
 * A list of texts.
 * @param what the extension and its method, for messages: `doubts() of the error handler AUDIT`
 * @throws UnusableAnswerError if the answer is anything else; nothing at all is an empty list
 */
export function textsOf(what: string, answer: unknown): readonly string[] {
  return listOf(what, answer, 'texts', (entry): entry is string => typeof entry === 'string');
}

/**
 * A list of problems with properties.
 * @throws UnusableAnswerError if the answer is anything else; nothing at all is an empty list
 */
export function propertyProblemsOf(what: string, answer: unknown): readonly PropertyProblem[] {
  return listOf(what, answer, 'objects { property, problem } of texts', (entry): entry is PropertyProblem => {
    const { property, problem } = isMap(entry) ? entry : {};
    return typeof property === 'string' && typeof problem === 'string';
  });
}

/**
 * Asks an executor if it accepts a job object.
 * @throws UnusableAnswerError if it answers anything but true and false
 */
export function isAccepted(executor: ClassedJobItemExecutor, job: object): boolean {
  const answer: unknown = executor.accepts(job);
  if (typeof answer === 'boolean') return answer;
  throw unusable(`accepts() of the executor for ${executor.requirement}`, 'true or false', answer);
}

function listOf<T>(
  what: string,
  answer: unknown,
  entries: string,
  isEntry: (entry: unknown) => entry is T,
): readonly T[] {
  if (answer === undefined || answer === null) return [];
  if (Array.isArray(answer) && answer.every(isEntry)) return answer;
  throw unusable(what, `a list of ${entries}`, answer);
}

function unusable(what: string, needed: string, answer: unknown): UnusableAnswerError {
  const isPromise = typeof (answer as { readonly then?: unknown } | undefined | null)?.then === 'function';
  if (isPromise) void Promise.resolve(answer).catch(() => undefined);
  const got = isPromise ? 'a promise: it must not be async' : describeValue(answer);
  return new UnusableAnswerError(`${what} must return ${needed}, got ${got}`);
}
