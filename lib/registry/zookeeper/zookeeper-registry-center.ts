/**
 * The registry centre on ZooKeeper, compatible with Java's ElasticJob: same namespace, same nodes, same latches.
 *
 * ```
 *   ZookeeperRegistryCenter        the port: one method each, a few lines
 *     ├── NodeCreation, NodeWrites, NodeRemoval, commit    writes, and the outcome of lost answers
 *     ├── Mirrors, ZooKeeperMirror local copies: one request per round of changes
 *     │      ├── SubtreeCopy       when a copy is one moment (no network in it)
 *     │      └── Watches           one watch for each copy
 *     ├── ExclusiveHold            Curator's LeaderLatch
 *     ├── Call                     attempts, pauses, and the time limit of one operation
 *     └── ZooKeeperSession         connected, suspended, lost; one transport after the other
 *            └── GroupedRequests        the transactions of one turn of the event loop in one request
 *                   └── ZooKeeperTransport     one session on the wire; the client in `client/`, or another one
 * ```
 * The server is authoritative, with one exception: our own clock, too, decides that the session may have ended, because
 * a server that cannot be reached reports nothing.
 *
 * On failure: reads, and writes that certainly had no effect, are tried again within `maxRetries`. If the answer to a
 * write is lost, the registry centre reads the nodes; then it reports the write as done, repeats it, or throws a
 * `RegistryOutcomeUnknownError`. Mirrors stop being current, and read everything again once connected. A lost session
 * is followed by a new one; the user of the registry centre creates its session nodes again.
 */
import {
  aClock,
  aFunction,
  aLogger,
  checkOptions,
  type OptionRules,
  type ValueRule,
} from '../../api/settings/call-options.js';
import { isMap } from '../../api/text/describe-value.js';
import { type JobLogger } from '../../api/text/logger.js';
import { type ServerReport } from '../../api/servers/server-report.js';
import { type Clock, systemClock } from '../../time/clock.js';
import { RegistryRefusedError } from '../../api/errors/errors.js';
import { commitSizeProblem, requireOperations, requireValueSize } from '../commit-limits.js';
import { latencyReport } from '../latency-report.js';
import { pathsInWords } from '../node-paths.js';
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
import { ZooKeeperClient, type ZooKeeperClientOptions } from './client/zookeeper-client.js';
import { commit } from './operations/commit.js';
import { ExclusiveHold, type HoldContext } from './exclusive-hold.js';
import { Mirrors } from './mirror/mirrors.js';
import { Namespace, requireUsable } from './namespace.js';
import { NodeCreation } from './operations/node-creation.js';
import { listInChunks, readInChunks } from './operations/bulk-reads.js';
import { readSynced } from './operations/node-reads.js';
import { NodeRemoval } from './operations/node-removal.js';
import { NodeWrites } from './operations/node-writes.js';
import { OwnWrites } from './operations/own-writes.js';
import { type ZooKeeperConnection, type ZooKeeperTransport } from './transport.js';
import { type Call, perform } from './zookeeper-call.js';
import {
  resolveZookeeperConfiguration,
  type ZookeeperConfiguration,
  type ZookeeperSettings,
} from './zookeeper-configuration.js';
import { isAnswer } from './zookeeper-failures.js';
import { zookeeperLimits } from './zookeeper-limits.js';
import { ZooKeeperSession } from './zookeeper-session.js';

/** Options of a registry centre besides its configuration. */
export interface ZookeeperRegistryCenterOptions {
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
  /** Default: nothing is logged. */
  readonly logger?: JobLogger;
  /** TLS settings of the first-party client; connects without TLS if not given. */
  readonly tls?: NonNullable<ZooKeeperClientOptions['tls']>;
  /** Credentials for SASL DIGEST-MD5, for the first-party client. */
  readonly sasl?: NonNullable<ZooKeeperClientOptions['sasl']>;
  /** Makes the transport of one session. Default: the first-party client. */
  readonly transport?: (connection: ZooKeeperConnection) => ZooKeeperTransport;
}

const aPlainObject: ValueRule = (value) => (isMap(value) ? undefined : 'must be a plain object');

const OPTION_RULES: OptionRules<ZookeeperRegistryCenterOptions> = {
  ...{ clock: aClock, logger: aLogger, transport: aFunction },
  ...{ tls: aPlainObject, sasl: aPlainObject },
};

/** Most access rules that are read at a time. */
const READS_AT_ONCE = 100;

/** The registry centre on ZooKeeper 3.6 or later. One object is one session, which all jobs of a process share. */
export class ZookeeperRegistryCenter implements RegistryCenter {
  readonly description: string;
  readonly limits: CommitLimits;
  readonly #session: ZooKeeperSession;
  readonly #mirrors: Mirrors;
  readonly #context: HoldContext;
  readonly #creation: NodeCreation;
  readonly #removal: NodeRemoval;
  readonly #writes: NodeWrites;
  readonly #hasCredentials: boolean;
  /** The lineage at the first request of the session. */
  #lineage: { readonly session: string | undefined; readonly answer: Promise<Lineage | undefined> } | undefined;

  /** @throws InvalidConfigurationError naming every fault of the configuration or of the options */
  constructor(configuration: ZookeeperConfiguration, options: ZookeeperRegistryCenterOptions = {}) {
    checkOptions('new ZookeeperRegistryCenter()', options, OPTION_RULES, { secrecy: 'hidden' });
    const { clock = systemClock, logger = SILENT } = options;
    const settings = resolveZookeeperConfiguration(configuration);
    const namespace = new Namespace(settings.root);
    this.limits = zookeeperLimits(namespace.root);
    const session = new ZooKeeperSession({
      open: () =>
        (options.transport ?? firstPartyClient(clock, logger, { tls: settings.tls, sasl: settings.sasl, ...options }))(
          connectionOf(settings),
        ),
      probe: (transport) => readable(transport, namespace.root),
      probeRefusal: refusalOf(settings),
      subtreeOf: (path) => namespace.jobRootOf(path),
      timeoutMs: settings.sessionTimeoutMs,
      clock,
      logger,
    });
    const writes = new OwnWrites();
    session.onChange(({ phase }) => {
      if (phase === 'lost') writes.forget();
    });
    const creation = new NodeCreation(namespace, writes);
    this.#creation = creation;
    this.#removal = new NodeRemoval(namespace, writes);
    this.#writes = new NodeWrites(namespace, writes, creation);
    const parts = { session, clock, settings, logger, namespace, writes };
    this.#mirrors = new Mirrors(parts);
    this.#context = { ...parts, creation, mirrors: this.#mirrors };
    this.#session = session;
    this.#hasCredentials = settings.digest !== undefined;
    this.description = `ZooKeeper at ${configuration.serverLists}, namespace '${settings.namespace}'`;
  }

  get session(): Session {
    return this.#session;
  }

  connect(): void {
    this.#session.connect();
  }

  fullPath(path: string): string {
    return this.#at(path);
  }

  get(path: string): Promise<string | undefined> {
    return this.#perform('read', path, async (call) => {
      const node = await call.read(({ transport }) => readSynced(transport, this.#at(path)));
      return node?.data.toString();
    });
  }

  children(path: string): Promise<readonly string[]> {
    return this.#perform('list the children of', path, (call) =>
      call.read(async ({ transport }) => {
        try {
          const [, names] = await Promise.all([transport.sync(this.#at(path)), transport.getChildren(this.#at(path))]);
          return names;
        } catch (error) {
          if (isAnswer(error, 'NO_NODE')) return [];
          throw error;
        }
      }),
    );
  }

  async getAll(paths: readonly string[]): Promise<readonly (MirroredNode | undefined)[]> {
    for (const path of paths) requireUsable('read', path);
    return readInChunks(this.#context, paths);
  }

  async childrenOfAll(paths: readonly string[]): Promise<readonly (readonly string[])[]> {
    for (const path of paths) requireUsable('list the children of', path);
    return listInChunks(this.#context, paths);
  }

  create(path: string, value: string, lifetime: Lifetime = 'persistent'): Promise<boolean> {
    return this.#perform('create', path, (call) => {
      requireValueSize('create', path, { value, limits: this.limits });
      return this.#creation.create(call, value, lifetime);
    });
  }

  put(path: string, value: string): Promise<void> {
    return this.#perform('write', path, (call) => {
      requireValueSize('write', path, { value, limits: this.limits });
      return this.#writes.put(call, value);
    });
  }

  remove(path: string): Promise<boolean> {
    return this.#perform('remove', path, (call) => this.#removal.remove(call));
  }

  async commit(operations: readonly Operation[]): Promise<number> {
    requireOperations(operations);
    for (const { path } of operations) requireUsable('commit to', path);
    const subject = {
      operation: 'commit to',
      get path() {
        return pathsInWords(operations.map(({ path }) => path));
      },
    };
    const problem = commitSizeProblem(operations, this.limits);
    if (problem !== undefined) throw new RegistryRefusedError(subject.operation, subject.path, problem);
    return perform(this.#context, subject, (call) => commit(this.#context, call, operations));
  }

  async mirror(path: string, options?: MirrorOptions): Promise<Mirror> {
    requireUsable('mirror', path);
    checkMirrorOptions(options);
    return this.#mirrors.open(path, options);
  }

  async exclusively<T>(path: string, timeoutMs: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    requireUsable('hold', path);
    return new ExclusiveHold(this.#context, path, timeoutMs).run(task);
  }

  time(path: string): Promise<number> {
    return this.#perform('ask for the time through', path, async (call) => {
      try {
        return (await this.#writes.set(call, '')).mtime;
      } catch (error) {
        if (!isAnswer(error, 'NO_NODE')) throw error;
      }
      await this.#creation.create(call, '', 'persistent');
      return (await this.#writes.set(call, '')).mtime;
    });
  }

  lineage(): Promise<Lineage | undefined> {
    const { state } = this.session;
    const id = state.phase === 'connected' ? state.id : undefined;
    // All jobs of a process request it when they start.
    if (this.#lineage === undefined || this.#lineage.session !== id)
      this.#lineage = { session: id, answer: this.#readLineage() };
    return this.#lineage.answer;
  }

  async #readLineage(): Promise<Lineage | undefined> {
    try {
      const stat = await this.#perform('ask for the lineage of', '/', (call) =>
        call.read(async ({ transport }) => {
          const root = this.#at('/');
          const [, found] = await Promise.all([transport.sync(root), transport.exists(root)]);
          return found;
        }),
      );
      if (stat !== undefined) return { id: `${stat.czxid.toString(16)}@${stat.ctime}`, changes: stat.cversion };
      this.#lineage = undefined;
      return undefined;
    } catch (error) {
      this.#lineage = undefined;
      throw error;
    }
  }

  async openNodes(paths: readonly string[]): Promise<readonly string[]> {
    if (!this.#hasCredentials) return [];
    const open: string[] = [];
    for (let start = 0; start < paths.length; start += READS_AT_ONCE) {
      const some = paths.slice(start, start + READS_AT_ONCE);
      // One portion after the other, to be gentle.
      const areOpen = await Promise.all(some.map((path) => this.#isOpen(path)));
      open.push(...some.filter((_, index) => areOpen[index]));
    }
    return open;
  }

  #isOpen(path: string): Promise<boolean> {
    return this.#perform('read the access rules of', path, (call) =>
      call.read(async ({ transport }) => {
        try {
          return (await transport.isOpen?.(this.#at(path))) ?? false;
        } catch (error) {
          if (isAnswer(error, 'NO_NODE', 'NO_AUTH')) return false;
          throw error;
        }
      }),
    );
  }

  serverReport(): Promise<ServerReport> {
    return latencyReport(this, this.#context.clock);
  }

  async close(): Promise<void> {
    const closing = this.#session.close();
    this.#mirrors.close();
    await closing;
  }

  #at(path: string): string {
    return this.#context.namespace.at(path);
  }

  async #perform<T>(operation: string, path: string, task: (call: Call) => Promise<T>): Promise<T> {
    requireUsable(operation, path);
    return perform(this.#context, { operation, path }, task);
  }
}

function refusalOf({ namespace, digest }: ZookeeperSettings): string {
  const owner = digest === undefined ? ', and no digest is configured' : ' than the configured digest';
  return `namespace '${namespace}' belongs to other credentials${owner}`;
}

function connectionOf(settings: ZookeeperSettings): ZooKeeperConnection {
  const { servers, sessionTimeoutMs, connectionTimeoutMs, digest } = settings;
  // No chroot: the namespace node itself must be created too, so that this class completes the paths.
  return { servers, chroot: '', sessionTimeoutMs, connectionTimeoutMs, digest };
}

function firstPartyClient(
  clock: Clock,
  logger: JobLogger,
  { tls, sasl }: { readonly [Key in 'tls' | 'sasl']: ZookeeperRegistryCenterOptions[Key] | undefined },
): (connection: ZooKeeperConnection) => ZooKeeperTransport {
  return (connection) => new ZooKeeperClient(connection, { clock, logger, ...(tls && { tls }), ...(sasl && { sasl }) });
}

/** Rejects with NO_AUTH if the namespace exists and belongs to other credentials. */
async function readable(transport: ZooKeeperTransport, root: string): Promise<void> {
  try {
    await transport.getChildren(root);
  } catch (error) {
    if (!isAnswer(error, 'NO_NODE')) throw error;
  }
}

const SILENT: JobLogger = {
  debug: () => undefined,
  log: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
