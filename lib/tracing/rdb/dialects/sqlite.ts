import { type ColumnTypes, type Dialect } from '../dialect.js';
import { TABLES } from '../trace-tables.js';
import { onConflict } from './on-conflict.js';
import { createTable, sql92 } from './sql92.js';

const TYPES: ColumnTypes = {
  text: (width) => `VARCHAR(${width})`,
  'long-text': (width) => `VARCHAR(${width})`,
  integer: () => 'INT',
  boolean: () => 'INT',
  timestamp: () => 'TIMESTAMP',
};

const NAMES = TABLES.map(({ name }) => `'${name}'`).join(', ');

/** SQLite in all its forms; Java's ElasticJob has none. */
export const sqlite: Dialect = {
  ...sql92,
  name: 'SQLite',
  // Older builds take 999 parameters at most.
  rowsPerStatement: 70,
  textUnit: 'code-points',
  writing: onConflict,
  countsBy: 'ranges',
  timestampText: (column) => column,
  create: (table, name) => createTable(table, name, TYPES),
  catalog: () => ({
    sql: `SELECT m.name AS table_name, c.name AS column_name, c.type AS width FROM sqlite_master m, pragma_table_info(m.name) c
WHERE m.type = 'table' AND upper(m.name) IN (${NAMES})`,
    parameters: [],
  }),
  firstRows: (select, count) => `${select} LIMIT ${count}`,
  deleteSome: ({ table, id }, condition, count) =>
    `DELETE FROM ${table} WHERE ${id} IN (SELECT ${id} FROM ${table} WHERE ${condition} LIMIT ${count})`,
};
