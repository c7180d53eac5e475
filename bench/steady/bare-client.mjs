// The library's own ZooKeeper client for `steady`: each second, for each job, the two commits that a firing of one item
// needs.
import { serve } from '../support/children.mjs';
import { bareClient } from '../costs/two-commits.mjs';

await serve(async ({ zooKeeper, namespace, jobs }) => {
  const client = await bareClient({ zooKeeper, namespace, jobs, items: 1 });
  let timer;
  const next = () => (timer = setTimeout(() => (void client.fire(), next()), 1_000 - (Date.now() % 1_000)));
  next();
  return {
    facts: () => ({ cpu: process.cpuUsage(), runs: client.runs, lateness: [] }),
    stop() {
      clearTimeout(timer);
      return client.close();
    },
  };
});
