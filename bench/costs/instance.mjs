// One instance of the library for `costs`, `registries` and `throughput`: it fires when its parent says so, and answers
// when its items have ended and bear no mark. The settings are those of a user: the ones that the benchmark does not
// name have their defaults.
import { jobConfiguration, JobHost, ScheduleJobBootstrap } from 'nestjs-elasticjob/bootstrap';
import { serve } from '../support/children.mjs';
import { openRegistryCenter } from '../support/registry-centers.mjs';

const silent = { debug() {}, log() {}, warn: console.error, error: console.error };

await serve(async ({ registry, address, namespace, sessionMs, jobs, items, ...settings }) => {
  const fires = new Map();
  const timers = { arm: (jobName, _instant, onFire) => void fires.set(jobName, onFire), disarm() {} };
  const registryCenter = openRegistryCenter({ registry, address, namespace, sessionMs });
  const host = new JobHost({ registryCenter, timers, logger: silent });
  let runs = 0;
  const job = { execute: () => void runs++ };
  const starts = Array.from({ length: jobs }, async (_, number) => {
    const own = { jobName: `job-${number}`, shardingTotalCount: items, cron: '0 0 0 * * ?', timeZone: 'GMT' };
    const configuration = jobConfiguration({ ...own, ...settings });
    await new ScheduleJobBootstrap(registryCenter, job, configuration, { host, jobClassName: 'BenchJob' }).schedule();
  });
  await Promise.all(starts);
  const sum = (key) => [...host.jobs.values()].reduce((total, runtime) => total + runtime[key], 0);

  async function fire() {
    const due = runs + sum('itemsOwned');
    for (const each of fires.values()) each();
    do await new Promise((resolve) => setTimeout(resolve, 1));
    while (runs < due || sum('itemsRunning') > 0);
  }

  return {
    fire,
    facts: () => ({ cpu: process.cpuUsage(), runs, owned: sum('itemsOwned') }),
    async stop() {
      await host.stop();
      await registryCenter.close();
    },
  };
});
