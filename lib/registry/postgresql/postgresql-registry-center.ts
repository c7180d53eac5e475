/**
 * The registry centre on PostgreSQL 13 or later: the tree, the sessions and the journal of changes are tables.
 *
 * ```
 *   PostgresqlRegistryCenter      the port: one method each, a few lines
 *     ├── Writes                  commits: one statement each, and what a lost answer means
 *     ├── Mirrors                 local copies, which follow the journal
 *     ├── QueuedHold              a queue of session nodes, in the order of their revisions
 *     └── PostgresqlSession       connected, suspended, lost; heartbeats; one link after the other
 *            └── PostgresLink     some connections, as one
 *   schema/                       tables and functions; the rules of locking stand in schema/functions.ts
 * ```
 *
 * The database is authoritative, with one exception: whether the session may have ended is also judged by our own
 * clock, since a server that cannot be reached cannot say so.
 *
 * **One round trip.** A commit is one call of a function. It locks the row of each job that it writes below, so that
 * the commits of a job are in one order, and those of different jobs run side by side. Commits that have to wait for a
 * connection share a transaction. The answer brings what others have committed to these jobs before.
 *
 * **Notices carry no data.** A notification says that a job has changed; the journal says what, unless the answer to a
 * commit has said so already. If a notification does not come, the next heartbeat brings the news.
 *
 * **On failure:** a call is refused at once while the session is not connected. If the answer to a write is lost, the
 * session's next link finds out whether it was carried out. Mirrors stop being current, and read everything again once
 * connected. A lost session is followed by a new one; the user of the registry centre creates its session nodes again.
 */
import { type ConnectionOptions } from 'node:tls';
import { aClock, aLogger, checkOptions, type OptionRules } from '../../api/settings/call-options.js';
import { isMap } from '../../api/text/describe-value.js';
import { RegistryRefusedError, RegistryUnavailableError } from '../../api/errors/errors.js';
import { type JobLogger } from '../../api/text/logger.js';
import { type Clock, systemClock } from '../../time/clock.js';
import { requireOperations } from '../commit-limits.js';
import { checkMirrorOptions } from '../mirror-options.js';
import { nodeName, pathsInWords } from '../node-paths.js';
import { type ServerReport } from '../../api/servers/server-report.js';
import { QueuedHold } from '../queued-hold.js';
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
import { type PostgresStatement } from './connection/driver.js';
import { Mirrors } from './mirror/mirrors.js';
import { nodeOf } from './mirror/postgresql-mirror.js';
import { LinkOpener } from './open-link.js';
import { type PostgresqlConfiguration, resolvePostgresqlConfiguration } from './postgresql-configuration.js';
import { commitProblem, POSTGRESQL_LIMITS, requireStorable } from './postgresql-limits.js';
import { postgresqlReport } from './postgresql-report.js';
import { PostgresqlSession } from './postgresql-session.js';
import { Statements } from './statements.js';
import { Writes } from './writes.js';

/** Options of a registry centre besides its configuration. */
export interface PostgresqlRegistryCenterOptions {
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
  /** Default: nothing is logged. */
  readonly logger?: JobLogger;
  /**
   * Options of Node's `tls.connect`; false: not encrypted. Wins over the parameters of the URL only if that has none
   * about TLS. Default: what the URL says.
   */
  readonly tls?: ConnectionOptions | false;
}

const OPTION_RULES: OptionRules<PostgresqlRegistryCenterOptions> = {
  ...{ clock: aClock, logger: aLogger },
  tls: (value) => (value === false || isMap(value) ? undefined : 'must be a plain object or false'),
};

/**
 * The longest time between two heartbeats, in milliseconds; and between two readings of the journal without
 * notifications.
 */
const BEAT_MS = 10_000;
const POLL_MS = 500;
const RETRY = { baseMs: 100, maxMs: 3_000 };
/** Most paths that one statement reads. */
const PATHS_AT_ONCE = 1_000;

const ROOT: MirroredNode = { value: '', version: 0, revision: 0, session: undefined };

/** The registry centre on PostgreSQL. One object is one session, which all jobs of a process share. */
export class PostgresqlRegistryCenter implements RegistryCenter {
  readonly description: string;
  readonly limits: CommitLimits = POSTGRESQL_LIMITS;
  readonly #namespace: string;
  readonly #schema: string;
  readonly #clock: Clock;
  readonly #logger: JobLogger;
  readonly #statements: Statements;
  readonly #session: PostgresqlSession;
  readonly #mirrors: Mirrors;
  readonly #writes: Writes;

  /** @throws InvalidConfigurationError naming every fault of the configuration or of the options */
  constructor(configuration: PostgresqlConfiguration, options: PostgresqlRegistryCenterOptions = {}) {
    checkOptions('new PostgresqlRegistryCenter()', options, OPTION_RULES, { secrecy: 'hidden' });
    const { clock = systemClock, logger = SILENT } = options;
    const settings = resolvePostgresqlConfiguration(configuration);
    const statements = new Statements(settings);
    const mirrors = new Mirrors(() => session, statements, logger);
    const opener = new LinkOpener(settings, {
      tls: options.tls,
      ...{ statements, clock, logger },
      onNotification: (payload) => {
        if (!session.onNotification(payload)) mirrors.onNotification(payload);
      },
    });
    const session = new PostgresqlSession({
      open: () => opener.open(),
      moveOn: () => opener.moveOn(),
      ...{ statements, clock, logger, place: settings.place, retry: RETRY, timeoutMs: settings.sessionTimeoutMs },
      beatMs: settings.notify ? BEAT_MS : POLL_MS,
      onJobs: (jobs) => mirrors.onJobs(jobs),
    });
    session.onChangeFirst(({ phase }) => {
      if (phase === 'connected') mirrors.onConnected();
      else if (phase === 'closed') mirrors.close();
      else mirrors.onDisconnected();
    });
    const settleMs = settings.connectionTimeoutMs;
    const { connections } = settings;
    this.#writes = new Writes({ session, statements, clock, connections, settleMs, mirrors });
    this.#namespace = settings.namespace;
    this.#schema = settings.schema;
    this.#clock = clock;
    this.#logger = logger;
    this.#statements = statements;
    this.#session = session;
    this.#mirrors = mirrors;
    const { place, database, schema, namespace } = settings;
    this.description = `PostgreSQL at ${place}/${database}, schema '${schema}', namespace '${namespace}'`;
  }

  get session(): Session {
    return this.#session;
  }

  connect(): void {
    this.#session.connect();
  }

  fullPath(path: string): string {
    return path === '/' ? `/${this.#namespace}` : `/${this.#namespace}${path}`;
  }

  async get(path: string): Promise<string | undefined> {
    return (await this.getAll([path]))[0]?.value;
  }

  async children(path: string): Promise<readonly string[]> {
    return (await this.childrenOfAll([path]))[0] ?? [];
  }

  async getAll(paths: readonly string[]): Promise<readonly (MirroredNode | undefined)[]> {
    for (const path of paths) requireStorable('read', { path });
    const found = new Map<string, MirroredNode>([['/', ROOT]]);
    for await (const row of this.#rowsOf('read', paths, (some) => this.#statements.nodes(some)))
      found.set(String(row['path']), nodeOf({ ...(row as unknown as StoredNode), revision: Number(row['revision']) }));
    return paths.map((path) => found.get(path));
  }

  async childrenOfAll(paths: readonly string[]): Promise<readonly (readonly string[])[]> {
    for (const path of paths) requireStorable('list the children of', { path });
    const parents = paths.map((path) => (path === '/' ? '' : path));
    const found = new Map<string, string[]>(parents.map((parent) => [parent, []]));
    for await (const { parent, path } of this.#rowsOf('list the children of', parents, (some) =>
      this.#statements.children(some),
    ))
      found.get(String(parent))?.push(nodeName(String(path)));
    return parents.map((parent) => found.get(parent) ?? []);
  }

  async create(path: string, value: string, lifetime?: Lifetime): Promise<boolean> {
    requireStorable('create', { path, value });
    const make = { type: 'make', path, value, ...(lifetime && { lifetime }) } as const;
    return (await this.#writes.commit({ operation: 'create', path }, [make])).done;
  }

  async put(path: string, value: string): Promise<void> {
    requireStorable('write', { path, value });
    await this.#writes.commit({ operation: 'write', path }, [{ type: 'put', path, value }]);
  }

  async remove(path: string): Promise<boolean> {
    requireStorable('remove', { path });
    return (await this.#writes.commit({ operation: 'remove', path }, [{ type: 'purge', path }])).done;
  }

  async commit(operations: readonly Operation[]): Promise<number> {
    requireOperations(operations);
    const subject = { operation: 'commit changes of', path: operations[0]?.path ?? '/' };
    requireStorable(subject.operation, ...operations);
    const problem = commitProblem(operations);
    if (problem !== undefined) throw new RegistryRefusedError(subject.operation, subject.path, problem);
    return (await this.#writes.commit(subject, operations)).revision;
  }

  async mirror(path: string, options?: MirrorOptions): Promise<Mirror> {
    requireStorable('mirror', { path });
    checkMirrorOptions(options);
    return this.#mirrors.open(path, options);
  }

  async exclusively<T>(path: string, timeoutMs: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    requireStorable('hold', { path });
    return new QueuedHold(this, path, { clock: this.#clock, logger: this.#logger }).during(timeoutMs, task);
  }

  async time(): Promise<number> {
    const [row] = await this.#ask('ask for the time of', '/', this.#statements.time());
    return Number(row?.['now']);
  }

  async lineage(): Promise<Lineage | undefined> {
    const [row] = await this.#ask('ask for the lineage of', '/', this.#statements.lineage());
    return row && { id: String(row['lineage']), changes: Number(row['changes']) };
  }

  async serverReport(): Promise<ServerReport> {
    const [operation, path] = ['ask for the state of', '/'];
    const { connected, state, reason } = this.#session;
    if (!connected)
      throw new RegistryUnavailableError(operation, path, new Error(`The session is ${state.phase}`), reason);
    const { channel } = this.#statements;
    const options = { schema: this.#schema, channel, clock: this.#clock };
    try {
      return await postgresqlReport({ ask: (statement) => connected.link.control(statement), ...options });
    } catch (error) {
      throw new RegistryUnavailableError(operation, path, error, this.#session.reason);
    }
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async *#rowsOf(
    operation: string,
    paths: readonly string[],
    statement: (some: readonly string[]) => PostgresStatement,
  ): AsyncGenerator<Readonly<Record<string, unknown>>> {
    for (let start = 0; start < paths.length; start += PATHS_AT_ONCE) {
      const some = paths.slice(start, start + PATHS_AT_ONCE);
      // One portion after the other, to be gentle.
      yield* await this.#ask(operation, pathsInWords(some), statement(some));
    }
  }

  async #ask(
    operation: string,
    path: string,
    statement: PostgresStatement,
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { connected, state, reason } = this.#session;
    if (!connected)
      throw new RegistryUnavailableError(operation, path, new Error(`The session is ${state.phase}`), reason);
    try {
      return (await connected.link.query(statement)).rows;
    } catch (error) {
      throw new RegistryUnavailableError(operation, path, error, this.#session.reason);
    }
  }
}

type StoredNode = Parameters<typeof nodeOf>[0];

const SILENT: JobLogger = {
  debug: () => undefined,
  log: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
