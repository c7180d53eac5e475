import { afterEach, beforeEach, describe } from '@jest/globals';
import { DataSource } from 'typeorm';
import { traceReadingContract } from '../../support/trace-reading.contract.js';

describe('the trace in sql.js', () => {
  let database: DataSource;

  beforeEach(async () => {
    database = await new DataSource({ type: 'sqljs' }).initialize();
  });

  afterEach(() => database.destroy());

  traceReadingContract(() => database);
});
