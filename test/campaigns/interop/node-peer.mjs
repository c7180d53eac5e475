// A Node instance that is driven by its standard input, by the same arguments and commands as the Java peer (see
// java-peer/src/main/java/peer/Main.java), but for the lifecycle API.
import { openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { AbstractDistributeOnceElasticJobListener, JobConfiguration, OneOffJobBootstrap } from 'nestjs-elasticjob';
import { JobHost, ScheduleJobBootstrap } from 'nestjs-elasticjob/bootstrap';
import { ZookeeperRegistryCenter } from 'nestjs-elasticjob/registry';
import { Tracing } from 'nestjs-elasticjob/tracing';

const { values } = parseArgs({
  options: {
    servers: { type: 'string' },
    namespace: { type: 'string' },
    runs: { type: 'string' },
    ip: { type: 'string', default: '127.0.0.1' },
    session: { type: 'string', default: '4000' },
    once: { type: 'string', default: '15000' },
    trace: { type: 'string' },
    job: { type: 'string', multiple: true, default: [] },
  },
});

/** The class that Java peers run: the text of the job's root. */
const JOB_CLASS = 'peer.Work';

/** Without a file nothing is written: for benchmarks, which are about what the library does. */
const file = values.runs === undefined ? undefined : openSync(values.runs, 'a');
const note = (event, more) => {
  if (file !== undefined) writeSync(file, `${JSON.stringify({ event, at: Date.now(), ...more })}\n`);
};

/** The items that were blocked, as `job/item`, where either may be `*`. */
const blocked = new Set();
const throwing = new Set();
const lasting = new Map();
let wake = () => {};
let woken = new Promise((resolve) => (wake = resolve));
const keysOf = (job, item) => [`${job}/${item}`, `${job}/*`, '*/*'];
const fits = (keys, job, item) => keysOf(job, item).some((key) => keys.has(key));

function tell() {
  wake();
  woken = new Promise((resolve) => (wake = resolve));
}

let computingMs = 0;

/** Takes as much of the processor's time as was said. */
function compute() {
  const used = () => Object.values(process.cpuUsage()).reduce((user, system) => user + system);
  if (computingMs === 0) return;
  const end = used() + computingMs * 1_000;
  while (used() < end);
}

let runs = 0;

async function work({ jobName: job, shardingItem: item, signal, ...context }) {
  if (file === undefined) return compute();
  const run = ++runs;
  note('start', {
    run,
    job,
    item,
    task: context.taskId,
    total: context.shardingTotalCount,
    jobParameter: context.jobParameter,
    parameter: context.shardingParameter,
    scheduledAt: context.scheduledAt?.getTime(),
    cause: context.cause,
  });
  const began = performance.now();
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  while (!signal.aborted) {
    const isBlocked = fits(blocked, job, item);
    const leftMs = (keysOf(job, item).flatMap((key) => lasting.get(key) ?? [])[0] ?? 0) - (performance.now() - began);
    if (!isBlocked && leftMs <= 0) break;
    const passed = isBlocked ? [] : [new Promise((resolve) => setTimeout(resolve, leftMs))];
    await Promise.race([woken, aborted, ...passed]);
  }
  if (signal.aborted) return note('interrupted', { run });
  const failed = fits(throwing, job, item);
  note('end', { run, failed });
  if (failed) throw new Error(`Item ${item} was told to fail`);
}

/**
 * The work of dataflow jobs: there are data for an item as long as it is blocked; each batch is written down as a run.
 */
const stream = {
  fetchData: ({ jobName: job, shardingItem: item }) => (fits(blocked, job, item) ? [item] : null),
  async processData({ jobName: job, shardingItem: item, taskId: task }) {
    const run = ++runs;
    note('start', { run, job, item, task });
    await new Promise((resolve) => setTimeout(resolve, 100));
    note('end', { run, failed: false });
  },
};

/** Waits while the call of a listener is blocked: by its name in place of an item, for `*` means items only. */
async function untilReleased(job, call) {
  while (blocked.has(`${job}/${call}`)) await woken;
}

const noteCall = (event, contexts) =>
  note(event, { job: contexts.jobName, items: [...contexts.shardingItemParameters.keys()] });

/** Called when a firing of a job with the listener EACH_INSTANCE is over. */
let firingEnded = () => {};

class EachInstance {
  type = 'EACH_INSTANCE';
  beforeJobExecuted(contexts) {
    noteCall('before', contexts);
  }
  afterJobExecuted(contexts) {
    noteCall('after', contexts);
    firingEnded();
  }
}

class Once extends AbstractDistributeOnceElasticJobListener {
  type = 'ONCE';
  constructor() {
    super(Number(values.once), Number(values.once));
  }
  async doBeforeJobExecutedAtLastStarted(contexts) {
    noteCall('once-before', contexts);
    await untilReleased(contexts.jobName, 'once-before');
  }
  async doAfterJobExecutedAtLastCompleted(contexts) {
    noteCall('once-after', contexts);
    await untilReleased(contexts.jobName, 'once-after');
  }
}

const say = (level) => (message, stack) =>
  console.log(`${new Date().toISOString()} ${level} ${message}${stack ? `\n${stack}` : ''}`);
// Java's logging says no more than warnings either; more is for who looks for the reason of a failure.
const sayMore = file === undefined ? () => () => {} : say;
const logger = { debug: sayMore('debug'), log: sayMore('log'), warn: say('warn'), error: say('error') };
const registryCenter = new ZookeeperRegistryCenter(
  {
    serverLists: values.servers,
    namespace: values.namespace,
    sessionTimeoutMilliseconds: Number(values.session),
    connectionTimeoutMilliseconds: 3_000,
    baseSleepTimeMilliseconds: 100,
    maxSleepTimeMilliseconds: 500,
  },
  { logger },
);
registryCenter.connect();
const trace = values.trace === undefined ? undefined : await openTrace(JSON.parse(values.trace));
const tracing = trace && new Tracing({ storage: trace.storage, logger });

/**
 * The trace in a PostgreSQL database of this machine. TypeORM takes a while to load: instances without a trace do not
 * wait.
 */
async function openTrace(address) {
  const { DataSource } = await import('typeorm');
  const { RdbTraceStorage } = await import('nestjs-elasticjob/tracing-rdb');
  const database = new DataSource({ type: 'postgres', host: '127.0.0.1', username: 'postgres', ...address });
  await database.initialize();
  return { database, storage: new RdbTraceStorage(database) };
}

const host = new JobHost({
  registryCenter,
  logger,
  listeners: [new EachInstance(), new Once()],
  ...(tracing && { observers: [tracing] }),
  instance: { jobInstanceId: `${values.ip}@-@${process.pid}-node0000`, serverIp: values.ip },
});
const bootstraps = new Map();

function bootstrap(job) {
  const found = bootstraps.get(job);
  if (found === undefined) throw new Error(`There is no job ${job} here`);
  return found;
}

/** Under its old name the thread-pool setting is meant for peers of Java 3.0.4. */
async function start({
  jobName,
  shardingTotalCount,
  props = {},
  type,
  jobExecutorServiceHandlerType: oldThreadPool,
  ...options
}) {
  const builder = JobConfiguration.newBuilder(jobName, shardingTotalCount);
  for (const [name, value] of Object.entries(props)) builder.setProperty(name, value);
  for (const [name, value] of Object.entries(options))
    builder[name](...(name === 'jobListenerTypes' ? value : [value]));
  if (oldThreadPool !== undefined) builder.jobExecutorThreadPoolSizeProviderType(oldThreadPool);
  const Bootstrap = options.cron === undefined ? OneOffJobBootstrap : ScheduleJobBootstrap;
  const [job, jobClassName] =
    type === undefined ? [{ execute: work }, JOB_CLASS] : type === 'DATAFLOW' ? [stream, 'peer.Stream'] : [type, type];
  const made = new Bootstrap(registryCenter, job, builder.build(), {
    jobClassName,
    host,
    ...(oldThreadPool !== undefined && { compatibility: '3.0.4' }),
  });
  bootstraps.set(jobName, made);
  await (options.cron === undefined ? made.start() : made.schedule());
}

const commands = {
  start: (...jobs) => Promise.all(jobs.map(start)).then(() => undefined),
  execute: (job) => bootstrap(job).execute(),
  async stop(job) {
    await bootstrap(job).shutdown();
    bootstraps.delete(job);
  },
  async close() {
    await host.stop();
    await tracing?.stop(5_000);
    await registryCenter.close();
    process.exit(0);
  },
  block: (job, item) => void blocked.add(`${job}/${item}`),
  release(job, item) {
    for (const key of [...blocked])
      if (key === `${job}/${item}` || (item === '*' && (job === '*' || key.startsWith(`${job}/`)))) blocked.delete(key);
  },
  throw: (job, item, isToFail) => void (isToFail ? throwing.add(`${job}/${item}`) : throwing.delete(`${job}/${item}`)),
  last: (job, item, durationMs) => void lasting.set(`${job}/${item}`, durationMs),
  async fire(job, times) {
    const durations = [];
    while (durations.length < times) {
      const ended = new Promise((resolve) => (firingEnded = resolve));
      const began = performance.now();
      await bootstrap(job).execute();
      await ended;
      durations.push(performance.now() - began);
    }
    return durations;
  },
  executions: ({ from, ...filter }) =>
    trace.storage.executions({ ...filter, from: new Date(from) }, AbortSignal.timeout(10_000)),
  statuses: ({ from, ...filter }) =>
    trace.storage.statuses({ ...filter, from: new Date(from) }, AbortSignal.timeout(10_000)),
  compute: (ms) => void (computingMs = ms),
  memory() {
    globalThis.gc();
    globalThis.gc();
    return { heapBytes: process.memoryUsage().heapUsed };
  },
};

async function answer(line) {
  try {
    const [name, ...args] = JSON.parse(line);
    if (!(name in commands)) throw new Error(`Unknown command ${line}`);
    const ok = (await commands[name](...args)) ?? null;
    tell();
    console.log(`> ${JSON.stringify({ ok })}`);
  } catch (error) {
    console.log(`> ${JSON.stringify({ error: error.stack })}`);
  }
}

for (const job of values.job) await commands.start(JSON.parse(job));
console.log(`> ${JSON.stringify({ ok: process.pid })}`);
let last = Promise.resolve();
createInterface({ input: process.stdin })
  .on('line', (line) => (last = last.then(() => answer(line))))
  // The test is gone. Nothing is tidied up here, as ["close"] does that.
  .on('close', () => process.exit(1));
