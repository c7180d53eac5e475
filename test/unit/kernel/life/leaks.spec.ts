import { describe, expect, test } from '@jest/globals';
import { ScheduleJobBootstrap } from '../../../../lib/kernel/job-bootstrap.js';
import { deliverSoon } from '../../../../lib/registry/embedded/delivery.js';
import { TestCluster } from '../../../../lib/testing/index.js';
import { aConfiguration } from '../../../support/views.js';

interface Counted {
  readonly cluster: TestCluster;
  readonly messages: Map<string, number>;
}

/** A cluster of which every message is counted by the channel it takes. */
async function countedCluster(names: readonly string[], job = {}): Promise<Counted> {
  const messages = new Map<string, number>();
  const cluster = await TestCluster.start(names, {
    job,
    deliver: () => (delivery) => {
      messages.set(delivery.channel, (messages.get(delivery.channel) ?? 0) + 1);
      deliverSoon(delivery);
    },
  });
  return { cluster, messages };
}

describe('jobs that come and go', () => {
  test('leave no timer, no mirror and no node behind, a thousand times (EJ#702, #683, #2116)', async () => {
    const counted = await countedCluster(['A']);
    const { messages } = counted;
    await using cluster = counted.cluster;
    const { registry, host } = cluster.member('A');
    const addAndRemove = async (): Promise<void> => {
      const job = { execute: () => undefined };
      const configuration = aConfiguration({ jobName: 'mail', cron: '0/5 * * * * ?', timeZone: 'GMT' });
      const bootstrap = new ScheduleJobBootstrap(registry, job, configuration, { host, jobClassName: 'MailJob' });
      await bootstrap.schedule();
      await cluster.settle();
      await bootstrap.shutdown();
    };
    const tree = cluster.server.namespace('elasticjob');
    const nodes = (): readonly string[] => [...tree.subtree('/').keys()].filter((path) => !path.includes('/latch'));
    await addAndRemove();
    const before = { nodes: nodes(), timers: cluster.clock.timers, jobs: [...host.jobs.keys()] };

    for (let cycle = 0; cycle < 1_000; cycle++) await addAndRemove();

    expect({ nodes: nodes(), timers: cluster.clock.timers, jobs: [...host.jobs.keys()] }).toEqual(before);
    messages.clear();
    tree.put('operator', '/mail/config', 'a change that nobody mirrors any more');
    await cluster.settle();
    expect([...messages]).toEqual([]);
  });
});

describe('pods that come and go', () => {
  test('leave no node behind: after three hundred of them there is what was there before (EJ#2241, #2368)', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { reconcileIntervalMinutes: 1, failover: true } });
    await cluster.fire();
    await cluster.advance('3m');
    const before = [...cluster.tree.keys()].sort();

    for (let pod = 1; pod <= 300; pod++) {
      await cluster.join(`pod-${pod}`);
      await cluster.advance('3s');
      if (pod % 3 === 0) cluster.kill(`pod-${pod}`);
      else await cluster.leave(`pod-${pod}`);
    }
    await cluster.advance('3m');

    expect([...cluster.tree.keys()].sort()).toEqual(before);
    expect(cluster.server.sessions).toHaveLength(2);
  });
});

describe('a start', () => {
  test.each([10, 40])(
    'of the last of %i instances costs it ten requests at most, the leader three, and all others one each (EJ#2403)',
    async (size) => {
      const names = Array.from({ length: size - 1 }, (_, index) => `pod-${index}`);
      const counted = await countedCluster(names, { shardingTotalCount: size });
      const { messages } = counted;
      await using cluster = counted.cluster;
      messages.clear();

      await cluster.join('last');
      await cluster.advance('4s');

      // The operator's centre is the first one, the leader's the second.
      const asked = [...messages].filter(([channel]) => channel.endsWith('→ server'));
      const requests = new Map(asked.map(([channel, count]) => [Number(/\d+/.exec(channel)?.[0]), count]));
      const [leader, last] = [requests.get(2), requests.get(size + 1)];
      const others = [...requests].filter(([centre]) => centre > 2 && centre <= size).map(([, count]) => count);
      expect(last).toBeLessThanOrEqual(10);
      expect(leader).toBeLessThanOrEqual(3);
      expect(Math.max(...others)).toBeLessThanOrEqual(1);
    },
  );

  test('of the first instance, which sets the job up, costs twenty-five requests at most', async () => {
    const counted = await countedCluster([]);
    const { messages } = counted;
    await using cluster = counted.cluster;
    messages.clear();

    await cluster.join('A');
    await cluster.advance('4s');

    expect(messages.get('centre 2 → server')).toBeLessThanOrEqual(25);
  });
});
