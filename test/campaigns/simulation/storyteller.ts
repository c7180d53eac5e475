import { Random } from '../../support/random.js';
import { cronOf } from './configuration.js';
import { withFeatures } from './features.js';
import {
  type Behaviour,
  type Change,
  type Event,
  type History,
  type Job,
  MOST_INSTANCES,
  MOST_ITEMS,
  type Step,
} from './history.js';

/** The possible events: only those that interrupt no instance, or all. */
const GENTLE = ['join', 'join', 'leave', 'leave', 'disable', 'enable', 'enable', 'items', 'reconfigure', 'trigger'];
const ROUGH = [
  ...GENTLE,
  ...['kill', 'kill', 'kill-at-write', 'kill-at-write', 'suspend', 'expire', 'cut', 'lose-write', 'lose-write'],
  ...['freeze', 'terminate', 'set-clock'],
];
const BEHAVIOURS: readonly Behaviour[] = ['quick', 'quick', 'quick', 'quick', 'slow', 'failing', 'stubborn'];
const STRATEGIES = ['AVG_ALLOCATION', 'ODEVITY', 'ROUND_ROBIN'];
const PERIODS = [3, 5, 10, 10];

/** The history of a seed; always the same one. */
export function historyOf(seed: number): History {
  return withFeatures(plainHistoryOf(seed));
}

/** The history of a seed without what half of the seeds have beside it. */
export function plainHistoryOf(seed: number): History {
  return new Storyteller(seed).tell();
}

class Storyteller {
  readonly #seed: number;
  readonly #random: Random;
  readonly #steps: Step[] = [];
  readonly #present: string[] = [];
  readonly #gone: string[] = [];
  readonly #skewed: boolean;
  #job: Job;
  #names = 0;
  #atMs = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#skewed = this.#oneIn(4);
    this.#job = {
      periodSeconds: this.#random.pick(PERIODS),
      shardingTotalCount: this.#items(),
      failover: this.#oneIn(2),
      misfire: !this.#oneIn(4),
      monitorExecution: !this.#oneIn(10),
      jobShardingStrategyType: this.#random.pick(STRATEGIES),
    };
  }

  tell(): History {
    const job = this.#job;
    const isLively = this.#oneIn(2);
    const behaviours = Array.from({ length: MOST_ITEMS }, () => (isLively ? this.#random.pick(BEHAVIOURS) : 'quick'));
    const poolSize = this.#random.pick([1, 2, 4, 20, 20]);
    for (let left = this.#random.integer(1, 4); left > 0; left--) this.#add(this.#event('join'));
    // From the first firing on, there is something that a new owner could know of the former one.
    this.#atMs = job.periodSeconds * 1000 + 900;
    const kinds = this.#oneIn(3) ? GENTLE : ROUGH;
    for (let left = this.#random.integer(4, 12); left > 0; left--) {
      this.#pass();
      this.#add(this.#event(this.#random.pick(kinds)));
    }
    return {
      seed: this.#seed,
      job,
      behaviours,
      poolSize,
      slowestMessageMs: this.#random.pick([0, 5, 30, 30]),
      steps: this.#steps,
    };
  }

  #add(event: Event | undefined): void {
    if (event !== undefined) this.#steps.push({ atMs: this.#atMs, ...event });
  }

  /** Lets time pass, more often than not ending close to a firing, or to the step before. */
  #pass(): void {
    const periodMs = this.#job.periodSeconds * 1000;
    const untilFiring = periodMs - (this.#atMs % periodMs);
    this.#atMs += this.#random.pick([
      this.#random.integer(0, 40),
      this.#random.integer(0, 40),
      this.#random.integer(0, periodMs),
      Math.max(0, untilFiring - this.#random.integer(0, 60)),
      untilFiring + this.#random.integer(0, 150),
      untilFiring + this.#random.integer(0, 600),
    ]);
  }

  #event(kind: string): Event | undefined {
    const name = this.#present.length === 0 ? undefined : this.#random.pick(this.#present);
    switch (kind) {
      case 'join':
        return this.#join();
      case 'items':
        return { type: this.#random.pick(['disable-item', 'enable-item']), item: this.#random.integer(0, this.#last) };
      case 'reconfigure':
        return { type: 'reconfigure', change: this.#change() };
      case 'trigger':
        return { type: 'trigger' };
      default:
        return name === undefined ? undefined : this.#eventOf(kind, name);
    }
  }

  #eventOf(kind: string, name: string): Event {
    switch (kind) {
      case 'leave':
      case 'kill':
      case 'terminate':
        this.#remove(name);
        return { type: kind, name };
      case 'expire':
      case 'disable':
        return { type: kind, name };
      case 'enable':
        return { type: kind, name: this.#random.pick([...this.#present, ...this.#gone]) };
      case 'kill-at-write':
        this.#remove(name);
        return { type: kind, name, nth: this.#nth(), when: this.#random.pick(['before', 'after']) };
      case 'lose-write':
        return { type: kind, name, nth: this.#nth(), outcome: this.#random.pick(['applied', 'not-applied']) };
      case 'suspend':
      case 'freeze':
        return { type: kind, name, ms: this.#random.integer(1, 10_000) };
      case 'cut':
        return {
          type: kind,
          name,
          ms: this.#random.integer(1, 10_000),
          direction: this.#random.pick(['both', 'sending', 'receiving']),
        };
      case 'set-clock':
        return { type: kind, name, skewMs: this.#skew() };
      default:
        throw new Error(`no such event: ${kind}`);
    }
  }

  #join(): Event | undefined {
    if (this.#present.length === MOST_INSTANCES) return undefined;
    const name = String.fromCharCode('A'.charCodeAt(0) + this.#names++);
    this.#present.push(name);
    return { type: 'join', name, skewMs: this.#skewed ? this.#skew() : 0 };
  }

  #remove(name: string): void {
    this.#present.splice(this.#present.indexOf(name), 1);
    this.#gone.push(name);
  }

  #change(): Change {
    switch (this.#random.integer(0, 6)) {
      case 0:
      case 1:
        return { shardingTotalCount: this.#items() };
      case 2:
        return { cron: cronOf(this.#random.pick(PERIODS)) };
      case 3:
        return { failover: this.#oneIn(2) };
      case 4:
        return { misfire: this.#oneIn(2) };
      case 5:
        return { monitorExecution: this.#oneIn(2) };
      default:
        return { jobShardingStrategyType: this.#random.pick(STRATEGIES) };
    }
  }

  get #last(): number {
    return this.#job.shardingTotalCount - 1;
  }

  /** Most jobs are small. */
  #items(): number {
    return this.#oneIn(4) ? this.#random.integer(7, MOST_ITEMS) : this.#random.integer(1, 6);
  }

  #skew(): number {
    return this.#oneIn(4) ? this.#random.integer(-4_000, 4_000) : this.#random.integer(-200, 200);
  }

  #nth(): number {
    return this.#random.pick([1, 1, 2, 2, 3, 4, this.#random.integer(1, 12)]);
  }

  #oneIn(count: number): boolean {
    return this.#random.integer(1, count) === 1;
  }
}
