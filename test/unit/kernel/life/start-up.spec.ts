import { describe, expect, test } from '@jest/globals';
import { TestCluster } from '../../../../lib/testing/test-cluster.js';
import { ipOf } from '../../../support/views.js';

describe('at start', () => {
  test('the registry’s configuration comes before the local one, unless that is to overwrite', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 2 } });
    await cluster.join('B', { shardingTotalCount: 4 });
    expect(cluster.view.config?.shardingTotalCount).toBe(2);

    await cluster.join('C', { shardingTotalCount: 3, overwrite: true });
    expect(cluster.owners).toEqual({ A: [2], B: [1], C: [0] });
  });

  test('a job name that another class has is refused, naming both', async () => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.operator.put(cluster.paths.root, 'com.example.BillJob');
    const { started } = await cluster.join('B');
    await expect(started).rejects.toThrow("class is 'com.example.BillJob', your job class is 'TestJob'");
    expect(cluster.view.instances.size).toBe(1);
  });

  test('with disabled=true an instance gets no items until an operator enables its server', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { disabled: true } });
    await cluster.fire();
    expect(cluster.runs).toEqual([]);
    await cluster.operator.put(cluster.paths.server(ipOf('A')), 'ENABLED');
    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [0, 1] });
  });
});
