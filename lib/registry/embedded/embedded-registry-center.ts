/**
 * The embedded registry: a registry centre in the memory of this process, without ZooKeeper. It serves development and
 * tests, and is the reference for other implementations.
 *
 * ```
 *  EmbeddedRegistryCenter ─ EmbeddedSession          EmbeddedRegistryServer
 *        │                       │                     sessions · revisions
 *        ├─ EmbeddedMirror ──────┤  EmbeddedConnection    │
 *        └─ EmbeddedHold ────────┴──── deliver(…) ─────── EmbeddedNamespace ─ NodeTree
 * ```
 *
 * The server is synchronous and authoritative. A centre knows only what has arrived: each message between the two
 * passes `deliver`, in order for each direction of each centre. So a connection can be cut, messages can be dropped,
 * one answer can be lost (`faults`), and a simulator can decide which message arrives next.
 *
 * Centres with the same namespace share a server that lives as long as one of them is open: when the last one closes,
 * all nodes are gone, persistent ones too. Pass a `server` to keep the nodes, or to give each of several applications
 * in one process a registry of its own.
 */
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { problemsInMap } from '../../api/settings/setting.js';
import { type ServerReport } from '../../api/servers/server-report.js';
import { type Clock, systemClock } from '../../time/clock.js';
import { latencyReport } from '../latency-report.js';
import { pathsInWords } from '../node-paths.js';
import { requireOperations } from '../commit-limits.js';
import { checkMirrorOptions } from '../mirror-options.js';
import {
  type CommitLimits,
  type Lifetime,
  type Lineage,
  type Mirror,
  type MirroredNode,
  type MirrorOptions,
  type Operation,
  type RegistryCenter,
  type Session,
} from '../registry-center.js';
import { type LostWrite, type MessageDirection } from './embedded-connection.js';
import { EmbeddedHold } from './embedded-hold.js';
import { EmbeddedMirror } from './embedded-mirror.js';
import { EmbeddedOptions } from './embedded-options.js';
import { type EmbeddedRegistryServer } from './embedded-registry-server.js';
import { EmbeddedSession, type ServerSide } from './embedded-session.js';
import { DEFAULT_LIMITS, requireWithinLimits, requirePath } from '../request-limits.js';
import { shareServer } from './shared-servers.js';

/** Options of an embedded registry centre. */
export interface EmbeddedRegistryCenterOptions {
  /** Centres of different namespaces do not see each other's nodes. Default: `elasticjob`. */
  readonly namespace?: string;
  /** Default: a server that all centres of this process with the same namespace share while one of them is open. */
  readonly server?: EmbeddedRegistryServer;
  /** Default: the clock of `server`; without a `server`, the clock of this machine. */
  readonly clock?: Clock;
  /** How long the session outlives the connection, in milliseconds. Default: 60000. */
  readonly sessionTimeoutMilliseconds?: number;
}

/** Faults that tests and simulations inject into a centre's connection. */
export interface EmbeddedFaults {
  /** Breaks the connection and lets no new one through. The centre notices at once; its session goes on. */
  disconnect(): void;
  /**
   * Drops all messages from now on, in both directions by default. The centre notices by its own clock after two thirds
   * of the session timeout. In one direction only:
   * - `receiving`: the server carries out the centre's requests, but neither answers nor changes arrive. The centre
   *   notices after the same time; only then the server begins to count down the session.
   * - `sending`: nothing reaches the server, but changes still arrive, so that the centre trusts its connection until
   *   no request was answered for the whole session timeout. At that time the server ends the session.
   */
  dropMessages(direction?: MessageDirection): void;
  /** Ends `disconnect` and `dropMessages`: the centre connects again, with the same session if that still lives. */
  resume(): void;
  /** Ends the session at the server. A centre without contact notices when it is in contact again. */
  expire(): void;
  /**
   * Breaks the connection when the next write reaches the server. The server carries out the write (`applied`) or does
   * not; it rejects with a `RegistryOutcomeUnknownError` either way. The centre connects again at once.
   */
  loseNextWrite(outcome: LostWrite): void;
  /**
   * Lets the centre's process die at the `number`th write from now on that reaches the server; 1 is the next one. The
   * server carries out that write (`applied`) or does not, and all later messages in both directions are dropped.
   * @param onDeath called at that moment, to end the rest of the process
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

  /** @throws InvalidConfigurationError naming every fault of the options */
  constructor(options: EmbeddedRegistryCenterOptions = {}) {
    const problems = problemsInMap(options, EmbeddedOptions, 'EmbeddedRegistryCenter');
    if (problems.length > 0) throw new InvalidConfigurationError(problems);
    const { namespace = 'elasticjob', server, sessionTimeoutMilliseconds = 60_000 } = options;
    const { clock = server?.clock ?? systemClock } = options;
    this.description = `embedded registry in this process, namespace '${namespace}'`;
    this.#namespace = namespace;
    this.#server = server;
    this.#clock = clock;
    this.#session = new EmbeddedSession(namespace, clock, sessionTimeoutMilliseconds);
  }

  get session(): Session {
    return this.#session;
  }

  /** The limits of the server. */
  get limits(): CommitLimits {
    return this.#server?.limits ?? DEFAULT_LIMITS;
  }

  /** The faults that can be injected, once `connect()` was called. */
  get faults(): EmbeddedFaults {
    const session = this.#session;
    return {
      disconnect: () => session.disconnect(),
      dropMessages: (direction = 'both') => session.dropMessages(direction),
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

  fullPath(path: string): string {
    return path === '/' ? `/${this.#namespace}` : `/${this.#namespace}${path}`;
  }

  async get(path: string): Promise<string | undefined> {
    requirePath('read', path);
    return this.#ask('read', path, ({ namespace }) => namespace.get(path)?.value);
  }

  async children(path: string): Promise<readonly string[]> {
    requirePath('list the children of', path);
    return this.#ask('list the children of', path, ({ namespace }) => namespace.children(path));
  }

  async getAll(paths: readonly string[]): Promise<readonly (MirroredNode | undefined)[]> {
    for (const path of paths) requirePath('read', path);
    return this.#ask('read', pathsInWords(paths), ({ namespace }) => paths.map((path) => namespace.get(path)));
  }

  async childrenOfAll(paths: readonly string[]): Promise<readonly (readonly string[])[]> {
    for (const path of paths) requirePath('list the children of', path);
    return this.#ask('list the children of', pathsInWords(paths), ({ namespace }) =>
      paths.map((path) => namespace.children(path)),
    );
  }

  async create(path: string, value: string, lifetime?: Lifetime): Promise<boolean> {
    requireWithinLimits('create', path, { operations: [{ type: 'create', path, value }], limits: DEFAULT_LIMITS });
    return this.#write('create', path, ({ namespace, session }) => namespace.create(session, path, value, lifetime));
  }

  async put(path: string, value: string): Promise<void> {
    requireWithinLimits('write', path, { operations: [{ type: 'set', path, value }], limits: DEFAULT_LIMITS });
    return this.#write('write', path, ({ namespace, session }) => namespace.put(session, path, value));
  }

  async remove(path: string): Promise<boolean> {
    requirePath('remove', path);
    return this.#write('remove', path, ({ namespace, session }) => namespace.remove(session, path));
  }

  async commit(operations: readonly Operation[]): Promise<number> {
    requireOperations(operations);
    const path = operations[0]?.path ?? '/';
    requireWithinLimits('commit changes of', path, { operations, limits: this.limits });
    return this.#write('commit changes of', path, ({ namespace, session }) => namespace.commit(session, operations));
  }

  async mirror(path: string, options?: MirrorOptions): Promise<Mirror> {
    requirePath('mirror', path);
    checkMirrorOptions(options);
    const mirror = new EmbeddedMirror(this.#session, path, options);
    await mirror.open();
    return mirror;
  }

  async exclusively<T>(path: string, timeoutMs: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    requirePath('hold', path);
    return new EmbeddedHold(this.#session, this.#clock, path).during(timeoutMs, task);
  }

  async time(path: string): Promise<number> {
    requirePath('read the time through', path);
    return this.#write('read the time through', path, ({ namespace, session, server }) => {
      // ZooKeeper gives its time only as the time of a write. The write is made here too, so that both have the same
      // trees.
      namespace.put(session, path, '');
      return server.clock.now();
    });
  }

  async lineage(): Promise<Lineage> {
    return this.#ask('ask for the lineage of', '/', ({ namespace }) => namespace.lineage);
  }

  serverReport(): Promise<ServerReport> {
    return latencyReport(this, this.#clock);
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
