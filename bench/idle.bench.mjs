// The cost of 1,000 jobs that never fire: the processor's time of their process, and the requests to ZooKeeper, counted
// by a proxy before the server. All candidates wait at the same time, each in a process of its own, next to a process
// without jobs.
//   npm run bench -- idle                                  30 s after 5 s that do not count
//   npm run bench -- idle --jobs 10000 --seconds 60
//   npm run bench -- idle --only schedule,zookeeper-monitored   these candidates, of lateness/candidates.mjs
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CANDIDATES } from './lateness/candidates.mjs';
import { Child } from './support/children.mjs';
import { installPeers, versionOf } from './support/peers.mjs';
import { machine, number, table, zooKeeperVersion } from './support/report.mjs';
import { startZooKeeper } from './support/zookeeper.mjs';

const { TcpProxy } = await import('../test/support/tcp-proxy.ts');

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '30' },
    only: { type: 'string', default: 'bare,croner,schedule,bullmq,zookeeper-monitored,zookeeper-monitored-nest' },
    without: { type: 'string', default: '' },
  },
  strict: false,
});
const SETTLE_MS = 5_000;
const names = values.only.split(',').filter((name) => !values.without.split(',').includes(name));

try {
  await run();
} catch (error) {
  // Other benchmarks do not depend on this one.
  console.error(error);
  process.exitCode = 1;
}

async function run() {
  installPeers();
  const { redisVersion, startRedis } = await import('./support/redis-server.mjs');
  const redis = names.includes('bullmq') ? await startRedis() : undefined;
  const server = await startZooKeeper();
  const running = [];
  try {
    for (const name of names) running.push(await start(name, { redis, server }));
    await sleep(SETTLE_MS);
    for (const each of running) each.proxy?.resetRequests();
    const before = await facts(running);
    await sleep(Number(values.seconds) * 1_000);
    const after = await facts(running);
    report(running, { before, after });
    const peers = names.flatMap((name) => CANDIDATES[name].peer ?? []).map(versionOf);
    const servers = [await zooKeeperVersion(server), ...(redis ? [`Redis ${redisVersion()}`] : [])];
    console.log(`\n${machine(...peers, ...servers)}; ${values.jobs} jobs, ${values.seconds} s`);
  } finally {
    await Promise.allSettled(running.map(({ child }) => child.stop()));
    await Promise.allSettled(running.map(({ proxy }) => proxy?.close()));
    await server.dispose();
    await redis?.stop();
  }
}

async function start(name, { redis, server }) {
  const proxy = CANDIDATES[name].needs === 'zookeeper' ? await TcpProxy.start(server.port) : undefined;
  const settings = { candidate: name, jobs: Number(values.jobs), namespace: `idle-${name}` };
  const servers = { zooKeeper: proxy?.address, redisPort: redis?.port };
  const child = await Child.start(new URL('lateness/candidate.mjs', import.meta.url), { ...settings, ...servers });
  return { name, proxy, child };
}

function facts(running) {
  return Promise.all(running.map(({ child }) => child.ask('facts')));
}

function report(running, { before, after }) {
  const rows = running.map(({ name, proxy }, index) => {
    const percent = ((after[index].cpuMs - before[index].cpuMs) / (Number(values.seconds) * 1_000)) * 100;
    const requests = Object.entries(proxy?.requests ?? {}).map(([kind, count]) => `${kind} ${count}`);
    const what = proxy === undefined ? '' : requests.join(', ') || 'none';
    const title = name === 'bare' ? 'a process without jobs' : CANDIDATES[name].title;
    return [title, number(percent, 3), what, number(after[index].rssMiB, 0)];
  });
  console.log(table(['', 'CPU %', 'requests to ZooKeeper', 'RSS MiB'], rows));
}
