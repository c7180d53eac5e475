import { toYaml } from '../../lib/layout/job-configuration-yaml.js';
import { type WatchedCommit } from '../../lib/registry/embedded/embedded-namespace.js';
import { Random } from '../support/random.js';
import { aConfiguration, idOf, ipOf } from '../support/views.js';
import { configurationOf, cronOf, periodMsOf } from './configuration.js';
import { type Event, type History, type Step } from './history.js';
import { type Commit, type Played, type Recording, type Rest } from './recording.js';
import { RunBook } from './run-book.js';
import { textOf } from './step-text.js';
import { EndlessError } from './true-time.js';
import { type Machine, World } from './world.js';

/** Longer than anything may take that is still going on when nothing happens any more. */
const CALM_MS = 15_000;

/** Plays a history from its beginning until long after its last step; the same history always gives the same recording. */
export async function play(history: History): Promise<Recording> {
  // The kernel's retries are spread by chance.
  const { random } = Math;
  const seeded = new Random(history.seed ^ 0x5eed);
  Math.random = () => seeded.next();
  try {
    return await new Player(history).play();
  } finally {
    Math.random = random;
  }
}

class Player {
  readonly #history: History;
  readonly #world: World;
  readonly #book: RunBook;
  readonly #commits: Commit[] = [];
  readonly #played: Played[] = [];
  readonly #rests: Rest[] = [];
  readonly #names = new Map<string, string>();
  #calmMs = Infinity;

  constructor(history: History) {
    const { seed, slowestMessageMs, poolSize, job } = history;
    const { periodSeconds, ...settings } = job;
    this.#history = history;
    this.#book = new RunBook(history, () => this.#world);
    this.#world = new World({
      ...{ seed, slowestMessageMs, poolSize },
      configuration: aConfiguration({ ...settings, cron: cronOf(periodSeconds), timeZone: 'GMT' }),
      execute: (machine, context) => this.#book.execute(machine, context),
    });
    this.#world.namespace.watch(this.#world.paths.root, (commit) => this.#note(commit));
  }

  async play(): Promise<Recording> {
    try {
      await this.#playSteps();
      await this.#calmDown();
      this.#calmMs = this.#world.nowMs;
      await this.#world.clock.advance(CALM_MS);
      await this.#rest();
      await this.#world.clock.advance(2 * this.#periodMs);
      await this.#rest();
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
    // What has been sent may still be somebody's last write.
    await clock.advance(200);
    this.#book.isCalm = true;
    if (this.#world.present.length === 0)
      this.#perform({ atMs: this.#world.nowMs, type: 'join', name: 'Z', skewMs: 0 });
    for (const ip of namespace.children(paths.servers)) void this.#world.operator.put(paths.server(ip), 'ENABLED');
    for (const item of namespace.children(paths.sharding))
      void this.#world.operator.remove(paths.item(Number(item), 'disabled'));
  }

  /** Waits until nobody has fired or is to fire for as long as possible, and looks around. */
  async #rest(): Promise<void> {
    const { clock, namespace, paths } = this.#world;
    await clock.advance(this.#untilQuietMs());
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
    return periodMsOf(configurationOf(namespace.get(paths.config)?.value ?? ''));
  }

  #perform(step: Step): void {
    if (!this.#happens(step)) return;
    const name = 'name' in step ? { name: step.name } : {};
    this.#played.push({ atMs: this.#world.nowMs, text: textOf(step), step, ...name });
  }

  /** Makes it happen; false if it makes no sense now. */
  #happens(event: Event): boolean {
    const { operator, paths, namespace } = this.#world;
    switch (event.type) {
      case 'join':
        this.#world.join(event.name, event.skewMs);
        return true;
      case 'disable':
      case 'enable':
        if (namespace.get(paths.server(ipOf(event.name))) === undefined) return false;
        void operator.put(paths.server(ipOf(event.name)), event.type === 'disable' ? 'DISABLED' : 'ENABLED');
        return true;
      case 'disable-item':
        if (namespace.get(paths.item(event.item)) === undefined) return false;
        // Not by `create`, which would make an item of one that is just being dropped.
        operator
          .commit([{ type: 'create', path: paths.item(event.item, 'disabled'), value: '' }])
          .catch(() => undefined);
        return true;
      case 'enable-item':
        void operator.remove(paths.item(event.item, 'disabled'));
        return true;
      case 'reconfigure': {
        const { value } = namespace.get(paths.config) ?? {};
        if (value === undefined) return false;
        void operator.put(paths.config, toYaml({ ...configurationOf(value), ...event.change }));
        return true;
      }
      case 'trigger':
        for (const id of namespace.children(paths.instances)) void operator.create(paths.trigger(id), '');
        return true;
      default: {
        const machine = this.#world.living(event.name);
        if (machine === undefined) return false;
        return this.#befalls(machine, event);
      }
    }
  }

  #befalls(machine: Machine, event: Event & { readonly name: string }): boolean {
    const { clock, network, operator, paths } = this.#world;
    const { faults } = machine.registry;
    switch (event.type) {
      case 'leave':
        if (machine.isLeaving) return false;
        void this.#world.leave(machine);
        return true;
      case 'kill':
        this.#kill(machine);
        return true;
      case 'kill-at-write':
        network.ambush(machine.centre, {
          nth: event.nth,
          strike: (arrive) => {
            if (event.when === 'after') arrive();
            this.#kill(machine);
            this.#tell(machine, 'dies');
          },
        });
        return true;
      case 'lose-write':
        network.ambush(machine.centre, {
          nth: event.nth,
          strike: (arrive) => {
            faults.loseNextWrite(event.outcome);
            arrive();
            this.#tell(machine, 'lost a write');
          },
        });
        return true;
      case 'expire':
        this.#world.expire(machine);
        return true;
      case 'terminate':
        void operator.remove(paths.instance(idOf(machine.name)));
        return true;
      case 'suspend':
        faults.disconnect();
        clock.after(event.ms, () => this.#return(machine));
        return true;
      case 'cut':
        faults.dropMessages(event.direction);
        clock.after(event.ms, () => this.#return(machine));
        return true;
      case 'freeze':
        this.#world.freeze(machine, event.ms);
        clock.after(event.ms, () => this.#tell(machine, 'goes on'));
        return true;
      case 'set-clock':
        machine.clock.skewMs = event.skewMs;
        return true;
      default:
        throw new Error(`nothing of that kind can befall ${event.name}: ${event.type}`);
    }
  }

  #kill(machine: Machine): void {
    this.#world.kill(machine);
    this.#book.lose(machine);
  }

  #return(machine: Machine): void {
    this.#world.resume(machine);
    this.#tell(machine, 'is reachable again');
  }

  #tell({ name, clock }: Machine, what: string): void {
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
      runs: this.#book.runs,
      commits: this.#commits,
      played: this.#played,
      endlessMs,
      calmMs: this.#calmMs,
      rests: this.#rests,
      requests: new Map(machines.map(({ name, centre }) => [name, this.#world.network.requests(centre)])),
      exemptions: this.#world.exemptions,
      logs: new Map(machines.map(({ name, log }) => [name, log])),
    };
  }
}
