import { type DataSource, type QueryResult, type QueryRunner } from 'typeorm';
import { abortable } from '../../async/wait.js';
import { type Clock } from '../../time/clock.js';
import { type Statement } from './statement.js';

/** The result of a statement. */
export interface StatementResult {
  /** The rows of a query, by the names of columns in lower case. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The number of rows that were inserted, updated or deleted, if the driver reports it. */
  readonly affected: number;
}

/** Carries out a statement. */
export type Run = (statement: Statement) => Promise<StatementResult>;

/**
 * The most calls that ended by their signal and may still hold a connection. The other connections are left to the
 * application.
 */
const MOST_STUCK = 2;

/** After this time, a call that never came back is not counted any more: the server may have been replaced. */
const STUCK_FOR_MS = 300_000;

/** Borrows connections of a TypeORM data source, one for each call, and gives each back, also after an error. */
export class RdbConnection {
  readonly #dataSource: DataSource;
  readonly #clock: Clock;
  /** The times at which calls ended by their signal while they still hold a connection. */
  readonly #stuck = new Set<{ readonly leftAt: number }>();

  constructor(dataSource: DataSource, clock: Clock) {
    this.#dataSource = dataSource;
    this.#clock = clock;
  }

  /**
   * Calls `work` with a connection of its own. Rejects with the signal's reason as soon as the signal aborts, and
   * closes the connection then, because its statement may hang.
   */
  async use<T>(signal: AbortSignal, work: (run: Run) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (!this.#dataSource.isInitialized) throw new Error('The DataSource is not initialized');
    this.#refuseIfStuck();
    const runner = this.#dataSource.createQueryRunner('master');
    // Embedded databases have one connection: a row that is written now would become part of the application's
    // transaction.
    if (runner.isTransactionActive) throw new Error('The only connection of the DataSource is in a transaction');
    const result = borrowed(runner, signal, work);
    try {
      return await abortable(result, signal);
    } finally {
      if (signal.aborted) this.#leave(runner, result);
    }
  }

  #refuseIfStuck(): void {
    const oldest = this.#clock.monotonic() - STUCK_FOR_MS;
    for (const call of this.#stuck) if (call.leftAt < oldest) this.#stuck.delete(call);
    if (this.#stuck.size >= MOST_STUCK)
      throw new Error(`${this.#stuck.size} earlier statements have not been answered, and hold their connections`);
  }

  #leave(runner: QueryRunner, result: Promise<unknown>): void {
    const call = { leftAt: this.#clock.monotonic() };
    this.#stuck.add(call);
    const over = (): void => void this.#stuck.delete(call);
    result.then(over, over);
    if (sever(runner)) over();
  }
}

async function borrowed<T>(runner: QueryRunner, signal: AbortSignal, work: (run: Run) => Promise<T>): Promise<T> {
  try {
    await runner.connect();
    return await work(async ({ sql, parameters }) => {
      signal.throwIfAborted();
      return resultOf(await runner.query(sql, [...parameters], true));
    });
  } finally {
    await runner.release();
  }
}

function resultOf({ records, affected }: Partial<QueryResult>): StatementResult {
  return { rows: (records ?? []).map(lowerCaseKeys), affected: affected ?? 0 };
}

function lowerCaseKeys(row: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(row as object).map(([key, value]) => [key.toLowerCase(), value as unknown]));
}

/**
 * Closes the connection at once, so that neither this process nor the pool waits for an answer. TypeORM has no way to
 * do that, so it takes the driver's own: PostgreSQL's, MySQL's.
 * @returns false if the driver has no such way
 */
function sever(runner: QueryRunner): boolean {
  const { databaseConnection: connection } = runner as unknown as {
    readonly databaseConnection?: {
      readonly destroy?: () => void;
      readonly connection?: { readonly stream?: { readonly destroy?: () => void } };
    };
  };
  const stream = connection?.connection?.stream;
  if (typeof stream?.destroy === 'function') stream.destroy();
  else if (typeof connection?.destroy === 'function') connection.destroy();
  else return false;
  // A driver may never answer a statement of a connection that was closed.
  runner.release().catch(() => undefined);
  return true;
}
