// One instance of `costs.bench.mjs`: it fires when its parent says so, and answers when its items have ended and bear no mark.
import { jobConfiguration, JobHost, ScheduleJobBootstrap, ZookeeperRegistryCenter } from 'nestjs-elasticjob';

const { servers, namespace, jobs, items, monitorExecution } = JSON.parse(process.env.BENCH);
const silent = { debug() {}, log() {}, warn: console.error, error: console.error };
const fires = new Map();
const timers = { arm: (jobName, _instant, onFire) => void fires.set(jobName, onFire), disarm() {} };
const registryCenter = new ZookeeperRegistryCenter({ serverLists: servers, namespace });
registryCenter.connect();
const host = new JobHost({ registryCenter, timers, logger: silent });
let runs = 0;
const job = { execute: () => void runs++ };

const started = performance.now();
const starts = Array.from({ length: jobs }, async (_, number) => {
  const jobName = `job-${number}`;
  const settings = { jobName, shardingTotalCount: items, monitorExecution, cron: '0 0 0 * * ?', timeZone: 'GMT' };
  await new ScheduleJobBootstrap(registryCenter, job, jobConfiguration(settings), { host }).schedule();
});
await Promise.all(starts);

const sum = (key) => [...host.jobs.values()].reduce((total, runtime) => total + runtime[key], 0);

async function fire() {
  const due = runs + sum('itemsOwned');
  for (const each of fires.values()) each();
  do await new Promise((resolve) => setTimeout(resolve, 1));
  while (runs < due || sum('itemsRunning') > 0);
}

process.on('message', async (message) => {
  if (message === 'fire') {
    await fire();
    process.send('fired');
  }
  if (message === 'facts') process.send({ cpu: process.cpuUsage(), runs, owned: sum('itemsOwned') });
  if (message === 'stop') {
    await host.stop();
    await registryCenter.close();
    process.disconnect();
  }
});
process.send({ readyMs: performance.now() - started });
