import { type SettingProblem } from '../contract/common.js';
import { type ProblemCode } from './problem-codes.js';

/** What else a problem says. */
export interface ConsoleProblemOptions {
  /** Of refused settings: a sentence for each that is wrong. */
  readonly problems?: readonly SettingProblem[];
  readonly cause?: unknown;
  /** Headers of the answer, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that is an error. The console's filter sends it as `application/problem+json`, with the id of the request. */
export class ConsoleProblem extends Error {
  override readonly name = 'ConsoleProblem';
  readonly problems: readonly SettingProblem[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param status the HTTP status
   * @param code a word that programs can tell errors by: `unknown-job`, `stale-version`, …
   * @param detail one sentence: what is wrong, and what would be right
   */
  constructor(
    readonly status: number,
    readonly code: ProblemCode,
    detail: string,
    { problems, cause, headers = {} }: ConsoleProblemOptions = {},
  ) {
    super(detail, { cause });
    this.problems = problems;
    this.headers = headers;
  }
}
