import { describe, expect, test } from '@jest/globals';
import { RegistryConflictError } from '../../../../lib/api/errors/errors.js';
import { Deferred } from '../../../../lib/async/deferred.js';
import { ipOfInstanceId } from '../../../../lib/layout/job-instance.js';
import { type Delivery } from '../../../../lib/registry/embedded/delivery.js';
import { EmbeddedRegistryCenter } from '../../../../lib/registry/embedded/embedded-registry-center.js';
import { type Operation } from '../../../../lib/registry/registry-center.js';
import { JobHost } from '../../../../lib/kernel/job-host.js';
import { OneOffJobBootstrap } from '../../../../lib/kernel/job-bootstrap.js';
import { type ShardingContext } from '../../../../lib/api/job/sharding-context.js';
import { type ManualClock, TestCluster } from '../../../../lib/testing/index.js';
import { until } from '../../../support/until.js';
import { aConfiguration, idOf, ipOf } from '../../../support/views.js';

/** Every message takes ten milliseconds. */
const slowly =
  (clock: ManualClock) =>
  ({ arrive }: Delivery): void =>
    void clock.after(10, arrive);

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

  test('begins nothing when no request was answered for two thirds of the session, even if changes still arrive and runs are not marked', async () => {
    await using cluster = await TestCluster.start(['A'], {
      job: { monitorExecution: false },
      sessionTimeoutMs: 12_000,
    });
    cluster.cut('A', { direction: 'sending' });
    await cluster.advance('11s');
    expect(cluster.member('A').registry.session.state.phase).toBe('connected');
    expect(cluster.runs.map(({ item, at }) => `${item} ${at}`)).toEqual(['0 00:00:05', '1 00:00:05']);
    cluster.forget();

    await cluster.heal('A');
    expect(cluster.runs.map(({ item, at }) => `${item} ${at}`)).toEqual(['0 00:00:10', '1 00:00:10']);
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

/** The process freezes when its registration has been carried out, and hears of that when it has another session. */
class FreezingCentre extends EmbeddedRegistryCenter {
  #hasFrozen = false;

  override async commit(operations: readonly Operation[]): Promise<number> {
    const revision = await super.commit(operations);
    const isRegistration = operations.some(({ type, path }) => type === 'create' && path.includes('/instances/'));
    if (!isRegistration || this.#hasFrozen) return revision;
    this.#hasFrozen = true;
    const next = new Deferred();
    const leave = this.session.onChange(({ phase }) => phase === 'connected' && next.resolve());
    this.faults.expire();
    await next.promise;
    leave();
    return revision;
  }
}

/** Its commits wait for the gate, once there is one, as those of ZooKeeper do while the connection is broken. */
class GatedCentre extends EmbeddedRegistryCenter {
  gate: Promise<void> | undefined;
  waiting = 0;

  override async commit(operations: readonly Operation[]): Promise<number> {
    this.waiting++;
    await this.gate;
    return super.commit(operations);
  }
}

test('an instance does not claim to be active until it begins items again, though the connection is back before', async () => {
  const registryCenter = new GatedCentre({ namespace: 'gated' });
  registryCenter.connect();
  const nothing = (): void => undefined;
  const host = new JobHost({ registryCenter, logger: { debug: nothing, log: nothing, warn: nothing, error: nothing } });
  const bootstrap = new OneOffJobBootstrap(registryCenter, { execute: nothing }, aConfiguration(), { host });
  await bootstrap.execute();
  const health = () => host.jobs.get('bill')!.health;
  await until(() => health().state === 'active');
  const gate = new Deferred();
  registryCenter.gate = gate.promise;
  registryCenter.waiting = 0;
  // The job is busy with that repair when the connection breaks.
  await registryCenter.put(`/bill/instances/${host.instance.jobInstanceId}`, 'TRIGGER');
  await until(() => registryCenter.waiting > 0);

  registryCenter.faults.disconnect();
  registryCenter.faults.resume();
  await until(() => registryCenter.session.state.phase === 'connected');

  expect(health()).toMatchObject({
    state: 'suspended',
    reason: expect.stringContaining('the connection is back') as unknown,
  });
  gate.resolve();
  await until(() => health().state === 'active');
  await host.stop();
  await registryCenter.close();
});

test('an instance that loses its session while it registers is registered in the next one, and no operator has ended it', async () => {
  const registryCenter = new FreezingCentre({ namespace: 'freezing' });
  registryCenter.connect();
  const entries: string[] = [];
  const write = (message: string): void => void entries.push(message);
  const host = new JobHost({ registryCenter, logger: { debug: write, log: write, warn: write, error: write } });
  const job = { execute: () => void entries.push('runs') };
  const bootstrap = new OneOffJobBootstrap(registryCenter, job, aConfiguration({ jobName: 'bill' }), { host });

  await bootstrap.execute();
  await until(() => entries.includes('runs'));

  const { state } = registryCenter.session;
  const [node] = await registryCenter.getAll([`/bill/instances/${host.instance.jobInstanceId}`]);
  expect(node?.session).toBe(state.phase === 'connected' ? state.id : 'not connected');
  expect(entries.filter((entry) => entry.includes('ended the job'))).toEqual([]);
  await host.stop();
  await registryCenter.close();
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

describe('the session', () => {
  test('while it is suspended nothing starts, and the firing is made up for when it is back', async () => {
    await using cluster = await TestCluster.start(['A']);
    cluster.member('A').registry.faults.disconnect();
    await cluster.fire();
    expect(cluster.runs).toEqual([]);

    cluster.member('A').registry.faults.resume();
    await cluster.settle();
    expect(cluster.runs.map(({ item, at }) => `${item} ${at}`)).toEqual(['0 00:00:05', '1 00:00:05']);
  });

  test('interrupted and resumed changes no node', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const before = [...cluster.tree];
    const { nodes } = await cluster.operator.mirror(cluster.paths.root);
    cluster.member('A').registry.faults.disconnect();
    await cluster.advance(1_000);
    cluster.member('A').registry.faults.resume();
    await cluster.settle();
    expect([...cluster.tree]).toEqual(before);
    expect((await cluster.operator.mirror(cluster.paths.root)).nodes).toEqual(nodes);
  });

  test('lost aborts the running items with the reason, and the next owner has a higher fencing token', async () => {
    const aborted: string[] = [];
    const work = (
      name: string,
      { signal, shardingItem }: { signal: AbortSignal; shardingItem: number },
    ): Promise<void> | void => {
      if (name !== 'A') return;
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          aborted.push(`${shardingItem} ${(signal.reason as { code: string }).code}`);
          resolve();
        }),
      );
    };
    await using cluster = await TestCluster.start(['A', 'B'], { work });
    await cluster.fire();
    cluster.member('A').registry.faults.dropMessages();
    await cluster.advance(12_000);

    expect(aborted).toEqual(['1 SESSION_LOST']);
    const tokens = cluster.runs
      .filter(({ item }) => item === 1)
      .map(({ instance, context }) => ({ instance, token: context.fencingToken }));
    expect(tokens.at(-1)?.instance).toBe('B');
    expect(tokens.at(-1)!.token).toBeGreaterThan(tokens[0]!.token);
  });

  test('lost leaves the mark of the next owner alone, even if the old run does not listen and ends late', async () => {
    const ends = new Map<string, () => void>();
    const work = (name: string): Promise<void> => new Promise((resolve) => ends.set(name, resolve));
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 1 }, work });
    await cluster.fire();
    cluster.member('B').registry.faults.expire();
    await cluster.operator.put(cluster.paths.server(ipOf('B')), 'DISABLED');
    await cluster.fire();
    expect(cluster.runs.map(({ instance }) => instance)).toEqual(['B', 'A']);

    ends.get('B')?.();
    await cluster.settle();
    expect(cluster.tree.get(cluster.paths.item(0, 'running'))).toBe(idOf('A'));
    ends.get('A')?.();
  });

  test('lost and opened anew brings the instance back', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    cluster.member('A').registry.faults.expire();
    await cluster.settle();
    expect(cluster.owners).toEqual({ A: [1], B: [0] });
    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [1], B: [0] });
  });
});

describe('an instance that was cut off', () => {
  test('leaves the marks of its successors alone when it is back, so that no item runs on two instances at once', async () => {
    const busy = new Map<number, string>();
    const twice: string[] = [];
    const work = (name: string, { signal, shardingItem }: ShardingContext): Promise<void> => {
      const other = busy.get(shardingItem);
      if (other !== undefined) twice.push(`${shardingItem}: ${name} while ${other}`);
      busy.set(shardingItem, name);
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          busy.delete(shardingItem);
          resolve();
        }),
      );
    };
    await using cluster = await TestCluster.start(['A', 'B'], { work });
    await cluster.operator.put(cluster.paths.server(ipOf('B')), 'DISABLED');
    await cluster.settle();
    await cluster.fire();
    cluster.member('A').registry.faults.dropMessages();
    await cluster.operator.put(cluster.paths.server(ipOf('B')), 'ENABLED');
    await cluster.advance(20_000);
    expect([...busy.values()]).toEqual(['B', 'B']);

    cluster.member('A').registry.faults.resume();
    await cluster.advance(20_000);
    expect(twice).toEqual([]);
  });

  test('leaves the mark of the next owner alone if it does not know that its own has been removed', async () => {
    const ends = new Map<string, () => void>();
    const work = (name: string): Promise<void> => new Promise((resolve) => ends.set(name, resolve));
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { shardingTotalCount: 1 },
      work,
      sessionTimeoutMs: 60_000,
    });
    await cluster.fire();
    const { registry } = cluster.member('B');
    registry.faults.loseNextWrite('applied');
    const unsubscribe = registry.session.onChange(({ phase }) => {
      if (phase === 'suspended') registry.faults.disconnect();
    });
    ends.get('B')?.();
    await cluster.settle();
    unsubscribe();
    await cluster.operator.put(cluster.paths.server(ipOf('B')), 'DISABLED');
    await cluster.settle();
    await cluster.fire();
    expect(cluster.tree.get(cluster.paths.item(0, 'running'))).toBe(idOf('A'));

    registry.faults.resume();
    await cluster.advance(100);
    expect(cluster.tree.get(cluster.paths.item(0, 'running'))).toBe(idOf('A'));
    ends.get('A')?.();
  });

  test('does not take the end of its session for an order of an operator, though it was just reading the job', async () => {
    await using cluster = await TestCluster.start(['B'], { deliver: slowly });
    await cluster.advance(2_000);
    await cluster.join('A');
    const { registry } = cluster.member('A');
    const mirror = registry.mirror.bind(registry);
    let answers = Promise.resolve();
    let asked = 0;
    registry.mirror = async (...args) => {
      const opened = await mirror(...args);
      const load = opened.load.bind(opened);
      opened.load = () => {
        asked++;
        return answers.then(load);
      };
      return opened;
    };
    await cluster.advance(10_000);
    const before = asked;
    const answer = new Deferred();
    answers = answer.promise;
    await cluster.join('C');
    await cluster.advance(1_000);
    expect(asked).toBeGreaterThan(before);

    await cluster.expire('A');
    await cluster.advance(1_000);
    answer.resolve();
    await cluster.advance(10_000);

    expect([...cluster.view.instances.keys()].sort()).toEqual(['A', 'B', 'C'].map(idOf));
  });

  test.each([
    ['disabled', { overwrite: true }, 'DISABLED'],
    ['enabled', { disabled: true }, 'ENABLED'],
  ])('finds its server as an operator has %s it', async (_, job, status) => {
    await using cluster = await TestCluster.start(['A', 'B'], { job });
    await cluster.operator.put(cluster.paths.server(ipOf('A')), status);
    await cluster.settle();
    cluster.member('A').registry.faults.expire();
    await cluster.settle();
    expect(cluster.tree.get(cluster.paths.server(ipOf('A')))).toBe(status);
  });
});
