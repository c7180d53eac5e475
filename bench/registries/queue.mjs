// One process of a queue on PostgreSQL for `registries`: it adds jobs in bulk and works them off. It stays ten batches
// ahead, so that no worker waits for jobs. Its parent ends it by a signal.
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../support/children.mjs';
import { peer } from '../support/peers.mjs';

const BATCHES_AHEAD = 10;

const QUEUES = { pgBoss, graphileWorker };

await serve(async ({ queue, batch, ...settings }) => {
  let [runs, added] = [0, 0];
  const add = await QUEUES[queue](settings, (count) => void (runs += count));
  return {
    async work(ms) {
      for (const end = performance.now() + ms; performance.now() < end;) {
        if (added - runs >= batch * BATCHES_AHEAD) await sleep(1);
        else {
          added += batch;
          await add(batch);
        }
      }
    },
    /** Until all that was added has run. */
    async drain() {
      while (runs < added) await sleep(5);
    },
    facts: () => ({ cpu: process.cpuUsage(), runs }),
  };
});

/** A worker takes up to `batchSize` jobs, and goes on at once while batches are full. */
async function pgBoss({ url, batchSize, number }, note) {
  const { PgBoss } = await peer('pg-boss');
  const boss = new PgBoss(url);
  boss.on('error', console.error);
  await boss.start();
  const name = `bench-${number}`;
  await boss.createQueue(name);
  const options = { batchSize, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
  await boss.work(name, options, async (jobs) => note(jobs.length));
  return (count) =>
    boss.insert(
      name,
      Array.from({ length: count }, () => ({ data: {} })),
    );
}

/** 100 jobs at the same time, as its own measurements have 24 in each of 4 processes. */
async function graphileWorker({ url, number }, note) {
  const { Logger, makeWorkerUtils, run } = await peer('graphile-worker');
  const logger = new Logger(() => (level, message) => level === 'error' && console.error(message));
  const schema = `graphile_worker_${number}`;
  const options = { connectionString: url, schema, maxPoolSize: 10, noHandleSignals: true, logger };
  const batches = { localQueue: { size: 500 }, completeJobBatchDelay: 0 };
  const preset = {
    worker: { connectionString: url, schema, maxPoolSize: 10, concurrentJobs: 100, logger, ...batches },
  };
  const utils = await makeWorkerUtils(options);
  await utils.migrate();
  await run({ preset, noHandleSignals: true, taskList: { run: () => void note(1) } });
  return (count) => utils.addJobs(Array.from({ length: count }, () => ({ identifier: 'run', payload: {} })));
}
