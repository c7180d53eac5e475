import { RegistryOutcomeUnknownError, RegistryUnavailableError, SessionLostError } from '../../api/errors/errors.js';
import { backoffMs } from '../../async/backoff.js';
import { withDeadline } from '../../async/wait.js';
import { type Clock } from '../../time/clock.js';
import { NOT_ASKED_TO_CONNECT } from '../session-state.js';
import { ZooKeeperError } from './transport.js';
import { type ZookeeperSettings } from './zookeeper-configuration.js';
import { isRetryable, translated } from './zookeeper-failures.js';
import { type Connected, type ZooKeeperSession } from './zookeeper-session.js';

/** Dependencies of a call. */
export interface CallContext {
  readonly session: ZooKeeperSession;
  readonly clock: Clock;
  readonly settings: Pick<ZookeeperSettings, 'retry' | 'operationTimeoutMs'>;
}

/** Operation and path of a call, for messages. */
export interface CallSubject {
  /** A verb: `create`, `read`. */
  readonly operation: string;
  /** Path within the namespace, or several. */
  readonly path: string;
}

/**
 * Runs one operation of the registry centre.
 * @throws RegistryRefusedError for an answer of the server that `task` does not handle
 */
export async function perform<T>(
  context: CallContext,
  subject: CallSubject,
  task: (call: Call) => Promise<T>,
): Promise<T> {
  try {
    return await task(new Call(context, subject));
  } catch (error) {
    throw translated(subject.operation, subject.path, error);
  }
}

/**
 * One operation of the registry centre, made of one or several requests. It limits how often and how long they are
 * tried.
 *
 * A request that had no effect is made again, after a pause or as soon as the session is connected again, until the
 * retries are used up. A write whose answer was lost is not made again: the caller must find out first whether it was
 * carried out. All requests of a call belong to one session; when that is lost, the call rejects.
 */
export class Call {
  readonly #context: CallContext;
  readonly #endsAt: number;
  readonly #subject: CallSubject;
  #failures = 0;
  #sessionId: string | undefined;

  constructor(context: CallContext, subject: CallSubject) {
    this.#context = context;
    this.#subject = subject;
    this.#endsAt = context.clock.monotonic() + context.settings.operationTimeoutMs;
  }

  /** A verb for messages: `create`, `read`. */
  get operation(): string {
    return this.#subject.operation;
  }

  /** Path within the namespace. */
  get path(): string {
    return this.#subject.path;
  }

  /** The session that this call belongs to, once it has one. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /**
   * Sends a request that changes nothing.
   * @throws ZooKeeperError if the server refuses
   * @throws RegistryUnavailableError if the server does not answer
   */
  read<T>(send: (connected: Connected) => Promise<T>): Promise<T> {
    return this.#ask(send, 'read');
  }

  /**
   * Sends a request for a change. `isAwaited` returns true while the call waits for the answer: once this call has
   * rejected, nothing may be sent for it any more.
   * @throws ZooKeeperError if the server refuses
   * @throws RegistryUnavailableError if the change was certainly not made
   * @throws RegistryOutcomeUnknownError if the answer was lost
   */
  write<T>(send: (connected: Connected, isAwaited: () => boolean) => Promise<T>): Promise<T> {
    return this.#ask(send, 'write');
  }

  /**
   * Waits for the effect of requests of this call.
   * @throws RegistryUnavailableError after the time limit of the call
   */
  within<T>(promise: Promise<T>): Promise<T> {
    const late = (): Error =>
      this.#unavailable(new Error(`not done within ${this.#context.settings.operationTimeoutMs} ms`));
    return withDeadline(this.#context.clock, promise, this.#remainingMs, late);
  }

  /** Counts a failure and waits before the next attempt. @throws RegistryUnavailableError if no attempt is left */
  async pause(cause?: unknown): Promise<void> {
    const { clock, session, settings } = this.#context;
    const { baseMs, maxMs, retries } = settings.retry;
    this.#failures++;
    if (this.#failures > retries || this.#remainingMs <= 0) throw this.#unavailable(cause);
    const delayMs = Math.min(this.#remainingMs, backoffMs(this.#failures, { baseMs, maxMs }));
    // A new connection ends the pause: there is nothing to wait for any longer. While connected, the pause spares the
    // server.
    const wasConnected = session.connected !== undefined;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        cancel();
        leave();
        resolve();
      };
      const cancel = clock.after(delayMs, done);
      const leave = session.onChange(({ phase }) => {
        if (phase === 'connected' ? !wasConnected : phase === 'lost' || phase === 'closed') done();
      });
    });
  }

  async #ask<T>(
    send: (connected: Connected, isAwaited: () => boolean) => Promise<T>,
    kind: 'read' | 'write',
  ): Promise<T> {
    const { clock, settings } = this.#context;
    let isOver = false;
    const isAwaited = (): boolean => !isOver;
    const late = (): Error => {
      isOver = true;
      return this.#unanswered(kind, new Error(`no answer within ${settings.operationTimeoutMs} ms`));
    };
    for (;;) {
      // In a loop on purpose: each attempt depends on how the one before ended.
      const connected = this.#connectedNow ?? (await this.connected());
      try {
        return await withDeadline(clock, send(connected, isAwaited), this.#remainingMs, late);
      } catch (error) {
        if (!(error instanceof ZooKeeperError)) throw error;
        if (error.outcomeUnknown && kind === 'write') throw this.#unanswered(kind, error);
        if (!isRetryable(error)) throw error;
        await this.pause(error);
      }
    }
  }

  #unanswered(kind: 'read' | 'write', cause: unknown): Error {
    return kind === 'read'
      ? this.#unavailable(cause)
      : new RegistryOutcomeUnknownError(this.operation, this.path, cause);
  }

  /**
   * Waits until the session is connected.
   * @throws RegistryUnavailableError if it is not within the retries, or is lost
   */
  async connected(): Promise<Connected> {
    for (;;) {
      const { connected, refusal, state, reason } = this.#context.session;
      const id = connected?.sessionId ?? (state.phase === 'suspended' ? state.id : undefined);
      this.#sessionId ??= id;
      if (connected && connected.sessionId === this.#sessionId) return connected;
      if (refusal !== undefined) throw refusal;
      if (state.phase === 'closed') throw this.#unavailable(new Error(state.reason));
      if (this.#sessionId !== undefined && id !== this.#sessionId) {
        throw this.#unavailable(new SessionLostError(`it ended while trying to ${this.operation} ${this.path}`));
      }
      // connect() may be called meanwhile.
      await this.pause(new Error(reason === NOT_ASKED_TO_CONNECT ? reason : `the session is ${state.phase}`));
    }
  }

  /** `undefined` if the session of this call is not connected. */
  get #connectedNow(): Connected | undefined {
    const { connected } = this.#context.session;
    if (connected === undefined) return undefined;
    this.#sessionId ??= connected.sessionId;
    return connected.sessionId === this.#sessionId ? connected : undefined;
  }

  get #remainingMs(): number {
    return Math.max(0, this.#endsAt - this.#context.clock.monotonic());
  }

  #unavailable(cause: unknown): RegistryUnavailableError {
    const { reason } = this.#context.session;
    const why = reason === NOT_ASKED_TO_CONNECT ? reason : undefined;
    return new RegistryUnavailableError(this.operation, this.path, cause, why);
  }
}
