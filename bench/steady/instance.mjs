// One instance of the library for `steady`: jobs that fire each second by their cron expression, with a user's default
// settings.
import { jobConfiguration, JobHost, ScheduleJobBootstrap } from 'nestjs-elasticjob/bootstrap';
import { ZookeeperRegistryCenter } from 'nestjs-elasticjob/registry';
import { serve } from '../support/children.mjs';

const silent = { debug() {}, log() {}, warn: console.error, error: console.error };

await serve(async ({ zooKeeper, namespace, jobs, items, monitorExecution }) => {
  const registryCenter = new ZookeeperRegistryCenter({ serverLists: zooKeeper, namespace });
  registryCenter.connect();
  const host = new JobHost({ registryCenter, logger: silent });
  let [runs, lateness] = [0, []];
  const job = {
    execute({ scheduledAt }) {
      runs++;
      lateness.push(Date.now() - scheduledAt.getTime());
    },
  };
  const starts = Array.from({ length: jobs }, (_, number) => {
    const jobName = `job-${number}`;
    const settings = { jobName, shardingTotalCount: items, cron: '* * * * * ?', timeZone: 'GMT', monitorExecution };
    const configuration = jobConfiguration(settings);
    return new ScheduleJobBootstrap(registryCenter, job, configuration, { host, jobClassName: 'BenchJob' }).schedule();
  });
  await Promise.all(starts);
  return {
    facts: () => ({ cpu: process.cpuUsage(), runs, lateness: lateness.splice(0) }),
    async stop() {
      await host.stop();
      await registryCenter.close();
    },
  };
});
