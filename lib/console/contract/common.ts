/**
 * What the console's server and its page say to each other, as types alone: the page is built from these files too, so
 * they import nothing that runs. Times are milliseconds since 1970 (UTC), durations are milliseconds, unless a name
 * says otherwise. A field that is absent is not known; `null` is never sent.
 */

/** What a role may do. Each route asks for one. */
export type Permission = 'read' | 'operate' | 'write' | 'manage' | 'admin';

/** `guest` reads; `operator` reads and operates; `admin` may do everything. */
export type Role = 'admin' | 'operator' | 'guest';

/** Every error of `/api/v1`, as `application/problem+json` (RFC 9457). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /**
   * A word that programs can tell errors by, and that the page has a sentence for: `unknown-job`, `stale-version`, …
   */
  readonly code: string;
  /** One English sentence: what is wrong, and what would be right. */
  readonly detail: string;
  /** That sentence for programs, where it says more than `code`. */
  readonly wording?: Wording;
  /** Stands in the log and in the audit too. */
  readonly requestId: string;
  /** Of refused settings: a sentence for each that is wrong. */
  readonly problems?: readonly SettingProblem[];
}

export interface SettingProblem {
  /** The setting, `cron` or `props.script.command.line`; absent if the problem is of no single one. */
  readonly setting?: string;
  readonly message: string;
  readonly wording?: Wording;
}

/**
 * A sentence as a code, and what goes into it: the page words it in the reader's language, and the server's sentence
 * stands in for codes that the page does not know.
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

/** Some of a long list. */
export interface Page<Row> {
  readonly items: readonly Row[];
  /** What to send as `cursor` for the next page; absent on the last one. */
  readonly nextCursor?: string;
  /** How many there are in all, where that is known without counting a database table. */
  readonly total?: number;
  /**
   * Since when the data has not been renewed, because the registry centre is out of reach; absent if the data is of
   * now.
   */
  readonly staleSince?: number;
}
