import { backoffMs } from '../../../async/backoff.js';

/** The address of a server. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

const BACKOFF = { baseMs: 50, maxMs: 1000 } as const;

/**
 * Chooses the next server to try, and the pause before. The list is shuffled once, so that many clients spread, and
 * then tried in order. Pauses begin only after every server has failed, and grow with each such round.
 */
export class ServerList {
  readonly #servers: readonly ServerAddress[];
  #position = 0;
  #failures = 0;

  /** `random`: source of chance, 0 ≤ x < 1. */
  constructor(servers: readonly ServerAddress[], random: () => number = Math.random) {
    this.#servers = shuffled(servers, random);
  }

  get size(): number {
    return this.#servers.length;
  }

  /** The server to try now. */
  next(): ServerAddress {
    const server = this.#servers[this.#position % this.#servers.length];
    if (!server) throw new RangeError('A ZooKeeper connection needs at least one server, such as localhost:2181');
    this.#position++;
    return server;
  }

  /**
   * Notes that a server could not be reached, or dropped us at once. Returns the milliseconds to wait before the next
   * one.
   */
  failed(): number {
    this.#failures++;
    if (this.#failures % this.#servers.length !== 0) return 0;
    return backoffMs(this.#failures / this.#servers.length, BACKOFF);
  }

  /** Notes that a connection has lasted. */
  succeeded(): void {
    this.#failures = 0;
  }
}

/** A copy in random order (Fisher-Yates). */
export function shuffled<T>(values: readonly T[], random: () => number = Math.random): T[] {
  const result = [...values];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
