/**
 * Measures the jobs of a process, for any metrics library:
 *
 * ```
 *  runs ──▶ RunMetrics ──▶ instruments: counters and histograms, written when something happens
 *              ▲  └──────▶ samples(…): gauges, read from the memory of this process when they are scraped
 *  hosts ──────┘
 * ```
 * No timer runs. A job that was removed is forgotten. The number of jobs that have labels of their own is bounded; the
 * others share the label `other`, which has counters and histograms and no gauges.
 */
import { type ObservedHost, type ObservedJob } from '../api/events/observed-host.js';
import {
  type DueFiring,
  type InstanceCrash,
  type RoundCompletion,
  type RunEvent,
  type RunObserver,
} from '../api/events/run-events.js';
import { JobMetrics, type Instruments, type RunTimes } from './job-metrics.js';
import { type ReadMetric, type Sample } from './metric-definitions.js';

/** Options of measuring jobs. */
export interface MetricsOptions {
  /**
   * The most jobs that have their own labels: the first ones that run. The others share the label `other`. Default:
   * 500.
   */
  readonly maxJobs?: number;
}

/** The label that jobs share beyond `maxJobs`. */
export const OTHER_JOBS = 'other';

const MAX_JOBS = 500;
const PHASES = ['connecting', 'connected', 'suspended', 'lost', 'closed'] as const satisfies ObservedHost['session'][];
/** The states in which a job does not run on purpose. */
const SWITCHED_OFF = new Set(['created', 'disabled', 'stopping', 'stopped', 'ended']);

/** Measures the runs of all jobs of the hosts that it observes. */
export class RunMetrics implements RunObserver {
  readonly #instruments: Instruments;
  readonly #maxJobs: number;
  readonly #jobs = new Map<string, JobMetrics>();
  #others: JobMetrics | undefined;
  #hosts: readonly ObservedHost[] = [];

  constructor(instruments: Instruments, { maxJobs = MAX_JOBS }: MetricsOptions) {
    this.#instruments = instruments;
    this.#maxJobs = maxJobs;
  }

  onHost(host: ObservedHost): void {
    this.#hosts = [...this.#livingHosts, host];
  }

  onRunEvent(event: RunEvent): void {
    this.#of(event.run.jobName).noteRun(event);
  }

  onFiringDue(firing: DueFiring): void {
    const { jobName } = firing;
    const isOff = this.#hosts.some(({ jobs }) => SWITCHED_OFF.has(jobs.get(jobName)?.health.state ?? ''));
    if (!isOff) this.#of(jobName).noteDue(firing);
  }

  onInstanceCrash({ jobName }: InstanceCrash): void {
    this.#of(jobName).noteCrash();
  }

  onRoundCompleted(round: RoundCompletion): void {
    this.#of(round.jobName).noteRound(round);
  }

  /** The present values of a metric that is read when it is scraped. */
  samples(metric: ReadMetric): readonly Sample[] {
    this.#forgetRemoved();
    switch (metric) {
      case 'elasticjob_last_expected_timestamp_seconds':
        return this.#ofRuns(({ lastExpected }) => lastExpected);
      case 'elasticjob_last_firing_timestamp_seconds':
        return this.#ofRuns(({ lastFiring }) => lastFiring);
      case 'elasticjob_last_success_timestamp_seconds':
        return this.#ofRuns(({ lastSuccess }) => lastSuccess);
      case 'elasticjob_last_run_duration_seconds':
        return this.#ofRuns(({ lastDuration }) => lastDuration);
      case 'elasticjob_oldest_run_start_timestamp_seconds':
        return this.#ofRuns(({ oldestStart }) => oldestStart);
      case 'elasticjob_next_expected_timestamp_seconds':
        return this.#ofJobs((job) => (isSwitchedOff(job) ? undefined : seconds(job.nextInstant?.getTime())));
      case 'elasticjob_period_seconds':
        return this.#ofJobs(({ periodMs }) => seconds(periodMs));
      case 'elasticjob_rounds_waiting':
        this.#noteGraphs();
        return this.#ofJobs(({ roundsWaiting }) => roundsWaiting);
      case 'elasticjob_items_owned':
        return this.#ofJobs(({ itemsOwned }) => itemsOwned);
      case 'elasticjob_items_running':
        return this.#ofJobs(({ itemsRunning }) => itemsRunning);
      case 'elasticjob_job_state':
        return this.#observed.map(([job_name, { health }]) => ({
          labels: { job_name, state: health.state },
          value: 1,
        }));
      case 'elasticjob_session_state':
        return this.#sessions();
      case 'elasticjob_tracing_pending':
        return this.#backlogs('pending');
      case 'elasticjob_tracing_dropped_total':
        return this.#backlogs('dropped');
      default:
        return metric satisfies never;
    }
  }

  /** Counters of rounds begin at 0, so that the first failure counts as an increase; most jobs belong to no graph. */
  #noteGraphs(): void {
    for (const [jobName, { roundsWaiting }] of this.#observed)
      if (roundsWaiting !== undefined) this.#of(jobName).noteInGraph();
  }

  #of(jobName: string): JobMetrics {
    return this.#jobs.get(jobName) ?? this.#added(jobName);
  }

  /** Removes the metrics of jobs that no host has any more; other jobs can use their labels. */
  #forgetRemoved(): void {
    if (this.#livingHosts.length === 0) return;
    for (const [jobName, job] of this.#jobs) {
      if (this.#hosts.some(({ jobs }) => jobs.has(jobName))) continue;
      job.forget();
      this.#jobs.delete(jobName);
    }
  }

  #added(jobName: string): JobMetrics {
    if (this.#jobs.size >= this.#maxJobs) this.#forgetRemoved();
    if (this.#jobs.size < this.#maxJobs) {
      const added = new JobMetrics(jobName, this.#instruments);
      this.#jobs.set(jobName, added);
      return added;
    }
    this.#others ??= this.#firstOther(jobName);
    return this.#others;
  }

  #firstOther(jobName: string): JobMetrics {
    this.#hosts[0]?.logger.warn(
      `Metrics: job '${jobName}' and further jobs share the label '${OTHER_JOBS}', because ${this.#maxJobs} jobs have labels of their own. ` +
        'Raise maxJobs if that is too few.',
    );
    return new JobMetrics(OTHER_JOBS, this.#instruments);
  }

  get #livingHosts(): readonly ObservedHost[] {
    return this.#hosts.filter(({ isStopping }) => !isStopping);
  }

  /** The jobs that have labels of their own. */
  get #observed(): readonly (readonly [string, ObservedJob])[] {
    const jobs = this.#livingHosts.flatMap((host) => [...host.jobs]);
    // A job that has not run yet gets its label now, in order.
    return [...new Map(jobs)].filter(([name]) => this.#of(name) !== this.#others);
  }

  #ofJobs(valueOf: (job: ObservedJob) => number | undefined): readonly Sample[] {
    return this.#observed.flatMap(([job_name, job]) => sampleOf({ job_name }, valueOf(job)));
  }

  #ofRuns(valueOf: (times: RunTimes) => number | undefined): readonly Sample[] {
    return [...this.#jobs.values()].flatMap(({ label, times }) => sampleOf({ job_name: label }, valueOf(times)));
  }

  #sessions(): readonly Sample[] {
    const phases = new Map<string, ObservedHost['session'][]>();
    for (const { registryCenter, session } of this.#livingHosts)
      phases.set(registryCenter, [...(phases.get(registryCenter) ?? []), session]);
    return [...phases].flatMap(([registry_center, sessions]) =>
      PHASES.map((state) => ({
        labels: { state, registry_center },
        value: sessions.filter((phase) => phase === state).length,
      })),
    );
  }

  #backlogs(count: 'pending' | 'dropped'): readonly Sample[] {
    const backlogs = new Map(this.#hosts.flatMap((host) => [...host.backlogs]));
    if (backlogs.size === 0) return [];
    const values = new Map([['', 0]]);
    for (const { named = {}, ...unnamed } of backlogs.values())
      for (const [name, backlog] of Object.entries({ '': unnamed, ...named }))
        values.set(name, (values.get(name) ?? 0) + backlog[count]);
    return [...values].map(([name, value]) => ({ labels: name === '' ? {} : { data_source: name }, value }));
  }
}

const isSwitchedOff = ({ health }: ObservedJob): boolean => SWITCHED_OFF.has(health.state);
const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);
const sampleOf = (labels: Sample['labels'], value: number | undefined): readonly Sample[] =>
  value === undefined ? [] : [{ labels, value }];
