/**
 * The embedded registry: a registry centre without a server, in the memory of this process. For development and tests,
 * and the reference that other implementations are compared with.
 *
 * ```
 *  EmbeddedRegistryCenter ─ EmbeddedSession          EmbeddedRegistryServer
 *        │                       │                     sessions · revisions
 *        ├─ EmbeddedMirror ──────┤  EmbeddedConnection    │
 *        └─ EmbeddedHold ────────┴──── deliver(…) ─────── EmbeddedNamespace ─ NodeTree
 * ```
 *
 * The server is synchronous and always right. A centre knows only what has arrived: between the two lie messages, each of
 * which passes `deliver`, in order for each direction of each centre. So a connection can be cut, silenced, or made to lose
 * one answer (`faults`), and a simulator can decide which message arrives next.
 *
 * Centres with the same namespace share a server that lives as long as one of them is open: when the last one closes, all
 * nodes are gone, persistent ones too. Pass a `server` to keep it, or to give several applications of one process
 * registries of their own.
 */
import { type Clock, systemClock } from '../../time/clock.js';
import {
  type CommitLimits,
  type Lifetime,
  type Mirror,
  type MirrorOptions,
  type Operation,
  type RegistryCenter,
  type Session,
} from '../registry-center.js';
import { type LostWrite, type SilencedDirection } from './embedded-connection.js';
import { EmbeddedHold } from './embedded-hold.js';
import { EmbeddedMirror } from './embedded-mirror.js';
import { type EmbeddedRegistryServer } from './embedded-registry-server.js';
import { EmbeddedSession, type ServerSide } from './embedded-session.js';
import { DEFAULT_LIMITS, demandOperations, demandPath } from './request-limits.js';
import { shareServer } from './shared-servers.js';

/** What an embedded registry centre is made from. */
export interface EmbeddedRegistryCenterOptions {
  /** Centres of different namespaces do not see each other's nodes. Default: `elasticjob`. */
  readonly namespace?: string;
  /** Default: one that all centres of this process with this namespace share while at least one of them is open. */
  readonly server?: EmbeddedRegistryServer;
  /** Default: the server's clock if a server is given, else the clock of this machine. */
  readonly clock?: Clock;
  /** How long the session outlives the connection, in milliseconds. Default: 60000. */
  readonly sessionTimeoutMilliseconds?: number;
}

/** What can be done to a centre's connection, for tests and simulations. */
export interface EmbeddedFaults {
  /** Breaks the connection and lets no new one through; the centre notices at once, its session goes on. */
  suspend(): void;
  /**
   * Loses all messages from now on; the centre notices by its own clock after two thirds of the session. One way only:
   * - `receiving`: what the centre asks for is done, but neither answers nor news come back. It notices likewise, and
   *   only then the time of its session begins to run out at the server.
   * - `sending`: nothing reaches the server, but news come, so that the centre believes in its connection until no
   *   request was answered for the whole of its session, when the server ends it.
   */
  silence(direction?: SilencedDirection): void;
  /** Ends `suspend` and `silence`: the centre connects again, to the same session if it still lives. */
  resume(): void;
  /** Ends the session at the server. The centre learns of it when it is, or comes, in contact. */
  expire(): void;
  /**
   * Breaks the connection when the next write reaches the server; it is carried out (`applied`) or not, and is rejected
   * with a `RegistryOutcomeUnknownError` either way. The centre connects again at once.
   */
  loseNextWrite(outcome: LostWrite): void;
  /**
   * Lets the centre's process die at the `number`th write from now on that reaches the server, 1 being the next one: it
   * is carried out (`applied`) or not, and nothing of the centre is heard any more, nor does it hear anything.
   * @param onDeath called in that moment, to end what else there is of the process
   */
  dieAtWrite(number: number, outcome: LostWrite, onDeath?: () => void): void;
}

/** A registry centre in the memory of this process. */
export class EmbeddedRegistryCenter implements RegistryCenter {
  readonly description: string;
  readonly #namespace: string;
  readonly #clock: Clock;
  readonly #session: EmbeddedSession;
  #server: EmbeddedRegistryServer | undefined;
  #release = (): void => undefined;

  constructor({
    namespace = 'elasticjob',
    server,
    clock = server?.clock ?? systemClock,
    sessionTimeoutMilliseconds = 60_000,
  }: EmbeddedRegistryCenterOptions = {}) {
    this.description = `embedded registry in this process, namespace '${namespace}'`;
    this.#namespace = namespace;
    this.#server = server;
    this.#clock = clock;
    this.#session = new EmbeddedSession(namespace, clock, sessionTimeoutMilliseconds);
  }

  get session(): Session {
    return this.#session;
  }

  /** Those of the server. */
  get limits(): CommitLimits {
    return this.#server?.limits ?? DEFAULT_LIMITS;
  }

  /** Faults to inject; they need a centre on which `connect()` was called. */
  get faults(): EmbeddedFaults {
    const session = this.#session;
    return {
      suspend: () => session.suspend(),
      silence: (direction = 'both') => session.silence(direction),
      resume: () => session.resume(),
      expire: () => session.expire(),
      loseNextWrite: (outcome) => session.loseNextWrite(outcome),
      dieAtWrite: (number, outcome, onDeath = () => undefined) => session.dieAtWrite(number, outcome, onDeath),
    };
  }

  connect(): void {
    if (this.#session.state.phase === 'closed') return;
    if (!this.#server) {
      const { server, release } = shareServer(this.#namespace, this.#clock);
      this.#server = server;
      this.#release = release;
    }
    this.#session.connect(this.#server);
  }

  async get(path: string): Promise<string | undefined> {
    demandPath('read', path);
    return this.#ask('read', path, ({ namespace }) => namespace.get(path)?.value);
  }

  async children(path: string): Promise<readonly string[]> {
    demandPath('list the children of', path);
    return this.#ask('list the children of', path, ({ namespace }) => namespace.children(path));
  }

  async create(path: string, value: string, lifetime?: Lifetime): Promise<boolean> {
    demandOperations('create', path, { operations: [{ type: 'create', path, value }], limits: DEFAULT_LIMITS });
    return this.#write('create', path, ({ namespace, session }) => namespace.create(session, path, value, lifetime));
  }

  async put(path: string, value: string): Promise<void> {
    demandOperations('write', path, { operations: [{ type: 'set', path, value }], limits: DEFAULT_LIMITS });
    return this.#write('write', path, ({ namespace, session }) => namespace.put(session, path, value));
  }

  async remove(path: string): Promise<boolean> {
    demandPath('remove', path);
    return this.#write('remove', path, ({ namespace, session }) => namespace.remove(session, path));
  }

  async commit(operations: readonly Operation[]): Promise<number> {
    const path = operations[0]?.path ?? '/';
    demandOperations('commit changes of', path, { operations, limits: this.limits });
    return this.#write('commit changes of', path, ({ namespace, session }) => namespace.commit(session, operations));
  }

  async mirror(path: string, options?: MirrorOptions): Promise<Mirror> {
    demandPath('mirror', path);
    const mirror = new EmbeddedMirror(this.#session, path, options);
    await mirror.open();
    return mirror;
  }

  async exclusively<T>(path: string, timeoutMs: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    demandPath('hold', path);
    return new EmbeddedHold(this.#session, this.#clock, path).during(timeoutMs, task);
  }

  async time(path: string): Promise<number> {
    demandPath('read the time through', path);
    return this.#write('read the time through', path, ({ namespace, session, server }) => {
      // ZooKeeper tells its time only as that of a write; here the write is made so that trees look the same.
      namespace.put(session, path, '');
      return server.clock.now();
    });
  }

  async close(): Promise<void> {
    const release = this.#release;
    this.#release = () => undefined;
    await this.#session.close('close() was called');
    release();
  }

  #ask<T>(operation: string, path: string, run: (at: ServerSide) => T): Promise<T> {
    return this.#session.request({ operation, path, kind: 'read', run });
  }

  #write<T>(operation: string, path: string, run: (at: ServerSide) => T): Promise<T> {
    return this.#session.request({ operation, path, kind: 'write', run });
  }
}
