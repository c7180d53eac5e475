import { afterEach, beforeEach, describe } from '@jest/globals';
import { DataSource } from 'typeorm';
import { operationLogContract } from '../../support/operation-log.contract.js';

describe('the records of operations in sql.js', () => {
  let database: DataSource;

  beforeEach(async () => {
    database = await new DataSource({ type: 'sqljs' }).initialize();
  });

  afterEach(() => database.destroy());

  operationLogContract(() => database, 'all');
});
