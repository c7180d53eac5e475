import { describe, expect, test } from '@jest/globals';
import { sleep } from '../../../lib/async/wait.js';
import { TestCluster } from '../../../lib/testing/test-cluster.js';

describe('A cluster for tests', () => {
  test('names instances as the test does, and gives each an id and a server as real ones have', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'web-1', 'old-1']);

    expect(cluster.leader).toBe('A');
    expect([...cluster.view.instances.keys()].sort()).toEqual([
      '10.0.0.49@-@1-web-1',
      '10.0.0.50@-@1-old-1',
      '10.0.0.65@-@1-A',
      '10.0.0.66@-@1-B',
    ]);
    expect(cluster.owners).toEqual({ B: [0], A: [1] });
    expect(cluster.nameOf('10.0.0.49@-@1-web-1')).toBe('web-1');
    expect(cluster.nameOf('10.0.0.7@-@4711')).toBe('10.0.0.7@-@4711');
    expect(() => cluster.member('C')).toThrow("No instance 'C' is up; up are: A, B, web-1, old-1");
    await expect(cluster.join('A')).rejects.toThrow("Instance 'A' is up already");
  });

  test.each<[string, () => Promise<unknown>, string]>([
    [
      'names that are no list',
      () => TestCluster.start('A' as never),
      `names of instances, such as ['A', 'B'], got "A"`,
    ],
    ['no names', () => TestCluster.start(undefined as never), 'got undefined'],
    [
      'an unknown option',
      () => TestCluster.start(['A'], { wrk: () => undefined } as never),
      "A test's cluster has no option 'wrk'; did you mean 'work'?",
    ],
  ])('refuses %s', async (_, start, said) => {
    await expect(start()).rejects.toThrow(RangeError);
    await expect(start()).rejects.toThrow(said);
  });

  test('refuses to disable and enable an item that the job does not have', async () => {
    await using cluster = await TestCluster.start(['A']);

    await expect(cluster.disableItem(9)).rejects.toThrow("Job 'job' has items 0 to 1, got 9");
    await expect(cluster.enableItem(-1)).rejects.toThrow("Job 'job' has items 0 to 1, got -1");
  });

  test('starts an instance that was killed anew as another process of the same server', async () => {
    await using cluster = await TestCluster.start(['A']);

    cluster.kill('A');
    await cluster.join('A');

    expect([...cluster.view.instances.keys()]).toEqual(['10.0.0.65@-@1-A', '10.0.0.65@-@2-A']);
    expect(cluster.idOf('A')).toBe('10.0.0.65@-@2-A');
  });

  test('can have several instances on one server', async () => {
    await using cluster = await TestCluster.start(['A']);

    await cluster.join('B', {}, 'A');
    await cluster.disable('A');

    expect([...cluster.view.servers]).toEqual([['10.0.0.65', 'DISABLED']]);
    expect([...cluster.view.instances.keys()]).toEqual(['10.0.0.65@-@1-A', '10.0.0.65@-@1-B']);
  });

  test.each([
    ['ms', 90_000],
    ['s', '90s'],
    ['m', '1.5m'],
  ] as const)('takes durations in %s', async (_, duration) => {
    await using cluster = await TestCluster.start([]);

    await cluster.advance(duration);

    expect(new Date(cluster.clock.now()).toISOString()).toBe('2030-01-01T00:01:30.000Z');
  });

  test('refuses what is no duration', async () => {
    await using cluster = await TestCluster.start([]);

    await expect(cluster.advance('5 minutes' as '5m')).rejects.toThrow('got "5 minutes"');
    await expect(cluster.advance(-1)).rejects.toThrow(RangeError);
  });

  test('fires when the cron in the registry says', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { cron: '0 0 3 * * ?', timeZone: 'Asia/Tokyo' } });

    await cluster.fire();
    expect(cluster.runs.map(({ scheduledAt }) => scheduledAt?.toISOString())).toEqual(
      Array(2).fill('2030-01-01T18:00:00.000Z'),
    );

    await cluster.reconfigure({ cron: '0 30 * * * ?' });
    await cluster.fire();
    expect(cluster.runs.at(-1)?.at).toBe('18:30:00');
  });

  test('runs a one-off job when it is triggered', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { cron: '', shardingTotalCount: 3 } });

    await cluster.advance('1d');
    expect(cluster.runs).toEqual([]);
    await expect(cluster.fire()).rejects.toThrow("Job 'job' has no cron expression");

    await cluster.trigger();
    expect(cluster.ran).toEqual({ A: [1], B: [0, 2] });
    expect(cluster.runs[0]).toMatchObject({ at: 'manual', scheduledAt: undefined });
  });
});

describe('The runs of a cluster for tests', () => {
  test('tell how each went', async () => {
    const error = new Error('no stock');
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { shardingTotalCount: 4, jobErrorHandlerType: 'IGNORE' },
      work: async (_, { shardingItem }) => {
        if (shardingItem === 1) throw error;
        await sleep(cluster.clock, shardingItem * 1_000);
      },
    });

    await cluster.fire();
    await cluster.advance('2s');
    cluster.kill('A');

    expect(cluster.runs.map(({ item, instance, outcome }) => `${item} on ${instance}: ${outcome}`).sort()).toEqual([
      '0 on B: completed',
      '1 on B: failed',
      '2 on A: completed',
      '3 on A: lost',
    ]);
    expect(cluster.runs.find(({ item }) => item === 1)?.error).toBe(error);
    expect(cluster.runs.find(({ item }) => item === 2)).toMatchObject({ startedMs: 5_000, endedMs: 7_000 });

    cluster.forget();
    expect([cluster.runs, cluster.ran]).toEqual([[], {}]);
  });
});

describe('In a cluster for tests', () => {
  test('servers and items are disabled and enabled as by an operator', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 4 } });
    await cluster.disable('A');
    await cluster.disableItem(3);
    await cluster.fire();
    expect(cluster.ran).toEqual({ B: [0, 1, 2] });

    cluster.forget();
    await cluster.enable('A');
    await cluster.enableItem(3);
    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [2, 3], B: [0, 1] });
  });

  test('an instance can be cut off, and comes back with its session if that is in time', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const session = cluster.view.instances.get(cluster.idOf('A'))?.session;

    cluster.cut('A');
    await cluster.advance('5s');
    await cluster.heal('A');
    expect(cluster.view.instances.get(cluster.idOf('A'))?.session).toBe(session);

    cluster.cut('A');
    await cluster.advance('7s');
    expect(cluster.owners).toEqual({ B: [0, 1] });
    await cluster.heal('A');
    expect(cluster.owners).toEqual({ A: [1], B: [0] });
    expect(cluster.view.instances.get(cluster.idOf('A'))?.session).not.toBe(session);
  });

  test('an instance that loses its session registers anew', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const session = cluster.view.instances.get(cluster.idOf('A'))?.session;

    await cluster.expire('A');

    expect(cluster.view.instances.has(cluster.idOf('A'))).toBe(true);
    expect(cluster.view.instances.get(cluster.idOf('A'))?.session).not.toBe(session);
    expect(cluster.log.join('\n')).toContain('A: The session with the embedded registry');
  });

  test('an instance can be killed at any of its writes', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 4 } });
    cluster.killAtWrite('A', 2, 'not-applied');

    await cluster.fire();
    expect([...cluster.members.keys()]).toEqual(['B']);

    await cluster.advance('10s');
    expect(cluster.owners).toEqual({ B: [0, 1, 2, 3] });
  });

  test('the wall clock of one instance can be wrong', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    cluster.skew('A', '-1s');

    await cluster.fire();
    expect(cluster.ran).toEqual({ B: [0] });
    await cluster.advance('1s');
    expect(cluster.ran).toEqual({ A: [1], B: [0] });
  });

  test('an instance leaves when what it runs has ended', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], {
      work: () => sleep(cluster.clock, 1_000),
    });
    await cluster.fire();

    await cluster.leave('A');
    expect(cluster.view.live.has(cluster.idOf('A'))).toBe(true);
    await cluster.advance('1s');

    expect(cluster.view.live.has(cluster.idOf('A'))).toBe(false);
    expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  });
});

describe('The story of a cluster for tests', () => {
  test('tells what happened, and when', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { cron: '0 * * * * ?', shardingTotalCount: 1 },
      work: () => sleep(cluster.clock, 1_000),
    });
    await cluster.fire();
    await cluster.advance('1s');
    await cluster.disable('A');
    cluster.kill('B');
    await cluster.advance('6s');
    await cluster.leave('A');

    expect(cluster.story).toEqual([
      '00:00:00.000 A joined',
      '00:00:00.000 A leads',
      '00:00:00.000 items are assigned: 0 to A',
      '00:00:00.000 B joined',
      '00:00:00.000 items are assigned: 0 to B',
      '00:01:00.000 B runs item 0 (00:01:00)',
      '00:01:01.000 B ends item 0 (00:01:00): completed',
      '00:01:01.000 server 10.0.0.65 is disabled',
      '00:01:01.000 B leads',
      '00:01:01.000 B is killed',
      '00:01:07.000 B is gone, its session has ended',
      '00:01:07.000 A left',
    ]);
    expect(cluster.events.at(-1)).toEqual({ type: 'left', instance: 'A', atMs: 67_000 });

    cluster.forget();
    expect(cluster.story).toEqual([]);
  });

  test('what would go on for ever without any time passing is ended, and told', async () => {
    await using cluster = await TestCluster.start(['A']);
    const mirror = await cluster.operator.mirror('/counter');
    let count = 0;
    mirror.onChange(() => void cluster.operator.put('/counter', String(++count)));
    await cluster.settle();

    void cluster.operator.put('/counter', 'start');

    await expect(cluster.settle()).rejects.toThrow('is in a livelock: 20000 messages');
    await expect(cluster.advance('1s')).rejects.toThrow('is in a livelock');
  });
});
