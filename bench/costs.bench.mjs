// The cost of a firing on ZooKeeper as items, jobs and instances grow: the processor's time of all instances together,
// the packets that the server sends, and how many of them are events. Beside it the library's own client that makes the
// same two commits and does nothing else (`costs/bare-client.mjs`). All cases live at the same time and take turns.
//   npm run bench -- costs                          three rounds of 20 firings after one that does not count
//   npm run bench -- costs --only "3 instances"     cases whose title contains this
//   npm run bench -- costs --rounds 1 --firings 10  a glimpse
import { parseArgs } from 'node:util';
import { Child } from './support/children.mjs';
import { machine, median, number, table, zooKeeperVersion } from './support/report.mjs';
import { packetsOf, startZooKeeper } from './support/zookeeper.mjs';

const { values } = parseArgs({
  options: {
    firings: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
  strict: false,
});
const [FIRINGS, ROUNDS] = [Number(values.firings), Number(values.rounds)];
const MONITORED = { instances: 1, monitorExecution: true };
const CASES = [
  { name: 'bare', instances: 1, jobs: 1, items: 1_000, client: true },
  { name: 'one', ...MONITORED, jobs: 1, items: 1_000 },
  { name: 'unmonitored', instances: 1, jobs: 1, items: 1_000, monitorExecution: false },
  { name: 'three', ...MONITORED, instances: 3, jobs: 1, items: 1_000 },
  { name: 'bareJobs', instances: 1, jobs: 500, items: 1, client: true },
  { name: 'jobs', ...MONITORED, jobs: 500, items: 1 },
  { name: 'jobsUnmonitored', instances: 1, jobs: 500, items: 1, monitorExecution: false },
  { name: 'twenty', ...MONITORED, instances: 20, jobs: 1, items: 100 },
]
  .map((each) => ({ ...each, title: titleOf(each) }))
  .filter(({ title }) => title.includes(values.only));

const server = await startZooKeeper();
const running = [];
try {
  for (const each of CASES) running.push({ ...each, children: await start(each), rounds: [] });
  for (let round = 0; round <= ROUNDS; round++) {
    for (const each of running) {
      const figures = await measured(each);
      // The first round warms up.
      if (round > 0) each.rounds.push(figures);
    }
  }
  report();
  const each = `median of ${ROUNDS} rounds of ${FIRINGS} firings`;
  console.log(`\n${machine(await zooKeeperVersion(server))}; ${each}`);
} finally {
  await Promise.allSettled(running.flatMap(({ children }) => children.map((child) => child.stop())));
  await server.dispose();
}

function titleOf({ instances, jobs, items, client, monitorExecution }) {
  const counts = [`${instances} instances`, `${jobs} jobs`, `${number(items, 0)} items`];
  const what = counts.map((each) => each.replace(/^(1 \w+)s$/, '$1')).join(', ');
  return `${what}, ${client ? 'bare client' : monitorExecution ? 'monitored' : 'unmonitored'}`;
}

async function start({ name, title, instances, client = false, ...job }) {
  const module = new URL(client ? 'costs/bare-client.mjs' : 'costs/instance.mjs', import.meta.url);
  const settings = { namespace: `bench-${name}`, jobs: job.jobs, items: job.items };
  if (client) settings.zooKeeper = server.address;
  else
    Object.assign(settings, { registry: 'ZooKeeper', address: server.address, monitorExecution: job.monitorExecution });
  const children = await Promise.all(Array.from({ length: instances }, () => Child.start(module, settings)));
  const total = job.jobs * job.items;
  const areAssigned = (all) => sum(all, ({ owned }) => owned) === total && all.every(({ owned }) => owned > 0);
  const deadline = performance.now() + 60_000;
  while (!areAssigned(await ask(children, 'facts'))) {
    if (performance.now() > deadline) throw new Error(`${title}: the items were not all assigned within 60 s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return children;
}

async function measured({ children, jobs, items }) {
  const before = await facts(children);
  const begin = performance.now();
  for (let firing = 0; firing < FIRINGS; firing++) await ask(children, 'fire');
  const seconds = (performance.now() - begin) / 1_000;
  const after = await facts(children);
  const runs = after.runs - before.runs;
  if (runs !== FIRINGS * jobs * items) throw new Error(`${runs} runs instead of ${FIRINGS * jobs * items}`);
  const [sent, received] = [after.sent - before.sent, after.received - before.received];
  return {
    cpuUs: (after.cpuUs - before.cpuUs) / runs,
    perSecond: runs / seconds,
    requests: received / FIRINGS,
    packets: sent / FIRINGS,
    // Each request, pings included, is answered by one packet.
    events: Math.max(0, sent - received) / FIRINGS,
  };
}

async function facts(children) {
  const all = await ask(children, 'facts');
  return {
    ...(await packetsOf(server)),
    runs: sum(all, ({ runs }) => runs),
    cpuUs: sum(all, ({ cpu }) => cpu.user + cpu.system),
  };
}

function ask(children, question) {
  return Promise.all(children.map((child) => child.ask(question)));
}

function sum(facts, of) {
  return facts.reduce((all, each) => all + of(each), 0);
}

function report() {
  const results = Object.fromEntries(
    running.map(({ name, rounds }) => {
      const keys = ['cpuUs', 'perSecond', 'requests', 'packets', 'events'];
      return [name, Object.fromEntries(keys.map((key) => [key, median(rounds.map((each) => each[key]))]))];
    }),
  );
  const columns = [
    '',
    'CPU µs a run',
    '÷ bare client',
    'runs/s',
    'requests a firing',
    'packets a firing',
    'events a firing',
  ];
  const rows = running.map(({ name, title, jobs }) => {
    const { cpuUs, perSecond, requests, packets, events } = results[name];
    const bare = results[jobs === 1 ? 'bare' : 'bareJobs'];
    const ofBare = name === 'twenty' ? '' : number(cpuUs / bare?.cpuUs, 1);
    return [
      title,
      number(cpuUs, 1),
      ofBare,
      number(perSecond, 0),
      ...[requests, packets, events].map((each) => number(each, 0)),
    ];
  });
  console.log(`${table(columns, rows)}\n`);
  const ratio = (one, other, key) => results[one]?.[key] / results[other]?.[key];
  const goals = [
    ['CPU of 1,000 monitored items ÷ bare client', ratio('one', 'bare', 'cpuUs'), '≤ 2'],
    ['CPU of 500 monitored jobs ÷ bare client', ratio('jobs', 'bareJobs', 'cpuUs'), '≤ 2'],
    ['CPU of 1,000 items, unmonitored ÷ monitored', ratio('unmonitored', 'one', 'cpuUs'), '< 1'],
    ['CPU of 1,000 items, unmonitored, µs a run', results.unmonitored?.cpuUs, '≤ 15'],
    ['monitored runs/s in one process', results.one?.perSecond, '≥ 30,000'],
    ['monitored runs/s, three processes ÷ one', ratio('three', 'one', 'perSecond'), '≥ 2'],
    ['events a firing, 20 instances × 100 items', results.twenty?.events, '≤ 600'],
  ];
  const measured = goals.filter(([, value]) => value !== undefined && !Number.isNaN(value));
  console.log(
    table(
      ['', 'measured', 'goal'],
      measured.map(([name, value, goal]) => [name, number(value), goal]),
    ),
  );
}
