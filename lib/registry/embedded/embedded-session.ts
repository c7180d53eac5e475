import { DeadlineExceededError, RegistryUnavailableError } from '../../api/errors/errors.js';
import { Listeners } from '../../async/listeners.js';
import { withDeadline } from '../../async/wait.js';
import { type Clock } from '../../time/clock.js';
import { type Session, type SessionState } from '../registry-center.js';
import { NOT_ASKED_TO_CONNECT } from '../session-state.js';
import {
  type AnswerTo,
  EmbeddedConnection,
  type EmbeddedRequest,
  type LostWrite,
  type MessageDirection,
} from './embedded-connection.js';
import { type EmbeddedNamespace } from './embedded-namespace.js';
import { type EmbeddedRegistryServer } from './embedded-registry-server.js';
import { warnOfListenerError } from './listener-errors.js';

/** The server's parts at which a request is carried out. */
export interface ServerSide {
  readonly server: EmbeddedRegistryServer;
  readonly namespace: EmbeddedNamespace;
  /** Id of the session that sends the request. */
  readonly session: string;
  readonly connection: EmbeddedConnection;
}

/** A request of a session to the tree of its namespace. */
export interface SessionRequest<T> extends Omit<EmbeddedRequest<T>, 'run'> {
  /** Carries out the request at the server, at once. */
  readonly run: (at: ServerSide) => T;
}

/** The write at which a centre dies. */
interface LastWrite {
  /** Writes that reach the server before it, itself included. */
  left: number;
  readonly outcome: LostWrite;
  readonly onDeath: () => void;
}

/** How long closing waits for the server's answer, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * The centre's side of a session. It knows only what arrives from the server, and otherwise trusts its own clock: the
 * session is suspended when nothing has arrived for two thirds of its timeout, and lost when nothing has for all of it.
 */
export class EmbeddedSession implements Session {
  readonly timeoutMs: number;
  readonly #namespace: string;
  readonly #clock: Clock;
  readonly #parts = new Listeners<SessionState>({ onError: warnOfListenerError });
  readonly #listeners = new Listeners<SessionState>({ onError: warnOfListenerError });
  #server: EmbeddedRegistryServer | undefined;
  #name = '';
  #state: SessionState = { phase: 'connecting' };
  #connection: EmbeddedConnection | undefined;
  #isReachable = true;
  #lastWrite: LastWrite | undefined;
  /** Ends the countdown that runs while nothing arrives; `undefined` while none runs. */
  #cancelCountdown: (() => void) | undefined;
  /** When the silence began, on the monotonic scale. */
  #silentSince = 0;

  constructor(namespace: string, clock: Clock, timeoutMs: number) {
    this.#namespace = namespace;
    this.#clock = clock;
    this.timeoutMs = timeoutMs;
  }

  get state(): SessionState {
    return this.#state;
  }

  get isSilent(): boolean {
    if (this.#cancelCountdown === undefined) return false;
    return this.#clock.monotonic() - this.#silentSince >= (this.timeoutMs * 2) / 3;
  }

  onChange(listener: (state: SessionState) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** As `onChange`, for the centre's own mirrors and holds, which are called before all other listeners. */
  onChangeFirst(listener: (state: SessionState) => void): () => void {
    return this.#parts.add(listener);
  }

  connect(server: EmbeddedRegistryServer): void {
    if (this.#server || this.#state.phase === 'closed') return;
    this.#server = server;
    this.#name = `centre ${server.nextCentre()}`;
    this.#dial();
  }

  /** Sends a request. Rejects at once unless the session is connected. */
  request<T>(request: SessionRequest<T>): Promise<T> {
    return new Promise((resolve, reject) => this.send(request, { answered: resolve, failed: reject }));
  }

  /** As `request`, but calls `to` within the delivery of the answer: before any message that was sent later arrives. */
  send<T>({ operation, path, kind, run }: SessionRequest<T>, to: AnswerTo<T>): void {
    const state = this.#state;
    const [server, connection] = [this.#server, this.#connection];
    if (state.phase !== 'connected' || !server || !connection) {
      if (server === undefined && state.phase === 'connecting')
        return to.failed(new RegistryUnavailableError(operation, path, undefined, NOT_ASKED_TO_CONNECT));
      return to.failed(new RegistryUnavailableError(operation, path, new Error(`The session is ${state.phase}`)));
    }
    const at = { server, connection, session: state.id, namespace: server.namespace(this.#namespace) };
    connection.send({ operation, path, kind, run: () => this.#carryOut(kind, () => run(at)) }, to);
  }

  /** Ends the session at the server, if that answers. No change of state follows. */
  async close(reason: string): Promise<void> {
    if (this.#state.phase === 'closed') return;
    const { state } = this;
    const connection = this.#connection;
    this.#stopCountdown();
    this.#enter({ phase: 'closed', reason });
    if (state.phase === 'connected' && connection) await this.#endAtServer(connection, state.id);
    connection?.cut(reason);
  }

  /** Breaks the connection and lets no new one through. */
  disconnect(): void {
    this.#isReachable = false;
    this.#connection?.cut('the connection was cut');
  }

  /** Drops all messages in this direction from now on, and lets no new connection through. */
  dropMessages(direction: MessageDirection): void {
    this.#isReachable = false;
    this.#startCountdown(direction === 'sending' ? 'changes arrive' : 'nothing arrives');
    this.#connection?.dropMessages(direction);
  }

  /** Lets connections through again. */
  resume(): void {
    if (this.#isReachable) return;
    this.#isReachable = true;
    const stale = this.#connection;
    if (stale) stale.cut('the connection was broken');
    else this.#dial();
  }

  /** Ends the session at the server. */
  expire(): void {
    const state = this.#state;
    if (state.phase === 'connected' || state.phase === 'suspended') this.#server?.endSession(state.id);
  }

  /** Drops all messages from the `number`th write on that reaches the server. */
  dieAtWrite(number: number, outcome: LostWrite, onDeath: () => void): void {
    this.#lastWrite = { left: number, outcome, onDeath };
  }

  /** Breaks the present connection when the next write reaches the server. */
  loseNextWrite(outcome: LostWrite): void {
    this.#connection?.loseNextWrite(outcome);
  }

  /** Carries out a request at the server, unless it is the write at which the centre dies without effect. */
  #carryOut<T>(kind: 'read' | 'write', run: () => T): T {
    const last = this.#lastWrite;
    if (kind === 'read' || !last || --last.left > 0) return run();
    this.#lastWrite = undefined;
    try {
      if (last.outcome === 'applied') return run();
      throw new Error('The centre is dead, so that this answer does not arrive');
    } finally {
      this.dropMessages('both');
      last.onDeath();
    }
  }

  #dial(): void {
    const server = this.#server;
    if (!server || !this.#isReachable || this.#state.phase === 'closed' || this.#connection) return;
    const former = this.#state.phase === 'suspended' ? this.#state.id : undefined;
    if (this.#state.phase === 'lost') this.#enter({ phase: 'connecting' });
    const connection = new EmbeddedConnection(server, this.#name, () => this.#broken());
    this.#connection = connection;
    connection.send(
      {
        operation: former === undefined ? 'open a session at' : `return to session ${former} at`,
        path: '/',
        kind: 'read',
        run: () => server.attach(connection, this.timeoutMs, former),
      },
      // When the connection breaks before the answer arrives, another one is made.
      { answered: (id) => this.#attached(id), failed: () => undefined },
    );
  }

  #attached(id: string | undefined): void {
    // Messages may have been dropped since this answer was sent: the server counts from then on.
    if (this.#isReachable) this.#stopCountdown();
    if (id === undefined) this.#lose('the registry centre has ended it');
    else this.#enter({ phase: 'connected', id });
  }

  #broken(): void {
    this.#connection = undefined;
    if (this.#state.phase === 'connected') {
      this.#startCountdown('nothing arrives');
      this.#enter({ phase: 'suspended', id: this.#state.id });
    }
    this.#dial();
  }

  #lose(reason: string): void {
    if (this.#state.phase !== 'suspended') return;
    this.#stopCountdown();
    this.#enter({ phase: 'lost', id: this.#state.id, reason });
    // A connection that is about to return to the lost session is useless; when it breaks, a new one is made.
    if (this.#connection) this.#connection.cut('its session was lost');
    else this.#dial();
  }

  /**
   * A centre to which changes still arrive trusts its connection until no request was answered for the whole timeout.
   */
  #startCountdown(kind: 'nothing arrives' | 'changes arrive'): void {
    if (this.#cancelCountdown || this.#state.phase === 'closed') return;
    this.#silentSince = this.#clock.monotonic();
    const noticeMs = kind === 'changes arrive' ? this.timeoutMs : (this.timeoutMs * 2) / 3;
    const cancelNotice = this.#clock.after(noticeMs, () =>
      this.#connection?.cut(`nothing was answered for ${noticeMs} ms`),
    );
    const cancelLoss = this.#clock.after(this.timeoutMs, () => {
      this.#stopCountdown();
      this.#lose(`nothing was answered for ${this.timeoutMs} ms, the whole of its timeout`);
    });
    this.#cancelCountdown = () => {
      cancelNotice();
      cancelLoss();
    };
  }

  #stopCountdown(): void {
    this.#cancelCountdown?.();
    this.#cancelCountdown = undefined;
  }

  #enter(state: SessionState): void {
    this.#state = state;
    this.#parts.notify(state);
    this.#listeners.notify(state);
  }

  async #endAtServer(connection: EmbeddedConnection, id: string): Promise<void> {
    const ended = connection.request({
      operation: 'end the session at',
      path: '/',
      kind: 'write',
      run: () => this.#carryOut('write', () => this.#server?.endSession(id)),
    });
    const deadline = withDeadline(
      this.#clock,
      ended,
      CLOSE_TIMEOUT_MS,
      () => new DeadlineExceededError('the end of the session', CLOSE_TIMEOUT_MS),
    );
    // If the server does not answer, it ends the session when its countdown is over.
    await deadline.catch(() => undefined);
  }
}
