import { type TextUnit } from './text-width.js';
import { type Column, type TraceTable } from './trace-tables.js';

/** The place of rows. All names are quoted where the database needs it. */
export interface WriteTarget {
  readonly table: string;
  readonly columns: readonly string[];
  readonly id: string;
  /** The columns that a completion changes, by their names in `columns`; empty for rows that never change. */
  readonly completion: readonly string[];
}

/** A value of a column. */
export type Value = string | number | boolean | Date | null;

/** The values of one row, in the order of the target's columns. */
export type RowValues = readonly Value[];

/** Adds a parameter at the end of the statement that is being made. @returns the SQL that stands for the value */
export type Bind = (value: Value) => string;

/**
 * The handling of a row whose id is there already:
 * - `keep` leaves the row as it is.
 * - `complete` writes the columns of a completion.
 */
export type OnDuplicate = 'keep' | 'complete';

/** A way to write rows so that a repetition changes nothing. */
export type Writing =
  | {
      /** One statement inserts or completes rows, whether they are there or not. */
      readonly type: 'upsert';
      upsert(target: WriteTarget, rows: readonly RowValues[], bind: Bind, onDuplicate: OnDuplicate): string;
    }
  | {
      /** First a query finds the rows that are there; then the others are inserted. */
      readonly type: 'look-first';
      insert(target: WriteTarget, rows: readonly RowValues[], bind: Bind, onDuplicate: OnDuplicate): string;
      update(target: WriteTarget, rows: readonly RowValues[], bind: Bind): string;
      readonly rowsPerUpdate: number;
    };

/** A statement that lists columns as `table_name`, `column_name`, `width`, in any case. */
export interface CatalogQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The differences between databases. */
export interface Dialect {
  readonly name: string;
  /** The most rows that a statement inserts. */
  readonly rowsPerStatement: number;
  readonly textUnit: TextUnit;
  /** True if `''` is NULL, so that a blank must stand for it in columns that are NOT NULL. */
  readonly emptyTextIsNull: boolean;
  readonly writing: Writing;
  /** The SQL of the `number`th parameter, from 1. */
  parameter(number: number): string;
  /** The parameter that stands for a truth value. */
  truth(value: boolean): unknown;
  /** The parameter that stands for an instant, as wall-clock time. */
  moment(date: Date): string;
  /** The SQL that makes a timestamp of the parameter of an instant. */
  toTimestamp(parameter: string): string;
  /** The SQL that makes a text of a timestamp, such as `2030-01-31 23:59:59.123`. */
  timestampText(column: string): string;
  /**
   * Statements that create a table with its indexes. `name` is that of the table, with its schema if one is configured.
   */
  create(table: TraceTable, name: string): readonly string[];
  /** Lists the columns of all tables; `undefined` if TypeORM is to find them. */
  catalog(schema: string | undefined): CatalogQuery | undefined;
  /**
   * The comparison of columns with a value, so that an index that begins with them gives the order of a page:
   * - `equal`: by `=`.
   * - `lists-if-bounded`: by `IN` and a list if the time is limited. MySQL uses only the part of an index that is
   *   compared by `=` if that part gives the order, and reads all later rows of the job then.
   * - `first-as-list`: the first one by `IN` and a list. PostgreSQL takes rows with an equal value to be spread over
   *   time, prefers the index of the time, and reads all later rows of other jobs then.
   */
  readonly comparison: 'equal' | 'lists-if-bounded' | 'first-as-list';
  /**
   * The way to count executions by parts of a time:
   * - `groups`: one statement that groups them, which reads all rows of the time once, with an index or without.
   * - `ranges`: a count for each part. SQLite sorts all rows to group them, but counts a range of an index at once.
   */
  readonly countsBy: 'groups' | 'ranges';
  /**
   * The SQL that finds the median and the 95th percentile of durations, in milliseconds, as `p50_` and `p95_`; absent
   * if the database has none.
   */
  readonly durationPercentiles?: (start: string, complete: string) => string;
  /** `select` with its rows limited. */
  firstRows(select: string, count: number): string;
  /** Deletes `count` rows at most for which `condition` holds. */
  deleteSome(target: { readonly table: string; readonly id: string }, condition: string, count: number): string;
}

/** The type and constraints of a column. */
export type ColumnTypes = Readonly<Record<Column['type'], (width: number) => string>>;

/** `name TYPE DEFAULT … NOT NULL` for each column. */
export function columnDefinitions(columns: readonly Column[], types: ColumnTypes): readonly string[] {
  return columns.map(({ name, type, width, isRequired, defaultValue }) =>
    [
      name,
      types[type](width),
      ...(defaultValue === undefined ? [] : [`DEFAULT ${defaultValue}`]),
      isRequired ? 'NOT NULL' : 'NULL',
    ].join(' '),
  );
}

/** `(a, b), (c, d)` */
export function valueLists(rows: readonly RowValues[], bind: Bind): string {
  return rows.map((values) => `(${values.map(bind).join(', ')})`).join(', ');
}

/** `INSERT INTO table (columns) VALUES (…), (…)` */
export function insertValues({ table, columns }: WriteTarget, rows: readonly RowValues[], bind: Bind): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${valueLists(rows, bind)}`;
}

/** The value of a column of the target. */
export function valueOf(row: RowValues, target: WriteTarget, column: string): Value {
  return row[target.columns.indexOf(column)] ?? null;
}
