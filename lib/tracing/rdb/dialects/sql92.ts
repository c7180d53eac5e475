import { columnDefinitions, type ColumnTypes, type Dialect, insertValues, valueOf } from '../dialect.js';
import { type TraceTable } from '../trace-tables.js';
import { wallClockText } from '../wall-clock.js';

const TYPES: ColumnTypes = {
  text: (width) => `CHARACTER VARYING(${width})`,
  'long-text': (width) => `CHARACTER VARYING(${width})`,
  integer: () => 'INTEGER',
  boolean: () => 'INTEGER',
  timestamp: () => 'TIMESTAMP',
};

/**
 * `CREATE TABLE` with `id` as primary key, then the indexes, each a statement.
 * @param name with its schema, as it stands in SQL
 */
export function createTable(table: TraceTable, name: string, types: ColumnTypes): readonly string[] {
  const definitions = [...columnDefinitions(table.columns, types), 'PRIMARY KEY (id)'];
  return [
    `CREATE TABLE ${name} (\n  ${definitions.join(',\n  ')}\n)`,
    ...table.indexes.map((index) => `CREATE INDEX ${index.name} ON ${name} (${index.columns.join(', ')})`),
  ];
}

/**
 * For databases of which nothing more is known. Texts are CHARACTER VARYING, where Java's fallback has CHARACTER:
 * padded to the full width, ids and names would not be found by what they are.
 */
export const sql92: Dialect = {
  name: 'SQL92',
  rowsPerStatement: 1,
  textUnit: 'utf-8-bytes',
  emptyTextIsNull: false,
  comparison: 'equal',
  countsBy: 'groups',
  writing: {
    type: 'look-first',
    rowsPerUpdate: 1,
    insert: insertValues,
    update(target, rows, bind) {
      const [row = []] = rows;
      const assignments = target.completion.map((column) => `${column} = ${bind(valueOf(row, target, column))}`);
      const id = bind(valueOf(row, target, target.id));
      return `UPDATE ${target.table} SET ${assignments.join(', ')} WHERE ${target.id} = ${id}`;
    },
  },
  parameter: () => '?',
  truth: (value) => (value ? 1 : 0),
  moment: (date) => wallClockText(date),
  toTimestamp: (parameter) => parameter,
  timestampText: (column) => `CAST(${column} AS CHARACTER VARYING(30))`,
  create: (table, name) => createTable(table, name, TYPES),
  catalog: () => undefined,
  firstRows: (select, count) => `${select} FETCH FIRST ${count} ROWS ONLY`,
  deleteSome: ({ table, id }, condition, count) =>
    `DELETE FROM ${table} WHERE ${id} IN (SELECT ${id} FROM ${table} WHERE ${condition} FETCH FIRST ${count} ROWS ONLY)`,
};
