// Runs a second that do nothing, in one process: firings of 1,000 monitored items of this library, one after the other,
// beside queues on the same PostgreSQL that add 1,000 jobs at a time and up to ten batches ahead.
import { Child } from '../support/children.mjs';
import { median, number, table } from '../support/report.mjs';
import { ask, factsOf, startInstances, stopAll } from './instances.mjs';

const MS = 4_000;
const ITEMS = 1_000;
const QUEUES = {
  'pg-boss, batches of 1,000': { queue: 'pgBoss', batchSize: 1_000 },
  'graphile-worker, local queue, completed in batches': { queue: 'graphileWorker' },
};

export async function measure(servers, { rounds }) {
  const running = [];
  try {
    for (const [registry, server] of Object.entries(servers)) {
      for (const jobs of [1, 4]) {
        const address = server.direct ?? server.address;
        const settings = { registry, address, namespace: `bench-throughput-${jobs}`, jobs, items: ITEMS };
        const name = `library, ${registry}${jobs === 1 ? '' : `, ${jobs} jobs`}`;
        running.push({ name, server, isQueue: false, children: await startInstances(1, settings), rounds: [] });
      }
    }
    const server = servers.PostgreSQL;
    if (server)
      for (const [index, [name, settings]] of Object.entries(QUEUES).entries()) {
        const module = new URL('queue.mjs', import.meta.url);
        const child = await Child.start(module, { ...settings, url: server.direct, batch: ITEMS, number: index });
        running.push({ name, server, isQueue: true, children: [child], rounds: [] });
      }
    for (let round = 0; round <= rounds; round++)
      for (const each of running) {
        const figures = await measured(each);
        // The first round warms up.
        if (round > 0) each.rounds.push(figures);
      }
    return report(running);
  } finally {
    // Queues do not end their process by themselves.
    const [queues, instances] = [true, false].map((isQueue) => running.filter((each) => each.isQueue === isQueue));
    await Promise.all(queues.flatMap(({ children }) => children.map((child) => child.kill())));
    await stopAll(instances.flatMap(({ children }) => children));
  }
}

async function measured({ children, server, isQueue }) {
  const [before, serverMs, began] = [await factsOf(children), await server.cpuMs(), performance.now()];
  if (isQueue) await ask(children, 'work', MS);
  else while (performance.now() < began + MS) await ask(children, 'fire');
  const [after, seconds] = [await factsOf(children), (performance.now() - began) / 1_000];
  const serverUs = ((await server.cpuMs()) - serverMs) * 1_000;
  if (isQueue) await ask(children, 'drain');
  const runs = after.runs - before.runs;
  return { perSecond: runs / seconds, cpuUs: (after.cpuUs - before.cpuUs) / runs, serverUs: serverUs / runs };
}

function report(running) {
  const at = ({ rounds }, key) => median(rounds.map((round) => round[key]));
  const boss = Math.max(
    ...running.filter(({ name }) => name.startsWith('pg-boss')).map((each) => at(each, 'perSecond')),
  );
  const rows = [...running]
    .sort((one, other) => at(other, 'perSecond') - at(one, 'perSecond'))
    .map((each) => {
      const [perSecond, cpuUs, serverUs] = ['perSecond', 'cpuUs', 'serverUs'].map((key) => at(each, key));
      return [each.name, number(perSecond, 0), number(perSecond / boss), number(cpuUs), number(serverUs)];
    });
  const columns = ['runs/s', '÷ pg-boss', 'CPU µs a run', 'CPU µs of the server a run'];
  return table(['one process', ...columns], rows);
}
