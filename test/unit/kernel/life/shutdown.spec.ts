import { describe, expect, test } from '@jest/globals';
import { ScheduleJobBootstrap } from '../../../../lib/kernel/job-bootstrap.js';
import { RegistryRefusedError } from '../../../../lib/api/errors/errors.js';
import { type TypedJobItemExecutor } from '../../../../lib/api/extensions/job-executor.js';
import { type Delivery, deliverSoon } from '../../../../lib/registry/embedded/delivery.js';
import { sleep } from '../../../../lib/async/wait.js';
import { TestCluster } from '../../../../lib/testing/test-cluster.js';
import { type ManualClock } from '../../../../lib/testing/manual-clock.js';
import { aConfiguration, idOf } from '../../../support/views.js';

/** Every message takes ten milliseconds. */
const slowly =
  (clock: ManualClock) =>
  ({ arrive }: Delivery): void =>
    void clock.after(10, arrive);

const idle = { execute: () => undefined };
const everyFiveSeconds = aConfiguration({ jobName: 'job', cron: '0/5 * * * * ?', timeZone: 'GMT' });

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

  test('with its process soon after the start logs no failure of the election', async () => {
    for (let ms = 0; ms <= 300; ms += 10) {
      await using cluster = await TestCluster.start([], { deliver: slowly });
      await cluster.advance(500);
      await cluster.join('A');
      const { log } = cluster.member('A');
      await cluster.advance(ms);
      await cluster.leave('A');
      await cluster.advance(20_000);
      expect({ ms, lines: log.filter((line) => /could not|tries again/.test(line)) }).toEqual({ ms, lines: [] });
    }
  });

  test('while an item goes on, whatever its signal says, logs which item that is', async () => {
    const work = (_: string, { shardingItem }: { readonly shardingItem: number }): Promise<void> | undefined =>
      shardingItem === 1 ? new Promise(() => undefined) : undefined;
    await using cluster = await TestCluster.start(['A'], { work });
    await cluster.fire();
    const { bootstrap, log } = cluster.member('A');

    const down = bootstrap.shutdown();
    await cluster.advance(60_000);
    await down;

    expect(log.filter((line) => line.includes('is left although the items 1 still run'))).toHaveLength(1);
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

  test('while it opens its mirror leaves that closed also if the registry centre answers after it has stopped', async () => {
    let isSlow = true;
    const held: (() => void)[] = [];
    const seen: string[] = [];
    const deliver = () => (delivery: Delivery) => {
      seen.push(`${delivery.channel}: ${delivery.what}`);
      if (isSlow && delivery.what === 'answer to mirror /job') held.push(delivery.arrive);
      else deliverSoon(delivery);
    };
    await using cluster = await TestCluster.start([], { deliver, sessionTimeoutMs: 60_000 });
    const joined = cluster.join('A');
    await cluster.advance(1_000);
    await joined;
    const { bootstrap, log } = cluster.member('A');
    const down = bootstrap.shutdown();
    await cluster.advance(20_000);
    await down;

    isSlow = false;
    for (const arrive of held) arrive();
    await cluster.settle();
    seen.length = 0;
    await cluster.operator.put('/job/config', 'a change');
    await cluster.settle();

    expect(held).toHaveLength(1);
    expect(seen.filter((each) => each.includes('revision') && !each.includes('centre 1'))).toEqual([]);
    expect(log.filter((line) => line.includes('withdraw'))).toEqual([]);
  });

  test('while its executor still prepares is not said to be unable to withdraw what it never registered', async () => {
    const executor: TypedJobItemExecutor = {
      type: 'SLOW',
      prepare: () => new Promise(() => undefined),
      process: () => undefined,
    };
    await using cluster = await TestCluster.start([], { host: { executors: [executor] }, createJob: () => 'SLOW' });
    await cluster.join('A');
    await cluster.settle();
    const { bootstrap, log } = cluster.member('A');

    const down = bootstrap.shutdown();
    await cluster.advance(60_000);
    await down;

    expect(log.filter((line) => line.includes('withdraw'))).toEqual([]);
  });

  test('is withdrawn again and again while the registry centre refuses that, in one session', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { sessionTimeoutMs: 3_600_000 });
    const { registry, bootstrap, log } = cluster.member('A');
    let refuses = true;
    const guarded =
      <Arguments extends readonly unknown[], Result>(call: (...given: Arguments) => Promise<Result>) =>
      (...given: Arguments): Promise<Result> =>
        refuses ? Promise.reject(new RegistryRefusedError('change', 'a node', 'not at the moment')) : call(...given);
    registry.remove = guarded(registry.remove.bind(registry));
    registry.commit = guarded(registry.commit.bind(registry));

    const down = bootstrap.shutdown();
    await cluster.advance('10m');
    await down;
    expect([...cluster.view.instances.keys()]).toContain(idOf('A'));
    refuses = false;
    await cluster.advance('2m');

    expect([...cluster.view.instances.keys()]).toEqual([idOf('B')]);
    expect(log.filter((line) => line.includes('could not withdraw yet, and tries again'))).toHaveLength(1);
    expect(cluster.owners).toEqual({ B: [0, 1] });
  });

  test('is withdrawn again also if the registry centre refuses that only after the job has stopped', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { sessionTimeoutMs: 60_000 });
    const { registry, bootstrap } = cluster.member('A');
    const commit = registry.commit.bind(registry);
    registry.commit = async () => {
      registry.commit = commit;
      await sleep(cluster.clock, 10_000);
      throw new RegistryRefusedError('change', 'a node', 'not at the moment');
    };

    const down = bootstrap.shutdown();
    await cluster.advance('9s');
    await down;
    expect([...cluster.view.instances.keys()]).toContain(idOf('A'));
    await cluster.advance('2s');

    expect([...cluster.view.instances.keys()]).toEqual([idOf('B')]);
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

  test('while its session is suspended is not taken for crashed, though others withdraw at the same moment', async () => {
    const leaving = ['A', 'B', 'D'];
    await using cluster = await TestCluster.start(['C', ...leaving], { sessionTimeoutMs: 60_000, deliver: slowly });
    await cluster.advance(5_000);
    const members = leaving.map((name) => cluster.member(name));
    for (const { registry } of members) registry.faults.disconnect();
    const down = members.map(({ bootstrap }) => bootstrap.shutdown());
    await cluster.advance(1_000);
    await Promise.all(down);

    for (const { registry } of members) registry.faults.resume();
    await cluster.advance(5_000);

    expect([...cluster.view.instances.keys()]).toEqual([idOf('C')]);
    expect(cluster.member('C').log.filter((line) => line.includes('without having stopped'))).toEqual([]);
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

  test('because the registry centre has no cron for it leaves nothing registered', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { cron: '' } });
    const { registry, host, bootstrap } = cluster.member('A');
    await bootstrap.shutdown();
    const withCron = aConfiguration({ jobName: 'job', cron: '0 0 0 * * ?' });
    const scheduled = new ScheduleJobBootstrap(registry, idle, withCron, { host, jobClassName: 'TestJob' });
    await expect(scheduled.schedule()).rejects.toThrow('/job/config');
    expect(cluster.view.instances.size).toBe(0);
  });
});
