import { describe, expect, test } from '@jest/globals';
import { type ShardingContexts } from '../../../../lib/api/job/sharding-contexts.js';
import { type Delivery } from '../../../../lib/registry/embedded/delivery.js';
import { type ManualClock, type TestCluster } from '../../../../lib/testing/index.js';
import { at, begun, type Given, ownerOf, start, Story } from '../../../support/once-story.js';

const callsIn = (lines: readonly string[]): readonly string[] => lines.filter((line) => /before|after/.test(line));

describe('an item that is busy with an earlier firing', () => {
  test('is waited for by both calls of the firing that it runs next', async () => {
    const story = new Story();
    await using cluster = await start(['B', 'C'], story, { completedTimeoutMs: 2_000 });
    story.hold('1 00:05');
    await cluster.fire();
    // The others of 00:05 have given up waiting.
    await cluster.fire();
    await cluster.advance('2s');
    expect(story.take()).toEqual(['before 00:05', '1 begins 00:05', '0 begins 00:05', '0 ends 00:05']);

    story.release('1 00:05');
    await cluster.settle();

    const rest = story.take();
    expect(rest.slice(0, 3)).toEqual(['1 ends 00:05', 'after 00:05', 'before 00:10']);
    expect(rest.at(-1)).toBe('after 00:10');
    expect(rest).toHaveLength(8);
  });

  test('is waited for by an instance that joined meanwhile, and would be free to run alone', async () => {
    const story = new Story();
    await using cluster = await start(['A', 'B'], story, { job: { shardingTotalCount: 3 } });
    const slow = `${cluster.view.items.find(({ owner }) => owner === cluster.idOf('A'))?.item} 00:05`;
    story.hold(slow);
    await cluster.fire();
    await cluster.leave('B');
    await cluster.join('C');
    await cluster.advance('6s');
    story.take();

    story.release(slow);
    await cluster.settle();

    const rest = story.take();
    expect(rest.slice(1, 3)).toEqual(['after 00:05', 'before 00:10']);
    expect(rest.at(-1)).toBe('after 00:10');
    expect([...begun(cluster, '00:10')].sort()).toEqual([0, 1, 2]);
  });

  test.each<[what: string, change: (cluster: TestCluster) => Promise<unknown>]>([
    [
      'the other items of its instance from that firing, and they are waited for as long',
      async (cluster) => {
        await cluster.leave('B');
        // C comes to the firing of 00:40, and waits for 15 seconds.
        await cluster.join('C');
      },
    ],
    [
      'the items of the instances that wait for it from the next firing, and these are waited for, too',
      (cluster) => cluster.join('C'),
    ],
  ])('keeps %s', async (_, change) => {
    const story = new Story();
    await using cluster = await start(['A', 'B'], story, { job: { shardingTotalCount: 4, cron: '0/20 * * * * ?' } });
    const [slow = 0] = cluster.view.items.filter(({ owner }) => owner === cluster.idOf('A')).map(({ item }) => item);
    story.hold(`${slow} 00:20`);
    await cluster.advance('21s');
    await change(cluster);
    await cluster.advance('34s');
    story.take();

    story.release(`${slow} 00:20`);
    await cluster.settle();

    const rest = story.take();
    expect(rest.slice(1, 3)).toEqual(['after 00:20', 'before 00:40']);
    expect(rest.at(-1)).toBe('after 00:40');
    expect([...begun(cluster, '00:40')].sort()).toEqual([0, 1, 2, 3]);
  });

  test('is not waited for with misfire: false, which drops its firing; the last calls come in the order of the firings', async () => {
    const story = new Story();
    await using cluster = await start(['A', 'B'], story, { job: { shardingTotalCount: 3, misfire: false } });
    const slow = `${cluster.view.items.find(({ owner }) => owner === cluster.idOf('A'))?.item} 00:05`;
    story.hold(slow);
    await cluster.fire();
    await cluster.leave('B');
    await cluster.join('C');
    await cluster.advance('5s');
    expect(story.take()).toContain('before 00:10');
    expect(begun(cluster, '00:10')).toHaveLength(2);

    story.release(slow);
    await cluster.settle();

    expect(story.take().slice(1)).toEqual(['after 00:05', 'after 00:10']);
  });

  test('leaves the last call of its firing to the instance that waits there, though others hear of its end first', async () => {
    const story = new Story();
    let isSlow = false;
    const deliver =
      (clock: ManualClock) =>
      ({ channel, arrive }: Delivery): void => {
        // A is the second centre; the first one is the operator's.
        if (isSlow && channel === 'server → centre 2') clock.after(10, arrive);
        else void Promise.resolve().then(arrive);
      };
    await using cluster = await start(['A', 'B'], story, { deliver, job: { shardingTotalCount: 3, misfire: false } });
    const slow = `${cluster.view.items.find(({ owner }) => owner === cluster.idOf('A'))?.item} 00:05`;
    story.hold(slow);
    await cluster.fire();
    await cluster.leave('B');
    await cluster.join('C');
    await cluster.advance('5s');

    isSlow = true;
    story.release(slow);
    await cluster.advance('2s');

    const after = story.contexts.slice(-2).map((contexts) => [at(contexts.scheduledAt), contexts.taskId.slice(-1)]);
    expect(after).toEqual([
      ['00:05', 'A'],
      ['00:10', 'C'],
    ]);
  });

  test('that has crashed in it is waited for until it has been run again for both firings', async () => {
    const story = new Story();
    await using cluster = await start(['A', 'B'], story, { completedTimeoutMs: 2_000, job: { failover: true } });
    const victim = ownerOf(cluster, 1);
    story.hold('1 00:05');
    await cluster.fire();
    cluster.kill(victim);
    await cluster.advance('5s');
    story.take();

    story.release('1 00:05');
    await cluster.advance('4s');

    const calls = story.take().filter((line) => /before|after/.test(line));
    expect(calls).toEqual(['before 00:10', 'after 00:05', 'after 00:10']);
  });
});

describe('with misfire: false, a firing that comes during a takeover', () => {
  test('is run before a trigger, so that its calls do not come after those of later firings', async () => {
    const story = new Story();
    await using cluster = await start(['A', 'B'], story, {
      ...{ startedTimeoutMs: 1_000, completedTimeoutMs: 1_000, sessionTimeoutMs: 4_000 },
      job: { cron: '0/20 * * * * ?', failover: true, misfire: false },
    });
    const dying = cluster.view.items.find(({ owner }) => owner === cluster.idOf('B'))?.item;
    story.hold(`${dying} 00:20`);
    await cluster.fire();
    cluster.kill('B');
    // The takeover goes on when the next firing comes.
    await cluster.advance('21s');
    await cluster.operator.create(cluster.paths.trigger(cluster.idOf('A')), '');
    story.take();

    story.release(`${dying} 00:20`);
    await cluster.settle();

    expect(callsIn(story.take())).toEqual([
      ...['after 00:20', 'before 00:40', 'after 00:40'],
      ...['before manual', 'after manual'],
    ]);
  });
});

describe('the end of the items of an instance', () => {
  test('is reported also if another listener keeps the once-listener from being called there', async () => {
    const story = new Story();
    const failing = {
      type: 'FAILING',
      order: () => 1,
      beforeJobExecuted: () => undefined,
      afterJobExecuted: ({ taskId }: ShardingContexts) => {
        if (taskId.includes('-A')) throw new Error('no audit');
      },
    };
    await using cluster = await start(['A', 'B'], story, { others: [failing], job: { monitorExecution: false } });

    await cluster.fire();

    expect(story.take().at(-1)).toBe('after 00:05');
  });
});

describe('an item that its instance leaves to the next owner', () => {
  test('is waited for by the last call, if the instance left while no leader could assign the item', async () => {
    const story = new Story();
    await using cluster = await start(['A', 'B', 'C', 'D'], story, { job: { shardingTotalCount: 3 } });
    const leader = cluster.leader ?? '';
    await cluster.fire();
    await cluster.fire();
    await cluster.advance('3s');
    cluster.cut(leader);
    await cluster.leave(ownerOf(cluster, 0));
    await cluster.fire();
    await cluster.advance('500ms');
    expect(story.take().at(-1)).not.toBe('after 00:15');

    await cluster.heal(leader);
    await cluster.advance('3s');

    expect(story.take()).toEqual(['0 begins 00:15', '0 ends 00:15', 'after 00:15']);
  });
});

describe('an item that runs while the number of items is reduced, and raised again', () => {
  test('is waited for by the last call of its firing', async () => {
    const story = new Story();
    await using cluster = await start(['A', 'B'], story);
    const slow = '1 00:05';
    story.hold(slow);
    await cluster.fire();
    await cluster.reconfigure({ shardingTotalCount: 1 });
    await cluster.advance('2s');
    // Meanwhile another instant has passed, which the item is not to be run for when it comes back.
    await cluster.advance('4s');
    await cluster.reconfigure({ shardingTotalCount: 2 });
    await cluster.advance('2s');
    expect(callsIn(story.take())).toEqual(['before 00:05']);

    story.release(slow);
    await cluster.settle();

    expect(story.take().slice(0, 2)).toEqual(['1 ends 00:05', 'after 00:05']);
  });
});

describe('the last call of a firing that was abandoned', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'is made before the first call of the next one, also if the answer to write %d is lost',
    async (write) => {
      const story = new Story();
      await using cluster = await start(['A', 'B'], story, {
        completedTimeoutMs: 2_000,
        job: { cron: '0 * * * * ?' },
      });
      const victim = ownerOf(cluster, 0);
      story.hold('0 01:00');
      await cluster.fire();
      await cluster.advance('3s');
      cluster.kill(victim);
      await cluster.advance('50s');
      story.take();
      const { registry } = cluster.member(victim === 'A' ? 'B' : 'A');
      const commit = registry.commit.bind(registry);
      let writes = 0;
      registry.commit = (operations) => {
        if (++writes === write) registry.faults.loseNextWrite('applied');
        return commit(operations);
      };

      await cluster.fire();
      await cluster.advance('20s');

      const calls = story.take().filter((line) => /before|after/.test(line));
      expect(calls).toEqual(['after 01:00', 'before 02:00', 'after 02:00']);
      expect(writes).toBeGreaterThanOrEqual(8);
    },
  );
});

describe('an instance that takes over items of several firings', () => {
  /** 0 dies in the firing of 00:05, 1 in that of 00:10; then A comes. */
  async function takenOver(story: Story, given: Given = {}): Promise<TestCluster> {
    const cluster = await start(['B', 'C'], story, {
      ...given,
      completedTimeoutMs: 2_000,
      startedTimeoutMs: 1_000,
      job: { failover: true, ...given.job },
    });
    const [first, second] = [ownerOf(cluster, 0), ownerOf(cluster, 1)];
    story.hold('0 00:05');
    story.hold('1 00:10');
    await cluster.fire();
    await cluster.fire();
    await cluster.advance('1s');
    cluster.kill(first);
    cluster.kill(second);
    await cluster.advance('8s');
    story.contexts.length = 0;
    story.take();
    story.release('0 00:05');
    story.release('1 00:10');
    await cluster.join('A');
    return cluster;
  }

  const itemsOf = ({ scheduledAt, shardingItemParameters, taskId }: ShardingContexts): string =>
    `${at(scheduledAt)} [${[...shardingItemParameters.keys()].join(',')}] ${taskId.replace(/@-@READY.*$/, '')}`;

  test('makes the last call of each, with its own instant and items', async () => {
    const story = new Story();
    await using cluster = await takenOver(story);
    await cluster.settle();

    const after = story.contexts.slice(0, 2).map(itemsOf);

    expect(after).toEqual(['00:05 [0] job@-@0', '00:10 [1] job@-@1']);
  });

  test('makes the last call of the second also if that of the first fails', async () => {
    const story = new Story();
    await using cluster = await takenOver(story, {
      fails: (phase, contexts) => phase === 'after' && at(contexts.scheduledAt) === '00:05',
    });
    await cluster.settle();

    expect(story.contexts.slice(0, 2).map(itemsOf)).toEqual(['00:05 [0] job@-@0', '00:10 [1] job@-@1']);
    expect(cluster.log.join('\n')).toContain('after 00:05 fails');
  });

  test('calls the listeners of every instance once for all items, without an instant', async () => {
    const story = new Story();
    const calls: string[] = [];
    const every = {
      type: 'EVERY',
      beforeJobExecuted: (contexts: ShardingContexts) => void calls.push(`before ${itemsOf(contexts)}`),
      afterJobExecuted: (contexts: ShardingContexts) => void calls.push(`after ${itemsOf(contexts)}`),
    };
    await using cluster = await takenOver(story, { others: [every] });
    await cluster.settle();

    expect(calls).toEqual(expect.arrayContaining(['before manual [0,1] job@-@0,1', 'after manual [0,1] job@-@0,1']));
    expect(calls.filter((call) => call.includes('[0,1]') && call.includes('manual'))).toHaveLength(2);
  });
});
