import { type ColumnTypes, type Dialect, valueLists } from '../dialect.js';
import { TABLES } from '../trace-tables.js';
import { wallClockText } from '../wall-clock.js';
import { merge } from './merge.js';
import { createTable, sql92 } from './sql92.js';

const TYPES: ColumnTypes = {
  text: (width) => `VARCHAR(${width})`,
  'long-text': (width) => `VARCHAR(${width})`,
  integer: () => 'INT',
  boolean: () => 'INT',
  timestamp: () => 'DATETIME',
};

const NAMES = TABLES.map(({ name }) => `'${name}'`).join(', ');

/** SQL Server. */
export const sqlServer: Dialect = {
  ...sql92,
  name: 'SQL Server',
  // A statement has 2,100 parameters at most.
  rowsPerStatement: 140,
  // A character beyond the column's code page becomes a question mark for each of its UTF-16 units.
  textUnit: 'utf-16',
  writing: {
    type: 'upsert',
    upsert(target, rows, bind, onDuplicate) {
      const source = `(VALUES ${valueLists(rows, bind)}) v (${target.columns.join(', ')})`;
      // Without the lock, two statements may both find a row missing. MERGE must end with a semicolon.
      return `${merge(target, `${target.table} WITH (HOLDLOCK) t`, source, onDuplicate)};`;
    },
  },
  // TypeORM names them so.
  parameter: (number) => `@${number - 1}`,
  // The form with T is the one that is read alike in all languages of a session.
  moment: (date) => wallClockText(date, 'T'),
  toTimestamp: (parameter) => `CAST(${parameter} AS DATETIME)`,
  timestampText: (column) => `CONVERT(VARCHAR(23), ${column}, 126)`,
  create: (table, name) => createTable(table, name, TYPES),
  catalog: (schema) => ({
    sql: `SELECT TABLE_NAME AS table_name, COLUMN_NAME AS column_name, CHARACTER_MAXIMUM_LENGTH AS width
FROM INFORMATION_SCHEMA.COLUMNS WHERE UPPER(TABLE_NAME) IN (${NAMES})
AND TABLE_SCHEMA = ${schema === undefined ? 'SCHEMA_NAME()' : '@0'} ORDER BY TABLE_NAME`,
    parameters: schema === undefined ? [] : [schema],
  }),
  firstRows: (select, count) => `${select} OFFSET 0 ROWS FETCH NEXT ${count} ROWS ONLY`,
  deleteSome: ({ table }, condition, count) => `DELETE TOP (${count}) FROM ${table} WHERE ${condition}`,
};
