import {
  type Bind,
  columnDefinitions,
  type ColumnTypes,
  type Dialect,
  insertValues,
  type RowValues,
  valueOf,
  type WriteTarget,
} from '../dialect.js';
import { JAVA_INDEX, TABLES, type TableIndex, type TraceTable } from '../trace-tables.js';
import { sql92 } from './sql92.js';

const TYPES: ColumnTypes = {
  text: (width) => `VARCHAR(${width})`,
  'long-text': (width) => `VARCHAR(${width})`,
  integer: () => 'INT',
  boolean: () => 'INT',
  timestamp: () => 'TIMESTAMP',
};

const NAMES = TABLES.flatMap(({ name }) => [`'${name}'`, `'${name.toLowerCase()}'`]).join(', ');

/** MySQL and MariaDB. */
export const mysql: Dialect = {
  ...sql92,
  name: 'MySQL',
  rowsPerStatement: 500,
  textUnit: 'code-points',
  comparison: 'lists-if-bounded',
  writing: {
    // ON DUPLICATE KEY UPDATE alone would do, but takes a number of `auto_id`, which is an INT, for each row that is
    // there.
    type: 'look-first',
    rowsPerUpdate: 100,
    insert(target, rows, bind, onDuplicate) {
      const changed = onDuplicate === 'complete' ? target.completion : [];
      const assignments = changed.map((column) => `${column} = VALUES(${column})`);
      const keep = `${target.id} = ${target.table}.${target.id}`;
      return `${insertValues(target, rows, bind)} ON DUPLICATE KEY UPDATE ${assignments.join(', ') || keep}`;
    },
    update: updateByCase,
  },
  timestampText: (column) => `CAST(${column} AS CHAR)`,
  // One statement, which creates all or nothing. The other row formats have keys of 767 bytes at most.
  create: (table, name) => [createWithKeys(table, name)],
  catalog: () => ({
    sql: `SELECT table_name AS table_name, column_name AS column_name, character_maximum_length AS width
FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name IN (${NAMES}) ORDER BY BINARY table_name`,
    parameters: [],
  }),
  firstRows: (select, count) => `${select} LIMIT ${count}`,
  deleteSome: ({ table }, condition, count) => `DELETE FROM ${table} WHERE ${condition} LIMIT ${count}`,
};

function createWithKeys({ columns, hasUniqueId, indexes }: TraceTable, name: string): string {
  const definitions = [
    'auto_id INT NOT NULL AUTO_INCREMENT',
    ...columnDefinitions(columns, TYPES),
    'PRIMARY KEY (auto_id)',
    ...(hasUniqueId ? ['UNIQUE KEY id (id)'] : []),
    ...indexes.map((index) => `KEY ${index.name} (${keyColumns(index)})`),
  ];
  return `CREATE TABLE IF NOT EXISTS ${name} (\n  ${definitions.join(',\n  ')}\n) ENGINE=InnoDB ROW_FORMAT=DYNAMIC`;
}

/**
 * The database can order rows by an index only if the index has whole columns. Java's own has the beginning of
 * `task_id`.
 */
function keyColumns({ name, columns }: TableIndex): string {
  return columns.map((column) => (name === JAVA_INDEX && column === 'task_id' ? 'task_id(128)' : column)).join(', ');
}

/**
 * A join with the values would compare texts of two collations, which may be refused; constants adapt to the column.
 */
function updateByCase(target: WriteTarget, rows: readonly RowValues[], bind: Bind): string {
  const boundId = (row: RowValues): string => bind(valueOf(row, target, target.id));
  const assignments = target.completion.map((column) => {
    const cases = rows.map((row) => `WHEN ${boundId(row)} THEN ${bind(valueOf(row, target, column))}`);
    return `${column} = CASE ${target.id} ${cases.join(' ')} END`;
  });
  return `UPDATE ${target.table} SET ${assignments.join(', ')} WHERE ${target.id} IN (${rows.map(boundId).join(', ')})`;
}
