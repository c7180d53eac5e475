import { describe, expect, test } from '@jest/globals';
import { type ItemInterceptor, type RunEvent, type RunOutcome } from '../../../../lib/api/events/run-events.js';
import { type ShardingContext } from '../../../../lib/api/job/sharding-context.js';
import { Deferred } from '../../../../lib/async/deferred.js';
import { type JobHostOptions } from '../../../../lib/kernel/job-host.js';
import { type Member, TestCluster, type TestClusterOptions } from '../../../../lib/testing/index.js';
import { joinJavaInstance } from '../../../support/java-instance.js';
import { idOf } from '../../../support/views.js';

type Name = Member['name'];

/** The events that the observer of each instance has seen. */
class Observations {
  readonly #events: { readonly instance: Name; readonly event: RunEvent }[] = [];

  readonly host = (instance: Name): Partial<JobHostOptions> => ({
    observers: [{ onRunEvent: (event) => void this.#events.push({ instance, event }) }],
  });

  forget(): void {
    this.#events.length = 0;
  }

  /** The events of each run of an instance, in order; the runs in the order in which they began. */
  runsOf(instance: Name): readonly (readonly RunEvent[])[] {
    const runs = new Map<number, RunEvent[]>();
    for (const { instance: other, event } of this.#events)
      if (other === instance) runs.set(event.run.runId, [...(runs.get(event.run.runId) ?? []), event]);
    return [...runs.values()];
  }

  /** The causes of an instance's runs, each with its instant. */
  causesOf(instance: Name): readonly string[] {
    return this.runsOf(instance).map(([first]) => `${first!.run.cause} ${timeOf(first!.run.scheduledAt)}`);
  }

  outcomesOf(instance: Name): readonly RunOutcome[] {
    return this.runsOf(instance).flatMap((events) =>
      events.flatMap((event) => (event.type === 'run-ended' ? [event.outcome] : [])),
    );
  }
}

const timeOf = (instant: Date | undefined): string => instant?.toISOString().slice(11, 19) ?? '–';

/** `item-ended 0 succeeded (00:00:05)`. */
function told(event: RunEvent): string {
  switch (event.type) {
    case 'staged':
      return event.type;
    case 'items-begun': {
      const items = event.items.map(({ item, scheduledAt }) => `${item} (${timeOf(scheduledAt)})`);
      const blocked = event.blocked.length === 0 ? '' : `, blocked: ${event.blocked.join()}`;
      return `items-begun ${items.join()}${blocked}`;
    }
    case 'item-started':
      return `item-started ${event.context.shardingItem}`;
    case 'item-retried':
      return `item-retried ${event.item.item}`;
    case 'item-ended':
      return `item-ended ${event.item.item} ${event.outcome.type}`;
    case 'run-ended':
      return `run-ended ${event.outcome.type}`;
    default:
      return event satisfies never;
  }
}

/** A cluster, and what the observer of each instance sees. */
async function observed(
  names: readonly Name[],
  options: TestClusterOptions = {},
): Promise<TestCluster & { readonly seen: Observations }> {
  const seen = new Observations();
  return Object.assign(await TestCluster.start(names, { ...options, host: seen.host }), { seen });
}

describe('an observer sees', () => {
  test('a run from its staging over its items to its end, in this order, and what they have in common', async () => {
    await using cluster = await observed(['A']);
    const { seen } = cluster;

    await cluster.fire();

    const [events] = seen.runsOf('A');
    expect(events!.map(told)).toEqual([
      'staged',
      'items-begun 0 (00:00:05),1 (00:00:05)',
      'item-started 0',
      'item-started 1',
      'item-ended 0 succeeded',
      'item-ended 1 succeeded',
      'run-ended completed',
    ]);
    expect(new Set(events!.map(({ run }) => run)).size).toBe(1);
    expect(events![0]!.run).toMatchObject({ jobName: 'job', instance: { jobInstanceId: cluster.idOf('A') } });
    expect(events![1]).toMatchObject({ taskId: cluster.runs[0]!.context.taskId, configuration: { jobName: 'job' } });
    expect(events!.map(({ at }) => timeOf(at))).toEqual(Array(7).fill('00:00:05'));
  });

  test('how long an item has run, but not of an item that did not start', async () => {
    const pool = { type: 'ONE', getSize: () => 1 };
    const seen = new Observations();
    await using cluster: TestCluster = await TestCluster.start(['A'], {
      job: { jobExecutorThreadPoolSizeProviderType: 'ONE', cron: '0 0 * * * ?' },
      host: (name) => ({ ...seen.host(name), threadPoolSizeProviders: [pool] }),
      work: (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    });
    await cluster.fire();
    await cluster.advance('3s');

    await cluster.expire('A');

    const ends = seen.runsOf('A')[0]!.flatMap((event) => (event.type === 'item-ended' ? [event] : []));
    expect(ends.map(({ item, outcome, durationMs }) => [item.item, outcome.type, durationMs])).toEqual([
      [1, 'aborted', undefined],
      [0, 'aborted', 3_000],
    ]);
  });

  test('schedule as the cause of a firing, and manual as that of a trigger', async () => {
    await using cluster = await observed(['A']);
    const { seen } = cluster;

    await cluster.fire();
    await cluster.trigger();

    expect(seen.causesOf('A')).toEqual(['schedule 00:00:05', 'manual –']);
    expect(seen.runsOf('A')[1]!.map(told)).toContain('items-begun 0 (–),1 (–)');
  });

  test('misfire as the cause of a run for a firing that came while the item was running', async () => {
    const gate = new Deferred();
    await using cluster = await observed(['A'], {
      work: (_, { shardingItem }) => (shardingItem === 0 ? gate.promise : undefined),
    });
    const { seen } = cluster;
    await cluster.fire();
    await cluster.fire();
    expect(seen.runsOf('A')[1]!.map(told)).toContain('items-begun 1 (00:00:10), blocked: 0');

    gate.resolve();
    await cluster.advance('1s');

    expect(seen.causesOf('A')).toEqual(['schedule 00:00:05', 'schedule 00:00:10', 'misfire 00:00:10']);
    expect(seen.runsOf('A')[2]!.map(told)).toContain('items-begun 0 (00:00:10)');
  });

  test('catch-up as the cause of a run for a firing that was lost while the item changed its owner', async () => {
    await using cluster = await observed(['A', 'B'], { job: { cron: '0/20 * * * * ?' } });
    const { seen } = cluster;
    await cluster.fire();
    const [item] = cluster.owners['A'] ?? [];
    await cluster.advance('18s');
    seen.forget();

    cluster.kill('A');
    await cluster.advance('10s');

    expect(seen.causesOf('B')).toEqual(['schedule 00:00:40', 'catch-up 00:00:40']);
    expect(seen.runsOf('B')[1]!.map(told)).toContain(`items-begun ${item} (00:00:40)`);
  });

  test('failover as the cause of a takeover, whose items have instants of their own', async () => {
    await using cluster = await observed(['A', 'B'], {
      job: { cron: '0 0 * * * ?', failover: true },
      work: (name) => (name === 'A' ? new Promise(() => undefined) : undefined),
    });
    const { seen } = cluster;
    await cluster.fire();
    const [item] = cluster.owners['A'] ?? [];
    seen.forget();

    cluster.kill('A');
    await cluster.advance('7s');

    expect(seen.causesOf('B')).toEqual(['failover –']);
    expect(seen.runsOf('B')[0]!.map(told)).toEqual([
      'staged',
      `items-begun ${item} (01:00:00)`,
      `item-started ${item}`,
      `item-ended ${item} succeeded`,
      'run-ended completed',
    ]);
  });
});

describe('an observer learns of a run', () => {
  test('how many items have succeeded, failed and been aborted', async () => {
    const untilAborted = ({ signal }: ShardingContext): Promise<void> =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    await using cluster = await observed(['A'], {
      job: { shardingTotalCount: 6, cron: '0 0 * * * ?' },
      work: (_, context) => {
        if (context.shardingItem < 2) throw new Error('no stock');
        return context.shardingItem < 3 ? untilAborted(context) : undefined;
      },
    });
    const { seen } = cluster;
    await cluster.fire();
    expect(seen.outcomesOf('A')).toEqual([]);

    await cluster.expire('A');
    await cluster.advance('1s');

    expect(seen.outcomesOf('A')).toEqual([{ type: 'completed', succeeded: 3, failed: 2, aborted: 1, timedOut: 0 }]);
    const ends = seen.runsOf('A')[0]!.flatMap((event) => (event.type === 'item-ended' ? [event] : []));
    const endOf = (item: number) => ends.find((end) => end.item.item === item)!.outcome;
    expect(endOf(1)).toEqual({ type: 'failed', cause: new Error('no stock') });
    expect(endOf(2)).toMatchObject({ type: 'aborted', cause: { code: 'SESSION_LOST' } });
  });

  test('that there was nothing to run, because the instance owns no items', async () => {
    await using cluster = await observed(['A', 'B'], { job: { shardingTotalCount: 1 } });
    const { seen } = cluster;
    const [idle = ''] = ['A', 'B'].filter((name) => cluster.owners[name] === undefined);

    await cluster.fire();

    expect(seen.runsOf(idle).map((events) => events.map(told))).toEqual([['staged', 'run-ended nothing-to-run']]);
    expect(seen.outcomesOf(idle)).toEqual([{ type: 'nothing-to-run', reason: 'no-items' }]);
  });

  test('that there was nothing to run, because its items were still running', async () => {
    await using cluster = await observed(['A'], { work: () => new Promise(() => undefined) });
    const { seen } = cluster;

    await cluster.fire();
    await cluster.fire();

    expect(seen.outcomesOf('A')).toEqual([
      { type: 'nothing-to-run', reason: 'still-running', items: [0, 1], isMadeUpFor: true },
    ]);
  });

  test('that a firing whose items were still running is not made up for, because misfire is off', async () => {
    await using cluster = await observed(['A'], { job: { misfire: false }, work: () => new Promise(() => undefined) });
    const { seen } = cluster;

    await cluster.fire();
    await cluster.fire();

    expect(seen.outcomesOf('A')).toMatchObject([{ reason: 'still-running', isMadeUpFor: false }]);
  });

  test('which task it was: that of its items, or of none', async () => {
    await using cluster = await observed(['A'], { work: () => new Promise(() => undefined) });
    const { seen } = cluster;
    await cluster.fire();
    await cluster.fire();
    await cluster.expire('A');
    await cluster.advance('1s');

    const ends = seen
      .runsOf('A')
      .flatMap((events) => events.flatMap((each) => (each.type === 'run-ended' ? [each] : [])));

    const instance = cluster.idOf('A');
    expect(ends.map(({ taskId }) => taskId)).toEqual([`job@-@@-@READY@-@${instance}`]);
  });

  test('that there was nothing to run, because another instance was faster with a takeover', async () => {
    await using cluster = await observed(['A', 'B', 'C'], {
      job: { cron: '0 0 * * * ?', failover: true, shardingTotalCount: 1 },
      work: (name) => (name === 'C' ? new Promise(() => undefined) : undefined),
      // Both that are left decide before either knows of the other.
      deliver: (clock) => (delivery) => void clock.after(10, delivery.arrive),
    });
    const { seen } = cluster;
    await cluster.fire();
    await cluster.advance('1s');
    expect(cluster.ran).toEqual({ C: [0] });
    seen.forget();

    cluster.kill('C');
    await cluster.advance('7s');

    expect([...seen.outcomesOf('A'), ...seen.outcomesOf('B')]).toEqual(
      expect.arrayContaining([
        { type: 'completed', succeeded: 1, failed: 0, aborted: 0, timedOut: 0 },
        { type: 'nothing-to-run', reason: 'taken-by-others' },
      ]),
    );
  });

  test('that it is postponed, because the items were not assigned in time, and that it is made up for', async () => {
    await using cluster = await observed(['A', 'B'], { job: { cron: '5 * * * * ?' }, sessionTimeoutMs: 60_000 });
    const { seen } = cluster;
    cluster.freeze('A');
    await cluster.operator.create(cluster.paths.resharding, '');

    await cluster.advance('40s');
    expect(seen.runsOf('B').map((events) => events.map(told))).toEqual([['staged', 'run-ended postponed']]);
    expect(seen.outcomesOf('B')).toEqual([
      { type: 'postponed', cause: expect.objectContaining({ code: 'DEADLINE_EXCEEDED' }) },
    ]);
    await cluster.operator.remove(cluster.paths.resharding);
    await cluster.advance('1s');

    expect(seen.causesOf('B')).toEqual(['schedule 00:00:05', 'misfire 00:00:05']);
  });

  test('that it is postponed, because the registry centre cannot be reached', async () => {
    let isToBreak = true;
    const seen = new Observations();
    await using cluster: TestCluster = await TestCluster.start(['A'], {
      job: { maxTimeDiffSeconds: 1 },
      host: seen.host,
      deliver: () => (delivery) => {
        const isBreaking = isToBreak && delivery.what.includes('systemTime');
        if (!isBreaking) return void Promise.resolve().then(delivery.arrive);
        isToBreak = false;
        cluster.member('A').registry.faults.disconnect();
      },
    });

    await cluster.fire();

    expect(seen.outcomesOf('A')).toEqual([
      { type: 'postponed', cause: expect.objectContaining({ code: 'REGISTRY_OUTCOME_UNKNOWN' }) },
    ]);
  });

  test('that it has failed, because the clocks differ too much', async () => {
    await using cluster = await observed(['A'], { job: { maxTimeDiffSeconds: 1 } });
    const { seen } = cluster;
    cluster.skew('A', '3s');

    await cluster.fire();

    expect(seen.runsOf('A').map((events) => events.map(told))).toEqual([['staged', 'run-ended failed']]);
    expect(seen.outcomesOf('A')).toEqual([
      { type: 'failed', cause: expect.objectContaining({ name: 'ClockDifferenceError' }) },
    ]);
  });

  test('that it was stopped with its job while it was waiting for the items to be assigned', async () => {
    await using cluster = await observed(['A', 'B'], { sessionTimeoutMs: 60_000 });
    const { seen } = cluster;
    cluster.freeze('A');
    await cluster.operator.create(cluster.paths.resharding, '');
    await cluster.fire();

    await cluster.leave('B');

    expect(seen.runsOf('B').map((events) => events.map(told))).toEqual([['staged', 'run-ended stopped']]);
    expect(seen.outcomesOf('B')).toEqual([
      { type: 'stopped', cause: expect.objectContaining({ code: 'JOB_STOPPED' }) },
    ]);
  });
});

describe('an interceptor', () => {
  test('wraps each item of a run once, and the job gets the context that the interceptor got', async () => {
    const wrapped: ShardingContext[] = [];
    await using cluster = await TestCluster.start(['A'], {
      job: { shardingTotalCount: 3 },
      host: {
        interceptors: [
          {
            around: async (context, next) => {
              wrapped.push(context);
              await next();
            },
          },
        ],
      },
    });

    await cluster.fire();

    expect(wrapped.map(({ shardingItem }) => shardingItem)).toEqual([0, 1, 2]);
    expect(cluster.runs.map(({ context }) => context)).toEqual(wrapped);
  });

  test.each(['before', 'after'])('that throws %s the job makes its item fail, and no other', async (when) => {
    const failures: unknown[] = [];
    const called: number[] = [];
    const seen = new Observations();
    const broken = new Error('no span');
    await using cluster: TestCluster = await TestCluster.start(['A'], {
      job: { shardingTotalCount: 3, jobErrorHandlerType: 'NOTE' },
      work: (_, { shardingItem }) => void called.push(shardingItem),
      host: (name) => ({
        ...seen.host(name),
        errorHandlers: [{ type: 'NOTE', handleException: ({ item, cause }) => void failures.push([item, cause]) }],
        interceptors: [
          {
            around: async ({ shardingItem }, next) => {
              if (when === 'after') await next();
              if (shardingItem === 1) throw broken;
              if (when === 'before') await next();
            },
          },
        ],
      }),
    });

    await cluster.fire();

    expect(called).toEqual(when === 'before' ? [0, 2] : [0, 1, 2]);
    expect(seen.outcomesOf('A')).toEqual([{ type: 'completed', succeeded: 2, failed: 1, aborted: 0, timedOut: 0 }]);
    expect(failures).toEqual([[1, broken]]);
  });

  test.each(['first', 'second'])(
    'that does not await next() leaves the item to its code, be it the %s of two',
    async (which) => {
      const end = new Deferred();
      const broken = new Error('late');
      const seen = new Observations();
      const failures: unknown[] = [];
      const careless: ItemInterceptor = {
        around: (_, next) => {
          void next();
          return Promise.resolve();
        },
      };
      const careful: ItemInterceptor = { around: (_, next) => next() };
      await using cluster: TestCluster = await TestCluster.start(['A'], {
        job: { shardingTotalCount: 1, jobErrorHandlerType: 'NOTE' },
        work: async () => {
          await end.promise;
          throw broken;
        },
        host: (name) => ({
          ...seen.host(name),
          errorHandlers: [{ type: 'NOTE', handleException: ({ cause }) => void failures.push(cause) }],
          interceptors: which === 'first' ? [careless, careful] : [careful, careless],
        }),
      });

      await cluster.fire();
      expect(seen.outcomesOf('A')).toEqual([]);

      end.resolve();
      await cluster.settle();
      expect(failures).toEqual([broken]);
      expect(seen.outcomesOf('A')).toEqual([{ type: 'completed', succeeded: 0, failed: 1, aborted: 0, timedOut: 0 }]);
    },
  );

  test('that does not call the job makes its item fail, as its job did not run', async () => {
    let calls = 0;
    const seen = new Observations();
    await using cluster: TestCluster = await TestCluster.start(['A'], {
      work: () => void calls++,
      host: (name) => ({ ...seen.host(name), interceptors: [{ around: () => Promise.resolve() }] }),
    });

    await cluster.fire();

    expect(calls).toBe(0);
    expect(seen.outcomesOf('A')).toEqual([{ type: 'completed', succeeded: 0, failed: 2, aborted: 0, timedOut: 0 }]);
    expect(cluster.log.join('\n')).toContain(
      'an interceptor has returned without calling next(), so that the job did not run: call and await next(), or throw',
    );
  });
});

test('each item of a run has signals of its own', async () => {
  await using cluster = await TestCluster.start(['A']);

  await cluster.fire();

  const signals = cluster.runs.flatMap(({ context: { signal, softStop } }) => [signal, softStop]);
  expect(new Set(signals).size).toBe(4);
});

describe('an observer learns of instances', () => {
  const watched = async (names: readonly Name[]) => {
    const seen: (readonly [Name, string, unknown])[] = [];
    const host = (name: Name): Partial<JobHostOptions> => ({
      observers: [
        {
          onRunEvent: () => undefined,
          onInstanceCrash: ({ jobName, instance, at }) =>
            void seen.push([name, 'crash', [jobName, instance, timeOf(at)]]),
          onJavaInstanceGone: ({ jobName, instance, at }) =>
            void seen.push([name, 'gone', [jobName, instance, timeOf(at)]]),
          onRegistration: ({ jobName, living, livingJava, at }) =>
            void seen.push([name, 'registration', [jobName, [...living].sort(), livingJava, timeOf(at)]]),
        },
      ],
    });
    return Object.assign(await TestCluster.start(names, { host }), { seen });
  };

  test('that one has died: one of the others is notified', async () => {
    await using cluster = await watched(['A', 'B', 'C']);
    cluster.seen.length = 0;

    cluster.kill('B');
    await cluster.advance('7s');

    expect(cluster.seen).toEqual([['A', 'crash', ['job', cluster.idOf('B'), expect.any(String)]]]);
  });

  test('not of one that has stopped', async () => {
    await using cluster = await watched(['A', 'B']);
    cluster.seen.length = 0;

    await cluster.leave('B');
    await cluster.advance('7s');

    expect(cluster.seen).toEqual([]);
  });

  describe('of Java', () => {
    const NOTICE = ['A', 'gone', ['job', idOf('J'), expect.any(String)]];
    const besideJava = async () => {
      const cluster = await watched(['A', 'B']);
      await joinJavaInstance(cluster, 'J');
      cluster.seen.length = 0;
      return cluster;
    };

    test('that one is gone, which has stopped or died: one of the others is notified', async () => {
      await using cluster = await besideJava();

      await cluster.operator.remove(cluster.paths.instance(idOf('J')));
      await cluster.advance('7s');

      expect(cluster.seen).toEqual([NOTICE]);
    });

    test('not of one that has lost its node and created it again', async () => {
      await using cluster = await besideJava();

      await cluster.operator.remove(cluster.paths.instance(idOf('J')));
      await cluster.advance('0.5s');
      await joinJavaInstance(cluster, 'J');
      await cluster.advance('7s');

      expect(cluster.seen).toEqual([]);
    });

    test('that one is gone, only when it has ended the items with which it goes on', async () => {
      await using cluster = await besideJava();
      await cluster.operator.create(cluster.paths.item(1, 'running'), idOf('J'), 'session');

      await cluster.operator.remove(cluster.paths.instance(idOf('J')));
      await cluster.advance('7s');
      const meanwhile = [...cluster.seen];
      await cluster.operator.remove(cluster.paths.item(1, 'running'));
      await cluster.advance('1s');

      expect([meanwhile, cluster.seen]).toEqual([[], [NOTICE]]);
    });

    test('not of one that has registered again before it has ended them', async () => {
      await using cluster = await besideJava();
      await cluster.operator.create(cluster.paths.item(1, 'running'), idOf('J'), 'session');
      await cluster.operator.remove(cluster.paths.instance(idOf('J')));
      await cluster.advance('7s');

      await joinJavaInstance(cluster, 'J');
      await cluster.operator.remove(cluster.paths.item(1, 'running'));
      await cluster.advance('1s');

      expect(cluster.seen).toEqual([]);
    });

    test('that one is gone whose mark has outlived its session: a peer has removed it', async () => {
      await using cluster = await besideJava();
      await cluster.operator.create(cluster.paths.item(1, 'running'), idOf('J'), 'persistent');

      await cluster.operator.remove(cluster.paths.instance(idOf('J')));
      await cluster.advance('7s');

      expect(cluster.seen).toEqual([NOTICE]);
    });
  });

  test('which ones live, when its own has registered', async () => {
    await using cluster = await watched(['A']);
    cluster.seen.length = 0;

    await cluster.join('B');

    const both = [cluster.idOf('A'), cluster.idOf('B')].sort();
    expect(cluster.seen).toEqual([['B', 'registration', ['job', both, [], expect.any(String)]]]);
  });

  test('which of them are of Java', async () => {
    await using cluster = await watched(['A']);
    await joinJavaInstance(cluster, 'J');
    cluster.seen.length = 0;

    await cluster.join('B');

    const all = [cluster.idOf('A'), cluster.idOf('B'), idOf('J')].sort();
    expect(cluster.seen).toEqual([['B', 'registration', ['job', all, [idOf('J')], expect.any(String)]]]);
  });
});
