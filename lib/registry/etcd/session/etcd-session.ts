/**
 * The session with etcd, as the port describes it: a lease, and a key on it.
 *
 * ```
 *   dial an endpoint ─▶ log in ─▶ end a lost session's lease ─▶ new lease, key on it ──┐
 *        ▲                └─ suspended: does the lease go on? ── yes ──────────────────┤
 *        │                                                                             ▼
 *        └──────── next endpoint, after a pause ◀── the connection breaks ──────── connected
 * ```
 * - **Lost by our own clock.** etcd counts a lease from the keep-alive that it received last; we know the latest moment
 *   at which it certainly received one: the sending of the newest one that was answered. When the lease's time has passed
 *   since then, peers may see our nodes gone. A change of etcd's leader prolongs leases: later, never earlier. Each
 *   reading of the state checks the elapsed time, so a process that was stopped (SIGSTOP) never takes itself for
 *   connected when it continues, not even before its timers run.
 * - **Lost by etcd.** Somebody may revoke the lease: a watch of the session's key tells, and so does each keep-alive.
 * - **A new session only after the old one has ended.** The lease of a session that was lost by our own clock may live
 *   on; it is revoked first, so that a new session never finds nodes of its predecessor.
 * - **Versions.** A member that is too old is a failed endpoint. If all are too old before there was any connection,
 *   nothing is tried again.
 * - **Refusal.** With a wrong password, or without the right to use the keys of the namespace, nothing is tried again.
 */
import { RegistryCredentialsError, RegistryIncompatibleError } from '../../../api/errors/errors.js';
import { type JobLogger } from '../../../api/text/logger.js';
import { backoffMs } from '../../../async/backoff.js';
import { type Clock } from '../../../time/clock.js';
import { detached } from '../../../time/detached.js';
import { soon } from '../../../time/event-loop.js';
import { MissingPackageError } from '../../missing-package.js';
import { type Session, type SessionState } from '../../registry-center.js';
import { OutageLog, type OutageWords, type ServerFault } from '../../outage-log.js';
import { NOT_ASKED_TO_CONNECT } from '../../session-state.js';
import { type Endpoint } from '../client/endpoints.js';
import { type EtcdClient } from '../client/etcd-client.js';
import { connectionProblem, EtcdError, Status } from '../client/etcd-error.js';
import { type EtcdSettings } from '../etcd-configuration.js';
import { CREDENTIAL_SETTINGS } from '../etcd-failures.js';
import { type EtcdConnection } from './etcd-connection.js';
import { dial, endLease, EtcdVersionError } from './etcd-dialling.js';
import { type EtcdKeys } from '../etcd-keys.js';
import { leaseOf, sessionIdOf } from '../node-values.js';
import { SessionStates } from './session-states.js';

/** The parts that a session needs. */
export interface EtcdSessionOptions {
  readonly settings: EtcdSettings;
  readonly keys: EtcdKeys;
  readonly clock: Clock;
  readonly logger: JobLogger;
}

/** A connected session, which can be asked now. */
export interface Connected {
  readonly id: string;
  readonly connection: EtcdConnection;
}

/** As in `etcd cannot be used: ECONNREFUSED localhost:2379.` */
const OUTAGE_WORDS: OutageWords = { fault: 'etcd cannot be used: ', none: 'No etcd', connected: 'etcd at ' };

/** A connection that breaks sooner counts as a failed attempt. */
const SHORT_LIVED_MS = 1_000;

/** See the top of the file. */
export class EtcdSession implements Session {
  readonly #options: EtcdSessionOptions;
  readonly #states: SessionStates;
  readonly #outages: OutageLog;
  #started = false;
  #hasConnected = false;
  #connection: EtcdConnection | undefined;
  /** The client of the connection that is being made. */
  #dialling: EtcdClient | undefined;
  /** The lease of a lost session, which may live on. */
  #retiring: string | undefined;
  #wake = (): void => undefined;

  constructor(options: EtcdSessionOptions) {
    this.#options = options;
    this.#outages = new OutageLog({ ...options, words: OUTAGE_WORDS });
    this.#states = new SessionStates({
      ...options,
      timeoutMs: options.settings.ttlSeconds * 1_000,
      onLost: (id, reason) => this.#onLost(id, reason),
    });
  }

  get state(): SessionState {
    return this.#states.state;
  }

  get timeoutMs(): number {
    return this.#states.timeoutMs;
  }

  get reason(): string | undefined {
    const { state } = this;
    if (state.phase === 'connected') return undefined;
    if (!this.#started && state.phase === 'connecting') return NOT_ASKED_TO_CONNECT;
    return state.phase === 'closed' ? state.reason : (this.#outages.reason ?? this.#states.remark);
  }

  get isSilent(): boolean {
    return this.#states.isSilent;
  }

  /** The session, if it can be asked now. */
  get connected(): Connected | undefined {
    const { state } = this;
    const connection = this.#connection;
    return state.phase === 'connected' && connection ? { id: state.id, connection } : undefined;
  }

  /** The reason for which etcd refuses us for good; `undefined` unless it does. */
  get refusal(): RegistryCredentialsError | RegistryIncompatibleError | undefined {
    const { state } = this;
    return state.phase === 'closed' ? state.refusal : undefined;
  }

  onChange(listener: (state: SessionState) => void): () => void {
    return this.#states.onChange(listener);
  }

  /** As `onChange`, for the registry centre's own mirrors, which are called before all other listeners. */
  onChangeFirst(listener: (state: SessionState) => void): () => void {
    return this.#states.onChangeFirst(listener);
  }

  /** Starts connecting; further calls do nothing. */
  connect(): void {
    if (this.#started || this.state.phase === 'closed') return;
    this.#started = true;
    detached(() => void this.#run());
  }

  /** Ends the session for good. Waits for the server no longer than one request may take. */
  async close(): Promise<void> {
    const { connected } = this;
    this.#connection = undefined;
    this.#finish({ phase: 'closed', reason: 'the registry centre was closed' });
    if (!connected) return;
    const { client, lease } = connected.connection;
    // If etcd does not answer, it ends the session when its time has passed.
    await endLease(client, lease).catch(() => undefined);
    connected.connection.break('the registry centre was closed');
  }

  /** etcd says that the lease of this session has ended. */
  noteEnd(id: string, reason: string): void {
    const { state } = this;
    if ((state.phase === 'connected' || state.phase === 'suspended') && state.id === id) this.#states.lose(reason);
  }

  /** Connects, again and again, until the session is closed. */
  async #run(): Promise<void> {
    const { clock, settings } = this.#options;
    const { endpoints } = settings;
    let failures = 0;
    let tooOld = 0;
    for (let attempt = 0; this.state.phase !== 'closed'; attempt++) {
      const endpoint = endpoints[attempt % endpoints.length];
      if (endpoint === undefined) return;
      try {
        const connection = await this.#dial(endpoint);
        const connectedAt = clock.monotonic();
        const problem = await connection.broken;
        // One that breaks at once, again and again, must not be made again and again without a pause.
        failures = clock.monotonic() - connectedAt < SHORT_LIVED_MS ? failures + 1 : 0;
        this.#outages.failed(serverFault(endpoint, problem));
        this.#onBroken(connection, problem);
      } catch (error) {
        tooOld = error instanceof EtcdVersionError ? tooOld + 1 : 0;
        if (this.#hasGivenUp(error, tooOld)) return;
        this.#outages.failed(serverFault(endpoint, connectionProblem(error)));
        failures++;
      }
      if (failures >= endpoints.length) await this.#pause(failures - endpoints.length + 1);
    }
  }

  /**
   * Closes the session if no further attempt can succeed.
   * @param tooOld how many endpoints in a row have answered that they are too old
   */
  #hasGivenUp(error: unknown, tooOld: number): boolean {
    const isRoundTooOld = !this.#hasConnected && tooOld >= this.#options.settings.endpoints.length;
    if (error instanceof EtcdError && error.isAboutCredentials) this.#refuse(error);
    else if (error instanceof EtcdVersionError && isRoundTooOld) this.#finishIncompatible(error);
    else if (error instanceof MissingPackageError) this.#finishRefused(error.message, error, 'the installed packages');
    else return false;
    return true;
  }

  /** Makes a connection with a session on it: the suspended one if its lease goes on, or a new one. */
  async #dial(endpoint: Endpoint): Promise<EtcdConnection> {
    const { state } = this;
    const former = state.phase === 'suspended' ? { id: state.id, timeoutMs: this.timeoutMs } : undefined;
    const retiring = this.#retiring;
    const connection = await dial({
      ...this.#options,
      ...{ endpoint, former, retiring },
      onClient: (client) => {
        this.#dialling = client;
        if (this.state.phase === 'closed') client.close();
      },
      onRenewed: (sentAt) => this.#states.renewed(sentAt),
      onOver: (lease) => this.noteEnd(sessionIdOf(lease), 'etcd has ended it'),
    });
    this.#dialling = undefined;
    if (this.#retiring === retiring) this.#retiring = undefined;
    if (this.state.phase === 'closed' || (former !== undefined && this.state.phase !== 'suspended')) {
      // Closed, or lost by our own clock, while the connection was made: its lease must not live on.
      await endLease(connection.client, connection.lease).finally(() => connection.break('its session was lost'));
      throw new EtcdError(Status.unavailable, 'the session was lost while the connection was made');
    }
    if (this.state.phase === 'lost') this.#states.enter({ phase: 'connecting' });
    this.#states.grant(connection.ttlMs, this.#options.settings.sessionTimeoutMs);
    this.#connection = connection;
    this.#hasConnected = true;
    this.#outages.connected(endpoint.address);
    this.#states.enter({ phase: 'connected', id: sessionIdOf(connection.lease) }, `with ${endpoint.address}`);
    return connection;
  }

  #onBroken(connection: EtcdConnection, problem: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    const { state } = this;
    if (state.phase === 'connected') this.#states.enter({ phase: 'suspended', id: state.id }, problem);
  }

  #onLost(id: string, reason: string): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#retiring = leaseOf(id);
    // Later, since the connection may be in the middle of reporting it.
    soon(() => connection?.break(`its session was lost: ${reason}`));
  }

  #refuse(error: EtcdError): void {
    const { credentials, namespace } = this.#options.settings;
    const who = credentials === undefined ? 'without user and password' : `as user '${credentials.username}'`;
    const reason = `etcd refuses this client ${who}: ${error.details} (namespace '${namespace}')`;
    this.#finishRefused(reason, error, CREDENTIAL_SETTINGS);
  }

  /** @param check the cure, for messages */
  #finishRefused(reason: string, error: Error, check: string): void {
    this.#options.logger.error(`${reason}. Check ${check}, and start the application again.`);
    this.#finish({ phase: 'closed', reason, refusal: new RegistryCredentialsError(reason, error, check) });
  }

  #finishIncompatible(error: EtcdVersionError): void {
    const reason = error.message;
    this.#options.logger.error(`etcd cannot be used: ${reason}.`);
    this.#finish({ phase: 'closed', reason, refusal: new RegistryIncompatibleError(reason, error) });
  }

  #finish(state: Extract<SessionState, { phase: 'closed' }>): void {
    if (this.state.phase === 'closed') return;
    this.#outages.close();
    this.#states.enter(state, state.reason);
    this.#dialling?.close(state.reason);
    this.#wake();
  }

  #pause(failures: number): Promise<void> {
    const { clock, settings } = this.#options;
    return new Promise((resolve) => {
      if (this.state.phase === 'closed') return resolve();
      const cancel = clock.after(backoffMs(failures, settings.pause), resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}

function serverFault({ address }: Endpoint, problem: string): ServerFault {
  return { server: address, problem, text: problem.includes(address) ? problem : `${problem} ${address}` };
}
