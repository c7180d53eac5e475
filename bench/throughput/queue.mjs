// One process of BullMQ for `throughput`: it adds jobs in bulk and works them off, as all processes of the same queue
// do. It stays a few batches ahead, so that no worker waits for jobs.
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../support/children.mjs';
import { peer } from '../support/peers.mjs';

await serve(async ({ redisPort, namespace, batch, batchesAhead, concurrency }) => {
  const { Queue, Worker } = await peer('bullmq');
  const connection = { host: '127.0.0.1', port: redisPort };
  const queue = new Queue(namespace, { connection });
  const jobs = Array.from({ length: batch }, () => ({ name: 'run', data: {}, opts: { removeOnComplete: true } }));
  let [runs, added] = [0, 0];
  const worker = new Worker(namespace, async () => void runs++, {
    connection: { ...connection, maxRetriesPerRequest: null },
    concurrency,
  });
  await worker.waitUntilReady();
  // Of the batches that this process has added, peers may run some, and it some of theirs: over all processes that is
  // even.
  const isAhead = () => added - runs >= batch * batchesAhead;
  return {
    async work(ms) {
      for (const end = performance.now() + ms; performance.now() < end;) {
        if (isAhead()) await sleep(1);
        else {
          added += batch;
          await queue.addBulk(jobs);
        }
      }
    },
    /** Until the queue is empty. */
    async drain() {
      while ((await queue.getJobCountByTypes('waiting', 'active')) > 0) await sleep(5);
      added = runs;
    },
    facts: () => ({ cpu: process.cpuUsage(), runs }),
    async stop() {
      await worker.close();
      await queue.close();
    },
  };
});
