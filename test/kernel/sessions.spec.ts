import { describe, expect, test } from '@jest/globals';
import { RegistryConflictError } from '../../lib/api/errors.js';
import { Deferred } from '../../lib/async/deferred.js';
import { ipOfInstanceId } from '../../lib/layout/job-instance.js';
import { type Delivery } from '../../lib/registry/embedded/delivery.js';
import { type ManualClock, TestCluster } from '../../lib/testing/index.js';

describe('an instance that is cut off for a moment', () => {
  test.each([true, false])('keeps the marks of what it is running (failover=%s)', async (failover) => {
    const gate = new Deferred();
    await using cluster = await TestCluster.start(['A', 'B'], { job: { failover }, work: () => gate.promise });
    await cluster.fire();
    const { tree } = cluster;

    cluster.member('A').registry.faults.disconnect();
    await cluster.advance('1s');
    await cluster.heal('A');
    await cluster.advance('1s');

    expect([...cluster.tree]).toEqual([...tree]);
    gate.resolve();
  });

  test('begins nothing meanwhile, even if runs are not marked', async () => {
    await using cluster = await TestCluster.start(['A'], {
      job: { monitorExecution: false },
      sessionTimeoutMs: 60_000,
    });
    cluster.member('A').registry.faults.disconnect();
    await cluster.advance('6s');
    expect(cluster.runs).toEqual([]);

    await cluster.heal('A');
    expect(cluster.runs.map(({ item, at }) => `${item} ${at}`)).toEqual(['0 00:00:05', '1 00:00:05']);
  });

  test('begins no further item of a run in progress meanwhile', async () => {
    const first = new Deferred();
    const pool = { type: 'ONE', getSize: () => 1 };
    await using cluster = await TestCluster.start(['A'], {
      job: { jobExecutorThreadPoolSizeProviderType: 'ONE' },
      host: { threadPoolSizeProviders: [pool] },
      sessionTimeoutMs: 60_000,
      work: (_, { shardingItem }) => (shardingItem === 0 ? first.promise : undefined),
    });
    await cluster.fire();
    cluster.member('A').registry.faults.disconnect();
    first.resolve();
    await cluster.advance('1s');
    expect(cluster.ran).toEqual({ A: [0] });

    await cluster.heal('A');
    expect(cluster.ran).toEqual({ A: [0, 1] });
  });
});

describe('an instance that comes back with another session', () => {
  test('before the former one has ended in the registry is there for good', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    // The registry hears of the broken connection when the instance notices that it hears nothing, seconds later.
    cluster.cut('A', { direction: 'receiving' });
    await cluster.advance('7s');
    expect(cluster.view.instances.has(cluster.idOf('A'))).toBe(true);

    await cluster.heal('A');
    await cluster.advance('20s');

    expect(Object.keys(cluster.owners)).toEqual(['B', 'A']);
    expect(cluster.view.live.has(cluster.idOf('A'))).toBe(true);
  });

  test('begins nothing that the former one has asked for and that reaches the registry only now', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    await cluster.fire();
    const path = cluster.paths.beginRecord(cluster.idOf('A'));
    const { registry } = cluster.member('B');
    const mirror = await registry.mirror(cluster.paths.root);
    const { value = '', version } = mirror.nodes.get(path)!;

    await cluster.expire('A');
    await cluster.advance('1s');

    // Every run begins by a commit that replaces the record its instance last knew of.
    const late = registry.commit([{ type: 'set', path, value, version }]);
    await expect(late).rejects.toThrow(RegistryConflictError);
  });

  test('finds its server removed, and takes part all the same', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    cluster.cut('A');
    await cluster.advance('7s');
    await cluster.operator.remove(cluster.paths.server(cluster.ipOf('A')));
    await cluster.settle();

    await cluster.heal('A');

    expect(cluster.view.servers.get(cluster.ipOf('A'))).toBe('ENABLED');
    expect(cluster.owners).toEqual({ A: [1], B: [0] });
  });
});

test('an instance that an operator removes makes nothing of the job anew from that moment on', async () => {
  for (let gapMs = 0; gapMs <= 60; gapMs += 5) {
    const slowly = (clock: ManualClock) => (delivery: Delivery) => void clock.after(10, delivery.arrive);
    await using cluster = await TestCluster.start(['A'], { deliver: slowly });
    await cluster.advance('1s');
    const { operator, paths } = cluster;
    const server = paths.server(ipOfInstanceId(cluster.idOf('A')));

    // One after the other, as a whole job is removed.
    void operator.remove(server);
    await cluster.advance(gapMs);
    void operator.remove(paths.instance(cluster.idOf('A')));
    await cluster.advance(10);
    expect(cluster.tree.has(paths.instance(cluster.idOf('A')))).toBe(false);
    const before = cluster.tree.has(server);
    await cluster.advance('10s');

    expect({ gapMs, isThere: cluster.tree.has(server) }).toEqual({ gapMs, isThere: before });
  }
});
