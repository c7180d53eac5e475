// The processor's time of jobs that fire each second, all instances together: 40 jobs of 5 items on 5 instances, each a
// process. Beside it the library's own client that makes the same two commits for each run and does nothing else.
//   npm run bench -- steady                30 s of each, after 30 s that do not count
//   npm run bench -- steady --seconds 10   a glimpse
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Child } from './support/children.mjs';
import { machine, number, share, table, zooKeeperVersion } from './support/report.mjs';
import { packetsOf, startZooKeeper } from './support/zookeeper.mjs';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '30' } }, strict: false });
const [SECONDS, JOBS, INSTANCES] = [Number(values.seconds), 40, 5];
/**
 * Longer than instances take to stop listening to each other's items: they try when a job was calm for 5 s, at each
 * firing.
 */
const WARM_UP_MS = 30_000;

const server = await startZooKeeper();
try {
  const bare = await measured('bare client', { module: 'bare-client', own: true });
  const monitored = await measured('monitored', { module: 'instance', monitorExecution: true });
  const unmonitored = await measured('unmonitored', { module: 'instance', monitorExecution: false });
  const rows = [bare, monitored, unmonitored].map(({ name, runs, cpuUs, sent, lateness }) => [
    name,
    number(runs / SECONDS, 0),
    number(cpuUs, 0),
    number(cpuUs / bare.cpuUs, 1),
    number(sent / SECONDS, 0),
    lateness.length === 0 ? '–' : [0.5, 0.99].map((part) => number(share(lateness, part), 0)).join(' / '),
  ]);
  const columns = ['', 'runs/s', 'CPU µs a run', '÷ bare client', 'packets from the server/s', 'late p50 / p99 ms'];
  console.log(`${table(columns, rows)}\n\nGoal: monitored at most 2 times the bare client.`);
  console.log(machine(await zooKeeperVersion(server)));
} finally {
  await server.dispose();
}

async function measured(name, { module, own = false, monitorExecution }) {
  const url = new URL(`steady/${module}.mjs`, import.meta.url);
  const settings = { zooKeeper: server.address, jobs: JOBS, items: INSTANCES, monitorExecution };
  const namespace = `bench-${name.replace(' ', '-')}`;
  const children = await Promise.all(
    Array.from({ length: INSTANCES }, (_, index) =>
      Child.start(url, { ...settings, namespace: own ? `${namespace}-${index}` : namespace }),
    ),
  );
  const facts = async () => {
    const all = await Promise.all(children.map((child) => child.ask('facts')));
    const sum = (of) => all.reduce((total, each) => total + of(each), 0);
    return {
      ...(await packetsOf(server)),
      runs: sum(({ runs }) => runs),
      cpuUs: sum(({ cpu }) => cpu.user + cpu.system),
      lateness: all.flatMap(({ lateness }) => lateness),
    };
  };
  try {
    await sleep(WARM_UP_MS);
    // In the middle of a second, so that no firing is cut in two.
    await sleep(1_500 - (Date.now() % 1_000));
    const before = await facts();
    await sleep(SECONDS * 1_000);
    const after = await facts();
    const runs = after.runs - before.runs;
    return {
      ...{ name, runs, sent: after.sent - before.sent, lateness: after.lateness },
      cpuUs: (after.cpuUs - before.cpuUs) / runs,
    };
  } finally {
    await Promise.all(children.map((child) => child.stop()));
  }
}
