import { type DataSource } from 'typeorm';
import { wording } from '../../wording/wording.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type Dialect } from './dialect.js';
import { type Run } from './rdb-connection.js';
import { EXECUTIONS, STATUSES, type TraceTable } from './trace-tables.js';

/** A table as it stands in the database, made by this library, by Java or by an administrator. */
export interface FoundTable {
  readonly table: TraceTable;
  /** Its name as it stands in SQL. */
  readonly reference: string;
  /** Its columns by their names in lower case. */
  readonly columns: ReadonlyMap<string, FoundColumn>;
}

/** A column as it stands in the database. */
export interface FoundColumn {
  /** Its name as it stands in SQL. */
  readonly reference: string;
  /** `undefined` if it has no width, or none is known. */
  readonly width: number | undefined;
}

/** The tables of traces that exist, and the SQL that would create the others. */
export interface TraceSchema {
  readonly tables: readonly { readonly name: string; readonly exists: boolean }[];
  readonly sql: readonly string[];
}

/** Both tables of traces. */
export interface FoundTables {
  readonly executions: FoundTable;
  readonly statuses: FoundTable;
}

/** Finds the tables, or creates them. */
export class TraceTables {
  readonly #dataSource: DataSource;
  readonly #dialect: Dialect;
  readonly #schema: string | undefined;

  constructor(dataSource: DataSource, dialect: Dialect) {
    this.#dataSource = dataSource;
    this.#dialect = dialect;
    const { schema } = dataSource.options as { readonly schema?: unknown };
    this.#schema = typeof schema === 'string' && schema !== '' ? schema : undefined;
  }

  /** @throws the errors of the database, such as for lack of rights to create a table */
  async findOrCreate(run: Run): Promise<FoundTables> {
    // One after the other: they share a connection.
    const executions = await this.findOrCreateOne(run, EXECUTIONS);
    const statuses = await this.findOrCreateOne(run, STATUSES);
    return { executions, statuses };
  }

  /** @throws InvalidConfigurationError naming the tables that are absent; the errors of the database */
  async findBoth(run: Run): Promise<FoundTables> {
    // One after the other: they share a connection.
    const executions = await this.find(run, EXECUTIONS);
    const statuses = await this.find(run, STATUSES);
    if (executions !== undefined && statuses !== undefined) return { executions, statuses };
    const missing = [executions ? [] : [EXECUTIONS.name], statuses ? [] : [STATUSES.name]].flat();
    throw InvalidConfigurationError.because([wording('no-tables', { tables: missing.join(', ') })]);
  }

  /** The tables of traces that exist, and the SQL that would create the others. */
  async schema(run: Run): Promise<TraceSchema> {
    const tables: { name: string; exists: boolean }[] = [];
    const sql: string[] = [];
    for (const table of [EXECUTIONS, STATUSES]) {
      // One after the other: they share a connection.
      const exists = (await this.find(run, table)) !== undefined;
      tables.push({ name: table.name, exists });
      if (!exists) sql.push(...this.#dialect.create(table, this.#nameOf(table)));
    }
    return { tables, sql };
  }

  /** @throws the errors of the database, such as for lack of rights to create the table */
  async findOrCreateOne(run: Run, table: TraceTable): Promise<FoundTable> {
    const present = await this.find(run, table);
    if (present !== undefined) return present;
    try {
      for (const sql of this.#dialect.create(table, this.#nameOf(table))) await run({ sql, parameters: [] });
    } catch (error) {
      // Perhaps another instance has just created it.
      const others = await this.find(run, table);
      if (others === undefined) throw error;
      return others;
    }
    const created = await this.find(run, table);
    if (created === undefined) throw new Error(`The table ${table.name} was created, but cannot be seen`);
    return created;
  }

  #nameOf({ name }: TraceTable): string {
    return this.#schema === undefined ? name : `${this.#dataSource.driver.escape(this.#schema)}.${name}`;
  }

  /** @returns the table; `undefined` if it is absent */
  async find(run: Run, table: TraceTable): Promise<FoundTable | undefined> {
    const columns = await this.#columns(run, table);
    const name = nameAmong(columns, table.name);
    if (name === undefined) return undefined;
    const escape = (text: string): string => this.#dataSource.driver.escape(text);
    return {
      table,
      reference: (this.#schema === undefined ? [name] : [this.#schema, name]).map(escape).join('.'),
      columns: new Map(
        columns
          .filter((column) => column.table === name)
          .map((column) => [column.name.toLowerCase(), { reference: escape(column.name), width: column.width }]),
      ),
    };
  }

  async #columns(run: Run, { name }: TraceTable): Promise<readonly CatalogColumn[]> {
    const query = this.#dialect.catalog(this.#schema);
    if (query === undefined) return this.#columnsByTypeOrm(name);
    const { rows } = await run(query);
    return rows.map((row) => ({
      table: String(row['table_name']),
      name: String(row['column_name']),
      width: widthFrom(row['width']),
    }));
  }

  async #columnsByTypeOrm(name: string): Promise<readonly CatalogColumn[]> {
    const runner = this.#dataSource.createQueryRunner('master');
    try {
      const path = (each: string): string => (this.#schema === undefined ? each : `${this.#schema}.${each}`);
      const table = (await runner.getTable(path(name))) ?? (await runner.getTable(path(name.toLowerCase())));
      const foundName = table?.name.split('.').at(-1) ?? name;
      return (table?.columns ?? []).map((column) => ({
        table: foundName,
        name: column.name,
        width: widthFrom(column.length),
      }));
    } finally {
      await runner.release();
    }
  }
}

interface CatalogColumn {
  readonly table: string;
  readonly name: string;
  readonly width: number | undefined;
}

/** The first table of that name, in any case: a dialect lists the one first that Java's statements find. */
function nameAmong(columns: readonly CatalogColumn[], name: string): string | undefined {
  return columns.find(({ table }) => table.toLowerCase() === name.toLowerCase())?.table;
}

/** 4000, `'4000'`, or `'VARCHAR(4000)'`; -1 stands for no limit in SQL Server. */
function widthFrom(value: unknown): number | undefined {
  const [text] = /-?\d+/.exec(typeof value === 'number' || typeof value === 'string' ? String(value) : '') ?? [];
  return Number(text) > 0 ? Number(text) : undefined;
}
