// The cost of metrics and spans: CPU time of the observer for each item run, measured by replaying the events of real
// runs, and what whole firings take with and without them, in turns. 1,000 item runs a second at 10 µs each are 1 % of
// one core.
import { jobConfiguration, JobHost, ScheduleJobBootstrap } from 'nestjs-elasticjob/bootstrap';
import { EmbeddedRegistryCenter } from 'nestjs-elasticjob/registry';
import { openTelemetryMetrics, openTelemetrySpans } from 'nestjs-elasticjob/opentelemetry';
import { prometheusMetrics } from 'nestjs-elasticjob/prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { Registry } from 'prom-client';

const ITEMS = 1_000;
const silent = { debug() {}, log() {}, warn() {}, error() {} };
const meters = () => new MeterProvider().getMeter('bench');

/** Timers that the benchmark fires. */
class HandTimers {
  arm(_jobName, _instant, onFire) {
    this.fire = onFire;
  }
  disarm() {}
}

let hosts = 0;

async function job(options) {
  const registryCenter = new EmbeddedRegistryCenter({ namespace: `bench-observability-${++hosts}` });
  registryCenter.connect();
  const timers = new HandTimers();
  const host = new JobHost({ registryCenter, timers, logger: silent, ...options });
  let left = 0;
  let finished = () => {};
  const work = { execute: () => void (--left === 0 && finished()) };
  const settings = { jobName: 'bench', shardingTotalCount: ITEMS, cron: '0 0 0 * * ?', timeZone: 'GMT' };
  await new ScheduleJobBootstrap(registryCenter, work, jobConfiguration(settings), { host }).schedule();
  const fire = async () => {
    left = ITEMS;
    const done = new Promise((resolve) => (finished = resolve));
    timers.fire();
    await done;
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const close = async () => {
    await host.stop();
    await registryCenter.close();
  };
  return { fire, close };
}

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

async function cpuPerItem(fire, rounds) {
  const costs = [];
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    await fire();
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / ITEMS);
  }
  return median(costs);
}

const observersOf = {
  Prometheus: () => ({ observers: [prometheusMetrics({ registry: new Registry() })] }),
  'OpenTelemetry metrics': () => ({ observers: [openTelemetryMetrics({ meter: meters() })] }),
  'OpenTelemetry spans': () => {
    const spans = openTelemetrySpans({ tracer: new BasicTracerProvider().getTracer('bench') });
    return { observers: [spans], interceptors: [spans] };
  },
};

const events = [];
const recorded = await job({ observers: [{ onRunEvent: (event) => void events.push(event) }] });
await recorded.fire();
await recorded.close();

for (const [name, make] of Object.entries(observersOf)) {
  const { observers } = make();
  const replay = () => {
    for (const event of events) for (const observer of observers) observer.onRunEvent(event);
    return Promise.resolve();
  };
  await cpuPerItem(replay, 50);
  const us = await cpuPerItem(replay, 300);
  const plain = await job({});
  const observed = await job(make());
  const firings = { plain: [], observed: [] };
  for (let round = 0; round < 40; round++) {
    firings.plain.push(await cpuPerItem(plain.fire, 1));
    firings.observed.push(await cpuPerItem(observed.fire, 1));
  }
  await plain.close();
  await observed.close();
  const [without, withIt] = [median(firings.plain), median(firings.observed)];
  console.log(
    `${name}: ${us.toFixed(2)} µs an item run (replayed), ${((us * 1_000) / 10_000).toFixed(2)} % of a core at 1,000 item runs a second; ` +
      `whole firings ${without.toFixed(1)} → ${withIt.toFixed(1)} µs an item run, ratio ${(withIt / without).toFixed(2)}`,
  );
}
