import { Counter, Gauge, Histogram, register, type Registry } from 'prom-client';
import { checkOptions, integerFrom, type OptionRules, withMethods } from '../../api/settings/call-options.js';
import { type Instrument, type Instruments } from '../job-metrics.js';
import {
  type Labels,
  type MetricDefinition,
  METRICS,
  type MetricName,
  READ_WHEN_SCRAPED,
  type ReadMetric,
  type WrittenMetric,
} from '../metric-definitions.js';
import { type MetricsOptions, RunMetrics } from '../run-metrics.js';

/** Options of `prometheusMetrics()`. */
export interface PrometheusMetricsOptions extends MetricsOptions {
  /** The registry of the metrics. Default: the default registry of `prom-client`. */
  readonly registry?: Registry;
}

const RULES: OptionRules<PrometheusMetricsOptions> = {
  maxJobs: integerFrom(1),
  registry: withMethods('registerMetric', 'getSingleMetric'),
};

/**
 * The metrics of each registry, which takes a metric only once: an application that is created twice in one process
 * uses the same ones again.
 */
const known = new WeakMap<Registry, RunMetrics>();

/**
 * The metrics of jobs, for Prometheus: `ElasticJobModule.forRoot({ observers: [prometheusMetrics()] })`, or `observers`
 * of a `JobHost`. For a registry that has the metrics already, the same observer is returned, and `maxJobs` has no
 * effect.
 * @throws InvalidConfigurationError if an option is unknown or of a wrong kind
 * @throws Error of `prom-client` if the registry has a foreign metric of one of the names
 */
export function prometheusMetrics(options: PrometheusMetricsOptions = {}): RunMetrics {
  checkOptions('prometheusMetrics()', options, RULES);
  const { registry = register } = options;
  const present = known.get(registry);
  if (present !== undefined && registry.getSingleMetric('elasticjob_items_total') !== undefined) return present;
  const metrics = new RunMetrics(new PrometheusInstruments(registry), options);
  for (const name of READ_WHEN_SCRAPED) addRead(registry, name, metrics);
  known.set(registry, metrics);
  return metrics;
}

class PrometheusInstruments implements Instruments {
  readonly #metrics: ReadonlyMap<MetricName, Counter | Histogram>;

  constructor(registry: Registry) {
    const read: readonly string[] = READ_WHEN_SCRAPED;
    const written = (Object.keys(METRICS) as MetricName[]).filter((name) => !read.includes(name));
    this.#metrics = new Map(written.map((name) => [name, metricOf(registry, name)]));
  }

  instrument(metric: WrittenMetric, labels: Labels): Instrument {
    const found = this.#metrics.get(metric);
    if (found instanceof Histogram) {
      const child = found.labels(labels);
      return (value) => child.observe(value);
    }
    const child = found?.labels(labels);
    return (value) => child?.inc(value);
  }

  forget(metric: WrittenMetric, labels: Labels): void {
    this.#metrics.get(metric)?.remove(labels);
  }
}

function metricOf(registry: Registry, name: MetricName): Counter | Histogram {
  const { type, buckets = [] }: MetricDefinition = METRICS[name];
  const options = { name, ...describe(registry, name) };
  return type === 'histogram' ? new Histogram({ ...options, buckets: [...buckets] }) : new Counter(options);
}

/** Reads the metric whenever the registry is scraped. */
function addRead(registry: Registry, name: ReadMetric, metrics: RunMetrics): void {
  const options = { name, ...describe(registry, name) };
  if (METRICS[name].type === 'counter')
    new Counter({
      ...options,
      collect() {
        this.reset();
        for (const { labels, value } of metrics.samples(name)) this.inc(labels, value);
      },
    });
  else
    new Gauge({
      ...options,
      collect() {
        this.reset();
        for (const { labels, value } of metrics.samples(name)) this.set(labels, value);
      },
    });
}

function describe(
  registry: Registry,
  name: MetricName,
): { readonly help: string; readonly labelNames: string[]; readonly registers: Registry[] } {
  const { help, labels } = METRICS[name];
  return { help, labelNames: [...labels], registers: [registry] };
}
