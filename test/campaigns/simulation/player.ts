import { Random } from '../../support/random.js';
import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type JobPaths } from '../../../lib/layout/job-paths.js';
import { aConfiguration } from '../../support/views.js';
import { CallBook, ONCE_LISTENER_TYPE } from './call-book.js';
import { configurationOf, cronOf, periodMsOf } from './configuration.js';
import { type Aftermath, EventPlayer } from './event-player.js';
import { PATIENCE_MS } from './interruptions.js';
import { FIRST_JOB, type History, jobOf, jobsOf, type OtherJob, type Step } from './history.js';
import { described } from './poison.js';
import { JobBook } from './job-book.js';
import { type Played, type Recording } from './recording.js';
import { textOf } from './step-text.js';
import { EndlessError } from './true-time.js';
import { type Machine, WIPE, World } from './world.js';

/** Longer than anything may take that is still going on when nothing happens any more. */
const CALM_MS = 15_000;

/** As much longer if instances wait for each other: once before items start, and once when they have completed. */
const CALM_OF_LISTENERS_MS = 20_000;

/**
 * Plays a history from its beginning until long after its last step; the same history always gives the same recording.
 */
export async function play(history: History): Promise<Recording> {
  // The kernel's retries are spread by chance.
  const { random } = Math;
  const seeded = new Random(history.seed ^ 0x5eed);
  Math.random = () => seeded.next();
  const unhandled: string[] = [];
  const onRejection = (reason: unknown): void => void unhandled.push(`unhandled rejection of ${described(reason)}`);
  const onWarning = ({ name, message }: Error): void => {
    if (name === 'ElasticJobWarning') unhandled.push(message);
  };
  process.on('unhandledRejection', onRejection).on('warning', onWarning);
  try {
    const recording = await new Player(history).play();
    // Node reports unhandled rejections when nothing else is left to do.
    await new Promise((resolve) => setImmediate(resolve));
    return { ...recording, unhandled: [...recording.unhandled, ...unhandled] };
  } finally {
    process.off('unhandledRejection', onRejection).off('warning', onWarning);
    Math.random = random;
  }
}

class Player {
  readonly #history: History;
  readonly #world: World;
  readonly #events: EventPlayer;
  readonly #calls: CallBook;
  /** By the names of the jobs, the first one first. */
  readonly #books: ReadonlyMap<string, JobBook>;
  readonly #played: Played[] = [];
  readonly #unhandled: string[] = [];
  readonly #names = new Map<string, string>();
  #calmMs = Infinity;

  constructor(history: History) {
    const { seed, slowestMessageMs, poolSize, onceListener, operationsACommit, sweepLateMs, others = [] } = history;
    this.#history = history;
    const jobs = jobsOf(history);
    this.#books = new Map(jobs.map((job) => [job.name, new JobBook(seed, job, () => this.#world)]));
    this.#calls = new CallBook(history, () => this.#world);
    const jobListenerTypes = onceListener === undefined ? [] : [ONCE_LISTENER_TYPE];
    const first: OtherJob = { name: FIRST_JOB, job: history.job, behaviours: history.behaviours };
    this.#world = new World({
      ...{ seed, slowestMessageMs, poolSize, operationsACommit, sweepLateMs },
      configurations: [{ ...settingsOf(first), jobListenerTypes }, ...others.map(settingsOf)],
      onUncaught: (machine, error) => this.#onUncaught(machine, error),
      observers: (machine) => [...this.#books.values()].flatMap(({ traces }) => traces.observersOf(machine)),
      execute: (machine, context) => this.#bookOf(context.jobName).runs.execute(machine, context),
      listeners: (machine) => (onceListener === undefined ? [] : [this.#calls.listenerOf(machine, onceListener)]),
    });
    this.#names.set(WIPE, WIPE);
    this.#events = new EventPlayer(
      this.#world,
      (machine, what) => this.#onAftermath(machine, what),
      (machine) => this.#kill(machine),
    );
    for (const book of this.#books.values()) book.follow(this.#names);
  }

  async play(): Promise<Recording> {
    try {
      await this.#playSteps();
      await this.#calmDown();
      this.#calmMs = this.#world.nowMs;
      await this.#world.clock.advance(CALM_MS + (this.#history.onceListener === undefined ? 0 : CALM_OF_LISTENERS_MS));
      await this.#untilNobodyWaits();
      await this.#world.clock.advance(this.#untilQuietMs());
      this.#noteRest();
      // Two periods later the pause is the same.
      await this.#world.clock.advance(2 * this.#periodMs);
      this.#noteRest();
      return this.#recording(undefined);
    } catch (error) {
      if (error instanceof EndlessError) return this.#recording(error.atMs);
      throw error;
    }
  }

  async #playSteps(): Promise<void> {
    const { clock } = this.#world;
    for (const step of this.#history.steps) {
      await clock.advance(Math.max(0, step.atMs - this.#world.nowMs));
      this.#perform(step);
      await clock.advance(0);
    }
  }

  /** Ends everything that was to end, brings everybody back, and enables everything. */
  async #calmDown(): Promise<void> {
    const { clock, machines } = this.#world;
    const ends = this.#history.steps.map((step) => step.atMs + ('ms' in step ? step.ms : 0));
    await clock.advance(Math.max(1_000, ...ends.map((atMs) => atMs + 100 - this.#world.nowMs)));
    for (const machine of machines.values())
      this.#world.network.ambush(machine.centre, { nth: -1, strike: () => undefined });
    // A request that was sent may be the last write of an instance.
    await clock.advance(200);
    for (const { runs } of this.#books.values()) runs.isCalm = true;
    this.#calls.isCalm = true;
    if (this.#world.jobs.some((paths) => this.#world.presentFor(paths).length === 0))
      this.#perform({ atMs: this.#world.nowMs, type: 'join', name: 'Z', skewMs: 0 });
    for (const paths of this.#world.jobs) this.#enableAll(paths);
  }

  #enableAll(paths: JobPaths): void {
    const { namespace, operator } = this.#world;
    for (const ip of namespace.children(paths.servers)) void operator.put(paths.server(ip), 'ENABLED');
    for (const item of namespace.children(paths.sharding)) void operator.remove(paths.item(Number(item), 'disabled'));
  }

  #noteRest(): void {
    for (const book of this.#books.values()) book.noteRest();
  }

  #bookOf(jobName: string): JobBook {
    const book = this.#books.get(jobName);
    if (book === undefined) throw new RangeError(`there is no job ${jobName}`);
    return book;
  }

  /**
   * Instances that came to different firings, or have yet to accept their triggers, wait for one another in turn: once
   * for a firing of the schedule, and once for a manual one. Each waits as long as the listener lets it; without a
   * limit, as long as an instance waits for items that their free owner does not begin.
   */
  async #untilNobodyWaits(): Promise<void> {
    const { onceListener } = this.#history;
    if (onceListener === undefined) return;
    const longestMs = onceListener.completedTimeoutMs || PATIENCE_MS;
    const { namespace, paths, present, clock } = this.#world;
    const isWaiting = (): boolean =>
      [paths.guarantee('completed'), paths.triggers].some((path) => namespace.children(path).length > 0);
    for (let turns = 2 * present.length; turns > 0 && isWaiting(); turns--) await clock.advance(longestMs);
  }

  /** Most of the way through the longest pause between two instances' firings, which clocks that differ move apart. */
  #untilQuietMs(): number {
    const { present, nowMs } = this.#world;
    const periodMs = this.#periodMs;
    const untilFirings = [0, ...present.map(({ clock }) => clock.skewMs)]
      .map((skewMs) => periodMs - ((((nowMs + skewMs) % periodMs) + periodMs) % periodMs))
      .sort((one, other) => one - other);
    const pauses = untilFirings.map((fromMs, index) => {
      const toMs = untilFirings[index + 1] ?? (untilFirings[0] ?? 0) + periodMs;
      return { fromMs, lengthMs: toMs - fromMs };
    });
    const longest = pauses.reduce((one, other) => (other.lengthMs > one.lengthMs ? other : one));
    return longest.fromMs + 0.8 * longest.lengthMs;
  }

  /** Of several jobs that fire by themselves, the shortest: the instants of the others are instants of that one. */
  get #periodMs(): number {
    const { namespace, jobs } = this.#world;
    const periods = jobs.flatMap(({ config }) => {
      const text = namespace.get(config)?.value;
      const periodMs = text === undefined ? NaN : periodMsOf(configurationOf(text));
      return Number.isNaN(periodMs) ? [] : [periodMs];
    });
    return periods.length === 0 ? this.#history.job.periodSeconds * 1_000 : Math.min(...periods);
  }

  #perform(step: Step): void {
    if (!this.#events.play(step)) return;
    const name = 'name' in step ? { name: step.name } : {};
    this.#played.push({ atMs: this.#world.nowMs, text: textOf(step), step, ...name });
  }

  #kill(machine: Machine): void {
    this.#world.kill(machine);
    for (const book of this.#books.values()) book.lose(machine);
    this.#calls.lose(machine);
  }

  /** As Node does. */
  #onUncaught(machine: Machine, error: unknown): void {
    this.#unhandled.push(`${machine.name} died of an uncaught ${described(error)}`);
    this.#kill(machine);
    this.#onAftermath(machine, 'dies');
  }

  #onAftermath({ name, clock }: Machine, what: Aftermath): void {
    if (!clock.isDead || what === 'dies') this.#played.push({ atMs: this.#world.nowMs, text: `${name} ${what}`, name });
  }

  #recording(endlessMs: number | undefined): Recording {
    const machines = [...this.#world.machines.values()];
    const shared = {
      endlessMs,
      calmMs: this.#calmMs,
      requests: new Map(machines.map(({ name, centre }) => [name, this.#world.network.requests(centre)])),
      exemptions: this.#world.exemptions,
      unhandled: this.#unhandled,
    };
    const isAlone = this.#books.size === 1;
    const recordings = [...this.#books].map(([jobName, book]): [string, Recording] => {
      const { commits, rests, runs, traces } = book;
      const isOwn = ({ step }: Played): boolean => step === undefined || (jobOf(step) ?? jobName) === jobName;
      const isOfJob = (line: string): boolean => isAlone || line.includes(` [${jobName}] `);
      return [
        jobName,
        {
          ...{ ...shared, runs: runs.runs, traces: traces.traces, commits, rests },
          calls: jobName === FIRST_JOB ? this.#calls.calls : [],
          played: this.#played.filter(isOwn),
          logs: new Map(machines.map(({ name, log }) => [name, log.filter(isOfJob)])),
        },
      ];
    });
    const [first, ...others] = recordings;
    if (first === undefined) throw new RangeError('a history has a job');
    return isAlone ? first[1] : { ...first[1], others: new Map(others) };
  }
}

function settingsOf({ name, job: { periodSeconds, ...settings } }: OtherJob): JobConfiguration {
  const isScheduled = settings.props?.['graph.after'] === undefined;
  return aConfiguration({
    ...settings,
    ...{ jobName: name, timeZone: 'GMT' },
    ...(isScheduled && { cron: cronOf(periodSeconds) }),
  });
}
