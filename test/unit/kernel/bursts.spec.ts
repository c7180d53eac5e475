import { expect, test } from '@jest/globals';
import {
  EmbeddedRegistryCenter,
  jobConfiguration,
  JobHost,
  type RunEvent,
  ScheduleJobBootstrap,
} from '../../../lib/index.js';
import { until } from '../../support/until.js';

const JOBS = 100;

const nothing = (): void => undefined;

test('of many jobs that are due at one second, all begin before the runs of most end', async () => {
  const events: RunEvent['type'][] = [];
  const registryCenter = new EmbeddedRegistryCenter({ namespace: 'burst' });
  registryCenter.connect();
  const logger = { debug: nothing, log: nothing, warn: nothing, error: nothing };
  const host = new JobHost({
    registryCenter,
    logger,
    observers: [{ onRunEvent: ({ type }) => void events.push(type) }],
  });
  const job = { execute: nothing };
  const bootstraps = Array.from({ length: JOBS }, (_, index) => {
    const configuration = jobConfiguration({ jobName: `job${index}`, shardingTotalCount: 1, cron: '* * * * * ?' });
    return new ScheduleJobBootstrap(registryCenter, job, configuration, { host });
  });
  await Promise.all(bootstraps.map((bootstrap) => bootstrap.schedule()));
  // A second at which all are scheduled, and the runs of the second before have ended.
  await until(() => new Date().getMilliseconds() > 500);
  events.length = 0;

  await until(() => events.filter((type) => type === 'run-ended').length >= JOBS);
  await host.stop();
  await registryCenter.close();

  const lastStart = events.lastIndexOf('item-started');
  expect(events.slice(0, lastStart).filter((type) => type === 'item-started')).toHaveLength(JOBS - 1);
  expect(events.slice(0, lastStart).filter((type) => type === 'run-ended').length).toBeLessThan(JOBS / 2);
});
