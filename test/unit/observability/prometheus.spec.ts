import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { jobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { Deferred } from '../../../lib/async/deferred.js';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { METRICS, prometheusMetrics } from '../../../lib/observability/prometheus/index.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { TestCluster, type TestClusterOptions } from '../../../lib/testing/index.js';
import { GraphCluster } from '../../support/graph-cluster.js';

type Samples = Readonly<Record<string, number>>;

/** The samples of an exposition, without the buckets of histograms: `name{labels}` → value. */
function samplesIn(text: string): Samples {
  const lines = text.split('\n').filter((line) => /^\w/.test(line) && !line.includes('_bucket{'));
  return Object.fromEntries(lines.map((line) => [line.replace(/ \S+$/, ''), Number(line.split(' ').at(-1))]));
}

async function observed(
  options: Partial<TestClusterOptions>,
  maxJobs = 500,
): Promise<TestCluster & { readonly scrape: () => Promise<Samples>; readonly registry: Registry }> {
  const registry = new Registry();
  const host = { observers: [prometheusMetrics({ registry, maxJobs })] };
  const cluster = await TestCluster.start(['A'], { ...options, host });
  return Object.assign(cluster, { registry, scrape: async () => samplesIn(await registry.metrics()) });
}

const START = Date.UTC(2030, 0, 1) / 1000;
const JOB = '{job_name="job"}';

test('a firing that succeeds is expected, counted and timed', async () => {
  await using cluster = await observed({ job: { cron: '0/5 * * * * ?', shardingTotalCount: 3 } });

  await cluster.fire();

  expect(await cluster.scrape()).toMatchObject({
    [`elasticjob_firings_expected_total${JOB}`]: 1,
    'elasticjob_firings_total{job_name="job",cause="schedule"}': 1,
    'elasticjob_items_total{job_name="job",outcome="succeeded"}': 3,
    'elasticjob_items_total{job_name="job",outcome="failed"}': 0,
    'elasticjob_runs_ended_total{job_name="job",outcome="succeeded"}': 1,
    [`elasticjob_item_lateness_seconds_count${JOB}`]: 3,
    [`elasticjob_item_duration_seconds_count${JOB}`]: 3,
    [`elasticjob_run_duration_seconds_count${JOB}`]: 1,
    [`elasticjob_last_expected_timestamp_seconds${JOB}`]: START + 5,
    [`elasticjob_next_expected_timestamp_seconds${JOB}`]: START + 10,
    [`elasticjob_period_seconds${JOB}`]: 5,
    [`elasticjob_last_firing_timestamp_seconds${JOB}`]: START + 5,
    [`elasticjob_last_success_timestamp_seconds${JOB}`]: START + 5,
    [`elasticjob_items_owned${JOB}`]: 3,
    [`elasticjob_items_running${JOB}`]: 0,
    'elasticjob_job_state{job_name="job",state="active"}': 1,
    'elasticjob_session_state{state="connected",registry_center="default"}': 1,
    'elasticjob_session_state{state="suspended",registry_center="default"}': 0,
  });
});

test('rounds in a graph are counted once, timed, and seen while they wait', async () => {
  const registry = new Registry();
  const jobs = [
    { jobName: 'A', cron: '0/5 * * * * ?' },
    { jobName: 'B', props: { 'graph.after': 'A' } },
  ];
  await using cluster = await GraphCluster.start(['X', 'Y'], jobs, [prometheusMetrics({ registry })]);
  const scrape = async (): Promise<Samples> => samplesIn(await registry.metrics());
  // The first scrape finds out that the jobs belong to a graph.
  await scrape();
  const before = await scrape();
  cluster.hold('B 0');
  cluster.fail('A 1');
  await cluster.advance(5_000);
  cluster.mend();
  await cluster.advance(5_000);
  await cluster.advance(5_000);

  const during = await scrape();
  await cluster.release('B 0');
  const after = await scrape();

  expect(before).toMatchObject({
    'elasticjob_rounds_completed_total{job_name="A",outcome="failed"}': 0,
    'elasticjob_rounds_waiting{job_name="A"}': 0,
  });
  expect(during).toMatchObject({
    'elasticjob_rounds_completed_total{job_name="A",outcome="succeeded"}': 2,
    'elasticjob_rounds_completed_total{job_name="A",outcome="failed"}': 1,
    'elasticjob_rounds_completed_total{job_name="B",outcome="stopped"}': 1,
    'elasticjob_round_duration_seconds_count{job_name="A"}': 3,
    'elasticjob_rounds_waiting{job_name="B"}': 1,
  });
  expect(after).toMatchObject({
    'elasticjob_rounds_completed_total{job_name="B",outcome="succeeded"}': 2,
    'elasticjob_round_duration_seconds_count{job_name="B"}': 2,
    'elasticjob_rounds_waiting{job_name="B"}': 0,
  });
});

test('a job that belongs to no graph has no metrics of rounds', async () => {
  await using cluster = await observed({ job: { shardingTotalCount: 1 } });

  await cluster.fire();

  expect(Object.keys(await cluster.scrape()).filter((name) => name.startsWith('elasticjob_round'))).toEqual([]);
});

test('a run that outlasts its period is seen while it goes on, and its firings are misfires', async () => {
  const gate = new Deferred();
  await using cluster = await observed({ job: { shardingTotalCount: 1 }, work: () => gate.promise });
  await cluster.fire();
  await cluster.fire();

  const during = await cluster.scrape();
  gate.resolve();
  await cluster.advance('1s');
  const after = await cluster.scrape();

  expect(during).toMatchObject({
    [`elasticjob_oldest_run_start_timestamp_seconds${JOB}`]: START + 5,
    [`elasticjob_items_running${JOB}`]: 1,
    [`elasticjob_firings_expected_total${JOB}`]: 2,
    [`elasticjob_misfires_total${JOB}`]: 1,
  });
  expect(after).not.toHaveProperty([`elasticjob_oldest_run_start_timestamp_seconds${JOB}`]);
  expect(after).toMatchObject({
    'elasticjob_firings_total{job_name="job",cause="misfire"}': 1,
    [`elasticjob_firings_dropped_total${JOB}`]: 0,
  });
});

test('failures and retries are counted, and are no success', async () => {
  const work = (): never => {
    throw new Error('no stock');
  };
  await using cluster = await observed({
    job: { shardingTotalCount: 1, maxRetries: 1, retryBackoffMilliseconds: 100 },
    work,
  });
  await cluster.fire();
  await cluster.advance('2s');

  const samples = await cluster.scrape();

  expect(samples).toMatchObject({
    [`elasticjob_item_retries_total${JOB}`]: 1,
    'elasticjob_items_total{job_name="job",outcome="failed"}': 1,
    'elasticjob_runs_ended_total{job_name="job",outcome="failed"}': 1,
  });
  expect(samples).not.toHaveProperty([`elasticjob_last_success_timestamp_seconds${JOB}`]);
});

test('while an operator has disabled the job here, no firing is expected', async () => {
  await using cluster = await observed({ job: { disabled: true } });

  await cluster.fire();

  const samples = await cluster.scrape();
  expect(samples).toHaveProperty(['elasticjob_job_state{job_name="job",state="disabled"}'], 1);
  expect(samples).not.toHaveProperty([`elasticjob_next_expected_timestamp_seconds${JOB}`]);
  expect(samples[`elasticjob_firings_expected_total${JOB}`] ?? 0).toBe(0);
});

test('a suspended session is seen as such', async () => {
  await using cluster = await observed({});
  cluster.member('A').registry.faults.disconnect();

  expect(await cluster.scrape()).toMatchObject({
    'elasticjob_session_state{state="connected",registry_center="default"}': 0,
    'elasticjob_session_state{state="suspended",registry_center="default"}': 1,
  });
});

test('jobs beyond the cap share one label, which is logged once', async () => {
  const registry = new Registry();
  const metrics = prometheusMetrics({ registry, maxJobs: 1 });
  await using cluster = await TestCluster.start(['A'], { host: { observers: [metrics] } });
  await cluster.fire();
  for (const jobName of ['b', 'c', 'b']) metrics.onInstanceCrash({ jobName, instance: 'x', at: new Date() });

  const samples = samplesIn(await registry.metrics());

  expect(samples['elasticjob_instance_crashes_total{job_name="other"}']).toBe(3);
  expect(samples['elasticjob_instance_crashes_total{job_name="job"}']).toBe(0);
  expect(cluster.log.filter((line) => line.includes("share the label 'other'"))).toHaveLength(1);
});

test('a job that was removed has no metrics any more, and leaves its label to another one', async () => {
  const registry = new Registry();
  const silent = (): void => undefined;
  const host = new JobHost({
    registryCenter: new EmbeddedRegistryCenter(),
    observers: [prometheusMetrics({ registry, maxJobs: 2 })],
    logger: { debug: silent, log: silent, warn: silent, error: silent },
  });
  const add = (jobName: string): void => {
    const configuration = jobConfiguration({ jobName, cron: '0 0 0 1 1 ?', shardingTotalCount: 1 });
    host.add({ configuration, job: { execute: () => undefined }, owner: 'this test' });
  };
  add('kept');
  for (const tenant of ['one', 'two', 'three']) {
    add(`tenant-${tenant}`);
    expect(samplesIn(await registry.metrics())).toHaveProperty([`elasticjob_items_owned{job_name="tenant-${tenant}"}`]);
    await host.remove(`tenant-${tenant}`);
  }
  await registry.metrics();

  const samples = Object.keys(samplesIn(await registry.metrics()));

  await host.stop();
  expect(samples.filter((name) => name.includes('"kept"'))).not.toEqual([]);
  expect(samples.filter((name) => name.includes('tenant-') || name.includes('other'))).toEqual([]);
});

test('maxJobs must be an integer of at least 1', () => {
  expect(() => prometheusMetrics({ registry: new Registry(), maxJobs: 0 })).toThrow(
    'prometheusMetrics(): maxJobs must be an integer of at least 1, got 0',
  );
});

test('the backlog of the trace is read when it is scraped', async () => {
  const registry = new Registry();
  const tracing = { onRunEvent: () => undefined, backlog: () => ({ pending: 7, dropped: 2 }) };
  const host = { observers: [prometheusMetrics({ registry }), tracing] };
  await using cluster = await TestCluster.start(['A'], { host });
  await cluster.fire();

  expect(samplesIn(await registry.metrics())).toMatchObject({
    elasticjob_tracing_pending: 7,
    elasticjob_tracing_dropped_total: 2,
  });
});

test('a second application in the process goes on with the metrics of its registry', () => {
  const registry = new Registry();
  const first = prometheusMetrics({ registry });

  expect(prometheusMetrics({ registry })).toBe(first);
  registry.clear();
  expect(prometheusMetrics({ registry })).not.toBe(first);
});

test('a scrape by HTTP has every metric that is defined', async () => {
  await using cluster = await observed({});
  await cluster.fire();
  const server = createServer((_, response) => void cluster.registry.metrics().then((text) => response.end(text)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
  const text = await response.text();
  await new Promise((resolve) => server.close(resolve));

  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type]) => [name, type]);
  expect(Object.fromEntries(types)).toEqual(
    Object.fromEntries(Object.entries(METRICS).map(([name, { type }]) => [name, type])),
  );
});

test('a firing that cannot begin is a misfire only if items still run', async () => {
  const registry = new Registry();
  const metrics = prometheusMetrics({ registry });
  const due = { jobName: 'job', scheduledAt: new Date(0), at: new Date(0) };
  metrics.onFiringDue({ ...due, fate: 'dropped', itemsRunning: 1 });
  metrics.onFiringDue({ ...due, fate: 'waits', itemsRunning: 1 });
  metrics.onFiringDue({ ...due, fate: 'waits', itemsRunning: 0 });

  expect(samplesIn(await registry.metrics())).toMatchObject({
    [`elasticjob_firings_expected_total${JOB}`]: 3,
    [`elasticjob_misfires_total${JOB}`]: 2,
    [`elasticjob_firings_dropped_total${JOB}`]: 1,
  });
});
