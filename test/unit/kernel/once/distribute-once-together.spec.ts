/** How instances come to the firings of a job with a once-listener: in the order of the firings, and all together. */
import { describe, expect, test } from '@jest/globals';
import { type Delivery } from '../../../../lib/registry/embedded/delivery.js';
import { type ManualClock, type TestCluster } from '../../../../lib/testing/index.js';
import { at, begun, ownerOf, start, Story } from '../../../support/once-story.js';

const callsIn = (lines: readonly string[]): readonly string[] => lines.filter((line) => /before|after/.test(line));

describe('the first calls of two firings', () => {
  test('come in the order of the firings, if an instance still waits for an item when its next owner comes to the next firing', async () => {
    const story = new Story();
    let isSlow = false;
    const deliver =
      (clock: ManualClock) =>
      ({ channel, arrive }: Delivery): void => {
        // B is the second centre; the first one is the operator's.
        if (isSlow && channel === 'server → centre 2') clock.after(10, arrive);
        else void Promise.resolve().then(arrive);
      };
    await using cluster = await start(['B', 'E'], story, { deliver });
    // B waits in the firing of 00:05 for item 0, which changes its owner.
    cluster.skew('E', '-20s');
    await cluster.advance('5100ms');
    await cluster.join('Z');
    await cluster.advance('1100ms');
    await cluster.leave('E');
    await cluster.advance('1100ms');
    await cluster.leave('B');
    await cluster.advance('1100ms');
    expect(story.take()).toEqual([]);
    expect(ownerOf(cluster, 0)).toBe('Z');

    isSlow = true;
    await cluster.fire();
    await cluster.advance('2s');

    expect(callsIn(story.take()).slice(0, 2)).toEqual(['before 00:05', 'before 00:10']);
  });
});

describe('with misfire: false', () => {
  test('an instance whose clock is behind is waited for, if its item has ended by its own next instant', async () => {
    const story = new Story();
    await using cluster = await start(['A', 'B'], story, { completedTimeoutMs: 2_000, job: { misfire: false } });
    const item = cluster.view.items.find(({ owner }) => owner === cluster.idOf('B'))?.item ?? -1;
    cluster.skew('B', '-20ms');
    story.hold(`${item} 00:05`);
    await cluster.advance('5s');
    await cluster.advance('20ms');
    await cluster.advance('4985ms');
    // On A it is 00:10 now, on B not yet.
    story.take();

    story.release(`${item} 00:05`);
    await cluster.advance('1s');

    expect([...begun(cluster, '00:10')].sort()).toEqual([0, 1]);
    expect(callsIn(story.lines)).toEqual(['after 00:05', 'before 00:10', 'after 00:10']);
    expect(story.take().at(-1)).toBe('after 00:10');
  });

  test('an instance does not wait for one that has dropped the firing, though that one is free again', async () => {
    const story = new Story();
    await using cluster = await start(['A', 'B'], story, { job: { misfire: false } });
    const item = cluster.view.items.find(({ owner }) => owner === cluster.idOf('A'))?.item ?? -1;
    cluster.skew('B', '-20ms');
    story.hold(`${item} 00:05`);
    await cluster.advance('5s');
    await cluster.advance('5s');
    await cluster.advance('10ms');
    // A has dropped the firing of 00:10, which has not come on B yet.
    story.release(`${item} 00:05`);
    await cluster.advance('5ms');
    expect(callsIn(story.take())).toEqual(['before 00:05', 'after 00:05']);

    await cluster.advance('5ms');

    expect(story.take()).toEqual(['before 00:10', `${1 - item} begins 00:10`, `${1 - item} ends 00:10`, 'after 00:10']);
  });

  test('what an instance drops is reported only if the job has a once-listener', async () => {
    const story = new Story();
    const every = { type: 'EVERY', beforeJobExecuted: () => undefined, afterJobExecuted: () => undefined };
    await using cluster = await start(['A'], story, {
      others: [every],
      job: { misfire: false, jobListenerTypes: ['EVERY'] },
    });
    story.hold('0 00:05');

    await cluster.fire();
    await cluster.fire();
    expect(cluster.tree.has(cluster.paths.arrivals(cluster.idOf('A')))).toBe(false);

    await cluster.reconfigure({ jobListenerTypes: ['ONCE'] });
    await cluster.fire();
    const dropped = cluster.view.guarantee.dropped.get(cluster.idOf('A')) ?? new Map<number, ReadonlySet<number>>();
    expect([...dropped].map(([ms, items]) => `${at(new Date(ms))} ${[...items].join(',')}`)).toEqual(['00:15 0,1']);
  });

  test('instances that have missed firings by turns come together again', async () => {
    const story = new Story();
    // Messages take time, so that all timers of an instant fire before an instance hears of another one.
    const deliver =
      (clock: ManualClock) =>
      ({ arrive }: Delivery): void =>
        void clock.after(1, arrive);
    await using cluster = await start([], story, {
      ...{ deliver, startedTimeoutMs: 3_000, completedTimeoutMs: 3_000, sessionTimeoutMs: 4_000 },
      job: { misfire: false, shardingTotalCount: 3 },
    });
    for (const name of ['A', 'B', 'C']) {
      await cluster.join(name);
      await cluster.advance('50ms');
    }
    const item = cluster.view.items.find(({ owner }) => owner === cluster.idOf('B'))?.item ?? -1;
    story.hold(`${item} 00:05`);
    await cluster.fire();
    await cluster.advance('4900ms');
    cluster.kill('C');
    await cluster.advance('900ms');
    // B has dropped the firing of 00:10, in which A waits for C.
    story.release(`${item} 00:05`);
    await cluster.advance('25s');
    cluster.forget();

    await cluster.fire();
    await cluster.fire();
    await cluster.advance('100ms');

    expect(cluster.runs.map(({ item: each }) => each).sort()).toEqual([0, 0, 1, 1, 2, 2]);
  });
});

describe('a firing that an instance has missed because it was busy, when misfire is switched off', () => {
  const itemOf = (cluster: TestCluster, name: string): number =>
    cluster.view.items.find(({ owner }) => owner === cluster.idOf(name))?.item ?? -1;

  test('is dropped, so that its first call does not come after that of the next firing on an instance that joins', async () => {
    const story = new Story();
    await using cluster = await start(['A'], story);
    story.hold('1 00:05');
    await cluster.fire();
    await cluster.fire();
    await cluster.reconfigure({ misfire: false });
    await cluster.join('B');
    await cluster.advance('5s');
    expect(callsIn(story.take())).toEqual(['before 00:05', 'before 00:15']);

    story.release('1 00:05');
    await cluster.settle();

    expect(callsIn(story.take())).toEqual(['after 00:05', 'after 00:15']);
    expect(begun(cluster, '00:10')).toEqual([]);
  });

  test('is not waited for any more by an instance that has come to it', async () => {
    const story = new Story();
    await using cluster = await start(['A', 'B'], story, { completedTimeoutMs: 2_000 });
    const busy = itemOf(cluster, 'A');
    story.hold(`${busy} 00:05`);
    await cluster.fire();
    await cluster.fire();
    expect(callsIn(story.take())).toEqual(['before 00:05']);

    await cluster.reconfigure({ misfire: false });

    expect(story.take()).toEqual(expect.arrayContaining(['before 00:10', `${1 - busy} begins 00:10`]));
    expect(begun(cluster, '00:10')).toEqual([1 - busy]);
    story.release(`${busy} 00:05`);
  });
});

describe('an instance that has given up waiting for the last call of a firing', () => {
  test('and has no items any more does not delay the next firings; the first of them makes that call', async () => {
    const story = new Story();
    await using cluster = await start(['A', 'B'], story, {
      ...{ startedTimeoutMs: 500, completedTimeoutMs: 1_000 },
      job: { cron: '0/20 * * * * ?' },
    });
    await cluster.operator.create(cluster.paths.trigger(cluster.idOf('A')), '');
    await cluster.advance('5s');
    expect(callsIn(story.take())).toEqual([]);
    await cluster.disable('A');
    await cluster.advance('3s');
    cluster.forget();

    await cluster.fire();
    await cluster.advance('100ms');
    expect(callsIn(story.take())).toEqual(['after manual', 'before 00:20', 'after 00:20']);

    await cluster.fire();
    await cluster.advance('100ms');
    expect(callsIn(story.take())).toEqual(['before 00:40', 'after 00:40']);
  });

  test('waits for the call of another instance, before it makes the next one itself', async () => {
    const story = new Story();
    await using cluster = await start(['A', 'B'], story, {
      ...{ startedTimeoutMs: 500, completedTimeoutMs: 1_000 },
      job: { cron: '0/20 * * * * ?' },
    });
    // Two manual firings in which B takes no part.
    await cluster.operator.create(cluster.paths.trigger(cluster.idOf('A')), '');
    await cluster.advance('5s');
    await cluster.operator.create(cluster.paths.trigger(cluster.idOf('A')), '');
    await cluster.advance('5s');
    story.hold('after manual');
    story.take();

    await cluster.fire();
    expect(story.take()).toEqual(['after manual']);
    story.release('after manual');
    await cluster.settle();

    const lines = story.take();
    expect(callsIn(lines)).toEqual(['after manual', 'before 00:20', 'after 00:20']);
  });
});

describe('an instance that waits for items to start when another one begins the first call', () => {
  /** B is dead when the firing comes; A and C wait for its item until its session ends. */
  const startWithoutB = async (story: Story): Promise<TestCluster> => {
    const cluster = await start(['A', 'B', 'C'], story, {
      ...{ startedTimeoutMs: 2_000, sessionTimeoutMs: 4_000 },
      job: { cron: '0/20 * * * * ?', shardingTotalCount: 3 },
    });
    await cluster.advance('17s');
    cluster.kill('B');
    story.hold('before 00:20');
    await cluster.advance('4s');
    expect(story.take()).toEqual(['before 00:20']);
    return cluster;
  };

  test('begins no item during that call, though its own timeout passes', async () => {
    const story = new Story();
    await using cluster = await startWithoutB(story);

    await cluster.advance('1500ms');
    expect(story.take()).toEqual([]);
    story.release('before 00:20');
    await cluster.settle();

    expect([...begun(cluster, '00:20')].sort()).toEqual([0, 2]);
  });

  test('leaves the call behind when it has lasted as long as the timeout', async () => {
    const story = new Story();
    await using cluster = await startWithoutB(story);
    const caller = cluster.tree.get(cluster.paths.call('started'))?.split('\n')[1];
    cluster.freeze(cluster.nameOf(caller));

    await cluster.advance('1800ms');
    expect(story.take()).toEqual([]);
    await cluster.advance('500ms');

    expect(story.take()).not.toEqual([]);
    expect(cluster.tree.has(cluster.paths.call('started'))).toBe(true);
  });
});

describe('an instance that notices only when its timeout passes that another one has begun the first call', () => {
  test('begins no item during that call', async () => {
    const story = new Story();
    let isSlow = false;
    const deliver =
      (clock: ManualClock) =>
      ({ channel, arrive }: Delivery): void => {
        // A is the second centre; the first one is the operator's.
        if (isSlow && channel === 'server → centre 2') clock.after(300, arrive);
        else void Promise.resolve().then(arrive);
      };
    await using cluster = await start(['A', 'B', 'C'], story, {
      ...{ deliver, startedTimeoutMs: 2_000, sessionTimeoutMs: 4_000 },
      job: { cron: '0/20 * * * * ?', shardingTotalCount: 3 },
    });
    story.hold('before 00:20');
    // B's session ends shortly before A and C have waited for two seconds.
    await cluster.advance('17900ms');
    cluster.kill('B');
    await cluster.advance('2600ms');
    isSlow = true;

    await cluster.advance('3s');

    expect(story.take()).toEqual(['before 00:20']);
  });
});

describe('an instance that waits for items to complete when another one begins the last call', () => {
  test('goes on when its own timeout passes, during that call', async () => {
    const story = new Story();
    await using cluster = await start(['A', 'B'], story, {
      completedTimeoutMs: 2_000,
      job: { cron: '0/20 * * * * ?' },
    });
    story.hold('1 00:20');
    story.hold('after 00:20');
    await cluster.fire();
    await cluster.advance('1500ms');
    story.release('1 00:20');
    await cluster.settle();
    expect(story.take().at(-1)).toBe('after 00:20');

    await cluster.advance('600ms');

    expect(cluster.log.join('\n')).toContain('to complete, in vain for the callback');
  });
});

describe('a manual firing', () => {
  test('that begins when the one before has just ended is another one, with calls of its own, though the mirror lags', async () => {
    const story = new Story();
    let isLate = false;
    // As with ZooKeeper, a mirror may show later than the answer to a commit what has been committed; `sync` waits for
    // it.
    const latenessMs = ({ channel, what }: Delivery): number => {
      if (!isLate || !channel.includes('centre 3')) return 1;
      if (channel === 'centre 3 → server') return 50;
      return /^(revision|answer to sync)/.test(what) ? 3_000 : 1;
    };
    await using cluster = await start([], story, {
      deliver: (clock) => (delivery) => void clock.after(latenessMs(delivery), delivery.arrive),
      job: { cron: '0 0 0 * * ?' },
    });
    for (const name of ['A', 'B']) {
      await cluster.join(name);
      await cluster.advance('1s');
    }
    const trigger = (name: string): void => void cluster.operator.create(cluster.paths.trigger(cluster.idOf(name)), '');
    const [first, second] = ownerOf(cluster, 0) === 'A' ? [0, 1] : [1, 0];
    // A runs alone, after it has waited for B in vain.
    story.hold(`${first} manual`);
    trigger('A');
    await cluster.advance('11s');

    trigger('B');
    await cluster.advance(2);
    isLate = true;
    story.release(`${first} manual`);
    await cluster.advance('20s');

    expect(story.take()).toEqual([
      ...['before manual', `${first} begins manual`, `${first} ends manual`, 'after manual'],
      ...['before manual', `${second} begins manual`, `${second} ends manual`, 'after manual'],
    ]);
  });
});

describe('an instance that has lost its session', () => {
  test('reports nothing in the next one of the firing in which it waited, which it would seem to be in', async () => {
    const story = new Story();
    await using cluster = await start(['A', 'B'], story);
    const item = cluster.view.items.find(({ owner }) => owner === cluster.idOf('B'))?.item ?? -1;
    story.hold(`${item} 00:05`);
    await cluster.fire();
    const rounds = (): readonly string[] => {
      const keys = [...(cluster.view.guarantee.arrivals.get(cluster.idOf('A'))?.keys() ?? [])];
      return keys.map((key) => at(new Date(Number.parseInt(key, 10))));
    };
    expect(rounds()).toEqual(['00:05']);

    await cluster.expire('A');
    await cluster.advance('2s');
    await cluster.fire();

    expect(rounds()).toEqual(['00:10']);
    expect(callsIn(story.take())).toEqual(['before 00:05']);
    story.release(`${item} 00:05`);
    await cluster.settle();
    expect(callsIn(story.take())).toEqual(['after 00:05', 'before 00:10', 'after 00:10']);
  });
});
