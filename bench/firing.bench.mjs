// The cost of coordination: a firing of a job on the embedded registry, monitored and not, next to calling the same
// function for each item without any of it. One instance, items that do nothing.
import { jobConfiguration, JobHost, ScheduleJobBootstrap } from 'nestjs-elasticjob/bootstrap';
import { EmbeddedRegistryCenter } from 'nestjs-elasticjob/registry';

const ROUNDS = 30;
const silent = { debug() {}, log() {}, warn() {}, error() {} };

/** Timers that the benchmark fires. */
class HandTimers {
  arm(_jobName, _instant, onFire) {
    this.fire = onFire;
  }
  disarm() {}
}

async function msPerFiring(shardingTotalCount, monitorExecution) {
  const registryCenter = new EmbeddedRegistryCenter({ namespace: `bench-${shardingTotalCount}-${monitorExecution}` });
  registryCenter.connect();
  const timers = new HandTimers();
  const host = new JobHost({ registryCenter, timers, logger: silent });
  let left = 0;
  let finished = () => {};
  const job = { execute: () => void (--left === 0 && finished()) };
  const settings = { jobName: 'bench', shardingTotalCount, monitorExecution, cron: '0 0 0 * * ?', timeZone: 'GMT' };
  await new ScheduleJobBootstrap(registryCenter, job, jobConfiguration(settings), { host }).schedule();
  const fire = async () => {
    left = shardingTotalCount;
    const done = new Promise((resolve) => (finished = resolve));
    timers.fire();
    await done;
    // Until the marks are removed and the job has reconciled again.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  await fire();
  const begin = performance.now();
  for (let round = 0; round < ROUNDS; round++) await fire();
  const ms = (performance.now() - begin) / ROUNDS;
  await host.stop();
  await registryCenter.close();
  return ms;
}

async function msBare(items) {
  const job = { execute: () => {} };
  const begin = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(Array.from({ length: items }, async (_, item) => job.execute({ shardingItem: item })));
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  return (performance.now() - begin) / ROUNDS;
}

for (const items of [1, 10, 100, 1_000]) {
  const bare = await msBare(items);
  const plain = await msPerFiring(items, false);
  const monitored = await msPerFiring(items, true);
  console.log(
    `${String(items).padStart(5)} items: ${monitored.toFixed(2)} ms monitored, ${plain.toFixed(2)} ms not, ` +
      `${bare.toFixed(3)} ms bare; monitored costs ${(monitored / plain).toFixed(1)} times as much as not`,
  );
}
