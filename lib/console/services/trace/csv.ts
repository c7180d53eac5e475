import { type ExecutionRow } from '../../contract/trace.js';

const COLUMNS: readonly (readonly [title: string, value: (row: ExecutionRow) => string | number | undefined])[] = [
  ['id', ({ id }) => id],
  ['jobName', ({ jobName }) => jobName],
  ['item', ({ item }) => item],
  ['source', ({ source }) => source],
  ['result', ({ result }) => result],
  ['startedAt', ({ startedAt }) => new Date(startedAt).toISOString()],
  ['completedAt', ({ completedAt }) => (completedAt === undefined ? undefined : new Date(completedAt).toISOString())],
  ['durationMs', ({ durationMs }) => durationMs],
  ['ip', ({ ip }) => ip],
  ['hostname', ({ hostname }) => hostname],
  ['taskId', ({ taskId }) => taskId],
  ['failure', ({ failure }) => failure],
];

/** The first line. The byte order mark tells spreadsheets that it is UTF-8. */
export const CSV_HEAD = `\uFEFF${COLUMNS.map(([title]) => title).join(',')}\r\n`;

/** Executions as lines of CSV (RFC 4180), of which a spreadsheet takes none for a formula. */
export function csvLines(rows: readonly ExecutionRow[]): string {
  return rows.map((row) => `${COLUMNS.map(([, value]) => field(value(row))).join(',')}\r\n`).join('');
}

function field(value: string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  // What begins like a formula gets an apostrophe before it, which spreadsheets show as text.
  const safe = /^[\s\uFEFF]*[=+\-@|%]|^[\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n;]|^\s|\s$/.test(safe) || safe !== value ? `"${safe.replaceAll('"', '""')}"` : safe;
}
