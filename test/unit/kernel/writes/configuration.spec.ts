import { describe, expect, test } from '@jest/globals';
import { toYaml } from '../../../../lib/layout/job-configuration-yaml.js';
import { TestCluster } from '../../../../lib/testing/test-cluster.js';
import { aConfiguration } from '../../../support/views.js';

describe('a change of the configuration', () => {
  const change = async (cluster: TestCluster, changes: object): Promise<void> => {
    const configuration = aConfiguration({ cron: '0/5 * * * * ?', timeZone: 'GMT', ...changes });
    await cluster.operator.put(cluster.paths.config, toYaml(configuration));
    await cluster.settle();
  };

  test('of the cron takes effect at once', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { cron: '0 0 12 * * ?' } });
    await change(cluster, { cron: '0/2 * * * * ?' });
    await cluster.advance(4_000);
    expect(cluster.runs.map(({ item, at }) => `${item} ${at}`)).toEqual([
      '0 00:00:02',
      '1 00:00:02',
      '0 00:00:04',
      '1 00:00:04',
    ]);
  });

  test('to a cron that cannot be read leaves the schedule as it is, and the log says what is wrong', async () => {
    await using cluster = await TestCluster.start(['A']);
    await change(cluster, { cron: 'every morning' });
    await cluster.advance('5s');
    expect(cluster.ran).toEqual({ A: [0, 1] });
    expect(cluster.member('A').log.join('\n')).toContain('every morning');
  });

  test('of the number of items adds items, and removes them without a trace', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    await change(cluster, { shardingTotalCount: 5 });
    expect(cluster.owners).toEqual({ A: [2, 3], B: [0, 1, 4] });

    await cluster.operator.create(cluster.paths.item(3, 'misfire'), '');
    await change(cluster, { shardingTotalCount: 1 });
    expect(cluster.owners).toEqual({ B: [0] });
    expect([...cluster.tree.keys()].filter((path) => path.startsWith(`${cluster.paths.sharding}/`))).toEqual([
      cluster.paths.item(0),
      cluster.paths.item(0, 'instance'),
    ]);
  });

  test('of parameters holds from the next firing on', async () => {
    await using cluster = await TestCluster.start(['A']);
    await change(cluster, { shardingItemParameters: '0=x', jobParameter: 'new' });
    await cluster.fire();
    expect(cluster.runs[0]?.context).toMatchObject({ shardingParameter: 'x', jobParameter: 'new' });
  });

  test('to monitorExecution=false ends the marking', async () => {
    await using cluster = await TestCluster.start(['A']);
    await change(cluster, { monitorExecution: false });
    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [0, 1] });
    expect(cluster.view.lastBegun.size).toBe(0);
  });

  test('to something unreadable is told, runs nothing, and heals when it is put right', async () => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.operator.put(cluster.paths.config, 'shardingTotalCount: [three');
    await cluster.fire();
    expect(cluster.runs).toEqual([]);
    expect(cluster.member('A').log.join('\n')).toContain('/job/config');

    await change(cluster, {});
    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [0, 1] });
  });
});
