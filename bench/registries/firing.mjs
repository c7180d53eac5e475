// A monitored firing of a job with 5 items on two instances.
import { median, number, table } from '../support/report.mjs';
import { ask, factsOf, startInstances, stopAll } from './instances.mjs';

const FIRINGS = 50;

export async function measure(servers, { rounds }) {
  const rows = [];
  for (const [registry, server] of Object.entries(servers)) {
    const job = { registry, address: server.address, namespace: 'bench-firing', jobs: 1, items: 5 };
    const children = await startInstances(2, job);
    try {
      const figures = [];
      for (let round = 0; round <= rounds; round++) figures.push(await firings(server, children));
      // The first round warms up.
      const at = (key) => median(figures.slice(1).map((each) => each[key]));
      const cells = ['requests', 'commits', 'pushes'].map((key) => number(at(key), 1));
      rows.push([registry, ...cells, number(at('ms'), 1), number(at('cpuMs'), 2), number(at('serverMs'), 2)]);
    } finally {
      await stopAll(children);
    }
  }
  const columns = ['round trips', 'commits', 'pushes', 'ms', "CPU ms of the instances'", 'CPU ms of the server'];
  return table(['a firing of 5 items on two instances', ...columns], rows);
}

async function firings(server, children) {
  const before = { ...(await server.counts()), ...(await factsOf(children)), serverMs: await server.cpuMs() };
  const began = performance.now();
  for (let firing = 0; firing < FIRINGS; firing++) await ask(children, 'fire');
  const ms = performance.now() - began;
  const after = { ...(await server.counts()), ...(await factsOf(children)), serverMs: await server.cpuMs() };
  const each = (key) => (after[key] - before[key]) / FIRINGS;
  const counts = { requests: each('requests'), commits: each('commits'), pushes: each('pushes') };
  return { ...counts, ms: ms / FIRINGS, cpuMs: each('cpuUs') / 1_000, serverMs: each('serverMs') };
}
