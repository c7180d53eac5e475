import { randomUUID } from 'node:crypto';
import { DeadlineExceededError, RegistryUnavailableError, SessionLostError } from '../api/errors/errors.js';
import { isDisconnection } from '../api/errors/registry-errors.js';
import { describeCause } from '../api/text/describe-cause.js';
import { type JobLogger } from '../api/text/logger.js';
import { abortable } from '../async/wait.js';
import { type Clock } from '../time/clock.js';
import { childPath } from './node-paths.js';
import { type Mirror, type RegistryCenter } from './registry-center.js';
import { liveSessionId } from './session-state.js';

/** The parts of a registry centre that a hold needs. */
export type HoldRegistry = Pick<RegistryCenter, 'session' | 'create' | 'remove' | 'mirror'>;

/** The surroundings of a hold. */
export interface HoldOptions {
  readonly clock: Clock;
  /** Reports a place that could not be given up although no call waits for that any more. */
  readonly logger: Pick<JobLogger, 'error'>;
}

/**
 * One attempt to hold a path, for registry centres whose revisions are in the order of the requests: a session node
 * below the path is a place in a queue, and the one with the lowest revision holds the path. The attempt ends, and its
 * signal aborts, as soon as the connection breaks; the place is then given up when the same session is connected again,
 * or vanishes with the session.
 */
export class QueuedHold {
  readonly #registry: HoldRegistry;
  readonly #clock: Clock;
  readonly #logger: Pick<JobLogger, 'error'>;
  readonly #path: string;
  readonly #place: string;
  readonly #broken = new AbortController();
  #queue: Mirror | undefined;

  constructor(registry: HoldRegistry, path: string, { clock, logger }: HoldOptions) {
    this.#registry = registry;
    this.#clock = clock;
    this.#logger = logger;
    this.#path = path;
    this.#place = childPath(path, `turn-${randomUUID()}`);
  }

  /** Waits at most `timeoutMs` for the hold, runs the task, and gives up the place in the queue. */
  async during<T>(timeoutMs: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { session } = this.#registry;
    const { state } = session;
    if (state.phase !== 'connected') throw this.#unavailable(new Error(`The session is ${state.phase}`));
    const unsubscribe = session.onChange(({ phase }) =>
      this.#broken.abort(new SessionLostError(`it is ${phase}, and the hold of ${this.#path} may be lost with it`)),
    );
    const enqueued = this.#registry.create(this.#place, '', 'session');
    try {
      await this.#obtain(timeoutMs, enqueued);
      // The connection may have broken between our turn and this line.
      if (this.#broken.signal.aborted) throw this.#unavailable(this.#broken.signal.reason);
      return await task(this.#broken.signal);
    } finally {
      unsubscribe();
      this.#queue?.close();
      await this.#withdraw(state.id, enqueued);
    }
  }

  async #obtain(timeoutMs: number, enqueued: Promise<boolean>): Promise<void> {
    const waiting = new AbortController();
    const cancel = this.#clock.after(timeoutMs, () => waiting.abort(this.#tooLate(timeoutMs)));
    const onBroken = (): void => waiting.abort(this.#unavailable(this.#broken.signal.reason));
    this.#broken.signal.addEventListener('abort', onBroken, { once: true });
    try {
      await abortable(enqueued, waiting.signal);
      await abortable(this.#openQueue(waiting.signal), waiting.signal);
      await abortable(this.#turn(), waiting.signal);
    } catch (error) {
      throw isDisconnection(error) ? this.#unavailable(error) : error;
    } finally {
      cancel();
      this.#broken.signal.removeEventListener('abort', onBroken);
    }
  }

  async #openQueue(signal: AbortSignal): Promise<void> {
    const queue = await this.#registry.mirror(this.#path);
    // No call waits for it any more.
    if (signal.aborted) queue.close();
    else this.#queue = queue;
  }

  /** Resolves when our place is the first of the queue. */
  #turn(): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.#first?.path === this.#place) resolve();
      };
      this.#queue?.onChange(check);
      check();
    });
  }

  get #first(): { readonly path: string; readonly revision: number; readonly session: string | undefined } | undefined {
    return [...(this.#queue?.nodes ?? [])]
      .filter(([path]) => path !== this.#path)
      .map(([path, { revision, session }]) => ({ path, revision, session }))
      .sort((one, other) => one.revision - other.revision)[0];
  }

  /**
   * Gives up our place now, or as soon as the same session is connected again. If the session has ended, so has the
   * place. A request for the place that is still on its way comes first: otherwise it would bring the place back.
   */
  async #withdraw(id: string, enqueued: Promise<unknown>): Promise<void> {
    const removed = enqueued.catch(() => undefined).then(() => this.#remove(id));
    if (this.#queue !== undefined) await removed;
    else removed.catch((error: unknown) => this.#reportLeft(error));
  }

  async #remove(id: string): Promise<void> {
    const { session } = this.#registry;
    try {
      if (session.state.phase === 'connected' && session.state.id === id)
        return void (await this.#registry.remove(this.#place));
    } catch (error) {
      if (!isDisconnection(error)) throw error;
    }
    if (liveSessionId(session.state) !== id) return;
    const unsubscribe = session.onChange(() => {
      unsubscribe();
      this.#remove(id).catch((error: unknown) => this.#reportLeft(error));
    });
  }

  #reportLeft(error: unknown): void {
    this.#logger.error(
      `The place ${this.#place} in a queue could not be given up, and holds up the others until this session ends: ${describeCause(error)}`,
    );
  }

  #tooLate(timeoutMs: number): Error {
    const holder = this.#first?.session;
    const whose = holder === undefined ? '' : `, which session ${holder} has`;
    return new DeadlineExceededError(`the hold of ${this.#path}${whose}`, timeoutMs);
  }

  #unavailable(cause: unknown): Error {
    return new RegistryUnavailableError('wait for a hold of', this.#path, cause);
  }
}
