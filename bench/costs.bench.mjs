// What a firing costs on ZooKeeper as items, jobs and instances grow: the processor's time of all instances together, and the
// packets that the server sends. `--firings 60`, `--only "3 instances"`.
import '../.config/typescript.mjs';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { zooKeeperEnvironment } from '../.config/zookeeper.mjs';

Object.assign(process.env, zooKeeperEnvironment());
const { ZooKeeperServer } = await import('../test/support/zookeeper-server.ts');

const { values } = parseArgs({
  options: { firings: { type: 'string', default: '60' }, only: { type: 'string', default: '' } },
  strict: false,
});
const FIRINGS = Number(values.firings);
const CASES = [
  { instances: 1, jobs: 1, items: 1_000, monitorExecution: true },
  { instances: 3, jobs: 1, items: 1_000, monitorExecution: true },
  { instances: 1, jobs: 1, items: 1_000, monitorExecution: false },
  { instances: 1, jobs: 500, items: 1, monitorExecution: true },
  { instances: 20, jobs: 1, items: 100, monitorExecution: true },
];

const server = await ZooKeeperServer.start({ heapMb: 1024 });
let namespaces = 0;
try {
  for (const each of CASES) {
    const title = titleOf(each);
    if (title.includes(values.only)) console.log(`${title}: ${await measured(each)}`);
  }
} finally {
  await server.dispose();
}

function titleOf({ instances, jobs, items, monitorExecution }) {
  const what = [`${instances} instances`, `${jobs} jobs`, `${items} items`].map((each) =>
    each.replace(/^(1 \w+)s$/, '$1'),
  );
  return `${what.join(', ')}, ${monitorExecution ? 'monitored' : 'unmonitored'}`;
}

async function measured({ instances, ...job }) {
  const total = job.jobs * job.items;
  const BENCH = JSON.stringify({ servers: server.address, namespace: `bench-${namespaces++}`, ...job });
  const children = Array.from({ length: instances }, () =>
    fork(new URL('costs-instance.mjs', import.meta.url), { env: { ...process.env, BENCH } }),
  );
  const ask = async (message) => {
    const answers = children.map((child) => once(child, 'message'));
    for (const child of children) child.send(message);
    return (await Promise.all(answers)).map(([answer]) => answer);
  };
  const fire = async (firings) => {
    for (let firing = 0; firing < firings; firing++) await ask('fire');
  };
  const sum = (facts, of) => facts.reduce((all, each) => all + of(each), 0);
  const facts = async () => {
    const all = await ask('facts');
    return {
      runs: sum(all, ({ runs }) => runs),
      cpuUs: sum(all, ({ cpu }) => cpu.user + cpu.system),
      packets: await packetsSent(),
    };
  };

  await Promise.all(children.map((child) => once(child, 'message')));
  const areAssigned = (all) => sum(all, ({ owned }) => owned) === total && all.every(({ owned }) => owned > 0);
  while (!areAssigned(await ask('facts'))) await new Promise((resolve) => setTimeout(resolve, 100));
  await fire(Math.ceil(FIRINGS / 3));
  const before = await facts();
  const begin = performance.now();
  await fire(FIRINGS);
  const seconds = (performance.now() - begin) / 1_000;
  const after = await facts();
  const runs = after.runs - before.runs;
  if (runs !== FIRINGS * total) throw new Error(`${runs} runs instead of ${FIRINGS * total}`);
  for (const child of children) child.send('stop');
  await Promise.all(children.map((child) => once(child, 'exit')));
  return (
    `${((after.cpuUs - before.cpuUs) / runs).toFixed(1)} µs of CPU a run, ${Math.round(runs / seconds)} runs/s, ` +
    `${((after.packets - before.packets) / FIRINGS).toFixed(0)} packets from the server a firing`
  );
}

async function packetsSent() {
  return Number(/zk_packets_sent\s+(\d+)/.exec(await server.ask('mntr'))?.[1]);
}
