import { describe, expect, test } from '@jest/globals';
import { type JobConfiguration } from '../../../../lib/api/job/job-configuration.js';
import { type SimpleJob } from '../../../../lib/api/job/job.js';
import { type ShardingContext } from '../../../../lib/api/job/sharding-context.js';
import { sleep } from '../../../../lib/async/wait.js';
import { ScheduleJobBootstrap } from '../../../../lib/kernel/job-bootstrap.js';
import { TestCluster, type Work } from '../../../../lib/testing/index.js';
import { type Calls, Once, CallNotes } from '../../../support/listeners.js';

/** The events in order, with the instances that made the two calls. */
class Story extends CallNotes {
  /** Lines of the two calls alone, without the instance that made them and its items. */
  get calls(): readonly string[] {
    return this.lines.filter((line) => / all /.test(line)).map((line) => line.replace(/^\w+ (.*?) \[.*$/, '$1'));
  }
}

interface Given {
  readonly job?: Partial<JobConfiguration>;
  readonly calls?: Calls | ((name: string) => Calls);
  readonly work?: Work;
  readonly sessionTimeoutMs?: number;
}

async function start(
  names: readonly string[],
  notes: CallNotes,
  { job, calls = {}, work, ...more }: Given = {},
): Promise<TestCluster> {
  return TestCluster.start(names, {
    ...more,
    job: { jobListenerTypes: ['ONCE'], ...job },
    host: (name) => ({ listeners: [new Once(notes, name, typeof calls === 'function' ? calls(name) : calls)] }),
    work: async (instance, context) => {
      notes.lines.push(`${instance} item ${context.shardingItem}`);
      await work?.(instance, context);
      notes.lines.push(`${instance} item ${context.shardingItem} done`);
    },
  });
}

/** Work of one item that goes on until it is let go. */
function held(item: number): { readonly work: Work; readonly letGo: () => void } {
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  return { work: (_, { shardingItem }) => (shardingItem === item ? gate : undefined), letGo: () => letGo() };
}

const guaranteeNodes = (cluster: TestCluster): readonly string[] =>
  [...cluster.tree.keys()].filter((path) => /^\/job\/guarantee\/(started|completed)(\/|$)/.test(path)).sort();

const logOf = (cluster: TestCluster): string => cluster.log.join('\n');

describe('a listener that is called once in the cluster', () => {
  test('EJ487: is called before the first item starts and after the last one has completed, once in a firing', async () => {
    const notes = new Story();
    await using cluster = await start(['A', 'B', 'C'], notes, { job: { shardingTotalCount: 3 } });

    await cluster.fire();

    expect(notes.calls).toEqual(['all started', 'all completed']);
    expect(notes.lines[0]).toMatch(/^[ABC] all started \[\d\]$/);
    expect(notes.lines.at(-1)).toMatch(/^[ABC] all completed \[\d\]$/);
    expect(notes.lines).toHaveLength(8);
    expect(guaranteeNodes(cluster)).toEqual([]);
  });

  test('EJ271: is called after the slowest item, and no instance fires again before', async () => {
    const notes = new Story();
    const slow = held(1);
    await using cluster = await start(['A', 'B', 'C'], notes, { job: { shardingTotalCount: 3 }, work: slow.work });
    await cluster.fire();
    expect(notes.calls).toEqual(['all started']);
    expect(guaranteeNodes(cluster)).toEqual([
      '/job/guarantee/completed',
      '/job/guarantee/completed/0',
      '/job/guarantee/completed/2',
    ]);
    await cluster.advance('3s');
    expect(notes.calls).toEqual(['all started']);

    slow.letGo();
    await cluster.settle();

    expect(notes.calls).toEqual(['all started', 'all completed']);
  });

  test('EJ2142: is called once in each of two hundred firings while instances come, go and die', async () => {
    const notes = new CallNotes();
    const byInstant = new Map<string, string[]>();
    const note = (what: string) => (contexts: { readonly scheduledAt: Date | undefined }) => {
      const at = contexts.scheduledAt?.toISOString() ?? 'manual';
      byInstant.set(at, [...(byInstant.get(at) ?? []), what]);
    };
    const calls = { started: note('started'), completed: note('completed') };
    await using cluster = await start(['A', 'B', 'C'], notes, {
      calls,
      job: { shardingTotalCount: 5, cron: '0/30 * * * * ?' },
    });

    for (let firing = 1; firing <= 200; firing++) {
      await cluster.fire();
      if (firing % 7 === 0) cluster.kill('A');
      if (firing % 7 === 3 && !cluster.members.has('A')) await cluster.join('A');
      if (firing % 11 === 0) await cluster.leave('B');
      if (firing % 11 === 5 && !cluster.members.has('B')) await cluster.join('B');
    }
    await cluster.advance('29s');

    expect(byInstant.size).toBe(200);
    expect([...byInstant].filter(([, called]) => called.join() !== 'started,completed')).toEqual([]);
  });

  test('EJ1689: is not kept waiting by instances without items', async () => {
    const notes = new Story();
    await using cluster = await start(['A', 'B', 'C'], notes, { job: { shardingTotalCount: 1 } });

    await cluster.fire();

    expect(notes.lines).toEqual(['C all started [0]', 'C item 0', 'C item 0 done', 'C all completed [0]']);
  });

  test('EJ512: is not kept waiting by a disabled item, nor when all are', async () => {
    const notes = new Story();
    await using cluster = await start(['A', 'B'], notes);
    await cluster.disableItem(0);
    await cluster.fire();
    expect(notes.calls).toEqual(['all started', 'all completed']);
    notes.take();

    await cluster.disableItem(1);
    await cluster.fire();

    expect(notes.lines).toEqual([]);
    expect(guaranteeNodes(cluster)).toEqual([]);
  });

  test('is not kept waiting by an item that is disabled while others wait for it', async () => {
    const notes = new Story();
    await using cluster = await start(['A', 'B'], notes);
    cluster.freeze('B');
    await cluster.fire();
    expect(notes.calls).toEqual([]);

    await cluster.disableItem(0);

    expect(notes.calls).toEqual(['all started', 'all completed']);
  });

  test('EJ1502: serves two jobs of one process without mixing them up', async () => {
    const notes = new Story();
    await using cluster = await start(['A', 'B'], notes);
    const { host } = cluster.member('A');
    const other = { execute: () => void notes.lines.push('other item') };
    const configuration = { ...cluster.view.config!, jobName: 'other', shardingTotalCount: 1 };
    const bootstrap = new ScheduleJobBootstrap(host.registryCenter, other, configuration, { host });
    void bootstrap.schedule();
    await cluster.settle();

    await cluster.fire();

    const jobs = notes.contexts.map(({ jobName }) => jobName).sort();
    expect(jobs).toEqual(['job', 'job', 'other', 'other']);
  });

  test('EJ1502: does not take items of another job for those of its own', async () => {
    const notes = new Story();
    const { work, letGo } = held(0);
    let isSlow = false;
    const slowly = (context: ShardingContext, ms: number): Promise<void> | void =>
      isSlow && context.shardingItem === 1 ? sleep(cluster.clock, ms) : undefined;
    await using cluster: TestCluster = await start(['A', 'B'], notes, {
      work: (name, context) => slowly(context, 1_000) ?? (isSlow ? work(name, context) : undefined),
    });
    const { host } = cluster.member('A');
    const other: SimpleJob = { execute: (context) => slowly(context, 3_000) };
    const configuration = { ...cluster.view.config!, jobName: 'other' };
    void new ScheduleJobBootstrap(host.registryCenter, other, configuration, { host }).schedule();
    await cluster.fire();
    const calls = (): number => notes.contexts.filter(({ jobName }) => jobName === 'job').length;
    expect(calls()).toBe(2);

    isSlow = true;
    await cluster.fire();
    await cluster.advance('2s');
    expect(calls()).toBe(3);

    letGo();
    await cluster.settle();
    expect(calls()).toBe(4);
  });

  test('of two types is called for each', async () => {
    const notes = new Story();
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { jobListenerTypes: ['ONE', 'TWO'] },
      host: (name) => ({ listeners: [new Once(notes, name, {}, 'ONE'), new Once(notes, name, {}, 'TWO')] }),
    });

    await cluster.fire();
    await cluster.fire();

    expect(notes.calls).toEqual(Array(2).fill(['all started', 'all started', 'all completed', 'all completed']).flat());
    expect(guaranteeNodes(cluster)).toEqual([]);
  });

  test('is called once for each manual trigger', async () => {
    const notes = new Story();
    await using cluster = await start(['A', 'B', 'C'], notes, { job: { cron: '', shardingTotalCount: 3 } });

    for (let time = 1; time <= 3; time++) await cluster.trigger();

    expect(notes.calls).toEqual(Array(3).fill(['all started', 'all completed']).flat());
  });

  test('is called without marks of running items too', async () => {
    const notes = new Story();
    const slow = held(1);
    await using cluster = await start(['A', 'B'], notes, { job: { monitorExecution: false }, work: slow.work });
    await cluster.fire();
    await cluster.advance('12s');
    expect(notes.calls).toEqual(['all started']);

    slow.letGo();
    await cluster.settle();

    expect(notes.calls.slice(0, 2)).toEqual(['all started', 'all completed']);
  });

  test('that fails notifies the error handler of the instance on which it was called, and holds no instance up', async () => {
    const notes = new Story();
    const fail = (): never => {
      throw new Error('no audit');
    };
    await using cluster = await start(['A', 'B'], notes, { calls: { started: fail, completed: fail } });

    await cluster.fire();
    await cluster.fire();

    expect(notes.calls).toEqual(Array(2).fill(['all started', 'all completed']).flat());
    expect(Object.keys(cluster.ran)).toEqual(expect.arrayContaining(['A', 'B']));
    expect(cluster.log.filter((line) => line.includes('no audit'))).toHaveLength(4);
    expect(guaranteeNodes(cluster)).toEqual([]);
  });
});

describe('not waited for is', () => {
  test('EJ2032: an instance that was killed before the firing, as soon as its session is over', async () => {
    const notes = new Story();
    await using cluster = await start(['A', 'B', 'C'], notes, { job: { shardingTotalCount: 3 } });
    cluster.kill('A');

    await cluster.fire();
    expect(notes.calls).toEqual([]);
    await cluster.advance('3s');

    expect(notes.calls).toEqual(['all started', 'all completed']);
  });

  test.each(['applied', 'not-applied'] as const)(
    'an instance that dies at any of its writes in a firing, whose last one is %s; and the next firing is as any other',
    async (kept) => {
      // An instance that dies at the very commit that claims the round has begun the call, as far as the others can
      // know.
      let [missedCalls, deaths] = [0, 0];
      for (const name of ['A', 'B', 'C']) {
        for (let write = 1, hasDied = true; hasDied; write++) {
          const notes = new Story();
          await using cluster = await start(['A', 'B', 'C'], notes, {
            job: { shardingTotalCount: 3, cron: '0 * * * * ?' },
          });
          cluster.killAtWrite(name, write, kept);

          await cluster.fire();
          await cluster.advance('55s');

          const before = notes.calls.filter((call) => call === 'all started').length;
          const after = notes.calls.filter((call) => call === 'all completed').length;
          expect([before, after].every((count) => count <= 1)).toBe(true);
          missedCalls += 2 - before - after;
          hasDied = !cluster.members.has(name);
          if (!hasDied) continue;
          deaths++;
          notes.take();
          await cluster.join(name);
          await cluster.fire();
          expect(notes.calls).toEqual(['all started', 'all completed']);
          expect(guaranteeNodes(cluster)).toEqual([]);
        }
      }

      expect(deaths).toBeGreaterThan(20);
      expect(missedCalls).toBe(kept === 'applied' ? 2 : 0);
    },
  );

  test('an instance that dies while its item runs: its round stays open until it is taken over', async () => {
    const notes = new Story();
    const slow = held(1);
    await using cluster = await start(['A', 'B'], notes, {
      work: (name, context) => (name === 'A' ? slow.work(name, context) : undefined),
      job: { cron: '0/3 * * * * ?', failover: true },
    });
    await cluster.fire();
    cluster.kill('A');

    await cluster.advance('20s');

    // Once for each of the firings, the one included that the takeover of item 1 completes.
    expect(notes.calls.filter((call) => call === 'all started').length).toBeGreaterThan(4);
    expect(notes.calls.filter((call) => call === 'all completed')).toHaveLength(
      notes.calls.filter((call) => call === 'all started').length,
    );
    expect(guaranteeNodes(cluster)).toEqual([]);
  });

  test('an instance that dies while its item runs, without failover', async () => {
    const notes = new Story();
    const slow = held(0);
    await using cluster = await start(['A', 'B'], notes, { work: slow.work, job: { cron: '0 * * * * ?' } });
    await cluster.fire();
    expect(notes.calls).toEqual(['all started']);

    cluster.kill(cluster.nameOf(cluster.view.items[0]!.owner));
    await cluster.advance('20s');

    expect(notes.calls).toEqual(['all started', 'all completed']);
  });

  test('an instance that dies in the middle of the call: no other repeats it, and all go on', async () => {
    const notes = new Story();
    const never = (): Promise<void> => new Promise(() => undefined);
    await using cluster = await start(['A', 'B', 'C'], notes, {
      calls: { started: never },
      job: { shardingTotalCount: 3, cron: '0 * * * * ?' },
    });
    await cluster.fire();
    const [caller = ''] = notes.lines[0]!.split(' ');

    cluster.kill(caller);
    await cluster.advance('12s');

    expect(notes.calls).toEqual(['all started', 'all completed']);
    expect(cluster.runs.map(({ instance }) => instance)).not.toContain(caller);
    expect(cluster.runs).toHaveLength(2);
  });

  test('an owner that lives and does not begin, for longer than ten seconds; and the log names it', async () => {
    const notes = new Story();
    await using cluster = await start(['A', 'B'], notes, { job: { cron: '0 * * * * ?', maxTimeDiffSeconds: 1 } });
    const { registry } = cluster.member('B');
    const time = registry.time.bind(registry);
    registry.time = async (path) => (await time(path)) + 3_000;

    await cluster.fire();
    await cluster.advance('9s');
    expect(notes.calls).toEqual([]);
    await cluster.advance('1s');

    expect(notes.calls).toEqual(['all started', 'all completed']);
    expect(logOf(cluster)).toContain(`goes on without items 0 (overdue, ${cluster.idOf('B')})`);
  });

  test('stale nodes of a firing whose participants have all died count for nothing', async () => {
    const notes = new Story();
    await using cluster = await start(['A', 'B'], notes, { job: { cron: '0 * * * * ?' } });
    await cluster.advance('59s');
    cluster.freeze('B');
    await cluster.fire();
    cluster.kill('A');
    cluster.kill('B');
    await cluster.advance('30s');
    expect(guaranteeNodes(cluster)).toEqual(['/job/guarantee/started', '/job/guarantee/started/1']);

    await cluster.join('C');
    await cluster.join('D');
    await cluster.advance('29s');
    cluster.freeze('D');
    await cluster.fire();
    expect(notes.calls).toEqual([]);
    await cluster.thaw('D');
    await cluster.settle();

    expect(notes.calls).toEqual(['all started', 'all completed']);
    expect(guaranteeNodes(cluster)).toEqual([]);
  });
});

describe('with failover', () => {
  const failover = { failover: true, cron: '0 * * * * ?' };

  test('the call comes when the item that died has been run again, once, whichever instances had completed before', async () => {
    const notes = new Story();
    let isFirst = true;
    await using cluster = await start(['A', 'B', 'C'], notes, {
      job: { ...failover, shardingTotalCount: 3 },
      work: (_, { shardingItem, signal }) => {
        if (shardingItem !== 0 || !isFirst) return;
        isFirst = false;
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
    });
    await cluster.fire();
    expect(notes.calls).toEqual(['all started']);

    cluster.kill(cluster.nameOf(cluster.view.items[0]!.owner));
    await cluster.advance('15s');

    expect(notes.calls).toEqual(['all started', 'all completed']);
    expect(notes.lines.at(-1)).toMatch(/all completed/);
    expect(notes.lines.filter((line) => line.endsWith('item 0'))).toHaveLength(2);
    expect(notes.contexts.at(-1)!.scheduledAt).toEqual(new Date('2030-01-01T00:01:00Z'));
    expect(guaranteeNodes(cluster)).toEqual([]);
  });

  test('an item that crashed before all had started is not waited for; its takeover does not call again', async () => {
    const notes = new Story();
    await using cluster = await start(['A', 'B', 'C'], notes, { job: { ...failover, shardingTotalCount: 3 } });
    // Its first write begins its item; with the second one it would have reported it.
    cluster.killAtWrite('B', 2, 'not-applied');

    await cluster.fire();
    await cluster.advance('30s');

    expect(notes.calls).toEqual(['all started', 'all completed']);
    expect(notes.lines.at(-1)).toMatch(/all completed/);
    expect(cluster.runs.map(({ item }) => item).sort()).toEqual([0, 1, 2]);
  });
});

describe('beside a Java peer', () => {
  const java = '10.0.0.1@-@4711';

  /**
   * A job of two items, one of them of an instance that is nothing but its nodes, as a Java process would have them.
   */
  async function withJava(notes: CallNotes, calls: Calls = {}): Promise<TestCluster> {
    const cluster = await start(['A'], notes, { calls, job: { cron: '0 * * * * ?', staticSharding: true } });
    const { operator, paths } = cluster;
    await operator.create(paths.server('10.0.0.1'), 'ENABLED');
    await operator.create(paths.instance(java), `jobInstanceId: ${java}\nserverIp: 10.0.0.1\n`, 'session');
    await operator.put(paths.item(0, 'instance'), java);
    await cluster.settle();
    return cluster;
  }

  test('its nodes count, and the stage’s node is removed, by which it hears that the call was made', async () => {
    const notes = new Story();
    await using cluster = await withJava(notes);
    const { operator, paths } = cluster;
    await cluster.fire();
    expect(guaranteeNodes(cluster)).toEqual([paths.guarantee('started'), paths.guarantee('started', 1)]);
    expect(notes.lines).toEqual([]);

    await operator.create(paths.guarantee('started', 0), '');
    await cluster.advance('1s');
    expect(notes.calls).toEqual(['all started']);
    expect(guaranteeNodes(cluster)).toEqual([paths.guarantee('completed'), paths.guarantee('completed', 1)]);

    await operator.create(paths.guarantee('completed', 0), '');
    await cluster.advance('1s');
    expect(notes.calls).toEqual(['all started', 'all completed']);
    expect(guaranteeNodes(cluster)).toEqual([]);
  });

  test('that came last makes the call: it looks for the others only once, and would not hear of ours', async () => {
    const notes = new Story();
    await using cluster = await withJava(notes);
    const { operator, paths } = cluster;
    await cluster.fire();

    await operator.create(paths.guarantee('started', 0), '');
    await cluster.advance('900ms');
    expect(notes.lines).toEqual([]);
    await operator.remove(paths.guarantee('started'));
    await cluster.settle();

    expect(notes.lines).toEqual(['A item 1', 'A item 1 done']);
  });

  test('that came first leaves the call to the instance that comes last, which makes it at once', async () => {
    const notes = new Story();
    await using cluster = await withJava(notes);
    const { operator, paths } = cluster;
    await operator.create(paths.guarantee('started'), '');
    await operator.create(paths.guarantee('started', 0), '');

    await cluster.fire();

    expect(notes.calls).toEqual(['all started']);
  });

  test('that makes the call itself, under the latch, keeps the others from making it again', async () => {
    const notes = new Story();
    await using cluster = await withJava(notes);
    const { operator, paths } = cluster;
    await cluster.fire();

    let end = (): void => undefined;
    void operator.exclusively(paths.guaranteeLatch('started'), 1_000, async () => {
      await operator.create(paths.guarantee('started', 0), '');
      await new Promise<void>((resolve) => (end = resolve));
      await operator.remove(paths.guarantee('started'));
    });
    await cluster.settle();
    expect(notes.lines).toEqual([]);
    end();
    await cluster.settle();

    expect(notes.lines).toEqual(['A item 1', 'A item 1 done']);
  });

  test('that gives up, and removes the stage’s node, lets the others go on', async () => {
    const notes = new Story();
    await using cluster = await withJava(notes);
    await cluster.fire();

    await cluster.operator.remove(cluster.paths.guarantee('started'));
    await cluster.settle();

    expect(notes.lines).toEqual(['A item 1', 'A item 1 done']);
  });
});

describe('a timeout', () => {
  test('before the start notifies the error handler in Java’s words, and the items run without the call, which is not made later', async () => {
    const notes = new Story();
    await using cluster = await start(['A', 'B'], notes, {
      calls: { startedTimeoutMs: 2_000 },
      job: { cron: '0 * * * * ?' },
    });
    await cluster.advance('59s');
    cluster.freeze('B');
    await cluster.fire();
    await cluster.advance('2s');
    expect(notes.lines).toEqual(['A item 1', 'A item 1 done']);
    expect(logOf(cluster)).toMatch(
      /Job timeout\. timeout mills is 2000\. .* waited for all items of .* to start, in vain for items 0 /,
    );

    await cluster.thaw('B');
    await cluster.settle();

    expect(notes.calls).toEqual(['all completed']);
    expect(guaranteeNodes(cluster)).toEqual([]);
  });

  test('after completion lets the instance fire again; the last item to complete still leads to the call', async () => {
    const notes = new Story();
    const slow = held(0);
    await using cluster = await start(['A', 'B'], notes, { calls: { completedTimeoutMs: 2_000 }, work: slow.work });
    await cluster.fire();

    await cluster.advance('2s');
    expect(logOf(cluster)).toContain('Job timeout. timeout mills is 2000.');
    expect(notes.calls).toEqual(['all started']);
    slow.letGo();
    await cluster.settle();

    expect(notes.calls).toEqual(['all started', 'all completed']);
  });

  test('after completion, of an item that never completes: the next firing begins with the call', async () => {
    const notes = new Story();
    const slow = held(0);
    await using cluster = await start(['A', 'B'], notes, {
      calls: { completedTimeoutMs: 2_000 },
      work: (_, context) => (context.scheduledAt?.getUTCMinutes() === 1 ? slow.work('', context) : undefined),
      job: { cron: '0 * * * * ?' },
    });
    await cluster.fire();
    await cluster.advance('3s');
    cluster.kill(cluster.nameOf(cluster.view.items[0]!.owner));
    await cluster.advance('50s');
    expect(notes.calls).toEqual(['all started']);

    await cluster.fire();

    expect(notes.calls).toEqual(['all started', 'all completed', 'all started', 'all completed']);
    const [, first, , second] = notes.contexts.map(({ scheduledAt }) => scheduledAt?.getUTCMinutes());
    expect([first, second]).toEqual([1, 2]);
  });

  test('of a call that hangs notifies the error handler and aborts its signal, and no instance is held up', async () => {
    const notes = new Story();
    const hang = (): Promise<void> => new Promise(() => undefined);
    await using cluster = await start(['A', 'B'], notes, {
      calls: { started: hang, completed: hang, startedTimeoutMs: 1_000, completedTimeoutMs: 1_000 },
      job: { cron: '0/10 * * * * ?' },
    });

    await cluster.fire();
    await cluster.advance('5s');
    expect(notes.contexts.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    await cluster.fire();
    await cluster.advance('5s');

    expect(notes.calls).toEqual(Array(2).fill(['all started', 'all completed']).flat());
    expect(cluster.runs).toHaveLength(4);
    expect(guaranteeNodes(cluster)).toEqual([]);
  });

  test('of a call that hangs without a limit of its listener is ten minutes', async () => {
    const notes = new Story();
    const hang = (): Promise<void> => new Promise(() => undefined);
    await using cluster = await start(['A', 'B'], notes, { calls: { started: hang } });
    await cluster.fire();
    await cluster.advance('9m');
    expect(cluster.runs).toHaveLength(0);

    await cluster.advance('1m');

    expect(cluster.runs.length).toBeGreaterThan(0);
    expect(logOf(cluster)).toContain(
      'waits for the callback for the firing at 2030-01-01T00:00:05.000Z (listener ONCE) by ',
    );
  });
});

describe('an instance', () => {
  test('that stops does not wait for others to complete, and makes the call if it is the last', async () => {
    const notes = new Story();
    const slow = held(0);
    await using cluster = await start(['A', 'B'], notes, { work: slow.work });
    await cluster.fire();
    const idle = cluster.nameOf(cluster.view.items[1]!.owner);

    await cluster.leave(idle);
    expect(cluster.view.instances.size).toBe(1);
    slow.letGo();
    await cluster.settle();

    expect(notes.calls).toEqual(['all started', 'all completed']);
  });

  test('whose session is lost while it waits gives up, and takes part again with the next firing', async () => {
    const notes = new Story();
    await using cluster = await start(['A', 'B'], notes, { job: { cron: '0 * * * * ?' } });
    await cluster.advance('59s');
    cluster.freeze('B');
    await cluster.fire();
    await cluster.expire('A');
    await cluster.thaw('B');
    await cluster.advance('30s');
    notes.take();

    await cluster.fire();

    expect(notes.calls).toEqual(['all started', 'all completed']);
  });

  test('that is cut off in the middle and comes back in time makes and hears calls as if nothing had been', async () => {
    const notes = new Story();
    const slow = held(0);
    await using cluster = await start(['A', 'B'], notes, { work: slow.work, job: { cron: '0 * * * * ?' } });
    await cluster.fire();
    cluster.cut('A');
    await cluster.advance('1s');

    slow.letGo();
    await cluster.advance('1s');
    await cluster.heal('A');
    await cluster.advance('1s');

    expect(notes.calls).toEqual(['all started', 'all completed']);
    await cluster.fire();
    expect(notes.calls).toHaveLength(4);
  });

  test('that is cut off while it waits for one that is late waits on when it is back', async () => {
    const notes = new Story();
    await using cluster = await start(['A', 'B'], notes, { job: { cron: '0 * * * * ?' }, sessionTimeoutMs: 20_000 });
    await cluster.advance('59s');
    cluster.freeze('B');
    await cluster.fire();
    cluster.cut('A');
    await cluster.advance('5s');

    await cluster.heal('A');
    await cluster.advance('1s');
    expect(notes.calls).toEqual([]);
    await cluster.thaw('B');
    await cluster.settle();

    expect(notes.calls).toEqual(['all started', 'all completed']);
  });

  test('leaves nothing behind in the registry when it stops', async () => {
    const notes = new Story();
    await using cluster = await start(['A'], notes);
    await cluster.fire();

    await cluster.leave('A');

    expect([...cluster.tree.keys()].filter((path) => path.includes('x-node/guarantee/')).sort()).toEqual([
      ...['/job/x-node/guarantee/completed', '/job/x-node/guarantee/present', '/job/x-node/guarantee/started'],
    ]);
  });
});
