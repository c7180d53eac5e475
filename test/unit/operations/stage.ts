import { type OperationRecord } from '../../../lib/api/events/operation-record.js';
import { JobConfigurationAPI } from '../../../lib/operations/job-configuration-api.js';
import { JobOperateAPI } from '../../../lib/operations/job-operate-api.js';
import { ShardingOperateAPI } from '../../../lib/operations/sharding-operate-api.js';
import { ShardingStatisticsAPI } from '../../../lib/operations/sharding-statistics-api.js';
import { type TestCluster } from '../../../lib/testing/test-cluster.js';

/** The operations on the registry of a cluster, and the records that they leave. */
export function operationsOn(cluster: TestCluster) {
  const records: OperationRecord[] = [];
  const listener = { onOperation: (record: OperationRecord) => void records.push(record) };
  const options = { clock: cluster.clock, listeners: [listener], operator: 'anna' };
  return {
    records,
    configurations: new JobConfigurationAPI(cluster.operator, options),
    jobs: new JobOperateAPI(cluster.operator, options),
    items: new ShardingOperateAPI(cluster.operator, options),
    itemStatistics: new ShardingStatisticsAPI(cluster.operator),
  };
}

/** Lets time pass until the promise settles; at most ten minutes. */
export async function letTimePass<T>(cluster: TestCluster, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = (): void => void (isSettled = true);
  promise.then(settled, settled);
  for (let step = 0; !isSettled && step < 6_000; step++) await cluster.advance('100ms');
  return promise;
}
