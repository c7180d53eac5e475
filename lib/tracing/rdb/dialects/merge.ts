import { type OnDuplicate, type WriteTarget } from '../dialect.js';

/**
 * `MERGE INTO …`: the way of Oracle and SQL Server to insert or complete rows in one statement.
 * @param into the table, with its alias `t`
 * @param source the rows, with the alias `v`
 */
export function merge(target: WriteTarget, into: string, source: string, onDuplicate: OnDuplicate): string {
  const { columns, completion, id } = target;
  const assignments = completion.map((column) => `t.${column} = v.${column}`);
  return [
    `MERGE INTO ${into} USING ${source} ON (t.${id} = v.${id})`,
    ...(onDuplicate === 'complete' ? [`WHEN MATCHED THEN UPDATE SET ${assignments.join(', ')}`] : []),
    `WHEN NOT MATCHED THEN INSERT (${columns.join(', ')}) VALUES (${columns.map((column) => `v.${column}`).join(', ')})`,
  ].join('\n');
}
