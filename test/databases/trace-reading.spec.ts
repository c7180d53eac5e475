import { afterEach, beforeEach, describe } from '@jest/globals';
import { type DataSource } from 'typeorm';
import { traceReadingContract } from '../support/trace-reading.contract.js';
import { dataSource, KINDS, newDatabase, serverOf } from './support/servers.js';

describe.each(KINDS)('the trace in %s', (kind) => {
  let database: DataSource;

  beforeEach(async () => {
    database = await dataSource(serverOf(kind), { database: await newDatabase(serverOf(kind)) }).initialize();
  });

  afterEach(() => database.destroy());

  traceReadingContract(() => database);
});
