// An instance for `registries` whose items take no time, or go on until it is killed; it notes when they begin.
import { jobConfiguration, JobHost, ScheduleJobBootstrap } from 'nestjs-elasticjob/bootstrap';
import { serve } from '../support/children.mjs';
import { openRegistryCenter } from '../support/registry-centers.mjs';

const silent = { debug() {}, log() {}, warn() {}, error: console.error };
const JOB = { jobName: 'crash', shardingTotalCount: 2, cron: '* * * * * ?', timeZone: 'GMT', failover: true };

await serve(async ({ endless, ...settings }) => {
  const registryCenter = openRegistryCenter(settings);
  const host = new JobHost({ registryCenter, logger: silent });
  const begun = [];
  const job = {
    async execute({ shardingItem, scheduledAt, signal }) {
      begun.push({ item: shardingItem, scheduledAt: scheduledAt?.getTime(), at: Date.now() });
      if (endless) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
  };
  const configuration = jobConfiguration({ ...JOB, misfire: false });
  const options = { host, jobClassName: 'BenchJob' };
  await new ScheduleJobBootstrap(registryCenter, job, configuration, options).schedule();
  return {
    begun: () => begun,
    async stop() {
      await host.stop();
      await registryCenter.close();
    },
  };
});
