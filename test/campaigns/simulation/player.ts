import { type WatchedCommit } from '../../../lib/registry/embedded/embedded-namespace.js';
import { Random } from '../../support/random.js';
import { aConfiguration, idOf } from '../../support/views.js';
import { CallBook, ONCE_LISTENER_TYPE } from './call-book.js';
import { configurationOf, cronOf, periodMsOf } from './configuration.js';
import { type Aftermath, EventPlayer } from './event-player.js';
import { PATIENCE_MS } from './interruptions.js';
import { type History, type Step } from './history.js';
import { described } from './poison.js';
import { type Commit, type Played, type Recording, type Rest } from './recording.js';
import { RunBook } from './run-book.js';
import { textOf } from './step-text.js';
import { TraceBook } from './trace-book.js';
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
  readonly #runs: RunBook;
  readonly #calls: CallBook;
  readonly #traces: TraceBook;
  readonly #commits: Commit[] = [];
  readonly #played: Played[] = [];
  readonly #rests: Rest[] = [];
  readonly #unhandled: string[] = [];
  readonly #names = new Map<string, string>();
  #calmMs = Infinity;

  constructor(history: History) {
    const { seed, slowestMessageMs, poolSize, job, onceListener, operationsACommit, sweepLateMs } = history;
    const { periodSeconds, ...settings } = job;
    this.#history = history;
    this.#runs = new RunBook(history, () => this.#world);
    this.#calls = new CallBook(history, () => this.#world);
    this.#traces = new TraceBook(() => this.#world);
    const jobListenerTypes = onceListener === undefined ? [] : [ONCE_LISTENER_TYPE];
    this.#world = new World({
      ...{ seed, slowestMessageMs, poolSize, operationsACommit, sweepLateMs },
      configuration: aConfiguration({
        ...settings,
        ...{ cron: cronOf(periodSeconds), timeZone: 'GMT', jobListenerTypes },
      }),
      onUncaught: (machine, error) => this.#onUncaught(machine, error),
      observers: (machine) => this.#traces.observersOf(machine),
      execute: (machine, context) => this.#runs.execute(machine, context),
      listeners: (machine) => (onceListener === undefined ? [] : [this.#calls.listenerOf(machine, onceListener)]),
    });
    this.#names.set(WIPE, WIPE);
    this.#events = new EventPlayer(
      this.#world,
      (machine, what) => this.#onAftermath(machine, what),
      (machine) => this.#kill(machine),
    );
    this.#world.namespace.watch(this.#world.paths.root, (commit) => this.#note(commit));
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
    const { clock, paths, namespace, machines } = this.#world;
    const ends = this.#history.steps.map((step) => step.atMs + ('ms' in step ? step.ms : 0));
    await clock.advance(Math.max(1_000, ...ends.map((atMs) => atMs + 100 - this.#world.nowMs)));
    for (const machine of machines.values())
      this.#world.network.ambush(machine.centre, { nth: -1, strike: () => undefined });
    // A request that was sent may be the last write of an instance.
    await clock.advance(200);
    this.#runs.isCalm = true;
    this.#calls.isCalm = true;
    if (this.#world.present.length === 0)
      this.#perform({ atMs: this.#world.nowMs, type: 'join', name: 'Z', skewMs: 0 });
    for (const ip of namespace.children(paths.servers)) void this.#world.operator.put(paths.server(ip), 'ENABLED');
    for (const item of namespace.children(paths.sharding))
      void this.#world.operator.remove(paths.item(Number(item), 'disabled'));
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

  #noteRest(): void {
    const { namespace, paths } = this.#world;
    this.#rests.push({
      atMs: this.#world.nowMs,
      present: this.#world.present.map(({ name, host, clock: own, registry }) => ({
        name,
        phase: host.jobs.get(paths.jobName)?.phase ?? 'none',
        timers: own.timers,
        skewMs: own.skewMs,
        session: registry.session.state.phase,
      })),
      tree: new Map([...namespace.subtree(paths.root)].map(([path, { value }]) => [path, value])),
    });
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

  get #periodMs(): number {
    const { namespace, paths } = this.#world;
    const config = namespace.get(paths.config)?.value;
    return config === undefined ? this.#history.job.periodSeconds * 1_000 : periodMsOf(configurationOf(config));
  }

  #perform(step: Step): void {
    if (!this.#events.play(step)) return;
    const name = 'name' in step ? { name: step.name } : {};
    this.#played.push({ atMs: this.#world.nowMs, text: textOf(step), step, ...name });
  }

  #kill(machine: Machine): void {
    this.#world.kill(machine);
    this.#runs.lose(machine);
    this.#calls.lose(machine);
    this.#traces.lose(machine);
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

  #note({ revision, session, changes }: WatchedCommit): void {
    for (const { path, after } of changes) {
      const id = after?.session === undefined ? undefined : this.#world.paths.parse(path);
      if (id?.type === 'instance') this.#names.set(session, this.#nameOf(id.id));
    }
    this.#commits.push({
      atMs: this.#world.nowMs,
      revision,
      by: this.#names.get(session) ?? 'operator',
      changes: changes.map(({ path, before, after }) => ({ path, before: before?.value, after: after?.value })),
    });
  }

  #nameOf(id: string): string {
    return [...this.#world.machines.keys()].find((name) => idOf(name) === id) ?? id;
  }

  #recording(endlessMs: number | undefined): Recording {
    const machines = [...this.#world.machines.values()];
    return {
      runs: this.#runs.runs,
      calls: this.#calls.calls,
      traces: this.#traces.traces,
      commits: this.#commits,
      played: this.#played,
      endlessMs,
      calmMs: this.#calmMs,
      rests: this.#rests,
      requests: new Map(machines.map(({ name, centre }) => [name, this.#world.network.requests(centre)])),
      exemptions: this.#world.exemptions,
      unhandled: this.#unhandled,
      logs: new Map(machines.map(({ name, log }) => [name, log])),
    };
  }
}
