import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { creation } from '../../../lib/registry/postgresql/schema/migration.js';
import { SCHEMA_VERSION } from '../../../lib/registry/postgresql/schema/tables.js';

const RECORD = join(import.meta.dirname, 'postgresql-schema-version.txt');

/**
 * A database keeps the functions of the version that is noted in it. With UPDATE=1 the record is written: raise
 * SCHEMA_VERSION first if its present value was released.
 */
test('the tables and functions of PostgreSQL are those that were recorded for their version', () => {
  const hash = createHash('sha256').update(creation('schema')).digest('hex');
  const actual = `version ${SCHEMA_VERSION}: ${hash}\n`;
  if (process.env['UPDATE'] === '1') writeFileSync(RECORD, actual);

  expect(actual).toBe(readFileSync(RECORD, 'utf8'));
});
