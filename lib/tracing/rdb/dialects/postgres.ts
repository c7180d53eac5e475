import { type ColumnTypes, type Dialect } from '../dialect.js';
import { TABLES } from '../trace-tables.js';
import { onConflict } from './on-conflict.js';
import { createTable, sql92 } from './sql92.js';

const TYPES: ColumnTypes = {
  text: (width) => `VARCHAR(${width})`,
  'long-text': (width) => `VARCHAR(${width})`,
  integer: () => 'INT',
  boolean: () => 'BOOLEAN',
  timestamp: () => 'TIMESTAMP',
};

const NAMES = TABLES.map(({ name }) => `'${name.toLowerCase()}'`).join(', ');

/** PostgreSQL and databases with its protocol. */
export const postgres: Dialect = {
  ...sql92,
  name: 'PostgreSQL',
  // A statement has 65,535 parameters at most; beyond some hundred rows nothing is gained.
  rowsPerStatement: 500,
  textUnit: 'code-points',
  comparison: 'first-as-list',
  writing: onConflict,
  parameter: (number) => `$${number}`,
  truth: (value) => value,
  timestampText: (column) => `CAST(${column} AS TEXT)`,
  durationPercentiles: (start, complete) =>
    [50, 95]
      .map((part) => {
        const percentile = `PERCENTILE_DISC(0.${part}) WITHIN GROUP (ORDER BY ${complete} - ${start})`;
        return `EXTRACT(EPOCH FROM ${percentile}) * 1000 AS p${part}_`;
      })
      .join(', '),
  // One text: the server carries it out as one transaction, so there is no table of ours without its indexes.
  create: (table, name) => [createTable(table, name, TYPES).join(';\n')],
  catalog: (schema) => ({
    sql: `SELECT table_name, column_name, character_maximum_length AS width FROM information_schema.columns
WHERE lower(table_name) IN (${NAMES}) AND ${schema === undefined ? 'table_schema = ANY(current_schemas(false))' : 'table_schema = $1'}
ORDER BY ${schema === undefined ? 'array_position(current_schemas(false), table_schema::name), ' : ''}table_name DESC`,
    parameters: schema === undefined ? [] : [schema],
  }),
  firstRows: (select, count) => `${select} LIMIT ${count}`,
  deleteSome: ({ table, id }, condition, count) =>
    `DELETE FROM ${table} WHERE ${id} IN (SELECT ${id} FROM ${table} WHERE ${condition} LIMIT ${count})`,
};

/** CockroachDB: several statements in one text are no transaction if they create tables. */
export const cockroach: Dialect = {
  ...postgres,
  name: 'CockroachDB',
  create: (table, name) => createTable(table, name, TYPES),
};
