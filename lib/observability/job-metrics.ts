import {
  type DueFiring,
  type ItemOutcome,
  type RoundCompletion,
  type RunEvent,
  type RunOutcome,
} from '../api/events/run-events.js';
import { type Labels, type WrittenMetric } from './metric-definitions.js';

/** Adds to the metric with these labels: to a counter the given number, to a histogram one observation. */
export type Instrument = (value: number) => void;

/** The instruments of a metrics library. */
export interface Instruments {
  /** Called once for each metric with each combination of labels, and remembered. */
  instrument(metric: WrittenMetric, labels: Labels): Instrument;
  /** Removes the instrument for these labels, if the library can. */
  forget?(metric: WrittenMetric, labels: Labels): void;
}

/** The times of a job's runs for the gauges; in seconds, and seconds since 1970. */
export interface RunTimes {
  readonly lastExpected: number | undefined;
  readonly lastFiring: number | undefined;
  readonly lastSuccess: number | undefined;
  readonly lastDuration: number | undefined;
  readonly oldestStart: number | undefined;
}

/** Measures the runs of the jobs that share a label. */
export class JobMetrics {
  readonly label: string;
  readonly #instruments: Instruments;
  /** By metric and, if it has one, the value of its second label. */
  readonly #known = new Map<
    string,
    { readonly instrument: Instrument; readonly metric: WrittenMetric; readonly labels: Labels }
  >();
  /** The times at which current runs began their items, by run; milliseconds since 1970. */
  readonly #began = new Map<string, number>();
  #lastExpected: number | undefined;
  #lastFiring: number | undefined;
  #lastSuccess: number | undefined;
  #lastDuration: number | undefined;

  constructor(label: string, instruments: Instruments) {
    this.label = label;
    this.#instruments = instruments;
    // From 0, so that the first failure counts as an increase.
    for (const outcome of ['succeeded', 'failed', 'timed-out', 'aborted'])
      this.#add('elasticjob_items_total', { outcome }, 0);
    for (const metric of COUNTED_FROM_0) this.#add(metric, {}, 0);
  }

  /** Seconds since 1970. */
  get times(): RunTimes {
    const oldest = [...this.#began.values()].reduce((one, other) => Math.min(one, other), Infinity);
    return {
      lastExpected: this.#lastExpected,
      lastFiring: this.#lastFiring,
      lastSuccess: this.#lastSuccess,
      lastDuration: this.#lastDuration,
      oldestStart: Number.isFinite(oldest) ? oldest / 1000 : undefined,
    };
  }

  /** Removes the metrics of a job that is gone. */
  forget(): void {
    for (const { metric, labels } of this.#known.values()) this.#instruments.forget?.(metric, labels);
  }

  noteDue({ scheduledAt, fate, itemsRunning }: DueFiring): void {
    this.#lastExpected = scheduledAt.getTime() / 1000;
    this.#add('elasticjob_firings_expected_total');
    if (fate === 'begins' || itemsRunning === 0) return;
    this.#add('elasticjob_misfires_total');
    if (fate === 'dropped') this.#add('elasticjob_firings_dropped_total');
  }

  noteCrash(): void {
    this.#add('elasticjob_instance_crashes_total');
  }

  /** The job belongs to a graph. */
  noteInGraph(): void {
    for (const outcome of ['succeeded', 'failed', 'stopped', 'skipped'])
      this.#add('elasticjob_rounds_completed_total', { outcome }, 0);
  }

  noteRound({ instant, at, outcome }: RoundCompletion): void {
    this.#add('elasticjob_rounds_completed_total', { outcome });
    if (outcome === 'succeeded' || outcome === 'failed')
      this.#add('elasticjob_round_duration_seconds', {}, secondsBetween(instant.getTime(), at));
  }

  noteRun(event: RunEvent): void {
    switch (event.type) {
      case 'staged':
        return;
      case 'items-begun':
        return this.#noteBegun(event);
      case 'item-started':
        return this.#noteStarted(event);
      case 'item-retried':
        return this.#add('elasticjob_item_retries_total');
      case 'item-ended':
        this.#add('elasticjob_items_total', { outcome: itemOutcome(event.outcome) });
        if (event.durationMs !== undefined) this.#add('elasticjob_item_duration_seconds', {}, event.durationMs / 1000);
        return;
      case 'run-ended':
        return this.#noteEnded(event);
      default:
        return event satisfies never;
    }
  }

  #noteBegun({ run, at, blocked }: EventOf<'items-begun'>): void {
    this.#began.set(keyOf(run), at.getTime());
    this.#lastFiring = at.getTime() / 1000;
    this.#add('elasticjob_firings_total', { cause: run.cause });
    if (run.cause === 'schedule' && blocked.length > 0) this.#add('elasticjob_misfires_total');
  }

  #noteStarted({ run, at, context }: EventOf<'item-started'>): void {
    if (run.cause !== 'schedule' || context.scheduledAt === undefined) return;
    this.#add('elasticjob_item_lateness_seconds', {}, secondsBetween(context.scheduledAt.getTime(), at));
  }

  #noteEnded({ run, at, outcome }: EventOf<'run-ended'>): void {
    const summary = runOutcome(outcome);
    this.#add('elasticjob_runs_ended_total', { outcome: summary });
    if (run.cause === 'schedule' && outcome.type === 'nothing-to-run' && outcome.reason === 'still-running') {
      this.#add('elasticjob_misfires_total');
      if (!outcome.isMadeUpFor) this.#add('elasticjob_firings_dropped_total');
    }
    const began = this.#began.get(keyOf(run));
    if (began === undefined) return;
    this.#began.delete(keyOf(run));
    this.#lastDuration = secondsBetween(began, at);
    this.#add('elasticjob_run_duration_seconds', {}, this.#lastDuration);
    if (summary === 'succeeded') this.#lastSuccess = at.getTime() / 1000;
  }

  #add(metric: WrittenMetric, second: Labels = NONE, value = 1): void {
    const key = metric + (second['outcome'] ?? second['cause'] ?? '');
    let known = this.#known.get(key);
    if (known === undefined) {
      const labels = { job_name: this.label, ...second };
      known = { instrument: this.#instruments.instrument(metric, labels), metric, labels };
      this.#known.set(key, known);
    }
    known.instrument(value);
  }
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

const NONE: Labels = {};
const COUNTED_FROM_0 = [
  'elasticjob_firings_expected_total',
  'elasticjob_item_retries_total',
  'elasticjob_misfires_total',
  'elasticjob_firings_dropped_total',
  'elasticjob_instance_crashes_total',
] as const satisfies readonly WrittenMetric[];

/** The number of a run is unique only within its host. */
const keyOf = ({ runId, instance }: RunEvent['run']): string => `${runId}/${instance.jobInstanceId}`;

/** The wall clock may have been set back meanwhile. */
const secondsBetween = (fromMs: number, to: Date): number => Math.max(0, (to.getTime() - fromMs) / 1000);

function itemOutcome({ type }: ItemOutcome): string {
  return type;
}

function runOutcome(outcome: RunOutcome): string {
  if (outcome.type !== 'completed') return outcome.type;
  const { failed, timedOut, aborted } = outcome;
  if (failed > 0) return 'failed';
  if (timedOut > 0) return 'timed-out';
  return aborted > 0 ? 'aborted' : 'succeeded';
}
