import { describe, expect, test } from '@jest/globals';
import { type ShardingContexts } from '../../../../lib/api/job/sharding-contexts.js';
import { type Delivery } from '../../../../lib/registry/embedded/delivery.js';
import { type ManualClock } from '../../../../lib/testing/manual-clock.js';
import { TestCluster } from '../../../../lib/testing/test-cluster.js';
import { Once, CallNotes } from '../../../support/listeners.js';
import { Random } from '../../../support/random.js';

const HISTORIES = Number(process.env['HISTORIES'] ?? 20);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
/**
 * Seeds of former faults: 1023, a wait that thought in circles; 6066, a last call before items whose owner was there
 * with others that it had taken over; 20067, a last call before that of a firing with a crashed item.
 */
const FORMER_FAULTS = [1023, 6066, 20067];
const SEEDS = [...Array.from({ length: HISTORIES }, (_, index) => FIRST_SEED + index), ...FORMER_FAULTS];
const PERIOD_MS = 20_000;

/** Every message takes up to 30 ms, in order on its channel only. */
const slowly = (random: Random) => (clock: ManualClock) => {
  const busyUntil = new Map<string, number>();
  return ({ channel, arrive }: Delivery): void => {
    const at = Math.max(busyUntil.get(channel) ?? 0, clock.monotonic() + random.integer(0, 30));
    busyUntil.set(channel, at);
    clock.after(at - clock.monotonic(), arrive);
  };
};

/** The events of one firing in order: `started`, `item 0 begins`, `item 0 ends`, `completed`. */
type Firing = string[];

class History {
  readonly #random: Random;
  readonly firings = new Map<string, Firing>();
  /** Instants of the firings whose last call was made, in the order of these calls. */
  readonly lastCalls: string[] = [];
  cluster!: TestCluster;
  /** How often each instance was killed, cut off or frozen. */
  readonly #disturbances = new Map<string, number>();
  /** Instances that die at one of their writes. */
  readonly #doomed = new Set<string>();
  #names = 0;
  #isCalm = false;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  async begin(): Promise<void> {
    const random = this.#random;
    this.cluster = await TestCluster.start([], {
      job: {
        cron: '0/20 * * * * ?',
        shardingTotalCount: random.integer(1, 6),
        jobListenerTypes: ['ONCE'],
        failover: random.next() < 0.5,
        misfire: random.next() < 0.8,
      },
      deliver: slowly(random),
      work: async (name, { shardingItem, scheduledAt, signal }) => {
        const disturbances = this.#disturbances.get(name);
        // An instance that comes back after its session makes up for what it has missed, and no peer can know that it
        // will.
        const hasReturned = this.#hasReturned(name, scheduledAt);
        if (!hasReturned) this.#note(scheduledAt, `item ${shardingItem} begins`);
        const isSlow = !this.#isCalm && random.next() < 0.05;
        await this.#sleep(isSlow ? random.integer(5_000, 35_000) : random.integer(0, 300), signal);
        // Peers do not wait for the run of an instance that has died, or that may have lost its session.
        if (!signal.aborted && !hasReturned && !this.#doomed.has(name) && disturbances === this.#disturbances.get(name))
          this.#note(scheduledAt, `item ${shardingItem} ends`);
      },
      host: (name) => ({ listeners: [this.#listener(name)] }),
    });
    for (let left = random.integer(2, 4); left > 0; left--) await this.cluster.join(`I${++this.#names}`);
    await this.cluster.advance(3 * PERIOD_MS);
  }

  #listener(name: string): Once {
    const call = (stage: string) => async (contexts: ShardingContexts) => {
      this.#note(contexts.scheduledAt, stage);
      await this.#sleep(this.#random.integer(0, 200), contexts.signal);
      this.#note(contexts.scheduledAt, `${stage} ends`);
    };
    return new Once(new CallNotes(), name, { started: call('started'), completed: call('completed') });
  }

  #note(scheduledAt: Date | undefined, what: string): void {
    const at = scheduledAt?.toISOString() ?? 'manual';
    this.firings.set(at, [...(this.firings.get(at) ?? []), what]);
    if (what === 'completed') this.lastCalls.push(at);
  }

  /** True if the instance has lost its session since that instant. */
  #hasReturned(name: string, since: Date | undefined): boolean {
    const time = since?.toISOString().slice(11, 23) ?? '';
    return this.cluster.story.some(
      (line) => line.endsWith(` ${name} has lost its session`) && line.slice(0, 12) >= time,
    );
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.cluster.clock.after(ms, resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async step(): Promise<void> {
    const random = this.#random;
    const { cluster } = this;
    const untilFiring = PERIOD_MS - (cluster.clock.now() % PERIOD_MS);
    await cluster.advance(
      random.pick([random.integer(0, 2_000), Math.max(0, untilFiring - 50), untilFiring + random.integer(0, 900)]),
    );
    const present = [...cluster.members.keys()];
    if (present.length === 0) return void (await cluster.join(`I${++this.#names}`));
    const name = random.pick(present);
    const step = random.pick(['join', 'leave', 'kill', 'dieAtWrite', 'expire', 'blink', 'freeze', 'nothing'] as const);
    if (['kill', 'expire', 'blink', 'freeze'].includes(step))
      this.#disturbances.set(name, (this.#disturbances.get(name) ?? 0) + 1);
    switch (step) {
      case 'join':
        if (present.length < 5) await cluster.join(`I${++this.#names}`);
        return;
      case 'leave':
        if (present.length > 1) await cluster.leave(name);
        return;
      case 'kill':
        if (present.length > 1) cluster.kill(name);
        return;
      case 'dieAtWrite':
        if (present.length === 1) return;
        this.#doomed.add(name);
        return cluster.killAtWrite(name, random.integer(1, 12), 'not-applied');
      case 'expire':
        return cluster.expire(name);
      case 'blink':
        cluster.cut(name, { direction: random.pick(['both', 'sending', 'receiving'] as const) });
        await cluster.advance(random.integer(0, 9_000));
        if (cluster.members.has(name)) await cluster.heal(name);
        return;
      case 'freeze':
        cluster.freeze(name);
        await cluster.advance(random.integer(0, 12_000));
        if (cluster.members.has(name)) await cluster.thaw(name);
        return;
      default:
    }
  }

  async settle(): Promise<void> {
    this.#isCalm = true;
    // Some may still have to die at one of their next writes.
    await this.cluster.advance(4 * PERIOD_MS);
    if (this.cluster.members.size === 0) await this.cluster.join(`I${++this.#names}`);
    // To the middle between two firings.
    await this.cluster.advance(4 * PERIOD_MS + PERIOD_MS / 2 - (this.cluster.clock.now() % PERIOD_MS));
  }
}

/**
 * The faults of one firing.
 * @param givenUp items that an instance has logged not to wait for any longer
 */
function faultsIn(firing: Firing, givenUp: ReadonlySet<number>): readonly string[] {
  const count = (what: string): number => firing.filter((each) => each === what).length;
  const first = firing.findIndex((each) => each.startsWith('item'));
  const faults = ['started', 'completed'].filter((call) => count(call) > 1).map((call) => `${call} twice`);
  const started = firing.indexOf('started');
  if (started > first && first >= 0) faults.push('an item began before the call');
  const completed = firing.indexOf('completed');
  const late = completed < 0 ? [] : firing.slice(completed).filter((each) => each.startsWith('item'));
  for (const each of late) {
    const [, item = '', moment = ''] = /^item (\d+) (\w+)$/.exec(each) ?? [];
    if (!givenUp.has(Number(item))) faults.push(`item ${item} ${moment} after the last call`);
  }
  return faults;
}

/** Items of the firing at that instant that an instance has logged not to wait for any longer. */
function givenUpIn(log: readonly string[], at: string): ReadonlySet<number> {
  const lines = log.filter(
    (line) => line.includes(`of the firing at ${at} `) && line.includes(': goes on without items '),
  );
  return new Set(lines.flatMap((line) => [...line.matchAll(/ (\d+) \(/g)].map(([, item]) => Number(item))));
}

describe('histories of clusters with a once-listener', () => {
  test.each(SEEDS)('seed %d', async (seed) => {
    const history = new History(seed);
    await history.begin();
    await using cluster = history.cluster;

    for (let steps = 0; steps < 25; steps++) await history.step();
    await history.settle();
    const settledAt = cluster.clock.now();
    await cluster.advance(5 * PERIOD_MS);

    const faults = [...history.firings].flatMap(([at, firing]) =>
      faultsIn(firing, givenUpIn(cluster.log, at)).map((fault) => `${at}: ${fault} ${firing.join(', ')}`),
    );
    expect(faults).toEqual([]);
    expect(history.lastCalls).toEqual([...history.lastCalls].sort());
    const calm = [...history.firings].filter(([at]) => new Date(at).getTime() > settledAt);
    expect(calm).toHaveLength(5);
    for (const [, firing] of calm) {
      expect(firing.slice(0, 2)).toEqual(['started', 'started ends']);
      expect(firing.slice(-2)).toEqual(['completed', 'completed ends']);
    }
    const left = [...cluster.tree.keys()].filter((path) =>
      /^\/job\/guarantee\/(started|completed)(\/|$)|-by$/.test(path),
    );
    expect(left).toEqual([]);
  });
});
