// A second instance joins a job of 1,000 items, and leaves again.
import { Child } from '../support/children.mjs';
import { median, number, table } from '../support/report.mjs';
import { startInstances, stopAll, untilAssigned } from './instances.mjs';

const JOB = { jobs: 1, items: 1_000 };

export async function measure(servers, { rounds }) {
  const rows = [];
  for (const [registry, server] of Object.entries(servers)) {
    const settings = { registry, address: server.address, namespace: 'bench-join', ...JOB };
    const children = await startInstances(1, settings);
    try {
      const moves = [];
      for (let round = 0; round <= rounds; round++) moves.push(await joinAndLeave(server, children, settings));
      for (const [index, name] of ['join', 'leave'].entries()) {
        // The first round warms up.
        const at = (key) => median(moves.slice(1).map((each) => each[index][key]));
        const counts = ['requests', 'commits', 'pushes'].map((key) => number(at(key), 0));
        rows.push([`${registry}, ${name}`, number(at('ms'), 0), ...counts, number(at('serverMs'), 0)]);
      }
    } finally {
      await stopAll(children);
    }
  }
  const columns = ['ms until assigned', 'requests', 'commits', 'pushes', 'CPU ms of the server'];
  return table([`${JOB.items} items, 1 ↔ 2 instances`, ...columns], rows);
}

async function joinAndLeave(server, children, settings) {
  const newcomer = await Child.start(new URL('joining-instance.mjs', import.meta.url), settings);
  const all = [...children, newcomer];
  const join = await costOf(server, async () => {
    await newcomer.ask('join');
    await untilAssigned(all, JOB);
  });
  const leave = await costOf(server, async () => {
    await newcomer.ask('leave');
    await untilAssigned(children, JOB);
  });
  await newcomer.stop();
  return [join, leave];
}

async function costOf(server, change) {
  const [before, serverMs, began] = [await server.counts(), await server.cpuMs(), performance.now()];
  await change();
  const ms = performance.now() - began;
  const after = await server.counts();
  const counts = Object.fromEntries(Object.keys(after).map((key) => [key, after[key] - before[key]]));
  return { ms, ...counts, serverMs: (await server.cpuMs()) - serverMs };
}
