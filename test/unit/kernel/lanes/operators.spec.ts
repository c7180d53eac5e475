import { describe, expect, test } from '@jest/globals';
import { TestCluster } from '../../../../lib/testing/test-cluster.js';
import { idOf, ipOf } from '../../../support/views.js';

describe('operators', () => {
  test('disable a server, whose items go to the others, and enable it again', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);

    await cluster.operator.put(cluster.paths.server(ipOf('A')), 'DISABLED');
    await cluster.settle();
    expect(cluster.owners).toEqual({ B: [0, 1] });
    expect(cluster.view.leader).toBe(idOf('B'));

    await cluster.operator.put(cluster.paths.server(ipOf('A')), 'ENABLED');
    await cluster.settle();
    expect(cluster.owners).toEqual({ A: [1], B: [0] });
  });

  test('disable all servers, so that nothing runs until one is enabled', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    for (const name of ['A', 'B']) await cluster.operator.put(cluster.paths.server(ipOf(name)), 'DISABLED');
    await cluster.fire();
    expect(cluster.runs).toEqual([]);

    await cluster.operator.put(cluster.paths.server(ipOf('B')), 'ENABLED');
    await cluster.fire();
    expect(cluster.ran).toEqual({ B: [0, 1] });
  });

  test('pause the job so for a minute: what it has missed is not made up for, triggers included', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { cron: '0/5 * * * * ?', failover: true } });
    const servers = ['A', 'B'].map((name) => cluster.paths.server(ipOf(name)));
    for (const server of servers) await cluster.operator.put(server, 'DISABLED');
    for (const name of ['A', 'B']) await cluster.operator.create(cluster.paths.trigger(idOf(name)), '');
    await cluster.advance('61s');

    for (const server of servers) await cluster.operator.put(server, 'ENABLED');
    await cluster.advance('1s');
    expect(cluster.runs).toEqual([]);

    await cluster.fire();
    expect(cluster.runs.map(({ at, item }) => `${at} ${item}`).sort()).toEqual(['00:01:05 0', '00:01:05 1']);
  });

  test('disable an item, which nobody runs until it is enabled', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    await cluster.operator.create(cluster.paths.item(1, 'disabled'), '');
    await cluster.fire();
    expect(cluster.ran).toEqual({ B: [0] });

    await cluster.operator.remove(cluster.paths.item(1, 'disabled'));
    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [1], B: [0, 0] });
  });

  test('trigger the job manually: every instance runs its items once', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    for (const name of ['A', 'B']) await cluster.operator.create(cluster.paths.trigger(idOf(name)), '');
    await cluster.settle();
    expect(cluster.ran).toEqual({ A: [1], B: [0] });
    expect(cluster.runs.map(({ at }) => at)).toEqual(['manual', 'manual']);
    expect(cluster.view.triggers.size).toBe(0);
  });

  test('end one instance by removing its node; it stops for good and its peers take over', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    await cluster.operator.remove(cluster.paths.instance(idOf('A')));
    await cluster.settle();
    expect(cluster.owners).toEqual({ B: [0, 1] });
    expect(cluster.member('A').host.jobs.get('job')?.phase).toBe('stopped');

    await cluster.fire();
    expect(cluster.ran).toEqual({ B: [0, 1] });
  });

  test('whose decision to disable a server outlives its restart, unless the configuration is to overwrite', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    await cluster.operator.put(cluster.paths.server(ipOf('A')), 'DISABLED');
    await cluster.leave('A');
    await cluster.join('A');
    expect(cluster.view.servers.get(ipOf('A'))).toBe('DISABLED');

    await cluster.leave('A');
    await cluster.join('A', { overwrite: true });
    expect(cluster.view.servers.get(ipOf('A'))).toBe('ENABLED');
  });

  test('get a server back that they removed while its instance lives', async () => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.operator.remove(cluster.paths.server(ipOf('A')));
    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [0, 1] });
  });
});
