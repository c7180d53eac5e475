import { setTimeout as sleep } from 'node:timers/promises';
import { RdbTraceStorage } from 'nestjs-elasticjob/tracing-rdb';
import { DataSource } from 'typeorm';
import { databaseOptions } from '../database/database.module.js';
import { Order } from '../orders/order.entity.js';
import { Region } from '../orders/region.entity.js';
import { Run } from '../orders/run.entity.js';

/** Reads the application's database for the demonstration, through a connection of its own. */
export class RunLog {
  readonly #dataSource: DataSource;
  readonly #runs: Run[] = [];

  private constructor(dataSource: DataSource) {
    this.#dataSource = dataSource;
  }

  /** Opens the database and empties the sample's tables. */
  static async openEmpty(): Promise<RunLog> {
    const dataSource = await new DataSource(databaseOptions()).initialize();
    for (const table of [Run, Order, Region]) await dataSource.getRepository(table).clear();
    return new RunLog(dataSource);
  }

  /** The connection to the database. */
  get dataSource(): DataSource {
    return this.#dataSource;
  }

  /** All runs read so far. */
  get runs(): readonly Run[] {
    return this.#runs;
  }

  /** Reads and returns the runs since the last call. */
  async readOn(): Promise<readonly Run[]> {
    // All runs each time, as transactions end in another order than that of their ids.
    const runs = await this.#dataSource.getRepository(Run).find({ order: { id: 'ASC' } });
    const known = new Set(this.#runs.map(({ id }) => id));
    const added = runs.filter(({ id }) => !known.has(id));
    this.#runs.push(...added);
    return added;
  }

  /**
   * Reads runs until `isEnough` is true for all of them, and calls `onRun` for each.
   * @throws after `timeoutMs`, naming the awaited `what`
   */
  async readUntil(
    isEnough: (runs: readonly Run[]) => boolean,
    { what, timeoutMs = 30_000, onRun }: { what: string; timeoutMs?: number; onRun: (run: Run) => void },
  ): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!isEnough(this.#runs)) {
      if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}.`);
      await sleep(50);
      for (const run of await this.readOn()) onRun(run);
    }
  }

  /** The figures in ElasticJob's two tables for the runs since `from`. */
  async trace(from: Date): Promise<{ readonly succeeded: number; readonly failed: number; readonly states: number }> {
    const storage = new RdbTraceStorage(this.#dataSource);
    const signal = AbortSignal.timeout(10_000);
    const { rows } = await storage.executions({ from, pageSize: 1_000 }, signal);
    const { rows: states } = await storage.statuses({ from, pageSize: 1_000 }, signal);
    const succeeded = rows.filter(({ success }) => success).length;
    return { succeeded, failed: rows.length - succeeded, states: states.length };
  }

  /** The number of shipped orders, to compare with the runs. */
  shippedOrders(): Promise<number> {
    return this.#dataSource.getRepository(Order).countBy({ status: 'shipped' });
  }

  async close(): Promise<void> {
    await this.#dataSource.destroy();
  }
}
