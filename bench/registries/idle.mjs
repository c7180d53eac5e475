// 1,000 jobs of one item that do not fire.
import { setTimeout as sleep } from 'node:timers/promises';
import { number, table } from '../support/report.mjs';
import { factsOf, startInstances, stopAll } from './instances.mjs';

const [JOBS, SETTLE_MS, MS] = [1_000, 15_000, 60_000];

export async function measure(servers) {
  const running = [];
  try {
    for (const [registry, server] of Object.entries(servers)) {
      const settings = { registry, address: server.address, namespace: 'bench-idle', jobs: JOBS, items: 1 };
      running.push({ registry, server, children: await startInstances(1, settings) });
    }
    await sleep(SETTLE_MS);
    await servers.PostgreSQL?.reset();
    const before = await Promise.all(running.map(facts));
    await sleep(MS);
    const after = await Promise.all(running.map(facts));
    const rows = running.map(({ registry }, index) => {
      const each = (key) => after[index][key] - before[index][key];
      const percent = (ms) => number((ms / MS) * 100, 3);
      const counts = [each('requests'), each('commits')].map((count) => number(count / (MS / 60_000), 0));
      return [registry, ...counts, percent(each('cpuUs') / 1_000), percent(each('serverMs'))];
    });
    const columns = ['requests a minute', 'commits a minute', 'CPU % of the process', 'CPU % of the server'];
    const statements = (await servers.PostgreSQL?.statements()) ?? [];
    const lines = statements.map(({ query, calls }) => `  ${calls} × ${query.replaceAll(/\s+/g, ' ').slice(0, 100)}`);
    return [table([`${JOBS} idle jobs`, ...columns], rows), 'Statements of PostgreSQL:', ...lines].join('\n');
  } finally {
    for (const { children } of running) await stopAll(children);
  }
}

async function facts({ server, children }) {
  return { ...(await server.counts()), ...(await factsOf(children)), serverMs: await server.cpuMs() };
}
