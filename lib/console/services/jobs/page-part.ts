import { type Page } from '../../contract/common.js';
import { ConsoleProblem } from '../../answers/console-problem.js';

/** The requested page of a list. */
export interface PagePart {
  readonly limit: number;
  /** `nextCursor` of the page before; absent for the first one. */
  readonly cursor?: string | undefined;
}

/**
 * A page of rows in the order of their keys. Rows that are added or removed meanwhile move no other row to another
 * page.
 * @throws ConsoleProblem 400 `bad-cursor`
 */
export function pageOf<Row>(
  rows: readonly Row[],
  { keyOf, limit, cursor }: PagePart & { readonly keyOf: (row: Row) => string },
): Page<Row> {
  const after = keyIn(cursor);
  const start = after === undefined ? 0 : rows.findIndex((row) => keyOf(row) > after);
  const items = start < 0 ? [] : rows.slice(start, start + limit);
  const last = items.at(-1);
  const hasMore = last !== undefined && start + limit < rows.length;
  return { items, ...(hasMore && { nextCursor: cursorAfter(keyOf(last)) }), total: rows.length };
}

function cursorAfter(key: string): string {
  return Buffer.from(`k${key}`).toString('base64url');
}

function keyIn(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  if (text.startsWith('k')) return text.slice(1);
  throw new ConsoleProblem(400, 'bad-cursor', 'cursor must be the nextCursor of a page before.');
}
