// Runs a second that do nothing: firings of 1,000 items of this library, of one job or of four at a time, one after the
// other, next to jobs of BullMQ, added 1,000 at a time and up to three batches ahead, with concurrency 100. In one
// process and in three, and in turns.
//   npm run bench -- throughput                     three rounds of 4 s each, after one that does not count
//   npm run bench -- throughput --without bullmq    where there is no redis-server
import { parseArgs } from 'node:util';
import { Child } from './support/children.mjs';
import { installPeers, versionOf } from './support/peers.mjs';
import { machine, median, number, table, zooKeeperVersion } from './support/report.mjs';
import { startZooKeeper } from './support/zookeeper.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    without: { type: 'string', default: '' },
  },
  strict: false,
});
const ITEMS = 1_000;
const MS = Number(values.seconds) * 1_000;
const QUEUE = { batchesAhead: 3, concurrency: 100 };
const CASES = [
  ...[true, false].map((monitorExecution) => ({ registry: 'embedded', monitorExecution, processes: [1] })),
  ...[true, false].map((monitorExecution) => ({ registry: 'ZooKeeper', monitorExecution, processes: [1, 3] })),
  { registry: 'ZooKeeper', monitorExecution: true, jobs: 4, processes: [1, 3] },
  { peer: 'BullMQ', processes: [1, 3] },
]
  .filter(({ peer }) => peer === undefined || values.without !== 'bullmq')
  .flatMap(({ processes, ...each }) => processes.map((count) => ({ ...each, processes: count })));

try {
  await run();
} catch (error) {
  // Other benchmarks do not depend on this one.
  console.error(error);
  process.exitCode = 1;
}

async function run() {
  const { redisVersion, startRedis } = await import('./support/redis-server.mjs');
  const withQueue = CASES.some(({ peer }) => peer);
  if (withQueue) installPeers();
  const redis = withQueue ? await startRedis() : undefined;
  const zooKeeper = await startZooKeeper();
  const running = [];
  try {
    for (const each of CASES) {
      running.push({ ...each, children: await start(each, { redis, zooKeeper }), rounds: [] });
    }
    for (let round = 0; round <= Number(values.rounds); round++) {
      for (const each of running) {
        const figures = await measured(each, redis);
        // The first round warms up.
        if (round > 0) each.rounds.push(figures);
      }
    }
    report(running);
    const versions = withQueue ? [versionOf('bullmq'), `Redis ${redisVersion()}`] : [];
    const each = `median of ${values.rounds} rounds of ${values.seconds} s`;
    console.log(`\n${machine(await zooKeeperVersion(zooKeeper), ...versions)}; ${each}`);
  } finally {
    await Promise.allSettled(running.flatMap(({ children }) => children.map((child) => child.stop())));
    await zooKeeper.dispose();
    await redis?.stop();
  }
}

async function start({ peer, registry, monitorExecution, jobs = 1, processes }, { redis, zooKeeper }) {
  const namespace = `throughput-${peer ?? registry}-${monitorExecution}-${jobs}-${processes}`;
  const module = new URL(peer ? 'throughput/queue.mjs' : 'costs/instance.mjs', import.meta.url);
  const settings = peer
    ? { ...QUEUE, redisPort: redis.port, batch: Math.ceil(ITEMS / processes) }
    : { jobs, items: ITEMS, monitorExecution, registry, address: zooKeeper.address };
  const all = Array.from({ length: processes }, () => Child.start(module, { ...settings, namespace }));
  const children = await Promise.all(all);
  if (peer === undefined) await areAssigned(children, jobs * ITEMS);
  return children;
}

async function areAssigned(children, items) {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const owned = (await ask(children, 'facts')).map((each) => each.owned);
    if (owned.every((count) => count > 0) && owned.reduce((sum, count) => sum + count) === items) return;
    if (performance.now() > deadline) throw new Error(`The items were not all assigned within 60 s: ${owned}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function measured({ children, peer }, redis) {
  const [before, redisMs, begin] = [await facts(children), redis?.cpuMs(), performance.now()];
  // All instances fire together, and again when the items of all have ended; a queue's workers need no such agreement.
  if (peer) await ask(children, 'work', MS);
  else while (performance.now() < begin + MS) await ask(children, 'fire');
  const [after, seconds] = [await facts(children), (performance.now() - begin) / 1_000];
  const serverMs = peer && redisMs !== undefined ? redis.cpuMs() - redisMs : undefined;
  if (peer) await ask(children, 'drain');
  const runs = after.runs - before.runs;
  const serverUs = serverMs === undefined ? NaN : (serverMs * 1_000) / runs;
  return { perSecond: runs / seconds, cpuUs: (after.cpuUs - before.cpuUs) / runs, serverUs };
}

async function facts(children) {
  const all = await ask(children, 'facts');
  const sum = (of) => all.reduce((total, each) => total + of(each), 0);
  return { runs: sum(({ runs }) => runs), cpuUs: sum(({ cpu }) => cpu.user + cpu.system) };
}

function ask(children, question, ...details) {
  return Promise.all(children.map((child) => child.ask(question, ...details)));
}

function report(running) {
  const results = running.map((each) => {
    const figures = ['perSecond', 'cpuUs', 'serverUs'].map((key) => [
      key,
      median(each.rounds.map((round) => round[key])),
    ]);
    return { ...each, ...Object.fromEntries(figures) };
  });
  for (const processes of [1, 3]) {
    const same = results.filter((each) => each.processes === processes);
    const queue = same.find(({ peer }) => peer);
    const rows = [...same]
      .sort((one, other) => other.perSecond - one.perSecond)
      .map((each) => {
        const alone = results.find((other) => other.processes === 1 && titleOf(other) === titleOf(each));
        const scale = processes === 1 ? [] : [number(each.perSecond / alone.perSecond)];
        const cells = [number(each.perSecond, 0), number(each.perSecond / queue?.perSecond), ...scale];
        return [titleOf(each), ...cells, number(each.cpuUs)];
      });
    const first = processes === 1 ? 'one process' : `${processes} processes`;
    const columns = [first, 'runs/s', '÷ BullMQ', ...(processes === 1 ? [] : ['÷ one process']), 'CPU µs a run'];
    console.log(`${table(columns, rows)}\n`);
    const behind = same.filter((each) => !each.peer && each.perSecond < queue?.perSecond).map(titleOf);
    if (queue)
      console.log(
        `BullMQ is ahead of: ${behind.join('; ') || 'none of them'}. Redis: ${number(queue.serverUs)} µs of CPU a run.\n`,
      );
  }
}

function titleOf({ peer, registry, monitorExecution, jobs = 1 }) {
  const atOnce = jobs > 1 ? `, ${jobs} jobs` : '';
  return peer ?? `library, ${registry}, ${monitorExecution ? 'monitored' : 'unmonitored'}${atOnce}`;
}
