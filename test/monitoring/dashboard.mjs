// Asks a real Prometheus, which scrapes a process with jobs, every query of the Grafana dashboard: each must have an
// answer. Needs `prometheus` on the path, and `npm run build` before.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jobConfiguration, JobHost, ScheduleJobBootstrap } from 'nestjs-elasticjob/bootstrap';
import { EmbeddedRegistryCenter } from 'nestjs-elasticjob/registry';
import { Tracing } from 'nestjs-elasticjob/tracing';
import { prometheusMetrics } from 'nestjs-elasticjob/prometheus';
import { Registry } from 'prom-client';

const DEADLINE_MS = 60_000;
/** Grafana's value of it for a scrape every second. */
const RATE_INTERVAL = '20s';
const silent = { debug() {}, log() {}, warn() {}, error() {} };

const dashboard = JSON.parse(readFileSync(new URL('../../monitoring/grafana-dashboard.json', import.meta.url), 'utf8'));
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, refId }) => ({ name: `${title}, ${refId}`, expr })),
);
const variables = dashboard.templating.list.filter(({ type }) => type === 'query');

const registry = new Registry();
const stopJobs = await startJobs();
const exporter = createServer((_request, response) => {
  registry.metrics().then(
    (text) => response.setHeader('content-type', registry.contentType).end(text),
    (error) => response.destroy(error),
  );
}).listen(0, '127.0.0.1');
await once(exporter, 'listening');
const folder = mkdtempSync(join(tmpdir(), 'elasticjob-prometheus-'));
const prometheus = await startPrometheus(exporter.address().port);
try {
  const silentQueries = await untilAllAnswer();
  for (const { name, expr } of silentQueries) console.error(`No data: ${name}: ${expr}`);
  for (const { name, query } of variables) {
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query);
    const { data } = await ask(`label/${label}/values?match[]=${metric}`);
    if (data.length === 0) throw new Error(`The variable ${name} has no values: ${query}`);
  }
  console.log(`${queries.length - silentQueries.length} of the ${queries.length} queries of the dashboard have data.`);
  process.exitCode = silentQueries.length === 0 ? 0 : 1;
} finally {
  prometheus.child.kill();
  await prometheus.exited;
  rmSync(folder, { recursive: true, force: true });
  exporter.closeAllConnections();
  exporter.close();
  await stopJobs();
}

/**
 * Jobs to which everything happens that the dashboard shows: firings, failures, retries, misfires, dropped firings, a
 * full trace.
 */
async function startJobs() {
  const registryCenter = new EmbeddedRegistryCenter({ namespace: 'dashboard' });
  registryCenter.connect();
  const storage = { prepare: () => Promise.reject(new Error('away')), write: () => Promise.resolve() };
  const tracing = new Tracing({ storage, logger: silent, maxPending: 20 });
  const observers = [tracing, prometheusMetrics({ registry })];
  const host = new JobHost({ registryCenter, logger: silent, observers, shutdownGracePeriodMilliseconds: 100 });
  let calls = 0;
  const failing = () => {
    if (++calls % 3 !== 0) throw new Error('no stock');
  };
  const endless = ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve));
  const jobs = {
    orders: { execute: () => sleep(20) },
    bills: { execute: failing, maxRetries: 1 },
    reports: { execute: endless, misfire: true },
    stock: { execute: endless, misfire: false },
  };
  for (const [jobName, { execute, ...settings }] of Object.entries(jobs)) {
    const configuration = jobConfiguration({ jobName, cron: '* * * * * ?', shardingTotalCount: 2, ...settings });
    await new ScheduleJobBootstrap(registryCenter, { execute }, configuration, { host }).schedule();
  }
  return async () => {
    await host.stop();
    await tracing.stop(0);
    await registryCenter.close();
  };
}

/** It scrapes the exporter every second, on a free port of its own. */
async function startPrometheus(target) {
  const file = join(folder, 'prometheus.yml');
  const job = `{ job_name: test, static_configs: [{ targets: ['127.0.0.1:${target}'] }] }`;
  writeFileSync(file, `global: { scrape_interval: 1s, scrape_timeout: 1s }\nscrape_configs: [${job}]\n`);
  const port = await freePort();
  const options = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const child = spawn('prometheus', [...options, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
  return { child, exited: once(child, 'exit'), url: `http://127.0.0.1:${port}/api/v1` };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** @returns the queries that have no data when the time is up */
async function untilAllAnswer() {
  const deadline = performance.now() + DEADLINE_MS;
  let missing = queries;
  while (missing.length > 0 && performance.now() < deadline) {
    await sleep(1_000);
    const answers = await Promise.all(missing.map(async (query) => ({ query, hasData: await hasData(query) })));
    missing = answers.filter(({ hasData }) => !hasData).map(({ query }) => query);
  }
  return missing;
}

/** True if an expression has a number for an answer. @throws if Prometheus refuses it */
async function hasData({ name, expr }) {
  const text = expr.replaceAll('$job_name', '.*').replaceAll('$__rate_interval', RATE_INTERVAL);
  const answer = await ask(`query?query=${encodeURIComponent(text)}`).catch(() => undefined);
  if (answer?.status === 'error') throw new Error(`${name}: ${answer.error}`);
  return answer?.data.result.some(({ value: [, number] }) => Number.isFinite(Number(number))) === true;
}

/** Rejects as long as Prometheus has not started. */
async function ask(path) {
  const response = await fetch(`${prometheus.url}/${path}`);
  return response.json();
}
