// A burst: many monitored jobs fire at the same second, on ZooKeeper. How late they begin, and for how long at a
// stretch they keep the event loop from anything else, such as the requests of a web server in the same process, which
// another process makes. Beside @nestjs/schedule's library `cron`, which neither shares nor records anything. `--jobs
// 1000`, `--rounds 5`.
import '../.config/typescript.mjs';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROUND_MS = 5_000;

if (process.env.BURST_PORT === undefined) await main();
else await visit(Number(process.env.BURST_PORT));

/**
 * The visitor: one request after the other, each two milliseconds after the answer. Reports the longest wait when
 * asked.
 */
async function visit(port) {
  let longestMs = 0;
  process.on('message', () => {
    process.send(longestMs);
    longestMs = 0;
  });
  for (;;) {
    const began = performance.now();
    await new Promise((resolve, reject) => {
      get({ port, host: '127.0.0.1', agent: false }, (answer) => answer.resume().once('end', resolve)).once(
        'error',
        reject,
      );
    });
    longestMs = Math.max(longestMs, performance.now() - began);
    await sleep(2);
  }
}

async function main() {
  const { values } = parseArgs({
    options: { jobs: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '5' } },
    strict: false,
  });
  const [jobs, rounds] = [Number(values.jobs), Number(values.rounds)];
  const { zooKeeperEnvironment } = await import('../.config/zookeeper.mjs');
  Object.assign(process.env, zooKeeperEnvironment());
  const { ZooKeeperServer } = await import('../test/support/zookeeper-server.ts');
  const server = await ZooKeeperServer.start({ heapMb: 1024 });
  const web = createServer((_, response) => response.end('ok'));
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  const visitor = fork(fileURLToPath(import.meta.url), {
    env: { ...process.env, BURST_PORT: String(web.address().port) },
  });
  const lateness = [];
  const note = () => lateness.push(Date.now() % ROUND_MS);
  for (const [name, begin] of [
    ['nothing', () => () => undefined],
    ['cron', () => bareCron(jobs, note)],
    ['nestjs-elasticjob', () => elasticJobs(server.address, jobs, note)],
  ]) {
    const end = await begin();
    const longest = [];
    for (let round = 0; round <= rounds; round++) {
      await sleep(ROUND_MS - (Date.now() % ROUND_MS) - 500);
      lateness.length = 0;
      const stretch = watchStretches();
      visitor.send('ask');
      await once(visitor, 'message');
      await sleep(4_000);
      visitor.send('ask');
      const [waitedMs] = await once(visitor, 'message');
      const sorted = lateness.splice(0).sort((one, other) => one - other);
      // The first round warms up.
      if (round > 0) longest.push({ stretchMs: stretch(), waitedMs, p50: at(sorted, 0.5), p99: at(sorted, 0.99) });
      else stretch();
    }
    await end();
    const median = (key) =>
      at(
        longest.map((each) => each[key]).sort((one, other) => one - other),
        0.5,
      )?.toFixed(0) ?? '–';
    console.log(
      `${name}: ${jobs} jobs, lateness p50 ${median('p50')} ms, p99 ${median('p99')} ms; longest stretch ${median('stretchMs')} ms; ` +
        `longest wait for the web server ${median('waitedMs')} ms (medians of ${rounds} bursts)`,
    );
  }
  visitor.kill();
  web.close();
  await server.dispose();
  process.exit();
}

function at(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** The longest time between two turns of the event loop, until the returned function is called. */
function watchStretches() {
  let [longestMs, last, isOver] = [0, performance.now(), false];
  const turn = () => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return longestMs;
  };
}

async function bareCron(jobs, note) {
  const { CronJob } = await import('cron');
  const all = Array.from({ length: jobs }, () =>
    CronJob.from({ cronTime: '*/5 * * * * *', onTick: note, start: true }),
  );
  return () => Promise.all(all.map((each) => each.stop()));
}

async function elasticJobs(serverLists, jobs, note) {
  const { ZookeeperRegistryCenter } = await import('../dist/modules/registry/zookeeper/zookeeper-registry-center.js');
  const { JobHost, ScheduleJobBootstrap, jobConfiguration } = await import('../dist/modules/index.js');
  const registryCenter = new ZookeeperRegistryCenter({ serverLists, namespace: 'burst' });
  registryCenter.connect();
  const silent = () => undefined;
  const host = new JobHost({ registryCenter, logger: { debug: silent, log: silent, warn: silent, error: silent } });
  const start = (jobName) =>
    new ScheduleJobBootstrap(
      registryCenter,
      { execute: note },
      jobConfiguration({ jobName, cron: '0/5 * * * * ?', shardingTotalCount: 1 }),
      { host, jobClassName: 'BurstJob' },
    ).schedule();
  await Promise.all(Array.from({ length: jobs }, (_, index) => start(`job-${index}`)));
  return async () => {
    await host.stop();
    await registryCenter.close();
  };
}
