import { afterNextPoll } from '../../../time/event-loop.js';
import { type Clock } from '../../../time/clock.js';

/** Dependencies of a `KeepAlive`. */
export interface KeepAliveOptions {
  readonly clock: Clock;
  /** The session timeout granted by the server, in milliseconds. */
  readonly timeoutMs: number;
  ping(): void;
  /** Called once, when the server has been silent for too long; `reason` is for messages. */
  onSilence(reason: string): void;
}

/** Shares of the session timeout T. */
const PING_AFTER = 0.3;
const SILENT_AFTER = 2 / 3;
const LEAST_WAIT = 0.25;

/**
 * Keeps a session alive and notices when its server has gone silent. With T as the session timeout:
 *
 * - It pings after 0.3 T without having sent anything. Received messages do not count, since the server does not count
 *   them.
 * - It gives up the server after 2/3 T without having received anything. This leaves T/3 to find another server.
 * - It also gives up the server after T without an answer to a request, even if events arrive.
 *
 * A server is silent only if it was asked: if this process itself slept or computed for long, it has asked nothing
 * meanwhile. So the silence must also have lasted T/4 since the oldest unanswered request or ping. In normal operation
 * that is the case long before 2/3 T.
 */
export class KeepAlive {
  readonly #options: KeepAliveOptions;
  #sentAt: number;
  #heardAt: number;
  /** Since when requests have been waiting without any answer. */
  #requestOwedSince: number | undefined;
  #pingOwedSince: number | undefined;
  #cancelTimer: () => void = () => undefined;
  #stopped = false;

  constructor(options: KeepAliveOptions) {
    this.#options = options;
    this.#sentAt = this.#heardAt = options.clock.monotonic();
  }

  start(): void {
    this.#wait();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
  }

  /** Notes that a request was sent. */
  requested(): void {
    this.#sentAt = this.#options.clock.monotonic();
    this.#requestOwedSince ??= this.#sentAt;
  }

  heard(): void {
    this.#heardAt = this.#options.clock.monotonic();
  }

  /** Notes that a request was answered. `owed` is the number of requests that still wait for an answer. */
  answered(owed: number): void {
    this.#requestOwedSince = owed > 0 ? this.#heardAt : undefined;
  }

  /**
   * Notes that a ping was answered. Returns when it was sent, by the monotonic clock; `undefined` if no ping was sent.
   */
  pingAnswered(): number | undefined {
    const sentAt = this.#pingOwedSince;
    this.#pingOwedSince = undefined;
    return sentAt;
  }

  #wait(): void {
    if (this.#stopped) return;
    const now = this.#options.clock.monotonic();
    const wakeAt = Math.min(this.#sentAt + PING_AFTER * this.#options.timeoutMs, this.#givenUpAt());
    this.#cancelTimer = this.#options.clock.after(Math.max(1, wakeAt - now), () => this.#wake());
  }

  #wake(): void {
    const now = this.#options.clock.monotonic();
    if (now >= this.#sentAt + PING_AFTER * this.#options.timeoutMs) {
      this.#sentAt = now;
      this.#pingOwedSince ??= now;
      this.#options.ping();
    }
    if (now < this.#givenUpAt()) return this.#wait();
    afterNextPoll(() => this.#verdict());
  }

  /** Decides after all messages have been read that arrived while the event loop was blocked. */
  #verdict(): void {
    if (this.#stopped) return;
    const now = this.#options.clock.monotonic();
    if (now < this.#givenUpAt()) return this.#wait();
    this.stop();
    this.#options.onSilence(`the server was silent for ${Math.round(now - this.#heardAt)} ms`);
  }

  /** When to give up the server if nothing more arrives, by the monotonic clock. */
  #givenUpAt(): number {
    const { timeoutMs } = this.#options;
    const askedAt = Math.min(this.#requestOwedSince ?? Infinity, this.#pingOwedSince ?? Infinity);
    const silentAt = Math.max(this.#heardAt + SILENT_AFTER * timeoutMs, askedAt + LEAST_WAIT * timeoutMs);
    return Math.min(silentAt, (this.#requestOwedSince ?? Infinity) + timeoutMs);
  }
}
