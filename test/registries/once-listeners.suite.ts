/* eslint-disable jest/no-export -- a suite that the specs of several registry centres call */
import { expect, test } from '@jest/globals';
import { ScheduleJobBootstrap } from '../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../lib/kernel/job-host.js';
import { jobInstanceOn } from '../../lib/layout/job-instance.js';
import { Once, CallNotes } from '../support/listeners.js';
import { until } from '../support/until.js';
import { aConfiguration } from '../support/views.js';
import { connecting, newNamespace, type RegistryKind, silent } from './registry-kind.js';

/** Listeners that are called once in the cluster. */
export function onceListeners(kind: RegistryKind): void {
  const server = kind.shared();

  test('three instances call a once-listener once for each firing; one that leaves changes nothing in that', async () => {
    const namespace = newNamespace();
    const notes = new CallNotes();
    const runs: string[] = [];
    const instances = ['A', 'B', 'C'].map((name) => {
      const registryCenter = connecting(server.regCenter({ namespace }));
      const host = new JobHost({
        registryCenter,
        logger: silent,
        instance: jobInstanceOn(`10.0.0.${name.charCodeAt(0)}`, name),
        listeners: [new Once(notes, name, { startedTimeoutMs: 20_000, completedTimeoutMs: 20_000 })],
      });
      const job = {
        execute: ({ scheduledAt }: { scheduledAt: Date | undefined }) => void runs.push(String(scheduledAt?.getTime())),
      };
      const configuration = aConfiguration({ cron: '* * * * * ?', shardingTotalCount: 6, jobListenerTypes: ['ONCE'] });
      return {
        host,
        registryCenter,
        bootstrap: new ScheduleJobBootstrap(registryCenter, job, configuration, { host }),
      };
    });
    for (const { bootstrap } of instances) await bootstrap.schedule();
    const completed = (): number => notes.lines.filter((line) => line.includes('all completed')).length;

    await until(() => completed() >= 3, 'three firings');
    const [first, ...others] = instances;
    await first!.host.stop();
    const soFar = completed();
    await until(() => completed() >= soFar + 3, 'three more firings');
    await Promise.all(others.map(({ host }) => host.stop()));
    const left = await others[0]!.registryCenter.children('/bill/guarantee');
    await Promise.all(instances.map(({ registryCenter }) => registryCenter.close()));

    const calls = notes.contexts.map(
      ({ scheduledAt }, index) => `${scheduledAt?.getTime()} ${notes.lines[index]?.replace(/^\w|\[.*$/g, '')}`,
    );
    expect(new Set(calls).size).toBe(calls.length);
    expect(left.filter((name) => !name.endsWith('-latch'))).toEqual([]);
  });
}
