import { describe, expect, test } from '@jest/globals';
import { type ShardingContext } from '../../lib/api/sharding-context.js';
import { Deferred } from '../../lib/async/deferred.js';
import { ScheduleJobBootstrap } from '../../lib/kernel/job-bootstrap.js';
import { ClockTimers, type FiringTimers } from '../../lib/kernel/lanes/cron-timer.js';
import { type Delivery } from '../../lib/registry/embedded/delivery.js';
import { TestCluster } from '../../lib/testing/test-cluster.js';
import { type ManualClock } from '../../lib/testing/manual-clock.js';
import { aConfiguration, idOf, ipOf } from '../support/views.js';

/** Every message takes ten milliseconds. */
const slowly =
  (clock: ManualClock) =>
  ({ arrive }: Delivery): void =>
    void clock.after(10, arrive);

const idle = { execute: () => undefined };
const everyFiveSeconds = aConfiguration({ jobName: 'job', cron: '0/5 * * * * ?', timeZone: 'GMT' });

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

describe('a job that is shut down', () => {
  test('while it registers leaves no instance behind', async () => {
    for (const ms of [20, 40, 60, 70, 80, 90, 100, 120]) {
      await using cluster = await TestCluster.start(['B'], { deliver: slowly });
      await cluster.advance(2_000);
      await cluster.join('A');
      await cluster.advance(20 + ms);
      const down = cluster.member('A').bootstrap.shutdown();
      await cluster.advance(20_000);
      await down;
      expect({ ms, instances: [...cluster.view.instances.keys()] }).toEqual({ ms, instances: [idOf('B')] });
    }
  });

  test('while it is being elected does not lead as long as its process lives', async () => {
    for (let ms = 0; ms <= 300; ms += 10) {
      await using cluster = await TestCluster.start([], { deliver: slowly });
      await cluster.advance(500);
      await cluster.join('A');
      await cluster.advance(ms);
      const down = cluster.member('A').bootstrap.shutdown();
      await cluster.advance(10_000);
      await down;
      expect({ ms, leader: cluster.leader, instances: cluster.view.instances.size }).toEqual({ ms, instances: 0 });
    }
  });

  test('while it opens its mirror leaves that closed', async () => {
    await using cluster = await TestCluster.start([], { deliver: slowly });
    await cluster.advance(500);
    await cluster.join('A');
    const { registry, bootstrap } = cluster.member('A');
    let open = 0;
    const mirror = registry.mirror.bind(registry);
    registry.mirror = async (...args) => {
      const opened = await mirror(...args);
      const close = opened.close.bind(opened);
      open++;
      opened.close = () => {
        open--;
        close();
      };
      return opened;
    };
    await cluster.advance(20);
    const down = bootstrap.shutdown();
    await cluster.advance(20_000);
    await down;
    expect(open).toBe(0);
  });

  test('while its session is suspended withdraws when it is back', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { sessionTimeoutMs: 60_000 });
    const { registry, bootstrap } = cluster.member('A');
    registry.faults.disconnect();
    const down = bootstrap.shutdown();
    await cluster.advance(1_000);
    await down;
    registry.faults.resume();
    await cluster.advance(1_000);
    expect([...cluster.view.instances.keys()]).toEqual([idOf('B')]);
    expect(cluster.owners).toEqual({ B: [0, 1] });
  });

  test('while its session is suspended leaves a new job of its name alone', async () => {
    await using cluster = await TestCluster.start(['A'], { sessionTimeoutMs: 60_000 });
    const { registry, bootstrap, host } = cluster.member('A');
    registry.faults.disconnect();
    const down = bootstrap.shutdown();
    await cluster.advance(1_000);
    await down;
    void new ScheduleJobBootstrap(registry, idle, everyFiveSeconds, { host, jobClassName: 'TestJob' }).schedule();
    registry.faults.resume();
    await cluster.advance(1_000);
    expect(host.jobs.get('job')?.phase).toBe('active');
    expect([...cluster.view.instances.keys()]).toEqual([idOf('A')]);
  });

  test('twice leaves a new job of its name alone', async () => {
    await using cluster = await TestCluster.start(['A']);
    const { registry, host, bootstrap } = cluster.member('A');
    await bootstrap.shutdown();
    void new ScheduleJobBootstrap(registry, idle, everyFiveSeconds, { host, jobClassName: 'TestJob' }).schedule();
    await cluster.settle();
    await bootstrap.shutdown();
    expect(host.jobs.get('job')?.phase).toBe('active');
  });

  test('by an operator can be started by a new bootstrap, as the message says', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const { registry, host, bootstrap } = cluster.member('A');
    await cluster.operator.remove(cluster.paths.instance(idOf('A')));
    await cluster.settle();
    await expect((bootstrap as ScheduleJobBootstrap).schedule()).rejects.toThrow('Make a new bootstrap');
    await new ScheduleJobBootstrap(registry, idle, everyFiveSeconds, { host, jobClassName: 'TestJob' }).schedule();
    expect(host.jobs.get('job')?.phase).toBe('active');
  });

  test('by an operator while it runs says so once', async () => {
    let end: () => void = () => undefined;
    const work = (name: string): Promise<void> | void =>
      name === 'A' ? new Promise((resolve) => (end = resolve)) : undefined;
    await using cluster = await TestCluster.start(['A', 'B'], { work });
    await cluster.fire();
    await cluster.operator.remove(cluster.paths.instance(idOf('A')));
    await cluster.advance(20_000);
    expect(cluster.member('A').log.filter((line) => line.includes('an operator has ended'))).toHaveLength(1);
    end();
    await cluster.settle();
  });

  test('because it cannot be scheduled leaves nothing registered', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { cron: '' } });
    const { registry, host, bootstrap } = cluster.member('A');
    await bootstrap.shutdown();
    const withoutCron = aConfiguration({ jobName: 'job' });
    const scheduled = new ScheduleJobBootstrap(registry, idle, withoutCron, { host, jobClassName: 'TestJob' });
    await expect(scheduled.schedule()).rejects.toThrow('Cron can not be empty');
    expect(cluster.view.instances.size).toBe(0);
  });
});

describe('a schedule', () => {
  test('that cannot be armed because its name is taken is told to who asked for it', async () => {
    const timers: FiringTimers = {
      arm: () => {
        throw new Error('the name is taken');
      },
      disarm: () => undefined,
    };
    await using cluster = await TestCluster.start([], { host: { timers } });
    const { started } = await cluster.join('A');
    await expect(started).rejects.toThrow('the name is taken');
  });

  test('that could not be armed anew after a change is tried again', async () => {
    let fails = 0;
    const real: { timers?: ClockTimers } = {};
    const timers: FiringTimers = {
      arm: (jobName, instant, onFire) => {
        if (fails-- > 0) throw new Error('not now');
        real.timers?.arm(jobName, instant, onFire);
      },
      disarm: (jobName) => real.timers?.disarm(jobName),
    };
    await using cluster = await TestCluster.start([], { job: { cron: '0 0 12 * * ?' }, host: { timers } });
    real.timers = new ClockTimers(cluster.clock);
    await cluster.join('A');
    fails = 1;
    const config = String(cluster.tree.get(cluster.paths.config));
    await cluster.operator.put(cluster.paths.config, config.replace('0 0 12 * * ?', '0/5 * * * * ?'));
    await cluster.settle();
    await cluster.advance(20_000);
    expect(cluster.runs.length).toBeGreaterThan(0);
  });
});

describe('a wall clock that is wrong', () => {
  test('for a moment, far ahead, does not keep other instances from running later', async () => {
    await using cluster = await TestCluster.start(['A']);
    cluster.clock.setWallClock('2035-01-01T00:00:00Z');
    await cluster.advance(40_000);
    cluster.clock.setWallClock('2030-01-01T00:01:00Z');
    await cluster.leave('A');
    await cluster.join('B');
    cluster.forget();
    await cluster.advance(60_000);
    expect(cluster.runs.length).toBeGreaterThan(20);
  });

  test('for a moment, far ahead, does not keep its own instance from running later', async () => {
    await using cluster = await TestCluster.start(['A']);
    cluster.clock.setWallClock('2035-01-01T00:00:00Z');
    await cluster.advance(40_000);
    cluster.clock.setWallClock('2030-01-01T00:01:00Z');
    cluster.forget();
    await cluster.advance(120_000);
    expect(cluster.runs.length).toBeGreaterThan(20);
  });

  test('and is put right makes the job fire at its time of day, once what was leapt over has been made up for', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { cron: '0 0 3 * * ?', shardingTotalCount: 1 } });
    cluster.clock.setWallClock('2030-01-01T10:00:00Z');
    await cluster.advance(60_000);
    expect(cluster.runs.map(({ context }) => context.scheduledAt?.toISOString())).toEqual(['2030-01-01T03:00:00.000Z']);

    cluster.forget();
    await cluster.advance(24 * 3_600_000);
    expect(cluster.runs.map(({ context }) => context.scheduledAt?.toISOString())).toEqual(['2030-01-02T03:00:00.000Z']);
  });
});
