import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Runs work on the database in transactions: all of it or nothing. */
@Injectable()
export class Transactions {
  readonly #dataSource: DataSource;

  constructor(dataSource: DataSource) {
    this.#dataSource = dataSource;
  }

  /** Runs `task` in a transaction, which is rolled back if it throws. */
  run<T>(task: (database: EntityManager) => Promise<T>): Promise<T> {
    const transaction = (): Promise<T> => this.#dataSource.transaction(task);
    return this.#dataSource.options.type === 'sqljs' ? oneAfterTheOther(transaction) : transaction();
  }
}

/**
 * Runs tasks one after the other: the database in memory has one connection, and so one transaction at a time. A
 * database server needs no such queue.
 */
function oneAfterTheOther<T>(task: () => Promise<T>): Promise<T> {
  const result = last.then(task);
  last = result.catch(() => undefined);
  return result;
}

let last: Promise<unknown> = Promise.resolve();
