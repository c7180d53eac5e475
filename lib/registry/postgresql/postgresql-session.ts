/**
 * The session with PostgreSQL, as the port describes it. A session is a row of the database, not a connection: it goes
 * on when connections break, and is over when its time is, by the database's clock.
 *
 * - **Lost by our own clock.** A heartbeat prolongs the session by its timeout from a moment after its sending. When
 *   the timeout has passed since the sending of the newest one that was answered, peers may see our nodes gone. Each
 *   reading of the state checks that, so that a process that was stopped never takes itself for connected.
 * - **Epochs.** Each link comes back to the session with an epoch of its own, and waits for what the former one has
 *   under way. A commit names its epoch: what a broken link has sent can have an effect before that moment, or none.
 * - **A new session only after the old one has ended**, so that it never finds nodes of its predecessor.
 * - **Every instance sweeps.** A heartbeat answers when the next session of another process will be over. If that is
 *   before our next heartbeat, we check then, and end it. No instance has to be elected, and no process sweeps in vain.
 */
import { RegistryCredentialsError, RegistryIncompatibleError } from '../../api/errors/errors.js';
import { type JobLogger } from '../../api/text/logger.js';
import { backoffMs } from '../../async/backoff.js';
import { type Clock } from '../../time/clock.js';
import { MissingPackageError } from '../missing-package.js';
import { OutageLog, type OutageWords } from '../outage-log.js';
import { type Session, type SessionState } from '../registry-center.js';
import { NOT_ASKED_TO_CONNECT } from '../session-state.js';
import { type PostgresLink } from './connection/link.js';
import { type OwnCommit } from './mirror/postgresql-mirror.js';
import { faultOf, IncompatibleDatabaseError } from './connection/faults.js';
import { Heartbeat } from './heartbeat.js';
import { type AttachedLink, SessionLinks } from './session-links.js';
import { SessionStates } from './session-states.js';
import { type BeatAnswer, type Statements } from './statements.js';

/** The parts that a session needs. */
export interface PostgresqlSessionOptions {
  /** Opens a link, and makes sure of the tables. */
  readonly open: () => Promise<PostgresLink>;
  /** Called when the server of the last link cannot serve: another host may. */
  readonly moveOn: () => void;
  readonly statements: Statements;
  /** `host:port`, for messages. */
  readonly place: string;
  readonly timeoutMs: number;
  /** Longest time between two heartbeats, in milliseconds. */
  readonly beatMs: number;
  readonly retry: { readonly baseMs: number; readonly maxMs: number };
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** Called with the jobs that may have changed, and their revisions. */
  readonly onJobs: (jobs: Extract<BeatAnswer, { jobs: unknown }>['jobs']) => void;
}

/** A connected session, which can be asked now. */
export type Connected = Omit<AttachedLink, 'sentAt'>;

/** The settings to check if the server refuses this client. */
const SETTINGS = 'regCenter.url and regCenter.schema';
const OUTAGE_WORDS: OutageWords = {
  fault: 'PostgreSQL cannot be reached: ',
  none: 'No PostgreSQL',
  connected: 'PostgreSQL at ',
};

/** See the top of the file. */
export class PostgresqlSession implements Session {
  readonly #options: PostgresqlSessionOptions;
  readonly #states: SessionStates;
  readonly #links: SessionLinks;
  readonly #outages: OutageLog;
  #connected: Connected | undefined;
  #heartbeat: Heartbeat | undefined;
  #started = false;
  #failures = 0;
  /** Writes that were refused since one was carried out. */
  #refusals = 0;
  #reason: string | undefined;
  #closing: Promise<void> | undefined;
  #cancelDial: () => void = () => undefined;

  constructor(options: PostgresqlSessionOptions) {
    this.#options = options;
    this.#links = new SessionLinks(options);
    this.#outages = new OutageLog({ ...options, words: OUTAGE_WORDS });
    this.#states = new SessionStates({
      ...options,
      onLost: (reason) => this.#onLost(reason),
      onDoubt: (silentMs) => this.#onDoubt(silentMs),
    });
  }

  get state(): SessionState {
    return this.#states.now;
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  get reason(): string | undefined {
    const { state } = this;
    if (state.phase === 'connected') return undefined;
    if (!this.#started && state.phase === 'connecting') return NOT_ASKED_TO_CONNECT;
    return state.phase === 'closed' ? state.reason : this.#reason;
  }

  /** `host:port` of the server, or of all servers while there is no link. */
  get place(): string {
    return this.#connected?.link.place ?? this.#options.place;
  }

  get isSilent(): boolean {
    return this.#states.isSilent;
  }

  /** The session, if it can be asked now. */
  get connected(): Connected | undefined {
    return this.state.phase === 'connected' ? this.#connected : undefined;
  }

  onChange(listener: (state: SessionState) => void): () => void {
    return this.#states.onChange(listener);
  }

  /** As `onChange`, for mirrors and holds, which are called before all other listeners. */
  onChangeFirst(listener: (state: SessionState) => void): () => void {
    return this.#states.onChangeFirst(listener);
  }

  connect(): void {
    if (this.#started || this.#latest.phase === 'closed') return;
    this.#started = true;
    void this.#dial();
  }

  /** Ends the session for good; waits a second for the server at most. */
  close(): Promise<void> {
    this.#closing ??= this.#finish('the registry centre was closed');
    return this.#closing;
  }

  /** A commit was refused because the session has ended, or another link has taken it over. */
  notOurs(): void {
    this.#connected?.link.break('the session is over, or has another connection');
  }

  /** A write was carried out on this link. */
  onCommit({ receipts }: Connected, commit: OwnCommit): void {
    this.#refusals = 0;
    for (const job of Object.keys(commit.previous).slice(0, 1)) receipts.onCommit(job, commit.revision);
  }

  /**
   * The server refuses writes until somebody changes something: a full disk, or a database that is read-only.
   * Heartbeats may fit in all the same, so the session goes on, but it is suspended, and says why.
   */
  onRefusal({ link }: Connected, error: unknown): void {
    if (link.isBroken) return;
    this.#refusals++;
    this.#reason = faultOf(error, link.place).reason;
    this.#options.moveOn();
    link.break('the server takes no writes');
  }

  /** @returns whether the notification is about sessions */
  onNotification(payload: string): boolean {
    const [type, id] = payload.split(' ');
    if (type !== 'end') return false;
    if (id === '*' || this.#connected?.id === id) this.#heartbeat?.now();
    return true;
  }

  async #dial(): Promise<void> {
    const id = this.#latest.phase === 'suspended' ? this.#latest.id : undefined;
    try {
      const attached = await this.#links.attach(id);
      if (this.#latest.phase === 'closed') return attached && this.#links.end(attached);
      // Our own clock may have been faster, so that this session must not be gone on with.
      const isOver = id !== undefined && this.#latest.phase !== 'suspended';
      if (attached === undefined || isOver) {
        if (attached) attached.link.break('the session is lost');
        this.#states.lose('PostgreSQL has ended it');
        this.#states.notify();
        return void this.#dial();
      }
      this.#admit(attached);
    } catch (error) {
      this.#failed(error);
    }
  }

  #admit(connected: AttachedLink): void {
    this.#failures = 0;
    this.#outages.connected(connected.link.place);
    this.#states.renewed(connected.sentAt);
    this.#connected = connected;
    this.#heartbeat = new Heartbeat({
      ...{ ...this.#options, connected },
      onAlive: (sentAt) => this.#onAlive(connected, sentAt),
      onGone: () => this.notOurs(),
      onFault: (error) => (this.#reason = faultOf(error, connected.link.place).reason),
    });
    void connected.link.whenBroken.then(() => this.#onBroken(connected));
    this.#heartbeat.start();
    this.#enter({ phase: 'connected', id: connected.id });
    this.#states.notify();
  }

  #onBroken(connected: Connected): void {
    if (this.#connected !== connected) return;
    this.#leaveLink();
    this.#reason ??= `${connected.link.breakReason ?? 'the connection broke'} (${connected.link.place})`;
    if (!this.#states.loseIfTimePassed() && this.#latest.phase === 'connected')
      this.#enter({ phase: 'suspended', id: connected.id });
    this.#states.notify();
    if (this.#refusals === 0) void this.#dial();
    else this.#dialLater(this.#refusals);
  }

  #dialLater(failures: number): void {
    const delayMs = backoffMs(failures, this.#options.retry);
    this.#cancelDial = this.#options.clock.after(delayMs, () => void this.#dial());
  }

  #leaveLink(): void {
    this.#heartbeat?.stop();
    this.#heartbeat = undefined;
    this.#connected = undefined;
  }

  #failed(error: unknown): void {
    if (this.#latest.phase === 'closed') return;
    const { reason, isRefusal } = faultOf(error, this.#options.place);
    this.#reason = reason;
    // A client that was connected before may be let in again: rights and passwords are changed while applications run.
    if (isRefusal && !this.#links.hasServed) return this.#refuse(reason, error);
    this.#outages.failed({ server: this.#options.place, problem: reason, text: reason });
    this.#states.loseIfTimePassed();
    this.#states.notify();
    this.#dialLater(++this.#failures);
  }

  #refuse(reason: string, cause: unknown): void {
    if (cause instanceof IncompatibleDatabaseError) {
      this.#options.logger.error(`PostgreSQL cannot be used: ${reason}.`);
      this.#closing ??= this.#finish(reason, new RegistryIncompatibleError(reason, cause));
      return;
    }
    const check = cause instanceof MissingPackageError ? 'the installed packages' : SETTINGS;
    this.#options.logger.error(
      `PostgreSQL refuses this client for good: ${reason}. Check ${check}, and start the application again.`,
    );
    this.#closing ??= this.#finish(reason, new RegistryCredentialsError(reason, cause, check));
  }

  /** A fault before this heartbeat is over; not the refusal of a write that has broken the link meanwhile. */
  #onAlive({ link }: Connected, sentAt: number): void {
    this.#states.renewed(sentAt);
    if (!link.isBroken) this.#reason = undefined;
  }

  #onLost(reason: string): void {
    this.#reason ??= reason;
    // A session that may live on at the server is ended there before another one begins.
    this.#connected?.link.break('its session is lost');
  }

  /** A server that does not answer is left: another connection may find another one, or this one again. */
  #onDoubt(silentMs: number): void {
    this.#options.moveOn();
    this.#connected?.link.break(`no heartbeat was answered for ${Math.round(silentMs)} ms`);
  }

  async #finish(reason: string, refusal?: RegistryCredentialsError | RegistryIncompatibleError): Promise<void> {
    const connected = this.#connected;
    this.#cancelDial();
    this.#outages.close();
    this.#leaveLink();
    this.#enter({ phase: 'closed', reason, ...(refusal !== undefined && { refusal }) });
    this.#states.notify();
    if (connected) await this.#links.end(connected);
  }

  get #latest(): SessionState {
    return this.#states.latest;
  }

  #enter(state: SessionState): void {
    this.#states.enter(
      state,
      'reason' in state ? state.reason : state.phase === 'suspended' ? this.#reason : undefined,
    );
    if (state.phase === 'connected') this.#reason = undefined;
  }
}
