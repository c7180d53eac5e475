import { type JobLogger } from '../../../api/text/logger.js';
import { DeadlineExceededError } from '../../../api/errors/errors.js';
import { NamedTimers } from '../../../async/named-timers.js';
import { withDeadline } from '../../../async/wait.js';
import { type OperationAudit } from '../../../operations/operation-audit.js';
import { type RegistryCenter } from '../../../registry/registry-center.js';
import { whenConnected } from '../../../registry/session-state.js';
import { type Clock } from '../../../time/clock.js';
import { type RegistryInfo, type RegistryStatus } from '../../contract/registries.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { EventLog } from '../live/event-log.js';
import { LiveJobs } from '../live/live-jobs.js';
import { type LastRuns } from '../trace/last-runs.js';

/** The parts of a registry centre of the console. */
export interface ConsoleRegistryParts extends Pick<
  RegistryInfo,
  'name' | 'type' | 'serverLists' | 'namespace' | 'schema' | 'notify' | 'username' | 'hasDigest'
> {
  /** The encryption of the connection, and its user. Default: neither. */
  readonly security?: Pick<RegistryInfo, 'tls' | 'saslUsername'>;
  readonly origin: RegistryInfo['origin'];
  /** Makes the registry centre, or returns the given one. */
  readonly open: () => Promise<RegistryCenter> | RegistryCenter;
  /** True if the console may close it; false for the application's own. */
  readonly isOurs: boolean;
  /** The application's records of operations. */
  readonly audit?: OperationAudit | undefined;
  /** The last runs of jobs, which the events contain. */
  readonly runs: LastRuns;
  readonly clock: Clock;
  readonly logger: JobLogger;
}

/** The most milliseconds that a page waits for the first reading of a registry centre: a large one takes long. */
const FIRST_READING_MS = 60_000;

/** The most milliseconds that a page waits for the first connection. */
const FIRST_CONNECTION_MS = 10_000;

/** The milliseconds after the last reader until the jobs are not followed any more. */
const IDLE_MS = 300_000;

/**
 * One registry centre that the console knows, connected or not. Its jobs are followed from the first reader on (a page,
 * a stream, `/metrics`) until five minutes after the last one; a standalone console follows them always. A process that
 * follows a namespace receives each mark of each job.
 */
export class ConsoleRegistry {
  readonly #parts: ConsoleRegistryParts;
  #registry: RegistryCenter | undefined;
  #live: LiveJobs | undefined;
  #events: EventLog | undefined;
  #isFollowedAlways = false;
  /** The last use by a reader, by the monotonic clock. */
  #readAt = -Infinity;
  readonly #timers: NamedTimers<'idle'>;
  #since: number;
  #phase: RegistryStatus['phase'] = 'disconnected';
  #latencyMs: number | undefined;
  #opening: Promise<void> | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(parts: ConsoleRegistryParts) {
    this.#parts = parts;
    this.#timers = new NamedTimers(parts.clock);
    this.#since = parts.clock.now();
  }

  get name(): string {
    return this.#parts.name;
  }

  get origin(): RegistryInfo['origin'] {
    return this.#parts.origin;
  }

  get audit(): OperationAudit | undefined {
    return this.#parts.audit;
  }

  get isConnected(): boolean {
    return this.#registry?.session.state.phase === 'connected';
  }

  /** Begins to connect. Does nothing if it has begun. */
  connect(): Promise<void> {
    if (this.#registry !== undefined) return Promise.resolve();
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** Ends the connection, and forgets the jobs. */
  async disconnect(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    const registry = this.#registry;
    this.#unsubscribe();
    this.#unfollow();
    this.#registry = undefined;
    this.#note('disconnected');
    if (this.#parts.isOurs) await registry?.close();
  }

  /** The present state of the connection. */
  get status(): RegistryStatus {
    const { state, reason } = this.#registry?.session ?? {};
    const why = state?.phase === 'closed' ? state.reason : state?.phase === 'lost' ? (reason ?? state.reason) : reason;
    return {
      phase: this.#phase,
      since: this.#since,
      ...(why !== undefined && this.#phase !== 'connected' && { reason: why }),
      ...(this.#latencyMs !== undefined && { latencyMs: this.#latencyMs }),
    };
  }

  get info(): RegistryInfo {
    const { name, type, serverLists, namespace, schema, notify, username, hasDigest, security, origin } = this.#parts;
    const live = this.knownJobs;
    return {
      ...{ name, serverLists, namespace, hasDigest, ...security, origin, status: this.status },
      ...(type !== undefined && { type }),
      ...(schema !== undefined && { schema }),
      ...(notify !== undefined && { notify }),
      ...(username !== undefined && { username }),
      ...(live !== undefined && { jobCount: live.size }),
    };
  }

  /** Measures how long the registry centre takes to answer. A failure is ignored, as the status reports it. */
  async measure(): Promise<void> {
    const registry = this.#registry;
    if (registry === undefined || !this.isConnected) return;
    const { clock } = this.#parts;
    const began = clock.monotonic();
    const late = (): Error => new DeadlineExceededError('the registry centre', MEASURE_MS);
    try {
      await withDeadline(clock, registry.get('/'), MEASURE_MS, late);
      this.#latencyMs = Math.round((clock.monotonic() - began) * 10) / 10;
    } catch {
      this.#latencyMs = undefined;
    }
  }

  /** The registry centre for changes. @throws ConsoleProblem 503 if it is not connected */
  get center(): RegistryCenter {
    if (this.#registry !== undefined && this.isConnected) return this.#registry;
    throw this.#offline();
  }

  /** The registry centre, connected or not; `undefined` if the console has been disconnected from it. */
  get anyCenter(): RegistryCenter | undefined {
    return this.#registry;
  }

  /** The last known jobs; `undefined` until they have been read, and while they are not followed. */
  get knownJobs(): LiveJobs | undefined {
    return this.#live?.isKnown === true ? this.#live : undefined;
  }

  /** Follows the jobs from now on, even without readers. */
  followAlways(): void {
    this.#isFollowedAlways = true;
    if (this.#registry !== undefined) this.#follow(this.#registry);
  }

  /**
   * The last known jobs, which may be stale.
   * @param connectionMs the most milliseconds to wait for the first connection
   * @throws ConsoleProblem 503 if they have not been read yet
   */
  async jobs(connectionMs = FIRST_CONNECTION_MS): Promise<LiveJobs> {
    if (this.#registry === undefined) throw this.#offline();
    const { live } = this.#follow(this.#registry);
    if (live.isKnown) return live;
    await this.#connected(connectionMs);
    const late = (): Error => new DeadlineExceededError(`the jobs of registry centre '${this.name}'`, FIRST_READING_MS);
    await withDeadline(this.#parts.clock, live.ready(), FIRST_READING_MS, late);
    return live;
  }

  /**
   * Waits for the first connection, which begins when the console starts.
   * @throws ConsoleProblem 503 if it takes too long
   */
  async #connected(longestMs: number): Promise<void> {
    const registry = this.#registry;
    if (this.isConnected) return;
    if (registry === undefined || this.#phase !== 'connecting') throw this.#offline();
    const waiting = new AbortController();
    const cancel = this.#parts.clock.after(longestMs, () => waiting.abort(this.#offline()));
    const unsubscribe = registry.session.onChange(({ phase }) => {
      if (phase === 'closed') waiting.abort(this.#offline());
    });
    try {
      await whenConnected(registry.session, waiting.signal);
    } finally {
      cancel();
      unsubscribe();
    }
  }

  /**
   * The events of the registry centre, for streams.
   * @throws ConsoleProblem 503 if the console has been disconnected from it
   */
  get events(): EventLog {
    if (this.#registry !== undefined) return this.#follow(this.#registry).events;
    throw this.#offline();
  }

  /** Begins to follow the jobs, if they are not followed yet. */
  #follow(registry: RegistryCenter): { readonly live: LiveJobs; readonly events: EventLog } {
    const { clock, logger, runs } = this.#parts;
    this.#readAt = clock.monotonic();
    if (this.#live === undefined || this.#events === undefined) {
      this.#live = new LiveJobs(registry, { clock, logger });
      this.#events = new EventLog({ live: this.#live, runs, clock, logger, status: () => this.status });
      this.#live.start();
      this.#unfollowLater(IDLE_MS);
    }
    return { live: this.#live, events: this.#events };
  }

  #unfollowLater(delayMs: number): void {
    if (this.#isFollowedAlways) return;
    this.#timers.set('idle', delayMs, () => {
      const left = this.#readAt + IDLE_MS - this.#parts.clock.monotonic();
      if (this.#isFollowedAlways) return;
      // An open stream is a reader all the time.
      if (this.#events?.hasListeners === true) this.#unfollowLater(IDLE_MS);
      else if (left > 0) this.#unfollowLater(left);
      else this.#unfollow();
    });
  }

  #unfollow(): void {
    this.#timers.cancelAll();
    this.#live?.close();
    this.#events?.close();
    this.#live = this.#events = undefined;
  }

  async #open(): Promise<void> {
    const { open } = this.#parts;
    this.#note('connecting');
    let registry: RegistryCenter;
    try {
      registry = await open();
    } catch (error) {
      this.#note('disconnected');
      throw error;
    }
    this.#registry = registry;
    const follow = (): void => {
      const { phase } = registry.session.state;
      this.#note(phase === 'closed' ? 'disconnected' : phase);
    };
    this.#unsubscribe = registry.session.onChange(follow);
    if (this.#isFollowedAlways) this.#follow(registry);
    registry.connect();
    follow();
  }

  #note(phase: RegistryStatus['phase']): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.#since = this.#parts.clock.now();
    this.#events?.statusChanged();
  }

  #offline(): ConsoleProblem {
    const { phase, reason } = this.status;
    const why = reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`;
    const cure = phase === 'disconnected' ? ' Connect to it first.' : ' The console goes on trying.';
    return new ConsoleProblem(503, 'registry-offline', `Registry centre '${this.name}' is ${phase}${why}.${cure}`, {
      headers: { 'retry-after': '5' },
    });
  }
}

const MEASURE_MS = 3_000;
