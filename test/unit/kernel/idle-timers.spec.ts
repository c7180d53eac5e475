import { expect, test } from '@jest/globals';
import { EmbeddedRegistryCenter, jobConfiguration, JobHost, ScheduleJobBootstrap } from '../../../lib/index.js';
import { until } from '../../support/until.js';

const JOBS = 100;

const nothing = (): void => undefined;
const nodeTimers = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;

test('a hundred idle jobs wait for their firings and reconciliations with as many timers as one', async () => {
  const registryCenter = new EmbeddedRegistryCenter({ namespace: 'idle' });
  registryCenter.connect();
  const logger = { debug: nothing, log: nothing, warn: nothing, error: nothing };
  const host = new JobHost({ registryCenter, logger });
  const schedule = (index: number): Promise<void> => {
    // All fire at different times.
    const cron = `${index % 60} ${index % 59} 0 1 1 ?`;
    const configuration = jobConfiguration({ jobName: `job${index}`, shardingTotalCount: 1, cron });
    return new ScheduleJobBootstrap(registryCenter, { execute: nothing }, configuration, { host }).schedule();
  };
  const areIdle = (): boolean => [...host.jobs.values()].every(({ health }) => health.state === 'active');
  const before = nodeTimers();

  try {
    await schedule(0);
    await until(areIdle, 'the first job to be idle');
    // The registry centre may have one of its own for a moment.
    await until(() => nodeTimers() - before <= 3, 'the timers of the first job');
    const ofOne = nodeTimers() - before;
    await Promise.all(Array.from({ length: JOBS - 1 }, (_, index) => schedule(index + 1)));
    await until(areIdle, 'all jobs to be idle');

    await until(() => nodeTimers() - before <= ofOne, `${JOBS} jobs to have ${ofOne} timers`, 5_000);
  } finally {
    await host.stop();
    await registryCenter.close();
  }
  expect(nodeTimers()).toBe(before);
});
