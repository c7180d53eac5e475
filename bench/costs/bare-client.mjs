// The library's own ZooKeeper client for `costs` and `throughput`: it makes the commits of a firing when its parent
// says so.
import { serve } from '../support/children.mjs';
import { bareClient } from './two-commits.mjs';

await serve(async ({ zooKeeper, namespace, jobs, items }) => {
  const client = await bareClient({ zooKeeper, namespace, jobs, items });
  return {
    fire: () => client.fire(),
    facts: () => ({ cpu: process.cpuUsage(), runs: client.runs, owned: jobs * items }),
    stop: () => client.close(),
  };
});
