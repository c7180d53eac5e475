/** The records of operations, on real servers: stored, read, and deleted with the trace. */
import { afterEach, beforeEach, describe } from '@jest/globals';
import { type DataSource } from 'typeorm';
import { operationLogContract } from '../support/operation-log.contract.js';
import { dataSource, KINDS, newDatabase, serverOf } from './support/servers.js';

describe.each(KINDS)('the records of operations in %s', (kind) => {
  let database: DataSource;

  beforeEach(async () => {
    database = await dataSource(serverOf(kind), { database: await newDatabase(serverOf(kind)) }).initialize();
  });

  afterEach(() => database.destroy());

  // MariaDB has a small character set as Debian installs it.
  operationLogContract(() => database, kind === 'postgres' ? 'all' : 'few');
});
