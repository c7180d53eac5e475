// A firing's latency with tracing into PostgreSQL switched on, while the database is well, slow, hangs or is gone, next
// to the same job without tracing: from the instant at which a job fires to the begin of its first item, and to the end
// of the run. The job has ten items that do nothing, one instance, the embedded registry centre: where a firing costs
// least, delays show most.
//   npm run bench -- latency            ROUNDS=10: more rounds than five
import '../.config/typescript.mjs';
import { jobConfiguration, JobHost, ScheduleJobBootstrap } from 'nestjs-elasticjob/bootstrap';
import { EmbeddedRegistryCenter } from 'nestjs-elasticjob/registry';
import { Tracing } from 'nestjs-elasticjob/tracing';
import { RdbTraceStorage } from 'nestjs-elasticjob/tracing-rdb';

const { DatabaseServer, dataSource, newDatabase } = await import('../test/databases/support/servers.ts');
const { TcpProxy } = await import('../test/support/tcp-proxy.ts');

const ITEMS = 10;
const WARM_UP = 50;
const FIRINGS = 200;
const ROUNDS = Number(process.env.ROUNDS ?? 5);
/** Between the end of a firing and the next one: 50 firings, and 500 items, a second. */
const PAUSE_MS = 20;
const silent = { debug() {}, log() {}, warn() {}, error() {} };

/**
 * The changes of the connections, after the tables are created. `maxPending` is so small that the queue is full before
 * the first measure.
 */
const CONDITIONS = {
  'without tracing': undefined,
  'database well': { stores: true },
  'database slow: 500 ms a statement': { stores: true, fault: (proxy) => proxy.delay('up', 500) },
  'database hangs': { fault: (proxy) => proxy.blackHole('up', 'down') },
  'database gone: connections refused': { fault: (proxy) => proxy.close() },
  'database hangs, queue full': { fault: (proxy) => proxy.blackHole('up', 'down'), maxPending: 1_000 },
  'database gone, queue full': { fault: (proxy) => proxy.close(), maxPending: 1_000 },
};

/** Timers that the benchmark fires. */
class HandTimers {
  arm(_jobName, _instant, onFire) {
    this.fire = onFire;
  }
  disarm() {}
}

let jobs = 0;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const server = await DatabaseServer.start('postgres');
try {
  const latencies = Object.fromEntries(Object.keys(CONDITIONS).map((name) => [name, { begin: [], end: [] }]));
  // Until the code is compiled, it is slower.
  await measure();
  // In turns, so that other work of the machine disturbs all alike.
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [name, condition] of Object.entries(CONDITIONS)) {
      const { begin, end } = condition === undefined ? await measure() : await traced(condition);
      latencies[name].begin.push(...begin);
      latencies[name].end.push(...end);
    }
  }
  print(latencies);
} finally {
  await server[Symbol.asyncDispose]();
}

async function traced({ fault, maxPending, stores = false }) {
  const proxy = await TcpProxy.start(server.port);
  const address = { kind: 'postgres', port: proxy.port };
  const database = await dataSource(address, { database: await newDatabase(server) }).initialize();
  const storage = new RdbTraceStorage(database);
  await storage.prepare(AbortSignal.timeout(30_000));
  await fault?.(proxy);
  const tracing = new Tracing({ storage, logger: silent, maxPending });
  try {
    const found = await measure(tracing);
    const { pending, stored, dropped } = tracing.status();
    const isAsExpected = stored > 0 === stores && dropped > 0 === (maxPending !== undefined);
    if (!isAsExpected) throw new Error(`${stored} stored, ${dropped} dropped, ${pending} pending`);
    return found;
  } finally {
    await tracing.stop(0);
    if (proxy.connections > 0) proxy.cut();
    await proxy.close().catch(() => {});
    await database.destroy().catch(() => {});
  }
}

async function measure(tracing) {
  const registryCenter = new EmbeddedRegistryCenter({ namespace: `bench-latency-${++jobs}` });
  registryCenter.connect();
  const timers = new HandTimers();
  let begun;
  let ended = () => {};
  const observers = [{ onRunEvent: ({ type }) => void (type === 'run-ended' && ended(performance.now())) }];
  // Tracing first: what it takes counts.
  if (tracing !== undefined) observers.unshift(tracing);
  const host = new JobHost({ registryCenter, timers, logger: silent, observers });
  const job = { execute: () => void (begun ??= performance.now()) };
  const settings = { jobName: 'bench', shardingTotalCount: ITEMS, cron: '0 0 0 * * ?', timeZone: 'GMT' };
  await new ScheduleJobBootstrap(registryCenter, job, jobConfiguration(settings), { host }).schedule();
  const found = { begin: [], end: [] };
  for (let firing = 0; firing < WARM_UP + FIRINGS; firing++) {
    await sleep(PAUSE_MS);
    begun = undefined;
    const over = new Promise((resolve) => (ended = resolve));
    const instant = performance.now();
    timers.fire();
    const end = await over;
    if (firing < WARM_UP) continue;
    found.begin.push(begun - instant);
    found.end.push(end - instant);
  }
  await host.stop();
  await registryCenter.close();
  return found;
}

function print(latencies) {
  const at = (values, share) => values.toSorted((one, other) => one - other)[Math.floor(share * (values.length - 1))];
  const plain = latencies['without tracing'];
  console.log(`${ROUNDS * FIRINGS} firings of ${ITEMS} items each; milliseconds, and times those without tracing`);
  for (const [name, found] of Object.entries(latencies)) {
    const [first, whole] = ['begin', 'end'].map((which) =>
      [0.5, 0.99].map((share) => {
        const ms = at(found[which], share);
        return `${ms.toFixed(2)} (${(ms / at(plain[which], share)).toFixed(2)})`;
      }),
    );
    console.log(
      `${name.padEnd(36)} first item: median ${first[0]}, p99 ${first[1]}; whole run: median ${whole[0]}, p99 ${whole[1]}`,
    );
  }
}
