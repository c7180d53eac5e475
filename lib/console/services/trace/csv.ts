import { type ExecutionRow } from '../../contract/trace.js';
import { BYTE_ORDER_MARK, csvLine } from '../../answers/csv.js';

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

/** The first line. */
export const CSV_HEAD = BYTE_ORDER_MARK + csvLine(COLUMNS.map(([title]) => title));

/** Executions as lines of a CSV file. */
export function csvLines(rows: readonly ExecutionRow[]): string {
  return rows.map((row) => csvLine(COLUMNS.map(([, value]) => value(row)))).join('');
}
