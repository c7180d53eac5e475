/**
 * Histories of several jobs, some of which run after others. Each seed has the history that it always had, with up to
 * five further jobs on the same instances; they draw from a random stream of their own, so that histories of one job
 * stay what they were. `npm run simulate -- --graphs` plays them.
 */
import { Random } from '../../../support/random.js';
import { cronOf } from '../configuration.js';
import {
  type Behaviour,
  type Change,
  type Event,
  FIRST_JOB,
  type History,
  type Job,
  jobOf,
  jobsOf,
  MOST_ITEMS,
  type OtherJob,
  type Step,
} from '../history.js';
import { historyOf, plainHistoryOf } from '../storyteller.js';

const STREAM = 0x67a4;
const NAMES = ['post', 'sum', 'mail', 'pack', 'ship'];
const MOST_ITEMS_OF_GRAPHS = 5;
/** Each divides the next one: the instants of a slower root are instants of a faster one. */
const PERIODS = [5, 10, 10, 20];
const BEHAVIOURS: readonly Behaviour[] = ['quick', 'quick', 'quick', 'slow', 'failing', 'stubborn'];
const STRATEGIES = ['AVG_ALLOCATION', 'ODEVITY', 'ROUND_ROBIN', 'STICKY'];
const RETRIES = { 'run.maxRetries': '1', 'run.retryBackoffMilliseconds': '100' };

/** The history of a seed with a graph of two to six jobs; always the same one. */
export function graphHistoryOf(seed: number): History {
  const history = historyOf(seed);
  // Large jobs take long enough alone.
  const isLarge = history.features?.includes('large job') === true;
  return new GraphStoryteller(isLarge ? plainHistoryOf(seed) : history).tell();
}

/** The upstream jobs of a job; none if it fires by itself. */
export function upstreamsIn({ props = {} }: Pick<Job, 'props'>): readonly string[] {
  return props['graph.after']?.split(',') ?? [];
}

class GraphStoryteller {
  readonly #history: History;
  readonly #random: Random;
  readonly #others: OtherJob[] = [];

  constructor(history: History) {
    this.#history = history;
    this.#random = new Random(history.seed ^ STREAM);
  }

  tell(): History {
    const first = this.#firstJob();
    const behaviours = this.#oneIn(2) ? this.#history.behaviours : this.#behaviours();
    const shape = this.#random.pick(['chain', 'fan-out', 'fan-in', 'diamond', 'any', 'any'] as const);
    const count = this.#random.integer(1, NAMES.length);
    for (const name of NAMES.slice(0, count)) {
      const known: readonly OtherJob[] = [{ name: FIRST_JOB, job: first, behaviours }, ...this.#others];
      this.#others.push(this.#otherJob(name, known, this.#upstreams(shape, known, this.#others.length === count - 1)));
    }
    const history = { ...this.#history, job: first, behaviours, others: this.#others };
    const steps = [...this.#history.steps.map((step) => this.#adapted(step)), ...this.#moreSteps(history)];
    return { ...history, steps: steps.sort((one, other) => one.atMs - other.atMs) };
  }

  #firstJob(): Job {
    const { job } = this.#history;
    return {
      ...job,
      periodSeconds: this.#random.pick(PERIODS),
      shardingTotalCount: Math.min(job.shardingTotalCount, MOST_ITEMS_OF_GRAPHS),
      monitorExecution: true,
    };
  }

  /** Upstream jobs of the next job; none: it is one more root. */
  #upstreams(shape: string, known: readonly OtherJob[], isLast: boolean): readonly OtherJob[] {
    const leaves = known.filter(({ name }) => !known.some(({ job }) => upstreamsIn(job).includes(name)));
    switch (shape) {
      case 'chain':
        return known.slice(-1);
      case 'fan-out':
        return known.slice(0, 1);
      case 'fan-in':
        return isLast ? leaves : [];
      case 'diamond':
        return isLast && known.length > 2 ? leaves : known.slice(0, 1);
      default:
        if (this.#oneIn(6)) return [];
        return [...new Set(Array.from({ length: this.#random.integer(1, 3) }, () => this.#random.pick(known)))];
    }
  }

  #otherJob(name: string, known: readonly OtherJob[], upstreams: readonly OtherJob[]): OtherJob {
    const [first] = known;
    const counts = new Set(upstreams.map(({ job }) => job.shardingTotalCount));
    const [upstreamCount = 1] = counts;
    const isItemByItem = counts.size === 1 && this.#oneIn(3);
    const periodSeconds = first?.job.periodSeconds ?? 10;
    return {
      name,
      job: {
        // Most roots share their instants.
        periodSeconds: this.#oneIn(3) ? this.#random.pick(PERIODS) : periodSeconds,
        shardingTotalCount: isItemByItem ? upstreamCount : this.#random.integer(1, 3),
        failover: this.#oneIn(2),
        misfire: !this.#oneIn(4),
        monitorExecution: true,
        jobShardingStrategyType: this.#random.pick(STRATEGIES),
        props: {
          ...(this.#oneIn(5) && RETRIES),
          ...(upstreams.length > 0 && this.#dependencies(upstreams, isItemByItem)),
        },
      },
      behaviours: this.#behaviours(),
    };
  }

  #dependencies(upstreams: readonly OtherJob[], isItemByItem: boolean): Readonly<Record<string, string>> {
    return {
      'graph.after': upstreams.map(({ name }) => name).join(','),
      ...(isItemByItem && { 'graph.afterItems': 'same' }),
      ...(this.#oneIn(3) && { 'graph.afterMatch': 'latest' }),
      'graph.afterFailure': this.#random.pick(['stop', 'run', 'skip']),
      'graph.afterRounds': this.#random.pick(['latest', 'every']),
    };
  }

  #behaviours(): readonly Behaviour[] {
    const isLively = this.#oneIn(2);
    return Array.from({ length: MOST_ITEMS }, () => (isLively ? this.#random.pick(BEHAVIOURS) : 'quick'));
  }

  /** Each operation of an operator concerns one of the jobs. All of them record what they run. */
  #adapted(step: Step): Step {
    if (jobOf(step) === undefined) return step;
    const { name } = this.#anyJob();
    const moved = name === FIRST_JOB ? step : ({ ...step, job: name } as Step);
    return moved.type === 'reconfigure' ? { ...moved, change: this.#adaptedChange(name, moved.change) } : moved;
  }

  #adaptedChange(name: string, { monitorExecution, cron, shardingTotalCount, ...change }: Change): Change {
    if (monitorExecution !== undefined || cron !== undefined) return this.#change(name);
    return {
      ...change,
      ...(shardingTotalCount !== undefined && {
        shardingTotalCount: Math.min(shardingTotalCount, MOST_ITEMS_OF_GRAPHS),
      }),
    };
  }

  #anyJob(): OtherJob {
    const { job, behaviours } = this.#history;
    return this.#random.pick([{ name: FIRST_JOB, job, behaviours }, ...this.#others]);
  }

  #moreSteps(history: History): readonly Step[] {
    const lastMs = history.steps.at(-1)?.atMs ?? 0;
    return Array.from({ length: this.#random.integer(0, 4) }, (): Step => {
      const { name, job } = this.#random.pick(jobsOf(history));
      const atMs = this.#random.integer(1_000, Math.max(2_000, lastMs));
      const ofJob = name === FIRST_JOB ? {} : { job: name };
      return { atMs, ...ofJob, ...this.#operation(name, job) };
    });
  }

  #operation(name: string, { shardingTotalCount }: Job): Event {
    const item = this.#random.integer(0, shardingTotalCount - 1);
    switch (this.#random.integer(0, 4)) {
      case 0:
        return { type: 'trigger' };
      case 1:
        return { type: 'disable-item', item };
      case 2:
        return { type: 'enable-item', item };
      default:
        return { type: 'reconfigure', change: this.#change(name) };
    }
  }

  #change(name: string): Change {
    const job = this.#others.find((other) => other.name === name)?.job;
    const upstreams = job === undefined ? [] : upstreamsIn(job);
    switch (this.#random.integer(0, 4)) {
      case 0:
        return { failover: this.#oneIn(2) };
      case 1:
        return { shardingTotalCount: this.#random.integer(1, 3) };
      case 2:
        return upstreams.length === 0 ? { cron: cronOf(this.#random.pick(PERIODS)) } : { misfire: this.#oneIn(2) };
      default: {
        if (job === undefined || upstreams.length === 0) return { failover: this.#oneIn(2) };
        const choices: Readonly<Record<string, readonly string[]>> = {
          'graph.afterFailure': ['stop', 'run', 'skip'],
          'graph.afterRounds': ['latest', 'every'],
          'graph.afterMatch': ['same', 'latest'],
        };
        const key = this.#random.pick(Object.keys(choices));
        return { props: { ...job.props, [key]: this.#random.pick(choices[key] ?? []) } };
      }
    }
  }

  #oneIn(count: number): boolean {
    return this.#random.integer(1, count) === 1;
  }
}
