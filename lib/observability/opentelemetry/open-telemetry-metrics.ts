import { type Meter, metrics as api } from '@opentelemetry/api';
import { type RunObserver } from '../../api/events/run-events.js';
import { checkOptions, integerFrom, type OptionRules, withMethods } from '../../api/settings/call-options.js';
import { type Instrument, type Instruments } from '../job-metrics.js';
import {
  type Labels,
  type MetricDefinition,
  METRICS,
  READ_WHEN_SCRAPED,
  type WrittenMetric,
} from '../metric-definitions.js';
import { type MetricsOptions, RunMetrics } from '../run-metrics.js';

/** Options of `openTelemetryMetrics()`. */
export interface OpenTelemetryMetricsOptions extends MetricsOptions {
  /** The meter that makes the instruments. Default: the meter `nestjs-elasticjob` of the global meter provider. */
  readonly meter?: Meter;
}

const RULES: OptionRules<OpenTelemetryMetricsOptions> = {
  maxJobs: integerFrom(1),
  meter: withMethods('createCounter', 'createHistogram'),
};

/**
 * The metrics of jobs by OpenTelemetry's meters: `ElasticJobModule.forRoot({ observers: [openTelemetryMetrics()] })`.
 * Call it after the meter provider has been registered: earlier instruments measure nothing.
 * @throws InvalidConfigurationError if an option is unknown or of a wrong kind
 */
export function openTelemetryMetrics(options: OpenTelemetryMetricsOptions = {}): RunObserver {
  checkOptions('openTelemetryMetrics()', options, RULES);
  const { meter = api.getMeter('nestjs-elasticjob') } = options;
  const metrics = new RunMetrics(new MeterInstruments(meter), options);
  for (const name of READ_WHEN_SCRAPED) {
    const { help: description, unit, type } = METRICS[name];
    const settings = { description, unit };
    const read =
      type === 'counter' ? meter.createObservableCounter(name, settings) : meter.createObservableGauge(name, settings);
    read.addCallback((result) => {
      for (const { value, labels } of metrics.samples(name)) result.observe(value, labels);
    });
  }
  return metrics;
}

class MeterInstruments implements Instruments {
  readonly #meter: Meter;
  readonly #made = new Map<WrittenMetric, (value: number, labels: Labels) => void>();

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  instrument(metric: WrittenMetric, labels: Labels): Instrument {
    let record = this.#made.get(metric);
    if (record === undefined) this.#made.set(metric, (record = this.#make(metric)));
    const add = record;
    return (value) => add(value, labels);
  }

  #make(metric: WrittenMetric): (value: number, labels: Labels) => void {
    const { type, help: description, unit, buckets = [] }: MetricDefinition = METRICS[metric];
    if (type === 'histogram') {
      const advice = { explicitBucketBoundaries: [...buckets] };
      const histogram = this.#meter.createHistogram(metric, { description, unit, advice });
      return (value, labels) => histogram.record(value, labels);
    }
    const counter = this.#meter.createCounter(metric, { description, unit });
    return (value, labels) => counter.add(value, labels);
  }
}
