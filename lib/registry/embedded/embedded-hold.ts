import { randomUUID } from 'node:crypto';
import { DeadlineExceededError, RegistryUnavailableError, SessionLostError } from '../../api/errors/errors.js';
import { abortable } from '../../async/wait.js';
import { type Clock } from '../../time/clock.js';
import { nodeName } from '../node-paths.js';
import { EmbeddedMirror } from './embedded-mirror.js';
import { type EmbeddedSession, type ServerSide } from './embedded-session.js';

/**
 * One attempt to hold a path: a place in the queue of session nodes below it, as Curator's LeaderLatch has them. The
 * first place of the queue holds the path. The attempt ends, and its signal aborts, as soon as the connection breaks;
 * the place is then given up when the same session is connected again, or vanishes with the session.
 */
export class EmbeddedHold {
  readonly #session: EmbeddedSession;
  readonly #clock: Clock;
  readonly #path: string;
  readonly #prefix = `_c_${randomUUID()}`;
  readonly #broken = new AbortController();
  readonly #queue: EmbeddedMirror;

  constructor(session: EmbeddedSession, clock: Clock, path: string) {
    this.#session = session;
    this.#clock = clock;
    this.#path = path;
    this.#queue = new EmbeddedMirror(session, path);
  }

  /** Waits at most `timeoutMs` for the hold, runs the task, and gives up the place in the queue. */
  async during<T>(timeoutMs: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { state } = this.#session;
    if (state.phase !== 'connected') throw this.#unavailable(`The session is ${state.phase}`);
    const unsubscribe = this.#session.onChangeFirst(({ phase }) =>
      this.#broken.abort(new SessionLostError(`it is ${phase}, and the hold of ${this.#path} may be lost with it`)),
    );
    try {
      await this.#obtain(timeoutMs);
      // The connection may have broken between our turn and this line.
      if (this.#broken.signal.aborted) throw this.#unavailable(this.#broken.signal.reason);
      return await task(this.#broken.signal);
    } finally {
      unsubscribe();
      this.#queue.close();
      await this.#withdraw(state.id);
    }
  }

  async #obtain(timeoutMs: number): Promise<void> {
    const waiting = new AbortController();
    const cancel = this.#clock.after(timeoutMs, () => waiting.abort(this.#tooLate(timeoutMs)));
    const onBroken = (): void => waiting.abort(this.#unavailable(this.#broken.signal.reason));
    this.#broken.signal.addEventListener('abort', onBroken, { once: true });
    try {
      await abortable(this.#enqueue(), waiting.signal);
      await abortable(this.#queue.open(), waiting.signal);
      await abortable(this.#turn(), waiting.signal);
    } finally {
      cancel();
      this.#broken.signal.removeEventListener('abort', onBroken);
    }
  }

  #enqueue(): Promise<void> {
    const run = ({ namespace, session }: ServerSide): void => namespace.enqueue(session, this.#path, this.#prefix);
    return this.#session.request({ operation: 'queue for a hold of', path: this.#path, kind: 'write', run });
  }

  /** Resolves when our place is the first of the queue. */
  #turn(): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.#first?.name.startsWith(this.#prefix)) resolve();
      };
      this.#queue.onChange(check);
      check();
    });
  }

  get #first(): { readonly name: string; readonly session: string | undefined } | undefined {
    const places = [...this.#queue.nodes]
      .filter(([path]) => path !== this.#path)
      .map(([path, { session }]) => ({ name: nodeName(path), session }));
    return places.sort((a, b) => (turnOf(a.name) < turnOf(b.name) ? -1 : 1))[0];
  }

  /**
   * Gives up our place now, or as soon as the same session is connected again. If the session has ended, so has the
   * place.
   */
  async #withdraw(id: string): Promise<void> {
    const { state } = this.#session;
    if (state.phase === 'suspended') {
      const unsubscribe = this.#session.onChangeFirst(() => {
        unsubscribe();
        void this.#withdraw(id);
      });
    }
    if (state.phase !== 'connected' || state.id !== id) return;
    const run = ({ namespace, session }: ServerSide): void => namespace.withdraw(session, this.#path, this.#prefix);
    await this.#session
      .request({ operation: 'give up the hold of', path: this.#path, kind: 'write', run })
      .catch(() => this.#withdraw(id));
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

/** The text by which Curator orders the queue: the part after the last `latch-`. */
function turnOf(name: string): string {
  return name.slice(name.lastIndexOf('latch-') + 'latch-'.length);
}
