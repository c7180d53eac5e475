import { type Delivery } from '../../../lib/registry/embedded/delivery.js';
import { type Clock } from '../../../lib/time/clock.js';
import { Random } from '../../support/random.js';

/** Verbs of the requests that change the registry. */
const WRITES = /^(?:create|write|remove|commit|queue|give up|read the time)/;

/** Messages to a centre with a change for a mirror. */
const CHANGES = /^revision /;
/** Answers that show a mirror a moment, before which it needs all earlier changes. */
const READINGS = /^answer to (?:mirror|sync|load) /;

/** A fault at the moment when one of an instance's writes reaches the registry. */
export interface Ambush {
  /** Counted from 1, beginning with the next write that is sent. */
  nth: number;
  /** Called in place of the arrival, which it may let happen. */
  readonly strike: (arrive: () => void) => void;
}

/** One centre's line to the registry. */
class Line {
  readonly requests = new Map<number, number>();
  ambush: Ambush | undefined;
  /** How often its mirrors hear of changes, in milliseconds; `undefined`: at once. */
  hearsEveryMs: number | undefined;
}

/** One direction of a line. */
interface Channel {
  readonly line: Line;
  readonly direction: 'to the server' | 'to the centre';
  readonly random: Random;
  freeAt: number;
  /** Changes that the centre has not heard of, in their order. */
  readonly withheld: (() => void)[];
}

/**
 * All messages between instances and registry. Each takes its own time, in order on its channel only, so that news
 * reaches the instances in any order. Each channel draws from its own chance: what happens to one instance leaves the
 * others' messages as they are.
 */
export class Network {
  readonly #clock: Clock;
  readonly #seed: number;
  readonly #slowestMs: number;
  readonly #lines = new Map<string, Line>();
  readonly #channels = new Map<string, Channel>();

  /** @param slowestMs longest time a message takes, in full milliseconds */
  constructor(clock: Clock, seed: number, slowestMs: number) {
    this.#clock = clock;
    this.#seed = seed;
    this.#slowestMs = slowestMs;
  }

  /** Sets an ambush on the centre that connected as the `nth` one, in place of an earlier one. */
  ambush(centre: number, ambush: Ambush): void {
    this.#line(`centre ${centre}`).ambush = ambush;
  }

  /**
   * From now on, changes reach the mirrors of this centre only every so often, or with an answer for which they must
   * know them, as if all notifications were lost. Other answers overtake changes.
   */
  hearLate(centre: number, everyMs: number): void {
    this.#line(`centre ${centre}`).hearsEveryMs = everyMs;
  }

  /** Ends `hearLate`. */
  hearAtOnce(centre: number): void {
    const line = this.#line(`centre ${centre}`);
    line.hearsEveryMs = undefined;
    const now = this.#clock.monotonic();
    for (const channel of this.#channels.values())
      if (channel.line === line) this.#releaseAt(channel, Math.max(now, channel.freeAt));
  }

  /** Requests a centre sent in each second of the simulation that had any. */
  requests(centre: number): ReadonlyMap<number, number> {
    return this.#line(`centre ${centre}`).requests;
  }

  readonly deliver = ({ channel: name, what, arrive }: Delivery): void => {
    const channel = this.#channels.get(name) ?? this.#open(name);
    const { line, random } = channel;
    const now = this.#clock.monotonic();
    const at = Math.max(channel.freeAt, now + random.integer(0, this.#slowestMs));
    channel.freeAt = at;
    if (channel.direction === 'to the centre') return this.#toCentre(channel, { what, at, arrive });

    const second = Math.floor(now / 1000);
    line.requests.set(second, (line.requests.get(second) ?? 0) + 1);
    const { ambush } = line;
    const isStruck = ambush !== undefined && WRITES.test(what) && --ambush.nth === 0;
    this.#clock.after(at - now, isStruck ? () => ambush.strike(arrive) : arrive);
  };

  #toCentre(channel: Channel, { what, at, arrive }: { what: string; at: number; arrive: () => void }): void {
    const { hearsEveryMs } = channel.line;
    if (CHANGES.test(what) && (hearsEveryMs !== undefined || channel.withheld.length > 0)) {
      channel.withheld.push(arrive);
      const everyMs = hearsEveryMs ?? 1;
      return this.#releaseAt(channel, Math.ceil(at / everyMs) * everyMs);
    }
    // Later changes must not come with this answer: it shows an earlier moment.
    const earlier = READINGS.test(what) ? channel.withheld.splice(0) : [];
    this.#clock.after(at - this.#clock.monotonic(), () => {
      for (const each of [...earlier, arrive]) each();
    });
  }

  /** What is withheld now arrives at that moment, unless it has arrived before. */
  #releaseAt(channel: Channel, atMs: number): void {
    const newest = channel.withheld.at(-1);
    if (newest === undefined) return;
    this.#clock.after(atMs - this.#clock.monotonic(), () => {
      const count = channel.withheld.indexOf(newest) + 1;
      for (const each of channel.withheld.splice(0, count)) each();
    });
  }

  #open(name: string): Channel {
    const [from = '', to = ''] = name.split(' → ');
    const direction = to === 'server' ? 'to the server' : 'to the centre';
    const centre = to === 'server' ? from : to;
    const number = Number(centre.slice('centre '.length));
    const random = new Random(this.#seed + 2 * number + (to === 'server' ? 1 : 0));
    const channel: Channel = { line: this.#line(centre), direction, random, freeAt: 0, withheld: [] };
    this.#channels.set(name, channel);
    return channel;
  }

  #line(centre: string): Line {
    let line = this.#lines.get(centre);
    if (line === undefined) this.#lines.set(centre, (line = new Line()));
    return line;
  }
}
