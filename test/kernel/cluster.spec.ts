import { getMaxListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { toYaml } from '../../lib/layout/job-configuration-yaml.js';
import { instanceYaml } from '../../lib/layout/job-instance.js';
import { TestCluster } from '../../lib/testing/test-cluster.js';
import { aConfiguration, idOf, ipOf } from '../support/views.js';

const FIVE_SECONDS = '0/5 * * * * ?';

describe('items', () => {
  test('are spread over the instances and each runs once in a firing', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C'], { job: { shardingTotalCount: 7 } });

    await cluster.fire();

    expect(cluster.ran).toEqual({ A: [4, 5], B: [2, 3], C: [0, 1, 6] });
    expect(cluster.runs.map(({ at }) => at)).toEqual(Array(7).fill('00:00:05'));
  });

  test('move to an instance that joins, before the next firing', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 6 } });

    await cluster.join('C');

    expect(cluster.owners).toEqual({ A: [4, 5], B: [2, 3], C: [0, 1] });
  });

  test('move away at once from an instance that leaves', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C'], { job: { shardingTotalCount: 6 } });

    await cluster.leave('A');

    expect(cluster.owners).toEqual({ B: [3, 4, 5], C: [0, 1, 2] });
    expect(cluster.view.leader).not.toBe(idOf('A'));
  });

  test('move away from a crashed instance when its session has ended', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 4 } });

    cluster.kill('A');
    await cluster.advance(12_000);

    expect(cluster.owners).toEqual({ B: [0, 1, 2, 3] });
    expect(cluster.view.leader).toBe(idOf('B'));
  });

  test('of more than there are instances leave nobody idle, of fewer leave some idle', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C'], { job: { shardingTotalCount: 2 } });
    expect(cluster.owners).toEqual({ C: [0], B: [1] });
  });

  test('follow a custom strategy', async () => {
    const last = {
      type: 'LAST',
      sharding: (all: readonly { jobInstanceId: string }[], _: string, total: number) =>
        new Map([[all.at(-1)!.jobInstanceId, Array.from({ length: total }, (_, i) => i)]]),
    };
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { jobShardingStrategyType: 'last', shardingTotalCount: 3 },
      host: { strategies: [last] },
    });
    expect(cluster.owners).toEqual({ A: [0, 1, 2] });
  });

  test('stay as they are while a custom strategy forgets one, and the log says which strategy and what it returned', async () => {
    const forgetful = {
      type: 'FORGETFUL',
      sharding: (all: readonly { jobInstanceId: string }[]) => new Map([[all[0]!.jobInstanceId, [0]]]),
    };
    await using cluster = await TestCluster.start(['A'], {
      job: { jobShardingStrategyType: 'FORGETFUL' },
      host: { strategies: [forgetful] },
    });
    expect(cluster.owners).toEqual({});
    expect(cluster.member('A').log.join('\n')).toContain(
      'FORGETFUL must return a Map that gives each of the items 0 to 1',
    );
  });

  test('of a thousand are assigned and run', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C'], { job: { shardingTotalCount: 1_000 } });
    await cluster.fire();
    expect(Object.values(cluster.ran).map((items) => items.length)).toEqual([333, 333, 334]);
    expect(new Set(cluster.runs.map(({ item }) => item)).size).toBe(1_000);
  });

  test('with static sharding stay with their instances when others join', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { staticSharding: true } });
    await cluster.join('B');
    expect(cluster.owners).toEqual({ A: [0, 1] });
  });
});

describe('a leader', () => {
  test('that leads for the second time does not take the work of its successors for its own', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 1 } });
    await cluster.operator.put(cluster.paths.server(ipOf('A')), 'DISABLED');
    await cluster.join('C');
    await cluster.operator.put(cluster.paths.server(ipOf('B')), 'DISABLED');
    await cluster.settle();
    expect(cluster.owners).toEqual({ C: [0] });

    await cluster.operator.put(cluster.paths.server(ipOf('A')), 'ENABLED');
    await cluster.operator.put(cluster.paths.server(ipOf('B')), 'ENABLED');
    await cluster.leave('C');
    expect(cluster.owners).toEqual({ B: [0] });
  });
});

describe('a run', () => {
  test('gives a signal to which all items may listen as often as they like, without a warning of Node', async () => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.fire();
    expect(cluster.runs.map(({ context }) => getMaxListeners(context.signal))).toEqual([Infinity, Infinity]);
  });

  test('gives the job what Java gives it, and the scheduled instant, a signal and a fencing token', async () => {
    await using cluster = await TestCluster.start(['A'], {
      job: { shardingItemParameters: '0=Beijing,1=上海', jobParameter: 'fast' },
    });

    await cluster.fire();

    const [first, second] = cluster.runs.map(({ context }) => context);
    expect(first).toMatchObject({
      jobName: 'job',
      taskId: `job@-@0,1@-@READY@-@${idOf('A')}`,
      shardingTotalCount: 2,
      jobParameter: 'fast',
      shardingItem: 0,
      shardingParameter: 'Beijing',
      scheduledAt: new Date('2030-01-01T00:00:05Z'),
    });
    expect(second).toMatchObject({ shardingItem: 1, shardingParameter: '上海' });
    expect(first!.signal.aborted).toBe(false);
    expect(first!.fencingToken).toBeGreaterThan(0);
  });

  test('leaves no mark behind, whether its items succeed or fail', async () => {
    await using cluster = await TestCluster.start(['A'], {
      work: (_, { shardingItem }) => {
        if (shardingItem === 0) throw new Error('no stock');
      },
    });

    await cluster.fire();

    expect(cluster.ran).toEqual({ A: [0, 1] });
    expect([...cluster.tree.keys()].filter((path) => path.endsWith('/running'))).toEqual([]);
    expect(cluster.member('A').log.join('\n')).toContain(
      "Job 'job' exception occur in job processing: Error: no stock",
    );
  });

  test.each([
    ['a rejected promise', () => Promise.reject(new Error('later'))],
    ['something that is no error', () => Promise.reject(undefined as unknown as Error)],
    ['garbage as a result', () => Promise.resolve('garbage') as unknown as Promise<void>],
  ])('goes on with the next firing after %s', async (_, work) => {
    await using cluster = await TestCluster.start(['A'], { work });
    await cluster.fire();
    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [0, 0, 1, 1] });
  });

  test('tells the configured error handler of each failed item', async () => {
    const told: unknown[] = [];
    await using cluster = await TestCluster.start(['A'], {
      job: { jobErrorHandlerType: 'collect' },
      host: {
        errorHandlers: [
          {
            type: 'COLLECT',
            handleException: ({ configuration, cause }) => void told.push([configuration.jobName, cause]),
          },
        ],
      },
      work: (_, { shardingItem }) => Promise.reject(new Error(`item ${shardingItem}`)),
    });
    await cluster.fire();
    expect(told).toEqual([
      ['job', new Error('item 0')],
      ['job', new Error('item 1')],
    ]);
  });

  test('runs at most as many items at once as the thread pool size says', async () => {
    let running = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    };
    const pool = { type: 'THREE', getSize: () => 3 };
    await using cluster = await TestCluster.start(['A'], {
      job: { shardingTotalCount: 10, jobExecutorThreadPoolSizeProviderType: 'THREE' },
      host: { threadPoolSizeProviders: [pool] },
      work,
    });
    await cluster.fire();
    expect([most, cluster.runs.length]).toEqual([3, 10]);
  });

  test('does not happen on an instance whose clock differs too much from the registry', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { maxTimeDiffSeconds: 1 } });
    const { registry, log } = cluster.member('A');
    const time = registry.time.bind(registry);
    registry.time = async (path) => (await time(path)) + 3_000;
    await cluster.fire();
    expect(cluster.runs).toEqual([]);
    expect(log.join('\n')).toContain("exceed '3' seconds, max time different is '1' seconds");
  });

  test('whose clock differs too much tells the error handler of each firing once, and does not try again', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { maxTimeDiffSeconds: 1 } });
    await cluster.fire();
    cluster.forget();
    cluster.skew('A', '3s');
    await cluster.advance('15s');
    expect(cluster.runs).toEqual([]);
    const told = cluster.member('A').log.filter((line) => line.includes("exceed '3' seconds"));
    expect(told).toHaveLength(3);
  });
});

/**
 * A Java instance as its peers see it: registered, and without a record of what it has begun. It does nothing by itself,
 * and so does not lead either.
 */
async function joinJava(cluster: TestCluster, name: string): Promise<void> {
  const { operator, paths } = cluster;
  await operator.put(paths.server(ipOf(name)), 'ENABLED');
  const yaml = instanceYaml({ jobInstanceId: idOf(name), serverIp: ipOf(name) });
  await operator.create(paths.instance(idOf(name)), yaml, 'session');
  await cluster.settle();
}

describe('beside Java instances, which ask for an assignment only while they lead,', () => {
  test('a leader whose server is disabled leaves the request to its successor', async () => {
    await using cluster = await TestCluster.start(['A']);
    await joinJava(cluster, 'J');
    expect(cluster.owners).toEqual({ J: [0], A: [1] });

    await cluster.operator.put(cluster.paths.server(ipOf('A')), 'DISABLED');
    await cluster.settle();
    expect(cluster.view.leader).toBeUndefined();
    expect(cluster.view.reshardingNeeded).toBe(true);
  });

  test('a leader that an operator has ended leaves the request to its successor', async () => {
    await using cluster = await TestCluster.start(['A']);
    await joinJava(cluster, 'J');

    await cluster.operator.remove(cluster.paths.instance(idOf('A')));
    await cluster.settle();
    expect(cluster.view.leader).toBeUndefined();
    expect(cluster.view.reshardingNeeded).toBe(true);
  });

  test('a leader that is ended leaves no request where items stay with their instance', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { staticSharding: true } });
    await joinJava(cluster, 'J');

    await cluster.operator.remove(cluster.paths.instance(idOf('A')));
    await cluster.settle();
    expect(cluster.view.leader).toBeUndefined();
    expect(cluster.view.reshardingNeeded).toBe(false);
  });
});

describe('beside Java instances, which leave no record of what they have begun,', () => {
  test('an item that comes back from one is not run again for the firing that it had there', async () => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.fire();
    await joinJava(cluster, 'J');
    await cluster.fire();
    cluster.forget();

    await cluster.operator.remove(cluster.paths.instance(idOf('J')));
    await cluster.advance(2_000);
    expect(cluster.owners).toEqual({ A: [0, 1] });
    expect(cluster.runs).toEqual([]);

    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [0, 1] });
  });
});

describe('beside a Java instance that believes to lead although it has been away for too long,', () => {
  test('a leader assigns the items anew whose owners it has removed', async () => {
    await using cluster = await TestCluster.start(['A']);
    await joinJava(cluster, 'J');
    for (const item of [0, 1]) await cluster.operator.remove(cluster.paths.item(item, 'instance'));
    await cluster.settle();
    expect(cluster.owners).toEqual({ J: [0], A: [1] });
  });
});

describe('beside Java instances with failover, whose marks outlive them,', () => {
  test('the items of one that crashed when no Java peer was left are run again', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { failover: true } });
    await joinJava(cluster, 'J');
    await cluster.operator.create(cluster.paths.item(0, 'running'), idOf('J'));
    await cluster.operator.remove(cluster.paths.instance(idOf('J')));
    await cluster.advance(6_000);
    expect(cluster.owners).toEqual({ A: [0, 1] });
    expect(cluster.view.items.filter(({ running }) => running)).toEqual([]);
    cluster.forget();

    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [0, 1] });
  });

  test('they do not hold back an item that the job has no more', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { failover: true } });
    await joinJava(cluster, 'J');
    await cluster.operator.create(cluster.paths.item(1, 'running'), idOf('J'));
    const one = aConfiguration({ cron: FIVE_SECONDS, timeZone: 'GMT', failover: true, shardingTotalCount: 1 });
    await cluster.operator.put(cluster.paths.config, toYaml(one));
    await cluster.operator.remove(cluster.paths.instance(idOf('J')));
    await cluster.advance(6_000);
    expect(cluster.view.items.map(({ item }) => item)).toEqual([0]);
  });
});

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

describe('a change of the configuration', () => {
  const change = async (cluster: TestCluster, changes: object): Promise<void> => {
    const configuration = aConfiguration({ cron: FIVE_SECONDS, timeZone: 'GMT', ...changes });
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

describe('a run that takes long', () => {
  /** A job whose items wait until they are released, by item. */
  const gates = () => {
    const waiting = new Map<number, () => void>();
    const work = (_: string, { shardingItem }: { shardingItem: number }): Promise<void> =>
      new Promise((resolve) => waiting.set(shardingItem, resolve));
    const release = (item: number): void => waiting.get(item)?.();
    return { work, release };
  };

  test('is followed by one more run for all the firings it covered', async () => {
    const { work, release } = gates();
    await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 1 }, work });
    await cluster.fire();
    await cluster.fire();
    await cluster.fire();
    expect(cluster.runs.map(({ at }) => at)).toEqual(['00:00:05']);

    release(0);
    await cluster.settle();
    expect(cluster.runs.map(({ at }) => at)).toEqual(['00:00:05', '00:00:15']);
    release(0);
  });

  test('is not followed by another one with misfire=false', async () => {
    const { work, release } = gates();
    await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 1, misfire: false }, work });
    await cluster.fire();
    await cluster.fire();
    release(0);
    await cluster.settle();
    expect(cluster.runs.map(({ at }) => at)).toEqual(['00:00:05']);
  });

  test('keeps the items from moving for a second; then those that do not run move, and the others when they have ended', async () => {
    const { work, release } = gates();
    const ofA = (name: string, context: { shardingItem: number }): void | Promise<void> =>
      name === 'A' ? work(name, context) : undefined;
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { shardingTotalCount: 4, misfire: false },
      work: ofA,
    });
    await cluster.fire();
    await cluster.join('C');
    await cluster.advance(999);
    expect(cluster.owners).toEqual({ A: [2, 3], B: [0, 1] });

    await cluster.advance(1);
    expect(cluster.owners).toEqual({ A: [2, 3], B: [1], C: [0] });
    expect(cluster.member('A').log.join('\n')).toContain(`still running after 1000 ms: 3 on ${idOf('A')}. They`);

    for (const item of [2, 3]) release(item);
    await cluster.settle();
    expect(cluster.owners).toEqual({ A: [2], B: [1], C: [0, 3] });
    for (const item of [2, 3]) release(item);
  });

  test('is told to end when the grace period is over, and its instance leaves all the same', async () => {
    const reasons: unknown[] = [];
    const work = (_: string, { signal }: { signal: AbortSignal }): Promise<void> =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          resolve();
        }),
      );
    await using cluster = await TestCluster.start(['A'], {
      job: { shardingTotalCount: 1 },
      work,
      host: { shutdownGracePeriodMilliseconds: 3_000 },
    });
    await cluster.fire();
    const left = cluster.leave('A');
    await cluster.advance(2_999);
    expect(reasons).toEqual([]);
    await cluster.advance(1);
    expect(reasons).toEqual([expect.objectContaining({ code: 'JOB_STOPPED' })]);
    await left;
    expect(cluster.view.instances.size).toBe(0);
  });
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
