/**
 * `nestjs-elasticjob/prometheus`: the metrics of jobs for Prometheus, by `prom-client`, which the application installs.
 */
export { METRICS, type MetricDefinition, type MetricName } from '../metric-definitions.js';
export { type MetricsOptions, type RunMetrics } from '../run-metrics.js';
export { prometheusMetrics, type PrometheusMetricsOptions } from './prometheus-metrics.js';
