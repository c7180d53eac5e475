// Event tracing into real databases: events a second, next to one statement for each event; and queries of 1,000,000
// rows.
//   npm run bench -- tracing                     both parts
//   npm run bench -- tracing --only throughput   or: queries
//   DATABASE=mariadb npm run bench -- tracing    or postgres: this one alone; ROWS=100000: fewer rows
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import '../.config/typescript.mjs';
import { TraceQueue } from 'nestjs-elasticjob/tracing';
import { RdbTraceStorage } from 'nestjs-elasticjob/tracing-rdb';

const { DatabaseServer, dataSource, KINDS, newDatabase } = await import('../test/databases/support/servers.ts');
const at = process.argv.indexOf('--only');
const only = at === -1 ? undefined : process.argv[at + 1];
const ROWS = Number(process.env.ROWS ?? 1_000_000);
/** Of each query. */
const CALLS = 101;
const { signal } = new AbortController();
const logger = { debug() {}, log() {}, warn: console.warn, error: console.error };

for (const kind of KINDS.filter((each) => each === (process.env.DATABASE ?? each))) {
  // As it is installed: each commit is synced to disk.
  const server = await DatabaseServer.start(kind);
  try {
    if (only !== 'queries') await throughput(server);
    if (only !== 'throughput') await queries(server);
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

async function throughput(server) {
  console.log(`\n## ${server.kind}: events a second`);
  for (let round = 1; round <= 3; round++) {
    const single = await inNewDatabase(server, oneStatementAnEvent);
    const apart = await inNewDatabase(server, (database) => queued(database, 'apart'));
    const together = await inNewDatabase(server, (database) => queued(database, 'together'));
    const ratio = (value) => `${Math.round(value)} (${(value / single).toFixed(1)} times)`;
    console.log(
      `one statement an event: ${Math.round(single)}; batched: ${ratio(apart)}; short items: ${ratio(together)}`,
    );
  }
}

async function inNewDatabase(server, work) {
  const database = await dataSource(server, { database: await newDatabase(server) }).initialize();
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

/** As ElasticJob does: each event is a statement, which is waited for. */
async function oneStatementAnEvent(database) {
  const storage = new RdbTraceStorage(database);
  await storage.prepare(signal);
  const began = performance.now();
  let events = 0;
  while (performance.now() - began < 5_000) {
    for (const event of firing(1).flat()) {
      await storage.write([event], signal);
      events++;
    }
  }
  return perSecond(events, began);
}

/** @param how `apart`: the start of an item is stored before it completes; `together`: it completes at once */
async function queued(database, how) {
  const storage = new RdbTraceStorage(database);
  await storage.prepare(signal);
  const queue = new TraceQueue({ storage, logger });
  const firings = Array.from({ length: 2_000 }, () => firing(10));
  const began = performance.now();
  let events = 0;
  for (let first = 0; first < firings.length; first += 100) {
    const some = firings.slice(first, first + 100);
    for (const [begun, ended] of some) {
      for (const event of begun) queue.offer(event);
      if (how === 'together') for (const event of ended) queue.offer(event);
      events += begun.length + ended.length;
    }
    if (how === 'together') continue;
    await queue.flush(60_000);
    for (const [, ended] of some) for (const event of ended) queue.offer(event);
  }
  await queue.flush(60_000);
  const rate = perSecond(events, began);
  const [{ n }] = await database.query('SELECT COUNT(*) AS n FROM JOB_EXECUTION_LOG WHERE complete_time IS NOT NULL');
  if (Number(n) !== 20_000) throw new Error(`${n} rows instead of 20,000`);
  await queue.stop(0);
  return rate;
}

/** The events of one firing: those before its items have ended, and the others. */
function firing(items) {
  const taskId = `job-${Math.floor(Math.random() * 50)}@-@0@-@READY@-@10.0.0.1@-@7`;
  const jobName = taskId.split('@')[0];
  const common = { jobName, taskId };
  const status = (state) => ({
    ...common,
    type: 'status',
    id: randomUUID(),
    originalTaskId: '',
    slaveId: '10.0.0.1',
    executionType: 'READY',
    shardingItems: [0],
    state,
    message: '',
    creationTime: new Date(),
  });
  const starts = Array.from({ length: items }, (_, shardingItem) => ({
    ...common,
    type: 'execution',
    id: randomUUID(),
    hostname: 'host-1',
    ip: '10.0.0.1',
    source: 'NORMAL_TRIGGER',
    shardingItem,
    startTime: new Date(),
    completeTime: undefined,
    success: false,
    failureCause: undefined,
  }));
  const ends = starts.map((start) => ({ ...start, completeTime: new Date(), success: true }));
  return [
    [status('TASK_STAGING'), status('TASK_RUNNING'), ...starts],
    [...ends, status('TASK_FINISHED')],
  ];
}

function perSecond(count, began) {
  return (count / (performance.now() - began)) * 1_000;
}

async function queries(server) {
  console.log(`\n## ${server.kind}: queries of ${ROWS} executions and ${ROWS} statuses, milliseconds`);
  await inNewDatabase(server, async (database) => {
    const storage = new RdbTraceStorage(database);
    await storage.prepare(signal);
    await fill(database, server.kind);
    const all = Object.entries(pagesOf(storage));
    const longest = [];
    for (const [name, query] of all) longest.push(await report(name, query));
    console.log(`longest of ${all.length * CALLS} calls: ${Math.max(...longest).toFixed(1)}`);

    // Nothing is in the server's memory, and no connection is open.
    await server.end(server.kind === 'postgres' ? 'SIGINT' : 'SIGTERM');
    await server.start();
    await untilConnected(database);
    const firsts = [];
    for (const [name, query] of all) firsts.push([await msOf(query), name]);
    const [slowest, ...next] = firsts
      .sort(([one], [other]) => other - one)
      .map(([ms, name]) => `${ms.toFixed(1)} (${name})`);
    console.log(`first calls after a restart of the server, the slowest: ${[slowest, ...next.slice(0, 4)].join(', ')}`);

    const began = performance.now();
    const deleted = await storage.deleteOld({ before: hour(50), pauseMs: 0 }, signal);
    const rows = deleted.executions + deleted.statuses;
    console.log(`${'deleting old rows'.padEnd(50)} ${Math.round(perSecond(rows, began))} rows a second (${rows})`);
  });
}

function hour(n) {
  return new Date(2026, 0, 1, n);
}

/** The queries of consoles, each for one page of 50 rows, and the query of an instance. */
function pagesOf(storage) {
  const middle = { from: hour(100), to: hour(101) };
  const task = 'job-7@-@7@-@READY@-@10.0.0.1@-@7';
  // An instance that lives long has one task for all firings of a job.
  const ended = 'job-0@-@0@-@READY@-@10.0.0.1@-@7';
  const longest = 'steady@-@0@-@READY@-@10.0.0.1@-@7';
  const executions = (filter) => () => storage.executions(filter, signal);
  const statuses = (filter) => () => storage.statuses(filter, signal);
  const after = Buffer.from(JSON.stringify(['2026-01-10 00:00:00.000', 'x'])).toString('base64url');
  const orphans = {
    jobName: 'job-7',
    jobInstanceId: '10.0.0.1@-@7',
    startedBefore: hour(600),
    failureCause: 'died',
    completeTime: hour(600),
  };
  return {
    'latest executions': executions({}),
    'of a job': executions({ jobName: 'job-7' }),
    'of the job with half of the rows': executions({ jobName: 'job-0' }),
    'of a large job that has ended long ago': executions({ jobName: 'former' }),
    'of such a job, with limits of time': executions({ jobName: 'former', from: hour(10), to: hour(490) }),
    'of a rare job': executions({ jobName: 'rare' }),
    'of a task': executions({ taskId: task }),
    'of a large task': executions({ taskId: longest }),
    'of a large task that has ended long ago': executions({ taskId: ended }),
    'of such a task, with limits of time': executions({ taskId: ended, from: hour(10), to: hour(490) }),
    'of a large task, in an hour': executions({ taskId: ended, ...middle }),
    'of an hour': executions(middle),
    'of a job in an hour': executions({ jobName: 'job-7', ...middle }),
    failed: executions({ outcome: 'failed' }),
    'failed, of a job': executions({ jobName: 'job-7', outcome: 'failed' }),
    'failed, of a job without a failure': executions({ jobName: 'job-8', outcome: 'failed' }),
    'failed, of a large job without a failure': executions({ jobName: 'steady', outcome: 'failed' }),
    'failed, of a large task without a failure': executions({ taskId: longest, outcome: 'failed' }),
    'succeeded, of a job': executions({ jobName: 'job-7', outcome: 'succeeded' }),
    running: executions({ outcome: 'running' }),
    'running, of a job': executions({ jobName: 'job-7', outcome: 'running' }),
    'page in the midst of a job': executions({ jobName: 'job-0', after }),
    'page in the midst of a task': executions({ taskId: ended, after }),
    'latest statuses': statuses({}),
    'statuses of a job': statuses({ jobName: 'job-7' }),
    'statuses of a task': statuses({ taskId: task }),
    'statuses of a large task that has ended': statuses({ taskId: ended }),
    'statuses of an hour': statuses(middle),
    errors: statuses({ state: 'TASK_ERROR' }),
    'errors of a job': statuses({ jobName: 'job-7', state: 'TASK_ERROR' }),
    'errors of a job without one': statuses({ jobName: 'job-8', state: 'TASK_ERROR' }),
    'errors of a large job without one': statuses({ jobName: 'steady', state: 'TASK_ERROR' }),
    'errors of a large task without one': statuses({ taskId: longest, state: 'TASK_ERROR' }),
    'orphans of an instance': () => storage.completeOrphans(orphans, signal),
  };
}

/** Prints what a query takes, and returns its longest time. */
async function report(name, query) {
  const first = await msOf(query);
  const times = [];
  for (let call = 1; call < CALLS; call++) times.push(await msOf(query));
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(1);
  console.log(`${name.padEnd(50)} median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}, first ${first.toFixed(1)}`);
  return Math.max(first, sorted.at(-1));
}

async function msOf(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Connections of the pool that the server has closed fail once. */
async function untilConnected(database) {
  for (let attempt = 1; attempt <= 10; attempt++) {
    try {
      return await database.query('SELECT 1 AS one');
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}

/**
 * 53 jobs over 500 hours. `job-0` has half of the rows, by two tasks, one after the other; `former` and `steady` have
 * an eighth each, by one task, one after the other. 1 of 100 has failed, but none of these two jobs and of `job-8`; 1
 * of 10,000 never ended.
 */
async function fill(database, kind) {
  const began = performance.now();
  const isPostgres = kind === 'postgres';
  const series = isPostgres ? `generate_series(1, ${ROWS}) AS s(n)` : `(SELECT seq AS n FROM seq_1_to_${ROWS}) s`;
  const number = isPostgres ? 'CAST(n % 49 + 1 AS TEXT)' : 'n % 49 + 1';
  const concat = (...parts) => (isPostgres ? `(${parts.join(' || ')})` : `CONCAT(${parts.join(', ')})`);
  const job = `CASE WHEN n % 100000 = 1 THEN 'rare' WHEN n % 2 = 0 THEN 'job-0' WHEN n % 4 = 1 THEN CASE WHEN n <= ${ROWS / 2} THEN 'former' ELSE 'steady' END ELSE ${concat(`'job-'`, number)} END`;
  const task = `CASE WHEN n % 4 <> 3 THEN ${concat(job, `'@-@0@-@READY@-@10.0.0.1@-@'`, `CASE WHEN n % 2 = 0 AND n > ${ROWS / 2} THEN '8' ELSE '7' END`)}
    ELSE ${concat(job, `'@-@'`, isPostgres ? 'CAST(n % 1000 AS TEXT)' : 'n % 1000', `'@-@READY@-@10.0.0.1@-@7'`)} END`;
  const time = isPostgres
    ? `TIMESTAMP '2026-01-01' + n * INTERVAL '1800 seconds' / ${ROWS / 1_000}`
    : `TIMESTAMP'2026-01-01 00:00:00' + INTERVAL FLOOR(n * 1800 / ${ROWS / 1_000}) SECOND`;
  const uuid = isPostgres ? 'CAST(gen_random_uuid() AS TEXT)' : 'UUID()';
  const hasFailed = `(n % 101 = 0 AND ${job} NOT IN ('job-8', 'steady', 'former'))`;
  const never = 'n % 10000 = 3';
  const truth = (condition) => (isPostgres ? `(${condition})` : `IF(${condition}, 1, 0)`);
  await database.query(`INSERT INTO JOB_EXECUTION_LOG (id, job_name, task_id, hostname, ip, sharding_item, execution_source, failure_cause, is_success, start_time, complete_time)
    SELECT ${uuid}, ${job}, ${task}, 'host-1', '10.0.0.1', n % 1000, 'NORMAL_TRIGGER',
      CASE WHEN ${hasFailed} THEN REPEAT('Error: no stock at somewhere ', 30) END, ${truth(`NOT ${hasFailed} AND NOT ${never}`)}, ${time}, CASE WHEN ${never} THEN NULL ELSE ${time} END FROM ${series}`);
  await database.query(`INSERT INTO JOB_STATUS_TRACE_LOG (id, job_name, original_task_id, task_id, slave_id, execution_type, sharding_item, state, message, creation_time)
    SELECT ${uuid}, ${job}, '', ${task}, '10.0.0.1', 'READY', '[0]',
      CASE WHEN ${hasFailed} THEN 'TASK_ERROR' WHEN n % 3 = 0 THEN 'TASK_STAGING' WHEN n % 3 = 1 THEN 'TASK_RUNNING' ELSE 'TASK_FINISHED' END, '', ${time} FROM ${series}`);
  // As autovacuum and similar services do by themselves.
  for (const table of ['JOB_EXECUTION_LOG', 'JOB_STATUS_TRACE_LOG'])
    await database.query(isPostgres ? `ANALYZE ${table}` : `ANALYZE TABLE ${table}`);
  console.log(`(filled in ${Math.round((performance.now() - began) / 1_000)} s)`);
}
