// An instance for `registries` whose session is there before it joins the job, so that only the join is measured.
import { jobConfiguration, JobHost, ScheduleJobBootstrap } from 'nestjs-elasticjob/bootstrap';
import { serve } from '../support/children.mjs';
import { connected, openRegistryCenter } from '../support/registry-centers.mjs';

const silent = { debug() {}, log() {}, warn: console.error, error: console.error };

await serve(async ({ items, ...settings }) => {
  const registryCenter = openRegistryCenter(settings);
  await connected(registryCenter);
  const host = new JobHost({ registryCenter, logger: silent });
  const own = { jobName: 'job-0', shardingTotalCount: items, cron: '0 0 0 * * ?', timeZone: 'GMT' };
  return {
    async join() {
      const options = { host, jobClassName: 'BenchJob' };
      await new ScheduleJobBootstrap(registryCenter, { execute() {} }, jobConfiguration(own), options).schedule();
    },
    leave: () => host.stop(),
    facts: () => ({
      owned: [...host.jobs.values()].reduce((total, { itemsOwned }) => total + itemsOwned, 0),
      cpu: process.cpuUsage(),
    }),
    stop: () => registryCenter.close(),
  };
});
