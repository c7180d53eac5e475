import { expect, test } from '@jest/globals';
import { DataSource } from 'typeorm';
import { EXECUTIONS, JAVA_INDEX, STATUSES } from '../../../lib/tracing/rdb/trace-tables.js';
import { codeBlocks, textOf } from './pages.js';

test('the SQL of the page on fencing lets the owners of an item write in the order of their tokens, and refuses stale owners', async () => {
  const [sql] = codeBlocks(textOf('docs/fencing.md')).filter(({ language }) => language === 'sql');
  const [create = '', update = ''] = (sql?.code ?? '').replace(/^--.*$/gm, '').split(';\n');
  const database = await new DataSource({ type: 'sqljs' }).initialize();
  await database.query(create);
  await database.query("INSERT INTO region VALUES ('north', 0)");
  const write = async (token: number): Promise<number> => {
    // TypeORM's own placeholders are positional; the statement's are named.
    const values = { ':token': token, ':name': 'north' } as const;
    const names = update.match(/:token|:name/g) as (keyof typeof values)[];
    await database.query(
      update.replace(/:token|:name/g, '?'),
      names.map((name) => values[name]),
    );
    const [row] = await database.query<{ changes: number }[]>('SELECT changes() AS changes');
    return row?.changes ?? -1;
  };

  const zookeeperToken = 5 * 2 ** 32 + 17;
  const changed = [await write(7), await write(7), await write(zookeeperToken), await write(8)];

  expect(changed).toEqual([1, 1, 1, 0]);
  expect(await database.query('SELECT token FROM region')).toEqual([{ token: zookeeperToken }]);
});

test('the SQL of the page on tracing gives tables of Java the indexes that this library makes', () => {
  const blocks = codeBlocks(textOf('docs/tracing.md')).filter(({ language }) => language === 'sql');
  const told = blocks.flatMap(({ code }) => code.split('\n').filter((line) => line.startsWith('CREATE INDEX')));
  const made = [EXECUTIONS, STATUSES].flatMap(({ name, indexes }) =>
    indexes
      .filter((index) => index.name !== JAVA_INDEX)
      .map((index) => `CREATE INDEX ${index.name} ON ${name} (${index.columns.join(', ')});`),
  );

  expect(told).toEqual(made);
});
