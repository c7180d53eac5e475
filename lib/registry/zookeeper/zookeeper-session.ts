/**
 * The session with ZooKeeper, as the port describes it. A transport knows one session and learns of its end only on
 * contact; this class adds the knowledge that must come *without* contact, and the session that follows the end.
 *
 * - **Lost by our own clock.** A server counts the session timeout from the last request it received. We know the
 *   latest moment at which it certainly received one: the sending of the newest request that was answered
 *   (`renewedAt`). When the timeout has passed since then, peers may see our nodes gone, so the session is lost, even
 *   if events still arrive. Each reading of the state checks the elapsed time, so a process that was stopped (SIGSTOP)
 *   never takes itself for connected when it continues, not even before its timers run. This does not hold if the whole
 *   machine slept: Linux's monotonic clock stands still then, and the loss shows only on contact. For the same reason
 *   `isSilent` reads the clock: after a stall, items wait for an answer before a timer could suspend the session.
 * - **A new session only after the old one has ended.** A session lost by our own clock may still live at the server,
 *   for instance after a restart of all servers. Its transport is kept until it can end the session there, so a new
 *   session never finds nodes of its predecessor.
 * - **Servers that have lost data.** A server refuses, without an answer, a session that has seen newer transactions
 *   than it has. So its session is lost by our own clock, and its transport, which only ends it, does not insist on
 *   them.
 * - **Refusal.** With wrong credentials the namespace cannot be read; this is tried before a session is reported.
 */
import { RegistryCredentialsError } from '../../api/errors/errors.js';
import { type JobLogger } from '../../api/text/logger.js';
import { Listeners } from '../../async/listeners.js';
import { type Clock } from '../../time/clock.js';
import { soon } from '../../time/event-loop.js';
import { OutageLog } from '../outage-log.js';
import { type Session, type SessionState } from '../registry-center.js';
import { NOT_ASKED_TO_CONNECT } from '../session-state.js';
import { GroupedRequests } from './grouped-requests.js';
import { OUTAGE_WORDS, serverFault } from './outage-words.js';
import { type SessionRequests, type TransportState, type WatchEvent, type ZooKeeperTransport } from './transport.js';
import { isAnswer } from './zookeeper-failures.js';

/** Dependencies of a session. */
export interface ZooKeeperSessionOptions {
  /** Makes the transport of one session, not yet connected. */
  readonly open: () => ZooKeeperTransport;
  /** Checks that our credentials may use the namespace; rejects with NO_AUTH if they may not. */
  readonly probe: (transport: ZooKeeperTransport) => Promise<unknown>;
  /** Reason for which `probe` is refused, in words for the log. */
  readonly probeRefusal: string;
  /** The subtree of a path at the servers that has revisions of its own: the job's. */
  readonly subtreeOf: (path: string) => string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: JobLogger;
}

/** A connected session, to which requests can be sent now. */
export interface Connected {
  readonly transport: SessionRequests;
  readonly sessionId: string;
}

/**
 * Shares of the session timeout: how long requests are unanswered before a doubt begins, and how long the doubt lasts.
 */
const DOUBTFUL_AFTER = 2 / 3;
const DOUBT_LASTS = 1 / 12;

/** See the top of the file. */
export class ZooKeeperSession implements Session {
  /** Called for each watch event of the present session, with paths at the servers. */
  onEvent: (event: WatchEvent) => void = () => undefined;
  readonly #options: ZooKeeperSessionOptions;
  readonly #listeners: Listeners<SessionState>;
  readonly #unreported: SessionState[] = [];
  readonly #outage: OutageLog;
  /** Reason for which the session was suspended or lost last. */
  #remark: string | undefined;
  #state: SessionState = { phase: 'connecting' };
  #timeoutMs: number;
  #transport: ZooKeeperTransport | undefined;
  /** The requests of `#transport`. */
  #requests: GroupedRequests | undefined;
  /** The transport of a lost session that may still live at the server. */
  #retiring: ZooKeeperTransport | undefined;
  #started = false;
  #closing: Promise<void> | undefined;
  #refusal: RegistryCredentialsError | undefined;
  #doubtSince: number | undefined;
  #cancelCheck: () => void = () => undefined;

  constructor(options: ZooKeeperSessionOptions) {
    this.#options = options;
    this.#outage = new OutageLog({ ...options, words: OUTAGE_WORDS });
    this.#listeners = new Listeners({
      onError: (error) => options.logger.error(`A listener of the session failed: ${String(error)}`),
    });
    this.#timeoutMs = options.timeoutMs;
  }

  get state(): SessionState {
    if (this.#loseIfTimePassed()) soon(() => this.#notify());
    return this.#state;
  }

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  get reason(): string | undefined {
    const { state } = this;
    if (state.phase === 'connected') return undefined;
    if (!this.#started && state.phase === 'connecting') return NOT_ASKED_TO_CONNECT;
    return state.phase === 'closed' ? state.reason : (this.#outage.reason ?? this.#remark);
  }

  get isSilent(): boolean {
    return this.#silentMs >= DOUBTFUL_AFTER * this.#timeoutMs;
  }

  /** The session, if requests can be sent to it now. */
  get connected(): Connected | undefined {
    const { state } = this;
    return state.phase === 'connected' && this.#transport && this.#requests
      ? { transport: this.#requests, sessionId: state.id }
      : undefined;
  }

  /** Reason for which ZooKeeper refuses us for good; `undefined` unless it does. */
  get refusal(): RegistryCredentialsError | undefined {
    return this.#refusal;
  }

  onChange(listener: (state: SessionState) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Starts connecting; further calls do nothing. */
  connect(): void {
    if (this.#started || this.#state.phase === 'closed') return;
    this.#started = true;
    this.#open();
  }

  /** Ends the session for good. Waits for the server no longer than the transport does. */
  close(): Promise<void> {
    this.#closing ??= this.#finish('the registry centre was closed');
    return this.#closing;
  }

  #open(): void {
    if (this.#state.phase === 'closed') return;
    const transport = this.#options.open();
    this.#transport = transport;
    this.#requests = new GroupedRequests(transport, this.#options.subtreeOf);
    if (this.#state.phase === 'lost') this.#enter({ phase: 'connecting' });
    this.#notify();
    const ifCurrent =
      <Args extends unknown[]>(handle: (...args: Args) => void) =>
      (...args: Args): void => {
        if (this.#transport === transport) handle(...args);
      };
    transport.onState = ifCurrent((state: TransportState) => this.#onTransport(transport, state));
    transport.onWatch = ifCurrent((event: WatchEvent) => this.onEvent(event));
    // Also after the session was lost: then its transport tries to end the session at the server.
    transport.onFault = (fault) => this.#outage.failed(serverFault(fault));
    transport.connect();
  }

  #onTransport(transport: ZooKeeperTransport, state: TransportState): void {
    switch (state.phase) {
      case 'connected':
        return this.#onConnected(transport, state);
      case 'disconnected':
        if (!this.#loseIfTimePassed() && this.#state.phase === 'connected') {
          this.#enter({ phase: 'suspended', id: this.#state.id }, state.reason);
        }
        return this.#notify();
      case 'expired':
        this.#lose('ZooKeeper has ended it');
        return this.#notify();
      case 'auth-failed':
        return this.#refuse(state.reason.replace(/\.$/, ''));
      case 'connecting':
      case 'closed':
        return;
      default:
        return state satisfies never;
    }
  }

  #onConnected(transport: ZooKeeperTransport, state: Extract<TransportState, { phase: 'connected' }>): void {
    const { sessionId, server, timeoutMs } = state;
    this.#noteGranted(timeoutMs);
    if (this.#state.phase === 'suspended' && this.#state.id === sessionId) {
      if (!this.#loseIfTimePassed()) this.#enter({ phase: 'connected', id: sessionId }, `again with ${server}`);
      return this.#notify();
    }
    this.#options.probe(transport).then(
      () => this.#admit(transport, sessionId, server),
      (error: unknown) => {
        if (this.#transport !== transport) return;
        if (isAnswer(error, 'NO_AUTH', 'AUTH_FAILED')) {
          return this.#refuse(this.#options.probeRefusal);
        }
        // After a loss of connection the transport connects again; the next request reports any other fault.
        if (transport.state.phase === 'connected') this.#admit(transport, sessionId, server);
      },
    );
  }

  /**
   * Logs the granted timeout if it differs from the requested one: the servers' own limits decide how long peers wait
   * for the items of a process that dies.
   */
  #noteGranted(timeoutMs: number): void {
    const { timeoutMs: asked, logger } = this.#options;
    if (timeoutMs !== asked && timeoutMs !== this.#timeoutMs)
      logger.log(
        `ZooKeeper grants a session timeout of ${timeoutMs} ms instead of the ${asked} ms asked for ` +
          '(sessionTimeoutMilliseconds): its limits are minSessionTimeout and maxSessionTimeout, 2 and 20 ticks by default.',
      );
    this.#timeoutMs = timeoutMs;
  }

  #admit(transport: ZooKeeperTransport, id: string, server: string): void {
    if (this.#transport !== transport || transport.state.phase !== 'connected') return;
    if (this.#state.phase !== 'connecting') return;
    this.#enter({ phase: 'connected', id }, `with ${server}`);
    this.#notify();
  }

  /** Loses the session if its time has passed. If it returns true, the caller must notify the listeners. */
  #loseIfTimePassed(): boolean {
    if (this.#state.phase !== 'connected' && this.#state.phase !== 'suspended') return false;
    const silentMs = this.#silentMs;
    if (silentMs < this.#timeoutMs) return false;
    this.#lose(
      `ZooKeeper has confirmed nothing for ${Math.round(silentMs)} ms, and may have ended it after ${this.#timeoutMs} ms`,
    );
    return true;
  }

  #lose(reason: string): void {
    const transport = this.#transport;
    this.#transport = undefined;
    this.#cancelCheck();
    if (this.#state.phase === 'connected' || this.#state.phase === 'suspended') {
      this.#enter({ phase: 'lost', id: this.#state.id, reason }, reason);
    }
    if (transport) this.#retire(transport, () => this.#open());
  }

  /** Ends the session of a transport at the server, as soon as that can be reached; then calls `next`. */
  #retire(transport: ZooKeeperTransport, next: () => void): void {
    this.#retiring = transport;
    // A server that has lost data refuses the session without a word, and would do so for ever.
    transport.acceptOlderData?.();
    const done = (): void => {
      if (this.#retiring !== transport) return;
      this.#retiring = undefined;
      next();
    };
    transport.onWatch = () => undefined;
    transport.onState = ({ phase }) => {
      if (phase === 'connected') void transport.close().then(done, done);
      else if (phase === 'expired' || phase === 'auth-failed') done();
    };
    // Later, since the transport may be in the middle of reporting its own change.
    soon(() => transport.onState(transport.state));
  }

  #refuse(reason: string): void {
    this.#refusal = new RegistryCredentialsError(reason);
    this.#options.logger.error(
      `ZooKeeper refuses this client for good: ${reason}. Check digest and namespace, and start the application again.`,
    );
    this.#closing ??= this.#finish(reason);
  }

  async #finish(reason: string): Promise<void> {
    this.#requests?.sendWaiting();
    const transports = [this.#transport, this.#retiring].filter((transport) => transport !== undefined);
    this.#transport = this.#retiring = undefined;
    this.#cancelCheck();
    const refusal = this.#refusal;
    this.#enter({ phase: 'closed', reason, ...(refusal !== undefined && { refusal }) }, reason);
    this.#notify();
    await Promise.all(transports.map((transport) => transport.close()));
  }

  #enter(state: SessionState, remark = ''): void {
    this.#state = state;
    this.#unreported.push(state);
    this.#doubtSince = undefined;
    const { logger } = this.#options;
    const line = `The session with ZooKeeper is ${state.phase}${remark && `: ${remark}`}`;
    if (state.phase === 'suspended') logger.warn(line);
    else logger.debug(line);
    this.#followOutage(state, remark);
    this.#checkLater();
  }

  #followOutage({ phase }: SessionState, remark: string): void {
    const transport = this.#transport?.state;
    if (phase === 'suspended' || phase === 'lost') this.#remark = remark;
    else if (phase === 'closed') this.#outage.close();
    else if (phase === 'connected' && transport?.phase === 'connected') this.#outage.connected(transport.server);
  }

  #notify(): void {
    for (let state = this.#unreported.shift(); state; state = this.#unreported.shift()) this.#listeners.notify(state);
  }

  get #silentMs(): number {
    return this.#options.clock.monotonic() - (this.#transport?.renewedAt ?? this.#transport?.lastHeardAt ?? 0);
  }

  #checkLater(): void {
    this.#cancelCheck();
    const { phase } = this.#state;
    if (phase !== 'connected' && phase !== 'suspended') return;
    const lostInMs = this.#timeoutMs - this.#silentMs;
    const doubtful = this.#doubtSince !== undefined || phase === 'suspended';
    const nextMs = doubtful ? DOUBT_LASTS * this.#timeoutMs : DOUBTFUL_AFTER * this.#timeoutMs - this.#silentMs;
    this.#cancelCheck = this.#options.clock.after(Math.max(1, Math.min(nextMs, lostInMs)), () => this.#check());
  }

  /**
   * Suspends a session whose transport still receives events, but no answers to its requests; resumes it when answers
   * come.
   */
  #check(): void {
    if (this.#loseIfTimePassed()) return this.#notify();
    const state = this.#state;
    const now = this.#options.clock.monotonic();
    const doubtful = this.isSilent;
    if (!doubtful) this.#doubtSince = undefined;
    else this.#doubtSince ??= now;
    const lasting = this.#doubtSince !== undefined && now - this.#doubtSince >= DOUBT_LASTS * this.#timeoutMs;
    if (state.phase === 'connected' && lasting) {
      this.#enter({ phase: 'suspended', id: state.id }, 'requests are no longer answered');
    } else if (state.phase === 'suspended' && !doubtful && this.#transport?.state.phase === 'connected') {
      this.#enter({ phase: 'connected', id: state.id }, 'requests are answered again');
    }
    this.#checkLater();
    this.#notify();
  }
}
