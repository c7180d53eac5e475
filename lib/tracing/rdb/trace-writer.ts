import { type Dialect, type OnDuplicate, type RowValues, valueOf } from './dialect.js';
import { type Run } from './rdb-connection.js';
import { statement } from './statement.js';
import { type TraceRows } from './trace-rows.js';

/** Rows of one table to be written in the same way. */
export interface Rows {
  readonly rows: TraceRows;
  readonly values: readonly RowValues[];
  readonly onDuplicate: OnDuplicate;
}

/** Writes rows in as few statements as the dialect allows. A repetition changes nothing. */
export async function writeRows(dialect: Dialect, run: Run, { values, ...rest }: Rows): Promise<void> {
  for (const chunk of chunks(values, dialect.rowsPerStatement)) {
    const rows = { ...rest, values: chunk };
    // In a row, on one connection.
    await (dialect.writing.type === 'upsert' ? upsert(dialect, run, rows) : lookFirst(dialect, run, rows));
  }
}

async function upsert(dialect: Dialect, run: Run, { rows, values, onDuplicate }: Rows): Promise<void> {
  const { writing } = dialect;
  if (writing.type !== 'upsert') return;
  await run(statement(dialect, (bind) => writing.upsert(rows.target, values, bind, onDuplicate)));
}

async function lookFirst(dialect: Dialect, run: Run, { rows, values, onDuplicate }: Rows): Promise<void> {
  const { writing } = dialect;
  if (writing.type !== 'look-first') return;
  const present = await presentIds(dialect, run, { rows, values, onDuplicate });
  const isPresent = (row: RowValues): boolean => present.has(String(valueOf(row, rows.target, rows.target.id)));
  const missing = values.filter((row) => !isPresent(row));
  if (missing.length > 0)
    await run(statement(dialect, (bind) => writing.insert(rows.target, missing, bind, onDuplicate)));
  if (onDuplicate === 'keep') return;
  for (const chunk of chunks(values.filter(isPresent), writing.rowsPerUpdate))
    await run(statement(dialect, (bind) => writing.update(rows.target, chunk, bind)));
}

/** Ids of rows that are there. MySQL's statuses have no index of ids, but one of task ids. */
async function presentIds(dialect: Dialect, run: Run, { rows, values }: Rows): Promise<ReadonlySet<string>> {
  const { table, id } = rows.target;
  const taskId = rows.reference('task_id');
  const { rows: found } = await run(
    statement(dialect, (bind) => {
      const list = (column: string): string =>
        `${column} IN (${[...new Set(values.map((row) => valueOf(row, rows.target, column)))].map(bind).join(', ')})`;
      const conditions = rows.hasUniqueId ? [list(id)] : [list(taskId), list(id)];
      return `SELECT ${id} AS present_id FROM ${table} WHERE ${conditions.join(' AND ')}`;
    }),
  );
  return new Set(found.map((row) => String(row['present_id']).trimEnd()));
}

function chunks<T>(values: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, at) => values.slice(at * size, (at + 1) * size));
}
