import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../lib/async/deferred.js';
import { type Delivery } from '../../lib/registry/embedded/delivery.js';
import { type ManualClock, TestCluster } from '../../lib/testing/index.js';
import { idOf } from '../support/views.js';

const told = ({ runs }: TestCluster): string[] => runs.map(({ item, at }) => `${item} ${at}`);

describe('a trigger', () => {
  test('that comes before the first assignment runs the items when they are assigned', async () => {
    await using cluster = await TestCluster.start([]);
    await cluster.operator.create(cluster.paths.trigger(idOf('A')), '');

    await cluster.join('A');

    expect(told(cluster)).toEqual(['0 manual', '1 manual']);
  });

  test('that comes while an item runs is kept for this item until its run has ended', async () => {
    const end = new Deferred();
    await using cluster = await TestCluster.start(['A'], {
      work: (_, { shardingItem, scheduledAt }) => (shardingItem === 0 && scheduledAt ? end.promise : undefined),
    });
    await cluster.fire();

    await cluster.trigger();
    expect(told(cluster)).toEqual(['0 00:00:05', '1 00:00:05', '1 manual']);
    end.resolve();
    await cluster.settle();

    expect(told(cluster)).toEqual(['0 00:00:05', '1 00:00:05', '1 manual', '0 manual']);
  });

  test('that meets a firing runs the items after it', async () => {
    const slowly =
      (clock: ManualClock) =>
      ({ arrive }: Delivery): void =>
        void clock.after(10, arrive);
    await using cluster = await TestCluster.start(['A'], { deliver: slowly });
    await cluster.advance(14_975);
    cluster.forget();

    void cluster.operator.create(cluster.paths.trigger(idOf('A')), '');
    await cluster.advance('4s');

    expect(cluster.tree.has(cluster.paths.trigger(idOf('A')))).toBe(false);
    expect(told(cluster).filter((run) => run.endsWith('manual'))).toEqual(['0 manual', '1 manual']);
  });
});

describe('an accepted trigger', () => {
  test('that waits for the items to be assigned runs once, although the session is lost meanwhile', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { cron: '0 0 0 * * ?' },
      sessionTimeoutMs: 60_000,
    });
    cluster.freeze('A');
    await cluster.operator.create(cluster.paths.resharding, '');
    await cluster.trigger();
    expect([...cluster.view.triggers]).toEqual([idOf('A')]);

    await cluster.expire('B');
    await cluster.operator.remove(cluster.paths.resharding);
    await cluster.advance('10s');

    expect(cluster.runs.map(({ instance, item, at }) => `${instance} ${item} ${at}`)).toEqual(['B 0 manual']);
  });

  test.each([
    ['is not run again', false, ['0 manual: aborted', '0 manual: completed']],
    ['is taken over', true, ['0 manual: aborted', '0 manual: completed', '0 manual: completed']],
  ])(
    'runs an item that was busy when it came, although the session is lost meanwhile and the busy run %s',
    async (_, failover, runs) => {
      let isFirst = true;
      await using cluster = await TestCluster.start(['A'], {
        job: { cron: '0 0 0 * * ?', failover },
        work: (_instance, { shardingItem, signal }) => {
          if (shardingItem !== 0 || !isFirst) return;
          isFirst = false;
          return new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason as Error)),
          );
        },
      });
      await cluster.trigger();
      await cluster.trigger();

      await cluster.expire('A');
      await cluster.advance('10s');

      const ofItem = cluster.runs.filter(({ item }) => item === 0);
      expect(ofItem.map(({ item, at, outcome }) => `${item} ${at}: ${outcome}`)).toEqual(runs);
      expect(cluster.runs.filter(({ item }) => item === 1)).toHaveLength(2);
    },
  );
});
