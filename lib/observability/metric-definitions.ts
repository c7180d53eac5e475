/**
 * The metrics of jobs, by their names in Prometheus. `nestjs-elasticjob/prometheus` and
 * `nestjs-elasticjob/opentelemetry` have the same ones. docs/metrics.md explains their use.
 *
 * The name of a job is the label `job_name`: `job` is the label that Prometheus itself gives to each target. Items and
 * instances are no labels, since there may be too many of them.
 */

/** One metric. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** The help text: the measured quantity and its unit. */
  readonly help: string;
  readonly labels: readonly string[];
  /** OpenTelemetry's unit (UCUM). */
  readonly unit: string;
  /** Upper bounds of the buckets of a histogram. */
  readonly buckets?: readonly number[];
}

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200] as const;

const jobMetric = (type: MetricDefinition['type'], help: string, unit: string): MetricDefinition => ({
  ...{ type, help, unit, labels: ['job_name'] },
  ...(type === 'histogram' && { buckets: SECONDS }),
});

/** All metrics by name. */
export const METRICS = {
  elasticjob_firings_expected_total: jobMetric(
    'counter',
    'Scheduled instants that came on this instance while the job was not disabled here.',
    '{firing}',
  ),
  elasticjob_firings_total: {
    ...jobMetric(
      'counter',
      'Runs that began items here, by cause: schedule, misfire, catch-up, dependency, failover, manual.',
      '{run}',
    ),
    labels: ['job_name', 'cause'],
  },
  elasticjob_runs_ended_total: {
    ...jobMetric(
      'counter',
      'Runs that ended here, by outcome: succeeded, failed, timed-out, aborted, nothing-to-run, postponed, stopped.',
      '{run}',
    ),
    labels: ['job_name', 'outcome'],
  },
  elasticjob_items_total: {
    ...jobMetric('counter', 'Items that ended here, by outcome: succeeded, failed, timed-out, aborted.', '{item}'),
    labels: ['job_name', 'outcome'],
  },
  elasticjob_item_retries_total: jobMetric(
    'counter',
    'Attempts at an item that failed and were followed by another.',
    '{attempt}',
  ),
  elasticjob_misfires_total: jobMetric('counter', 'Firings that came while items of the job still ran.', '{firing}'),
  elasticjob_firings_dropped_total: jobMetric(
    'counter',
    'Firings for which items are not run, because they still ran and misfire is off.',
    '{firing}',
  ),
  elasticjob_instance_crashes_total: jobMetric(
    'counter',
    'Crashes of other instances that this one noticed first.',
    '{instance}',
  ),
  elasticjob_item_lateness_seconds: jobMetric(
    'histogram',
    'From the scheduled instant to the start of the item, in runs caused by the schedule.',
    's',
  ),
  elasticjob_item_duration_seconds: jobMetric(
    'histogram',
    'From the start of an item to its end, retries included.',
    's',
  ),
  elasticjob_run_duration_seconds: jobMetric('histogram', 'From the beginning of the items of a run to its end.', 's'),
  elasticjob_rounds_completed_total: {
    ...jobMetric(
      'counter',
      'Rounds in graphs that this instance has put on record, by outcome: succeeded, failed, stopped, skipped.',
      '{round}',
    ),
    labels: ['job_name', 'outcome'],
  },
  elasticjob_round_duration_seconds: jobMetric(
    'histogram',
    'From the instant of a round to the end of its last item, of rounds that have succeeded or failed.',
    's',
  ),
  elasticjob_last_expected_timestamp_seconds: jobMetric('gauge', 'The last scheduled instant that came here.', 's'),
  elasticjob_next_expected_timestamp_seconds: jobMetric('gauge', 'The scheduled instant that comes next here.', 's'),
  elasticjob_period_seconds: jobMetric('gauge', 'From the next scheduled instant to the one that follows.', 's'),
  elasticjob_last_firing_timestamp_seconds: jobMetric('gauge', 'When a run began items here last.', 's'),
  elasticjob_last_success_timestamp_seconds: jobMetric(
    'gauge',
    'When a run last ended here with all its items successful.',
    's',
  ),
  elasticjob_last_run_duration_seconds: jobMetric('gauge', 'Duration of the run that ended here last.', 's'),
  elasticjob_oldest_run_start_timestamp_seconds: jobMetric(
    'gauge',
    'When the oldest run that goes on here began its items; no sample while there is none.',
    's',
  ),
  elasticjob_rounds_waiting: jobMetric(
    'gauge',
    'Instants for which items of this instance are due after other jobs and have not begun; no sample outside of graphs.',
    '{round}',
  ),
  elasticjob_items_owned: jobMetric('gauge', 'Items that are assigned to this instance.', '{item}'),
  elasticjob_items_running: jobMetric('gauge', 'Items that run here.', '{item}'),
  elasticjob_job_state: {
    ...jobMetric('gauge', 'Always 1: the state of the job on this instance, as in the health report.', '1'),
    labels: ['job_name', 'state'],
  },
  elasticjob_session_state: {
    ...{ type: 'gauge', unit: '1', labels: ['state', 'registry_center'] },
    help: '1 for the phase of the session with the registry centre, 0 for the others.',
  },
  elasticjob_tracing_pending: {
    ...{ type: 'gauge', unit: '{event}', labels: ['data_source'] },
    help: 'Trace events that wait for the database.',
  },
  elasticjob_tracing_dropped_total: {
    ...{ type: 'counter', unit: '{event}', labels: ['data_source'] },
    help: 'Trace events that were lost.',
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** The name of a metric. */
export type MetricName = keyof typeof METRICS;

/** Metrics that are read when they are scraped; the others are written when something happens. */
export const READ_WHEN_SCRAPED = [
  'elasticjob_last_expected_timestamp_seconds',
  'elasticjob_next_expected_timestamp_seconds',
  'elasticjob_period_seconds',
  'elasticjob_last_firing_timestamp_seconds',
  'elasticjob_last_success_timestamp_seconds',
  'elasticjob_last_run_duration_seconds',
  'elasticjob_oldest_run_start_timestamp_seconds',
  'elasticjob_rounds_waiting',
  'elasticjob_items_owned',
  'elasticjob_items_running',
  'elasticjob_job_state',
  'elasticjob_session_state',
  'elasticjob_tracing_pending',
  'elasticjob_tracing_dropped_total',
] as const satisfies readonly MetricName[];

/** A metric that is read when it is scraped. */
export type ReadMetric = (typeof READ_WHEN_SCRAPED)[number];

/** A metric that is written when something happens. */
export type WrittenMetric = Exclude<MetricName, ReadMetric>;

/** Labels by name. */
export type Labels = Readonly<Record<string, string>>;

/** One value of a metric. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}
