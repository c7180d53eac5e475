/**
 * `nestjs-elasticjob/opentelemetry`: spans and metrics of jobs by `@opentelemetry/api`, which the application installs.
 */
export { METRICS, type MetricDefinition, type MetricName } from '../metric-definitions.js';
export { type MetricsOptions } from '../run-metrics.js';
export { openTelemetryMetrics, type OpenTelemetryMetricsOptions } from './open-telemetry-metrics.js';
export { openTelemetrySpans, type OpenTelemetrySpansOptions } from './open-telemetry-spans.js';
