import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { abortable } from '../../../lib/async/wait.js';
import { openTelemetryMetrics, openTelemetrySpans } from '../../../lib/observability/opentelemetry/index.js';
import { TestCluster, type TestClusterOptions } from '../../../lib/testing/index.js';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
beforeEach(() => exporter.reset());
afterAll(() => context.disable());

function observed(options: Partial<TestClusterOptions>): Promise<TestCluster> {
  const spans = openTelemetrySpans({ tracer: provider.getTracer('test') });
  return TestCluster.start(['A'], { ...options, host: { observers: [spans], interceptors: [spans] } });
}

const spansNamed = (name: string): readonly ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => span.name === name);

test('a run is a span, its items are its children, and their code runs in their context', async () => {
  const active: (string | undefined)[] = [];
  const work = async (): Promise<void> => {
    await Promise.resolve();
    active.push(trace.getActiveSpan()?.spanContext().spanId);
  };
  await using cluster = await observed({ job: { shardingTotalCount: 2 }, work });

  await cluster.fire();

  const [run] = spansNamed('run job');
  const items = spansNamed('item job');
  expect(run?.parentSpanContext).toBeUndefined();
  expect(run?.attributes).toMatchObject({
    'elasticjob.job.name': 'job',
    'elasticjob.cause': 'schedule',
    'elasticjob.scheduled_at': '2030-01-01T00:00:05.000Z',
    'elasticjob.item.count': 2,
    'elasticjob.outcome': 'succeeded',
    'elasticjob.items.succeeded': 2,
  });
  expect(items.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
    [1, 2].map(() => run?.spanContext().spanId),
  );
  expect(items.map(({ attributes }) => attributes['elasticjob.item']).sort()).toEqual([0, 1]);
  expect(items[0]?.attributes).toMatchObject({ 'elasticjob.attempt': 1, 'elasticjob.outcome': 'succeeded' });
  expect(active.sort()).toEqual(items.map((span) => span.spanContext().spanId).sort());
  expect(items[0]?.status.code).toBe(SpanStatusCode.UNSET);
});

test('the span of a run is a root, also if its job starts, fires and is triggered while another span is active', async () => {
  const request = provider.getTracer('test').startSpan('request');
  await context.with(trace.setSpan(context.active(), request), async () => {
    await using cluster = await observed({ job: { shardingTotalCount: 1 } });
    await cluster.fire();
    await cluster.trigger();
  });

  const runs = spansNamed('run job');
  expect(runs.map(({ attributes }) => attributes['elasticjob.cause'])).toEqual(['schedule', 'manual']);
  expect(runs.map(({ parentSpanContext }) => parentSpanContext)).toEqual([undefined, undefined]);
});

test('an attempt that is tried again is a span, to which the next one links', async () => {
  const work = (_: unknown, { attempt }: { readonly attempt: number }): void => {
    if (attempt === 1) throw new TypeError('no stock');
  };
  await using cluster = await observed({
    job: { shardingTotalCount: 1, maxRetries: 1, retryBackoffMilliseconds: 100 },
    work,
  });

  await cluster.fire();
  await cluster.advance('2s');

  const [first, second] = spansNamed('item job');
  expect(first?.attributes).toMatchObject({
    'elasticjob.attempt': 1,
    'elasticjob.outcome': 'retried',
    'error.type': 'TypeError',
  });
  expect(first?.status).toEqual({ code: SpanStatusCode.ERROR, message: expect.stringContaining('no stock') });
  expect(first?.events).toMatchObject([{ name: 'exception', attributes: { 'exception.message': 'no stock' } }]);
  expect(second?.attributes).toMatchObject({ 'elasticjob.attempt': 2, 'elasticjob.outcome': 'succeeded' });
  expect(second?.links.map((link) => link.context.spanId)).toEqual([first?.spanContext().spanId]);
});

test('the span of a failure shows no secret', async () => {
  const work = (): void => {
    throw new Error('refused: password=s3cret');
  };
  await using cluster = await observed({ job: { shardingTotalCount: 1 }, work });

  await cluster.fire();

  const [span] = spansNamed('item job');
  expect(span?.status.message).toContain('password=******');
  expect(JSON.stringify(span?.events)).not.toContain('s3cret');
});

test('an item that is out of time can be told from one that was aborted', async () => {
  const work = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<void> =>
    abortable(new Promise<void>(() => {}), signal);
  await using cluster = await observed({ job: { shardingTotalCount: 1, timeoutMilliseconds: 2_000 }, work });
  await cluster.fire();
  await cluster.advance('3s');
  await cluster.fire();
  cluster.member('A').registry.faults.disconnect();
  await cluster.advance('1m');

  const outcomes = spansNamed('item job').map(({ attributes }) => attributes['elasticjob.outcome']);

  expect(outcomes.slice(0, 1)).toEqual(['timed-out']);
  expect(spansNamed('item job')[0]?.attributes['error.type']).toBe('ItemTimeoutError');
  expect(spansNamed('run job')[0]?.attributes['elasticjob.outcome']).toBe('timed-out');
});

test('a run that makes up for a misfire links to the run before it', async () => {
  let runs = 0;
  let end = (): void => undefined;
  const gate = new Promise<void>((resolve) => (end = resolve));
  await using cluster = await observed({
    job: { shardingTotalCount: 1 },
    work: () => (runs++ === 0 ? gate : undefined),
  });
  await cluster.fire();
  await cluster.fire();
  end();
  await cluster.advance('1s');

  const [first, second] = spansNamed('run job');

  expect(second?.attributes['elasticjob.cause']).toBe('misfire');
  expect(second?.links.map((link) => link.context.spanId)).toEqual([first?.spanContext().spanId]);
});

test('an item that is taken over from an instance that has lost its session has the job, number and instant of that run', async () => {
  const spans = openTelemetrySpans({ tracer: provider.getTracer('test') });
  let runs = 0;
  const untilAborted = (signal: AbortSignal): Promise<void> => abortable(new Promise<void>(() => {}), signal);
  await using cluster = await TestCluster.start(['A', 'B'], {
    job: { shardingTotalCount: 1, failover: true },
    work: (_, { signal }) => (runs++ === 0 ? untilAborted(signal) : undefined),
    host: { observers: [spans], interceptors: [spans] },
  });

  await cluster.fire();
  await cluster.expire('B');
  await cluster.advance('10s');

  const [lost, again] = spansNamed('item job').map(({ attributes }) => attributes);
  expect([lost?.['elasticjob.outcome'], again?.['elasticjob.outcome']]).toEqual(['aborted', 'succeeded']);
  for (const key of ['elasticjob.job.name', 'elasticjob.item', 'elasticjob.scheduled_at'])
    expect(again).toHaveProperty([key], lost?.[key]);
  expect(lost).toHaveProperty(['elasticjob.scheduled_at']);
});

test('a firing without items has no span', async () => {
  await using cluster = await observed({ job: { disabled: true } });

  await cluster.fire();

  expect(exporter.getFinishedSpans()).toEqual([]);
});

test('the metrics are those of Prometheus', async () => {
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 1_000_000 });
  const meters = new MeterProvider({ readers: [reader] });
  const observers = [openTelemetryMetrics({ meter: meters.getMeter('test') })];
  await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 3 }, host: { observers } });

  await cluster.fire();
  await reader.forceFlush();
  await meters.shutdown();

  const points = metricExporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
    .flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ attributes, value }) => [`${descriptor.name} ${JSON.stringify(attributes)}`, value] as const),
    );
  expect(Object.fromEntries(points)).toMatchObject({
    'elasticjob_items_total {"job_name":"job","outcome":"succeeded"}': 3,
    'elasticjob_items_owned {"job_name":"job"}': 3,
    'elasticjob_item_duration_seconds {"job_name":"job"}': expect.objectContaining({ count: 3 }),
    'elasticjob_session_state {"state":"connected","registry_center":"default"}': 1,
  });
});
