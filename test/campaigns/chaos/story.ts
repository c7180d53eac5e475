import {
  type Fault,
  type FaultKind,
  type History,
  type JobSpec,
  type LogEvent,
  type Moment,
  type ProcessLife,
} from './history.js';

/** A run in a story. */
interface ToldRun {
  readonly by: string;
  readonly item?: number;
  /** The instant, in milliseconds of the story. */
  readonly for: number | undefined;
  /** When it starts; default: at its instant. */
  readonly at?: number;
  /** When it takes its steps; default: none. */
  readonly steps?: readonly number[];
  readonly ends?: number;
  readonly aborts?: number;
  /** Default: a number that grows with time. */
  readonly token?: number;
}

/** 1970 is `WALL` milliseconds before the monotonic clock's zero in stories: a multiple of every period. */
const WALL = 1_800_000_000_000;

/**
 * A history written for a test. Unless told otherwise: ten seconds, one job of one item that fires every second with
 * failover and misfire, owned by A, and processes A and B that live for ever. Sessions last three seconds.
 */
export class Story {
  readonly #job: JobSpec;
  readonly #lives = new Map<string, ProcessLife>();
  readonly #events: LogEvent[] = [];
  readonly #faults: Fault[] = [];
  readonly #outages: { from: number; to: number }[] = [];
  readonly #moments: Moment[] = [];
  #runs = 0;

  constructor(job: Partial<JobSpec> = {}) {
    const usual = { cron: '* * * * * ?', periodMs: 1_000, items: 1, steps: [1], stepMs: 100 };
    this.#job = { name: 'job', ...usual, failover: true, misfire: true, monitorExecution: true, ...job };
    for (const name of ['A', 'B']) this.lives(name, -60_000);
    this.registry(-60_000, {});
  }

  lives(name: string, bornAt: number, diedAt?: number): this {
    this.#lives.set(name, { name, pid: pidOf(name), bornAt, diedAt });
    if (!this.#events.some(({ process, event }) => process === name && event === 'ready'))
      this.#events.push({ process: name, t: bornAt, event: 'ready' });
    return this;
  }

  /** How the job stands in the registry from `t` on. */
  registry(
    t: number,
    change: { owner?: string; owners?: readonly string[]; living?: readonly string[] } & Partial<Moment>,
  ): this {
    const { owner = 'A', owners, living = ['A', 'B'], ...more } = change;
    const state = { isSeen: true, isResharding: false, marked: [], ...more };
    this.#moments.push({
      t,
      job: this.#job.name,
      ...state,
      owners: Array.from({ length: this.#job.items }, (_, item) => idOf(owners?.[item] ?? owner)),
      living: living.map(idOf),
    });
    return this;
  }

  run({ by, item = 0, for: instant, at = instant ?? 0, steps = [], ends, aborts, token }: ToldRun): this {
    const run = ++this.#runs;
    const scheduledAt = instant === undefined ? undefined : instant + WALL;
    const told: LogEvent[] = [
      { process: by, t: at, event: 'start', run, job: this.#job.name, item, scheduledAt, fencingToken: token ?? at },
      ...steps.map((t): LogEvent => ({ process: by, t, event: 'step', run })),
    ];
    if (aborts !== undefined)
      told.push({ process: by, t: aborts, event: 'abort', run }, { process: by, t: aborts, event: 'aborted', run });
    if (ends !== undefined) told.push({ process: by, t: ends, event: 'end', run });
    this.#events.push(...told.sort((one, other) => one.t - other.t));
    return this;
  }

  /** Item `item` runs promptly by `by` at each of these instants. */
  runs(by: string, instants: readonly number[], item = 0): this {
    for (const instant of instants) this.run({ by, item, for: instant, at: instant + 5, ends: instant + 105 });
    return this;
  }

  stalls(process: string, from: number, to: number): this {
    this.#events.push({ process, t: to, event: 'stall', from });
    return this;
  }

  /** Adds the phase that the job enters in a process. */
  phase(process: string, t: number, phase: string): this {
    this.#events.push({ process, t, event: 'phases', jobs: { [this.#job.name]: phase } });
    return this;
  }

  says(process: string, t: number, message: string): this {
    this.#events.push({ process, t, event: 'log', level: 'log', message });
    return this;
  }

  fault(kind: FaultKind, target: string, from: number, to: number): this {
    this.#faults.push({ number: this.#faults.length + 1, kind, targets: [target], from, to });
    return this;
  }

  outage(from: number, to: number): this {
    this.#outages.push({ from, to });
    return this;
  }

  /** The history of `from` to `to`. */
  told(from = 500, to = 9_500): History {
    return {
      registry: 'zookeeper',
      jobs: [this.#job],
      processes: [...this.#lives.values()],
      events: this.#events,
      faults: this.#faults,
      outages: this.#outages,
      moments: this.#moments.sort((one, other) => one.t - other.t),
      from,
      to,
      wallOffset: WALL,
      sessionMs: 3_000,
    };
  }
}

function pidOf(name: string): number {
  return name.charCodeAt(0) + 1_000 * Number(name.slice(2) || 1);
}

function idOf(name: string): string {
  return `10.0.0.1@-@${pidOf(name)}-aaaaaaaa`;
}

/** The instants of whole seconds from `first` to `last`, in milliseconds. */
export function seconds(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * 1_000);
}
