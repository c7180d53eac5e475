import { type Clock } from '../../time/clock.js';
import { isLasting, LinkBrokenError } from './connection/faults.js';
import { type AttachedLink } from './session-links.js';
import { type BeatAnswer, type Statements } from './statements.js';

/** The parts that the heartbeats of one link need. */
export interface HeartbeatOptions {
  readonly connected: Omit<AttachedLink, 'sentAt'>;
  readonly statements: Statements;
  readonly timeoutMs: number;
  readonly beatMs: number;
  readonly clock: Clock;
  readonly onJobs: (jobs: Extract<BeatAnswer, { jobs: unknown }>['jobs']) => void;
  /** The session lives; the heartbeat that says so was sent at that time of the monotonic clock. */
  readonly onAlive: (sentAt: number) => void;
  readonly onGone: () => void;
  readonly onFault: (error: unknown) => void;
}

/** How often old entries of the journal are removed, and how many at a time. */
const PRUNE_EVERY_MS = 60_000;
const PRUNED_AT_ONCE = 5_000;
/** How long after the end of a session it is swept, and how soon again if it could not be. */
const SWEEP_AFTER_MS = 10;
const SWEEP_AGAIN_MS = 250;

/** Prolongs the session, ends those of others whose time is over, and asks which jobs have changed. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #since = '0';
  #isStopped = false;
  #isSweeping = false;
  #hasSweptOrphans = false;
  #prunedAt: number;
  #attachedAt: number;
  #cancel: () => void = () => undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#attachedAt = options.clock.monotonic();
    // Processes that start together do not prune together.
    this.#prunedAt = this.#attachedAt - Math.random() * PRUNE_EVERY_MS;
  }

  start(): void {
    void this.#beat();
  }

  /** Sends a heartbeat before its time. */
  now(): void {
    this.#cancel();
    void this.#beat();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #beat(): Promise<void> {
    const { connected, statements, clock, timeoutMs, beatMs, onAlive, onGone, onJobs } = this.#options;
    const { link, id, epoch, receipts } = connected;
    const commits = receipts.count;
    const sentAt = clock.monotonic();
    let waitMs = Math.min(timeoutMs / 3, beatMs);
    try {
      const { rows } = await link.control(statements.beat(id, epoch, this.#since));
      if (this.#isStopped) return;
      const answer = rows[0]?.['answer'] as BeatAnswer;
      if ('session' in answer) return onGone();
      this.#since = answer.since;
      receipts.onBeat(answer.beats, commits);
      onAlive(sentAt);
      if (answer.jobs.length > 0) onJobs(answer.jobs);
      if (answer.nextEndMs !== null) waitMs = Math.min(waitMs, this.#untilSweep(answer.nextEndMs));
      if (sentAt - this.#prunedAt >= PRUNE_EVERY_MS) this.#prune(sentAt);
      this.#sweepOrphansInTime(sentAt);
    } catch (error) {
      this.#report(error);
      // Otherwise the server may do it later. A broken link is its owner's affair.
      if (isLasting(error)) link.break('the server takes no heartbeats');
    }
    if (this.#isStopped) return;
    this.#cancel = clock.after(waitMs, () => void this.#beat());
  }

  /** Sweeps if it is time. @returns the milliseconds until the next check */
  #untilSweep(nextEndMs: number): number {
    if (nextEndMs > 0) return nextEndMs + SWEEP_AFTER_MS;
    if (!this.#isSweeping) void this.#sweep('sweep');
    return SWEEP_AGAIN_MS;
  }

  /**
   * Once for each link, when a process whose session somebody has removed by hand must have noticed: then all processes
   * have come back with links of their own.
   */
  #sweepOrphansInTime(now: number): void {
    if (this.#hasSweptOrphans || this.#isSweeping || now - this.#attachedAt < this.#options.timeoutMs) return;
    this.#hasSweptOrphans = true;
    void this.#sweep('sweepOrphans');
  }

  /** One session after the other, each in a transaction of its own. No heartbeat waits for that. */
  async #sweep(statement: 'sweep' | 'sweepOrphans'): Promise<void> {
    const { connected, statements } = this.#options;
    this.#isSweeping = true;
    try {
      while (!this.#isStopped) {
        const { rows } = await connected.link.query(statements[statement]());
        if (rows[0]?.['answer'] !== true) break;
      }
    } catch (error) {
      this.#report(error);
    } finally {
      this.#isSweeping = false;
    }
  }

  #prune(now: number): void {
    const { connected, statements } = this.#options;
    this.#prunedAt = now;
    connected.link.query(statements.prune(PRUNED_AT_ONCE)).catch((error: unknown) => this.#report(error));
  }

  /** The reason why a link is broken is known to the one that broke it. */
  #report(error: unknown): void {
    if (!this.#isStopped && !(error instanceof LinkBrokenError)) this.#options.onFault(error);
  }
}
