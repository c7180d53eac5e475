import { expect, test } from '@jest/globals';
import {
  EmbeddedRegistryCenter,
  jobConfiguration,
  JobHost,
  type RunEvent,
  ScheduleJobBootstrap,
} from '../../../../lib/index.js';
import { until } from '../../../support/until.js';

const JOBS = 100;

const nothing = (): void => undefined;

test('of many jobs that are due at one second, all begin before the runs of most end', async () => {
  const byInstant = new Map<number, RunEvent['type'][]>();
  const note = ({ type, run }: RunEvent): void => {
    const instant = run.scheduledAt?.getTime() ?? 0;
    byInstant.set(instant, [...(byInstant.get(instant) ?? []), type]);
  };
  const registryCenter = new EmbeddedRegistryCenter({ namespace: 'burst' });
  registryCenter.connect();
  const logger = { debug: nothing, log: nothing, warn: nothing, error: nothing };
  const host = new JobHost({
    registryCenter,
    logger,
    observers: [{ onRunEvent: note }],
  });
  const job = { execute: nothing };
  const bootstraps = Array.from({ length: JOBS }, (_, index) => {
    const configuration = jobConfiguration({ jobName: `job${index}`, shardingTotalCount: 1, cron: '* * * * * ?' });
    return new ScheduleJobBootstrap(registryCenter, job, configuration, { host });
  });
  await Promise.all(bootstraps.map((bootstrap) => bootstrap.schedule()));
  const count = (events: readonly RunEvent['type'][], wanted: RunEvent['type']): number =>
    events.filter((type) => type === wanted).length;
  // Not the second at which they are being scheduled, nor one that a busy machine has passed over for some of them.
  const whole = (): RunEvent['type'][] | undefined =>
    [...byInstant.values()].find((events) => count(events, 'run-ended') === JOBS);
  await until(() => whole() !== undefined, 'all jobs to have run at one second');
  await host.stop();
  await registryCenter.close();

  const events = whole()!;
  const untilLastStart = events.slice(0, events.lastIndexOf('item-started'));
  expect(count(untilLastStart, 'item-started')).toBe(JOBS - 1);
  expect(count(untilLastStart, 'run-ended')).toBeLessThan(JOBS / 2);
});
