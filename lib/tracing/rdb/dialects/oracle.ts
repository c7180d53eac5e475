import { type ColumnTypes, type Dialect, type RowValues } from '../dialect.js';
import { TABLES } from '../trace-tables.js';
import { merge } from './merge.js';
import { createTable, sql92 } from './sql92.js';

const TYPES: ColumnTypes = {
  text: (width) => `VARCHAR(${width})`,
  'long-text': (width) => `VARCHAR(${width})`,
  integer: () => 'NUMBER',
  boolean: () => 'NUMBER',
  timestamp: () => 'TIMESTAMP',
};

const NAMES = TABLES.map(({ name }) => `'${name}'`).join(', ');

const toTimestamp = (parameter: string): string => `TO_TIMESTAMP(${parameter}, 'YYYY-MM-DD HH24:MI:SS.FF3')`;

/** Oracle. Widths of its texts are bytes by default. */
export const oracle: Dialect = {
  ...sql92,
  name: 'Oracle',
  rowsPerStatement: 200,
  textUnit: 'utf-8-bytes',
  emptyTextIsNull: true,
  writing: {
    type: 'upsert',
    upsert(target, rows, bind, onDuplicate) {
      const select = (values: readonly string[]): string =>
        `SELECT ${values.map((value, at) => `${value} AS ${target.columns[at]}`).join(', ')} FROM DUAL`;
      // All rows of a UNION must have the same types, also where a timestamp is absent.
      const isMoment = target.columns.map((_, at) => rows.some((row) => row[at] instanceof Date));
      const values = (row: RowValues): readonly string[] =>
        row.map((value, at) => (value === null && isMoment[at] ? toTimestamp(bind(value)) : bind(value)));
      const source = rows.map((row) => select(values(row))).join('\nUNION ALL ');
      return merge(target, `${target.table} t`, `(\n${source}\n) v`, onDuplicate);
    },
  },
  parameter: (number) => `:${number}`,
  toTimestamp,
  timestampText: (column) => `TO_CHAR(${column}, 'YYYY-MM-DD HH24:MI:SS.FF3')`,
  create: (table, name) => createTable(table, name, TYPES),
  catalog: (schema) => ({
    sql: `SELECT table_name, column_name, CASE char_used WHEN 'C' THEN char_length ELSE data_length END AS width
FROM all_tab_columns WHERE UPPER(table_name) IN (${NAMES})
AND owner = ${schema === undefined ? "SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA')" : ':1'} ORDER BY table_name`,
    parameters: schema === undefined ? [] : [schema],
  }),
  deleteSome: ({ table }, condition, count) => `DELETE FROM ${table} WHERE ${condition} AND ROWNUM <= ${count}`,
};
