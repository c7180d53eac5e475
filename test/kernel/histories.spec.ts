import { describe, expect, test } from '@jest/globals';
import { type Delivery } from '../../lib/registry/embedded/delivery.js';
import { TestCluster } from '../../lib/testing/test-cluster.js';
import { type ManualClock } from '../../lib/testing/manual-clock.js';
import { Random } from '../support/random.js';
import { ipOf } from '../support/views.js';

const HISTORIES = Number(process.env['HISTORIES'] ?? 60);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const SEEDS = Array.from({ length: HISTORIES }, (_, index) => FIRST_SEED + index);
/** Most instances at a time. */
const CROWD = 5;
const PERIOD_MS = 2_000;

/** Every message takes up to 30 ms, in order on its channel only, so that news reaches the instances in any order. */
const slowly = (random: Random) => (clock: ManualClock) => {
  const busyUntil = new Map<string, number>();
  return ({ channel, arrive }: Delivery): void => {
    const at = Math.max(busyUntil.get(channel) ?? 0, clock.monotonic() + random.integer(0, 30));
    busyUntil.set(channel, at);
    clock.after(at - clock.monotonic(), arrive);
  };
};

class History {
  readonly #random: Random;
  readonly items: number;
  readonly told: string[] = [];
  cluster!: TestCluster;
  /** Runs in progress, as `item instance`. */
  readonly #running = new Set<string>();
  #names = 0;
  readonly #disabled = new Set<string>();
  readonly #joinedAt = new Map<string, number>();
  readonly overlaps: string[] = [];
  readonly #leaving: Promise<void>[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.items = this.#random.integer(1, 6);
  }

  async begin(): Promise<void> {
    this.cluster = await TestCluster.start([], {
      job: { cron: '0/2 * * * * ?', shardingTotalCount: this.items },
      deliver: slowly(this.#random),
      work: (name, { shardingItem, signal }) => this.#work(name, shardingItem, signal),
    });
    for (let left = this.#random.integer(1, 3); left > 0; left--) await this.cluster.join(this.#newName());
    // Until every item has been begun once, there is nothing a new owner could know of the former one.
    await this.cluster.advance(3 * PERIOD_MS + 500);
    this.cluster.forget();
  }

  #work(name: string, item: number, signal: AbortSignal): Promise<void> {
    for (const other of this.#running)
      if (other.startsWith(`${item} `)) this.overlaps.push(`item ${item} on ${name} while ${other}`);
    const me = `${item} ${name}`;
    this.#running.add(me);
    return new Promise((resolve) => {
      const end = (): void => {
        this.#running.delete(me);
        resolve();
      };
      this.cluster.clock.after(this.#random.integer(0, 200), end);
      signal.addEventListener('abort', end);
    });
  }

  /** Lets some time pass, more often than not ending close to a firing. */
  async pass(): Promise<void> {
    const untilFiring = PERIOD_MS - (this.cluster.clock.now() % PERIOD_MS);
    const ms = this.#random.pick([
      this.#random.integer(0, 20),
      this.#random.integer(0, PERIOD_MS),
      Math.max(0, untilFiring - this.#random.integer(0, 60)),
      untilFiring + this.#random.integer(0, 120),
    ]);
    await this.cluster.advance(ms);
  }

  async step(kinds: readonly string[]): Promise<void> {
    const { cluster } = this;
    const present = [...cluster.members.keys()];
    const kind = this.#random.pick(kinds);
    // Whoever learns of it too late is right to run, or not to run, as it has been until then.
    const isDecree = kind === 'disable' || kind === 'enable';
    if (isDecree && PERIOD_MS - (cluster.clock.now() % PERIOD_MS) < 150) return;
    const name = kind === 'join' ? this.#newName() : this.#random.pick(present);
    switch (kind) {
      case 'join':
        if (present.length === CROWD) return;
        this.#tell(`${name} joins`);
        this.#joinedAt.set(name, cluster.clock.now());
        await cluster.join(name);
        return;
      case 'leave':
        if (this.#enabled().filter((other) => other !== name).length === 0) return;
        this.#tell(`${name} leaves`);
        this.#leaving.push(cluster.leave(name));
        return;
      case 'disable':
        // Somebody must be able to run the items all the time, or it is right that they do not run.
        if (!this.#enabled().some((other) => other !== name && this.#hasSettled(other))) return;
        this.#tell(`${name} is disabled`);
        this.#disabled.add(name);
        void cluster.operator.put(cluster.paths.server(ipOf(name)), 'DISABLED');
        return;
      case 'enable':
        this.#tell(`${name} is enabled`);
        this.#disabled.delete(name);
        void cluster.operator.put(cluster.paths.server(ipOf(name)), 'ENABLED');
        return;
      case 'kill':
        if (!this.#enabled().some((other) => other !== name)) return;
        this.#tell(`${name} is killed`);
        cluster.kill(name);
        return;
      case 'suspend':
        this.#tell(`${name} is suspended`);
        cluster.member(name).registry.faults.suspend();
        await cluster.advance(this.#random.integer(0, 9_000));
        cluster.member(name).registry.faults.resume();
        this.#tell(`${name} is back`);
        return;
      case 'expire':
        this.#tell(`${name} loses its session`);
        cluster.member(name).registry.faults.expire();
        return;
      case 'lose':
        this.#tell(`${name} loses a write`);
        cluster.member(name).registry.faults.loseNextWrite(this.#random.pick(['applied', 'not-applied']));
        return;
      default:
        throw new Error(`no such step: ${kind}`);
    }
  }

  /** Whether a member has been there long enough to be registered. */
  #hasSettled(name: string): boolean {
    return this.cluster.clock.now() - (this.#joinedAt.get(name) ?? 0) > 500;
  }

  /** Never one that was there before: no two processes have the same id. */
  #newName(): string {
    return String.fromCharCode('A'.charCodeAt(0) + this.#names++);
  }

  #tell(what: string): void {
    this.told.push(`${new Date(this.cluster.clock.now()).toISOString().slice(14, 23)} ${what}`);
  }

  /** Members whose server is not, and is not about to be, disabled. */
  #enabled(): string[] {
    return [...this.cluster.members.keys()].filter((name) => !this.#disabled.has(name));
  }

  async end(): Promise<void> {
    await this.cluster.advance(20_000);
    await Promise.all(this.#leaving);
    // Long after one firing and long before the next.
    await this.cluster.advance(2 * PERIOD_MS - 500 - (this.cluster.clock.now() % PERIOD_MS));
  }

  /** `item instant: times` for every item and instant that did not run exactly `expected` times. */
  misdeeds(isAllowed: (times: number) => boolean): string[] {
    const { runs } = this.cluster;
    const instants = [...new Set(runs.map(({ at }) => at))].sort().slice(0, -1);
    return instants.flatMap((at) =>
      Array.from({ length: this.items }, (_, item) => {
        const by = runs.filter((run) => run.at === at && run.item === item).map(({ instance }) => instance);
        return isAllowed(by.length) ? '' : `item ${item} at ${at}: ${by.length === 0 ? 'never' : by.join(', ')}`;
      }).filter((misdeed) => misdeed !== ''),
    );
  }

  /** The last lines of each member's log, for those who look for the cause. */
  logs(): Record<string, string[]> {
    return Object.fromEntries([...this.cluster.members.values()].map(({ name, log }) => [name, log.slice(-15)]));
  }

  /** What is wrong with the job at rest. */
  unrest(): string[] {
    const { view, tree } = this.cluster;
    return [
      ...view.items
        .filter(({ owner }) => !view.instances.has(owner ?? ''))
        .map(({ item }) => `item ${item} is nobody's`),
      ...(view.items.length === this.items ? [] : [`there are ${view.items.length} items`]),
      ...(view.instances.has(view.leader ?? '') ? [] : ['nobody leads']),
      ...(view.reshardingNeeded ? ['an assignment is asked for'] : []),
      ...[...tree.keys()].filter((path) => /running$|trigger\/|latch-/.test(path)),
    ];
  }
}

async function play(seed: number, kinds: readonly string[], judge: (history: History) => object): Promise<object> {
  const history = new History(seed);
  await history.begin();
  await using cluster = history.cluster;
  for (let step = 0; step < 12; step++) {
    await history.pass();
    await history.step(kinds);
  }
  await history.end();
  const verdict = judge(history);
  return Object.values(verdict).flat().length === 0
    ? {}
    : {
        seed,
        ...verdict,
        history: history.told,
        view: JSON.stringify(cluster.view, (_, v: unknown) =>
          v instanceof Map ? [...(v as Map<unknown, unknown>)] : v,
        ),
        log: [...cluster.members.values()].map(({ host, log }) => [
          host.jobs.get('job')?.phase,
          ...log.filter((line) => !line.startsWith('Sharding')).slice(-60),
        ]),
      };
}

describe('whatever the order in which news arrives', () => {
  test(`every firing runs every item exactly once while instances come, go, and are disabled and enabled (${HISTORIES} histories)`, async () => {
    const faults: object[] = [];
    for (const seed of SEEDS) {
      const fault = await play(seed, ['join', 'join', 'leave', 'leave', 'disable', 'enable', 'enable'], (history) => ({
        overlaps: history.overlaps,
        misdeeds: history.misdeeds((times) => times === 1),
        unrest: history.unrest(),
      }));
      if (Object.keys(fault).length > 0) faults.push(fault);
    }
    expect(faults).toEqual([]);
  }, 120_000);

  test(`no item runs twice in a firing, or on two instances at once, while instances are also killed, cut off and lose their sessions (${HISTORIES} histories)`, async () => {
    const faults: object[] = [];
    for (const seed of SEEDS) {
      const kinds = ['join', 'join', 'leave', 'disable', 'enable', 'enable', 'kill', 'suspend', 'expire', 'lose'];
      const fault = await play(seed, kinds, (history) => ({
        overlaps: history.overlaps,
        misdeeds: history.misdeeds((times) => times <= 1),
        unrest: history.unrest(),
      }));
      if (Object.keys(fault).length > 0) faults.push(fault);
    }
    expect(faults).toEqual([]);
  }, 120_000);
});
