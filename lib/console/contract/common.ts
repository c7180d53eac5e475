/**
 * The contract of the console's server and its page, as types alone: the page is built from these files too, so they
 * import no code. Times are milliseconds since 1970 (UTC), durations are milliseconds, unless a name says otherwise. An
 * absent field is unknown; `null` is never sent.
 */

/** A permission of a role. Each route requires one. */
export type Permission = 'read' | 'operate' | 'write' | 'manage' | 'admin';

/** `guest` reads; `operator` reads and operates; `admin` may do everything. */
export type Role = 'admin' | 'operator' | 'guest';

/** Every error of `/api/v1`, as `application/problem+json` (RFC 9457). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /** The code of the error, for programs and for the page's own sentence: `unknown-job`, `stale-version`, … */
  readonly code: string;
  /** One English sentence: the problem, and a valid form. */
  readonly detail: string;
  /** The code of that sentence, if it says more than `code`. */
  readonly wording?: Wording;
  /** The id of the request, which the log and the audit have too. */
  readonly requestId: string;
  /** For refused settings: a sentence for each invalid one. */
  readonly problems?: readonly SettingProblem[];
}

export interface SettingProblem {
  /** The setting, `cron` or `props.script.command.line`; absent if the problem does not concern a single one. */
  readonly setting?: string;
  readonly message: string;
  readonly wording?: Wording;
}

/**
 * A sentence as a code with its values: the page words it in the reader's language, and shows the server's sentence for
 * codes that it does not know.
 */
export interface Wording {
  readonly code: string;
  readonly values: WordingValues;
}

/**
 * Texts, numbers and names, and clauses with values of their own; an instant is `{ instant }`, in milliseconds since
 * 1970.
 */
export type WordingValues = Readonly<Record<string, string | number | { readonly instant: number } | Wording>>;

/** A page of a long list. */
export interface Page<Row> {
  readonly items: readonly Row[];
  /** The `cursor` of the next page; absent on the last one. */
  readonly nextCursor?: string;
  /** The number of all rows, if it is known without counting a database table. */
  readonly total?: number;
  /**
   * The time since which the data is out of date, because the registry centre is out of reach; absent if the data is up
   * to date.
   */
  readonly staleSince?: number;
}
