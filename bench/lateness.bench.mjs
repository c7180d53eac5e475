// How late jobs begin that are all due at the same second: from that second until their function is entered. Every
// candidate has a process of its own and fires at seconds of its own, in turns with the others; all of them run during
// the whole benchmark.
//   npm run bench -- lateness                       1,000 jobs, three instants after one that does not count
//   npm run bench -- lateness --jobs 10000
//   npm run bench -- lateness --only bare,bullmq    these candidates: the names are the keys of lateness/candidates.mjs
//   npm run bench -- lateness --without bullmq      where there is no redis-server
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CANDIDATES } from './lateness/candidates.mjs';
import { Child } from './support/children.mjs';
import { installPeers, versionOf } from './support/peers.mjs';
import { machine, median, number, share, table, zooKeeperVersion } from './support/report.mjs';
import { startZooKeeper } from './support/zookeeper.mjs';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000' },
    instants: { type: 'string', default: '3' },
    only: { type: 'string', default: Object.keys(CANDIDATES).join() },
    without: { type: 'string', default: '' },
  },
  strict: false,
});
const JOBS = Number(values.jobs);
const without = values.without.split(',');
const names = values.only.split(',').filter((name) => !without.includes(name));
for (const name of names) {
  if (CANDIDATES[name] === undefined) {
    throw new Error(`--only ${name}: no such candidate; there are ${Object.keys(CANDIDATES).join(', ')}`);
  }
}
// As many slots as candidates in each period, of which a minute holds a whole number.
const SLOT_S = JOBS > 2_000 ? 5 : 2;
const PERIOD_S = [10, 12, 15, 20, 30, 60].find((period) => period >= names.length * SLOT_S);
/** Before its instant a candidate's figures are read, in milliseconds. */
const LEAD_MS = 400;

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
  const needs = (server) => names.some((name) => CANDIDATES[name].needs === server);
  const redis = needs('redis') ? await startRedis() : undefined;
  const zooKeeper = needs('zookeeper') ? await startZooKeeper() : undefined;
  const running = [];
  try {
    for (const [slot, name] of names.entries()) {
      const seconds = Array.from({ length: 60 / PERIOD_S }, (_, index) => slot * SLOT_S + index * PERIOD_S);
      const settings = { candidate: name, jobs: JOBS, seconds, namespace: `lateness-${name}` };
      const servers = { zooKeeper: zooKeeper?.address, redisPort: redis?.port };
      const child = await Child.start(new URL('lateness/candidate.mjs', import.meta.url), { ...settings, ...servers });
      running.push({ name, child, dueMs: slot * SLOT_S * 1_000, instants: [] });
    }
    await observe(running);
    report(running);
    const peers = names.flatMap((name) => CANDIDATES[name].peer ?? []).map(versionOf);
    const servers = [zooKeeper && (await zooKeeperVersion(zooKeeper)), redis && `Redis ${redisVersion()}`];
    console.log(
      `\n${machine(...peers, ...servers.filter(Boolean))}; ${JOBS} jobs; median of ${values.instants} instants`,
    );
  } finally {
    await Promise.allSettled(running.map(({ child }) => child.stop()));
    await zooKeeper?.dispose();
    await redis?.stop();
  }
}

/** Goes round the candidates, each at its instant. The first round warms up. */
async function observe(running) {
  const periodMs = PERIOD_S * 1_000;
  let beginsAt = Math.ceil((Date.now() + LEAD_MS * 2) / periodMs) * periodMs;
  for (let round = 0; round <= Number(values.instants); round++, beginsAt += periodMs) {
    for (const { name, child, dueMs, instants } of running) {
      const instant = beginsAt + dueMs;
      await sleep(Math.max(0, instant - LEAD_MS - Date.now()));
      const before = await child.ask('facts');
      await sleep(instant + SLOT_S * 1_000 - 2 * LEAD_MS - Date.now());
      const { began, cpuMs, rssMiB } = await child.ask('facts');
      if (round === 0) continue;
      if (began.length !== JOBS) throw new Error(`${name} began ${began.length} of ${JOBS} jobs at one instant`);
      const late = began.map((each) => each - instant);
      const [p50, p99, max] = [median(late), share(late, 0.99), Math.max(...late)];
      instants.push({ p50, p99, max, cpuMs: cpuMs - before.cpuMs, rssMiB });
    }
  }
}

function report(running) {
  const results = running.map(({ name, instants }) => {
    const middle = (key) => median(instants.map((each) => each[key]));
    const keys = ['p50', 'p99', 'max', 'cpuMs', 'rssMiB'];
    const figures = Object.fromEntries(keys.map((key) => [key, middle(key)]));
    return { name, ...figures };
  });
  const bare = results.find(({ name }) => name === 'bare');
  const rows = [...results]
    .sort((one, other) => one.p99 - other.p99)
    .map(({ name, p50, p99, max, cpuMs, rssMiB }) => [
      ...[CANDIDATES[name].title, number(p50, 0), number(p99, 0), number(max, 0), number(p99 / bare?.p99, 1)],
      ...[number(cpuMs, 0), number(rssMiB, 0)],
    ]);
  const columns = ['', 'p50 ms', 'p99 ms', 'max ms', 'p99 ÷ bare', 'CPU ms a burst', 'RSS MiB'];
  console.log(`${table(columns, rows)}\n`);
  for (const { name, p99 } of results.filter(({ name }) => CANDIDATES[name].peer === undefined && name !== 'bare')) {
    const ahead = results.filter((other) => CANDIDATES[other.name].peer && other.p99 < p99);
    const peers = ahead.map((other) => CANDIDATES[other.name].title).join(', ') || 'no peer';
    console.log(`- ${CANDIDATES[name].title}: behind ${peers} by p99`);
  }
  for (const { name, p99 } of results.filter(({ name }) => name.endsWith('-nest'))) {
    const same = results.find((other) => `${other.name}-nest` === name);
    if (same) console.log(`- ${CANDIDATES[name].title}: p99 ${number(p99 - same.p99, 0)} ms later than without Nest`);
  }
}
