/* eslint-disable jest/no-export -- a suite that the specs of several databases call */
import { expect, test } from '@jest/globals';
import { type DataSource } from 'typeorm';
import { type OperationRecord } from '../../lib/api/events/operation-record.js';
import { RdbOperationLog } from '../../lib/tracing/rdb/rdb-operation-log.js';
import { RdbTraceStorage } from '../../lib/tracing/rdb/rdb-trace-storage.js';

const { signal } = new AbortController();

function aRecord(id: string, changes: Partial<OperationRecord> = {}): OperationRecord {
  return {
    ...{
      id,
      operation: 'disable',
      registryCenter: 'reports',
      jobName: 'orders',
      serverIp: '10.0.0.1',
      item: undefined,
      operator: 'anna@host',
    },
    ...{ reason: 'new disks', startedAt: new Date('2030-01-31T12:00:00Z'), outcome: 'done', error: undefined },
    ...{ before: { '/orders/servers/10.0.0.1': 'ENABLED' }, after: { '/orders/servers/10.0.0.1': 'DISABLED' } },
    ...changes,
  };
}

/**
 * The promises of the records of operations on every database.
 * @param characters `all` if the database can store all characters; `few` if it writes others as `?`
 */
export function operationLogContract(database: () => DataSource, characters: 'all' | 'few'): void {
  const logs = new WeakMap<DataSource, RdbOperationLog>();
  const log = (): RdbOperationLog => {
    const known = logs.get(database()) ?? new RdbOperationLog(database());
    logs.set(database(), known);
    return known;
  };
  const ids = async (filter: Parameters<RdbOperationLog['operations']>[0]) =>
    (await log().operations(filter, signal)).rows.map(({ id }) => id);

  const reason = 'Größe 日本';
  const stored = characters === 'all' ? reason : 'Gr??e ??';

  test('stores a record as it is, in a table that it creates, and reads it back', async () => {
    const records = [
      aRecord('1'),
      aRecord('2', {
        ...{ operation: 'disable-item', serverIp: undefined, item: 0, reason: undefined },
        ...{ before: {}, after: { '/orders/sharding/0/disabled': '' }, startedAt: new Date('2030-01-31T12:00:01Z') },
      }),
      aRecord('3', {
        ...{
          operation: 'shutdown',
          registryCenter: undefined,
          jobName: undefined,
          outcome: 'failed',
          error: 'no answer',
          before: {},
          after: {},
        },
        ...{ reason, startedAt: new Date('2030-01-31T12:00:02Z') },
      }),
    ];
    for (const each of records) await log().onOperation(each);

    expect((await log().operations({}, signal)).rows).toEqual(
      records.map((each) => (each.reason === reason ? { ...each, reason: stored } : each)).toReversed(),
    );
  });

  test('reads the records of one job, those that name no job, and those of a time, a page at a time', async () => {
    const at = (second: number): Date => new Date(Date.UTC(2030, 0, 31, 12, 0, second));
    await log().onOperation(aRecord('1', { startedAt: at(1) }));
    await log().onOperation(aRecord('2', { startedAt: at(2), jobName: undefined }));
    await log().onOperation(aRecord('3', { startedAt: at(3), jobName: 'bills' }));
    await log().onOperation(aRecord('4', { startedAt: at(4) }));

    expect(await ids({ jobName: 'orders' })).toEqual(['4', '1']);
    expect(await ids({ jobName: null })).toEqual(['2']);
    expect(await ids({ from: at(2), to: at(4) })).toEqual(['3', '2']);
    const { rows, next } = await log().operations({ pageSize: 3 }, signal);
    expect(rows.map(({ id }) => id)).toEqual(['4', '3', '2']);
    expect(await ids({ pageSize: 3, after: next })).toEqual(['1']);
  });

  test('leaves out values that were cut to the width of the column, and keeps the record', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`/orders/servers/10.0.1.${index}`, 'x']),
    );
    await log().onOperation(aRecord('1', { after: many }));

    expect((await log().operations({}, signal)).rows).toMatchObject([{ id: '1', after: {}, reason: 'new disks' }]);
  });

  test('deletes old records with the old rows of the trace, and creates no table for that', async () => {
    const storage = new RdbTraceStorage(database());
    const before = new Date('2030-01-31T12:00:01Z');
    expect(await storage.deleteOld({ before }, signal)).toEqual({ executions: 0, statuses: 0, operations: 0 });
    await expect(database().query('SELECT * FROM JOB_OPERATION_LOG')).rejects.toThrow();
    for (let second = 0; second < 5; second++)
      await log().onOperation(
        aRecord(String(second), { startedAt: new Date(before.getTime() + (second - 3) * 1_000) }),
      );

    const retention = { before, batchRows: 2, pauseMs: 1 };
    const deleted = await new RdbTraceStorage(database()).deleteOld(retention, signal);

    expect(deleted).toEqual({ executions: 0, statuses: 0, operations: 3 });
    expect(await ids({})).toEqual(['4', '3']);
  });
}
