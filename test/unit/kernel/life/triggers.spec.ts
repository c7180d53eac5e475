import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../../lib/async/deferred.js';
import { type Delivery } from '../../../../lib/registry/embedded/delivery.js';
import { type ManualClock, TestCluster } from '../../../../lib/testing/index.js';
import { type OneOffJobBootstrap } from '../../../../lib/kernel/job-bootstrap.js';
import { encodeTrigger, mergedTriggers } from '../../../../lib/layout/x-node/trigger.js';
import { CallNotes, listening, Once } from '../../../support/listeners.js';
import { idOf } from '../../../support/views.js';

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

describe('a trigger whose text is not understood', () => {
  test.each(['{"item":"0"}', '{"items":[0]}', '{"items":"0"', 'item 0'])(
    'is removed, runs nothing, and is told with its path and cure: %s',
    async (text) => {
      await using cluster = await TestCluster.start(['A'], { job: { cron: '', shardingTotalCount: 2 } });

      await cluster.operator.create(cluster.paths.trigger(idOf('A')), text);
      await cluster.advance('1m');

      expect(cluster.runs).toEqual([]);
      expect(cluster.tree.has(cluster.paths.trigger(idOf('A')))).toBe(false);
      expect(cluster.log.filter((line) => line.includes('the trigger /'))).toEqual([
        expect.stringMatching(
          /the trigger \/.*\/trigger\/.* was removed and runs nothing: its text .*, got ".* To run all items of this instance, create the node without a text; to run some, with a text such as \{"items":"0-3,7"\}\.$/,
        ),
      ]);
    },
  );

  test('gives way to a trigger that comes before it is removed', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { cron: '', shardingTotalCount: 2 } });
    cluster.freeze('B');
    await cluster.operator.create(cluster.paths.trigger(idOf('B')), '{"item":"7"}');

    await (cluster.member('A').bootstrap as OneOffJobBootstrap).execute();
    await cluster.thaw('B');

    expect(cluster.runs.map(({ item }) => item).sort()).toEqual([0, 1]);
  });
});

describe('a trigger of some items', () => {
  const MANUAL = { cron: '', shardingTotalCount: 3 };

  test('runs these alone, those that are busy when they have ended', async () => {
    const end = new Deferred();
    await using cluster = await TestCluster.start(['A'], {
      job: MANUAL,
      work: (_, { shardingItem }) => (shardingItem === 0 && cluster.runs.length <= 3 ? end.promise : undefined),
    });
    await cluster.trigger();
    cluster.forget();

    await cluster.operator.create(cluster.paths.trigger(idOf('A')), '{"items":"0-1"}');
    await cluster.settle();
    expect(told(cluster)).toEqual(['1 manual']);
    end.resolve();
    await cluster.settle();

    expect(told(cluster)).toEqual(['1 manual', '0 manual']);
  });

  test('that is accepted while another run chooses its items follows that run', async () => {
    for (let gapMs = 0; gapMs <= 90; gapMs += 5) {
      const slowly =
        (clock: ManualClock) =>
        ({ arrive }: Delivery): void =>
          void clock.after(10, arrive);
      await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 3 }, deliver: slowly });
      await cluster.advance(14_900 + gapMs);
      cluster.forget();

      void cluster.operator.create(cluster.paths.trigger(idOf('A')), '{"items":"2"}');
      await cluster.advance('4s');

      expect({ gapMs, told: told(cluster).filter((run) => run.endsWith('manual')) }).toEqual({
        gapMs,
        told: ['2 manual'],
      });
    }
  });

  test('hands on items of another instance, and says of those that are disabled or do not exist that they are not run', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: MANUAL });
    const [own] = cluster.owners['A']!;
    await cluster.disableItem(own!);

    await cluster.operator.create(cluster.paths.trigger(idOf('A')), '{"items":"0-3"}');
    await cluster.settle();
    await cluster.settle();

    expect(cluster.log.filter((line) => line.includes('the triggered items'))).toEqual([
      expect.stringContaining(`the triggered items ${own},3 are not run: `),
    ]);
    const others = [0, 1, 2].filter((item) => item !== own);
    expect(told(cluster).sort()).toEqual(others.map((item) => `${item} manual`));
    await cluster.enableItem(own!);
    await cluster.advance('1h');
    expect(cluster.runs).toHaveLength(2);
  });

  test('gives way to a trigger of all items, by the application too', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: MANUAL });
    cluster.freeze('B');
    await cluster.operator.create(cluster.paths.trigger(idOf('B')), `{"items":"${cluster.owners['B']![0]}"}`);

    await (cluster.member('A').bootstrap as OneOffJobBootstrap).execute();
    await cluster.thaw('B');

    expect(cluster.runs.map(({ item }) => item).sort()).toEqual([0, 1, 2]);
  });

  test('that has become one with a trigger of all items is run, though another instance owns its item by now', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: MANUAL });
    const { paths, operator, owners } = cluster;
    const [item] = owners['B']!;
    const both = mergedTriggers({ items: [item!], isForAll: false }, { isForAll: true });

    await operator.create(paths.trigger(idOf('A')), encodeTrigger(both!));
    await cluster.settle();
    await cluster.settle();

    expect(cluster.ran).toEqual({ A: owners['A'], B: [item] });
  });

  test('that waits on an instance whose server is disabled is run by the next owner, also with a trigger of all items', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: MANUAL });
    const { paths, operator } = cluster;
    const [item] = cluster.owners['A']!;
    cluster.freeze('A');
    await operator.create(paths.trigger(idOf('A')), `{"also":"${item}"}`);

    await cluster.disable('A');
    await cluster.advance('3s');
    await cluster.thaw('A');
    await cluster.advance('3s');

    expect(cluster.ran).toEqual({ B: [item] });
  });

  test('of a disabled server goes with an item that still runs there to its next owner', async () => {
    const gate = new Deferred();
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: MANUAL,
      work: (name) => (name === 'A' && cluster.runs.length < 2 ? gate.promise : undefined),
    });
    const { paths, operator } = cluster;
    const [item] = cluster.owners['A']!;
    await operator.create(paths.trigger(idOf('A')), '');
    await cluster.settle();

    await cluster.disable('A');
    await cluster.advance('3s');
    await operator.create(paths.trigger(idOf('A')), '');
    await cluster.advance('3s');
    gate.resolve();
    await cluster.advance('3s');

    expect(cluster.ran).toEqual({ A: [item], B: [item] });
  });

  test('calls the listeners of its instance, not those that are called once in the cluster', async () => {
    const notes = new CallNotes();
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { ...MANUAL, jobListenerTypes: ['ONCE', 'EVERY'] },
      host: (instance) => ({ listeners: [new Once(notes, instance), listening(notes, instance)] }),
    });
    const [item] = cluster.owners['A']!;

    await cluster.operator.create(cluster.paths.trigger(idOf('A')), `{"items":"${item}"}`);
    await cluster.advance('1s');
    expect(notes.take()).toEqual([`A EVERY before [${item}]`, `A EVERY after [${item}]`]);
    await cluster.trigger();
    await cluster.advance('1s');

    // The next round of the whole job is as if there had been nothing before.
    expect(notes.take().filter((line) => line.includes(' all '))).toHaveLength(2);
    expect(told(cluster)).toHaveLength(4);
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
