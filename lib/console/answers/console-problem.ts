import { inEnglish, type Wording } from '../../wording/wording.js';
import { type SettingProblem } from '../contract/common.js';
import { type ProblemCode } from './problem-codes.js';

/** Further parts of a problem. */
export interface ConsoleProblemOptions {
  /** For refused settings: a sentence for each invalid one. */
  readonly problems?: readonly SettingProblem[];
  readonly cause?: unknown;
  /** Headers of the answer, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An answer that is an error. The console's filter sends it as `application/problem+json`, with the id of the request.
 */
export class ConsoleProblem extends Error {
  override readonly name = 'ConsoleProblem';
  readonly problems: readonly SettingProblem[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly wording: Wording | undefined;

  /**
   * @param status the HTTP status
   * @param code the code of the error, for programs: `unknown-job`, `stale-version`, …
   * @param detail one sentence: the problem, and a valid form; a plain text if the page can word the problem by `code`
   *   alone
   */
  constructor(
    readonly status: number,
    readonly code: ProblemCode,
    detail: string | Wording,
    { problems, cause, headers = {} }: ConsoleProblemOptions = {},
  ) {
    super(typeof detail === 'string' ? detail : inEnglish(detail), { cause });
    this.wording = typeof detail === 'string' ? undefined : detail;
    this.problems = problems;
    this.headers = headers;
  }
}
