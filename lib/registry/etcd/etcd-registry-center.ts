/**
 * The registry centre on etcd 3.4 or later.
 *
 * ```
 *   EtcdRegistryCenter            the port: one method each, a few lines
 *     ├── NodeWrites              create, put, remove, commit; why one did not fit
 *     │      ├── planCommit, misfitOf   a commit as one transaction; pure
 *     │      └── SessionWrites    while the session lives, at most once, and whether it happened
 *     ├── EtcdReads               ranges of keys at one revision
 *     ├── EtcdMirror              a subtree at one revision, then what the watch says
 *     ├── QueuedHold              a queue of session nodes in the order of their revisions
 *     └── EtcdSession             connected, suspended, lost: a lease, and a key on it
 *            └── EtcdConnection   one endpoint: EtcdClient, KeepAlive, TreeWatch
 * ```
 * `EtcdKeys` says which keys there are. etcd is authoritative, with one exception: whether the session may have ended
 * is also judged by our own clock, since a server that cannot be reached cannot say so. Revisions are etcd's own: one
 * history for the whole store, which goes on over changes of etcd's leader, so that fencing tokens only grow.
 *
 * On failure: reads are made again while the session is connected. A write whose answer was lost is settled: etcd is
 * asked whether it happened, in a way that keeps it from happening later (`SessionWrites`). Mirrors stop being current,
 * and read everything again on the next connection. A lost session is followed by a new one; the user of the registry
 * centre creates its session nodes again. etcd has no clock that could be asked, so that there is no `time`.
 */
import { type ConnectionOptions } from 'node:tls';
import { aClock, aLogger, checkOptions, type OptionRules } from '../../api/settings/call-options.js';
import { isMap } from '../../api/text/describe-value.js';
import { type JobLogger } from '../../api/text/logger.js';
import { type Clock, systemClock } from '../../time/clock.js';
import { requireOperations } from '../commit-limits.js';
import { type ServerReport } from '../../api/servers/server-report.js';
import { QueuedHold } from '../queued-hold.js';
import { checkMirrorOptions } from '../mirror-options.js';
import { nodeName, pathsInWords } from '../node-paths.js';
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
import { type RangeRequest } from './client/messages.js';
import { type EtcdConfiguration, type EtcdSettings, etcdTls, resolveEtcdConfiguration } from './etcd-configuration.js';
import { childNames, EtcdKeys, requirePath } from './etcd-keys.js';
import { etcdLimits, requireWithinLimits } from './etcd-limits.js';
import { EtcdMirror, type EtcdMirrorContext } from './etcd-mirror.js';
import { translated } from './etcd-failures.js';
import { EtcdReads, requireConnected } from './etcd-reads.js';
import { etcdReport } from './etcd-report.js';
import { EtcdSession } from './session/etcd-session.js';
import { nodeOf } from './node-values.js';
import { NodeWrites } from './writes/node-writes.js';
import { SessionWrites } from './writes/session-writes.js';

/** Options of a registry centre besides its configuration. */
export interface EtcdRegistryCenterOptions {
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
  /** Default: nothing is logged. */
  readonly logger?: JobLogger;
  /** Options of Node's `tls.connect`, for endpoints with `https`. Default: what the configuration says. */
  readonly tls?: ConnectionOptions;
}

const OPTION_RULES: OptionRules<EtcdRegistryCenterOptions> = {
  ...{ clock: aClock, logger: aLogger },
  tls: (value) => (isMap(value) ? undefined : 'must be a plain object'),
};

/** The registry centre on etcd. One object is one session, which all jobs of a process share. */
export class EtcdRegistryCenter implements RegistryCenter {
  readonly description: string;
  readonly limits: CommitLimits;
  readonly #keys: EtcdKeys;
  readonly #session: EtcdSession;
  readonly #reads: EtcdReads;
  readonly #nodeWrites: NodeWrites;
  readonly #context: EtcdMirrorContext;
  readonly #settings: EtcdSettings;

  /** @throws InvalidConfigurationError naming every fault of the configuration or of the options */
  constructor(configuration: EtcdConfiguration, options: EtcdRegistryCenterOptions = {}) {
    checkOptions('new EtcdRegistryCenter()', options, OPTION_RULES, { secrecy: 'hidden' });
    const { clock = systemClock, logger = SILENT } = options;
    const resolved = resolveEtcdConfiguration(configuration);
    const settings = { ...resolved, tls: options.tls === undefined ? resolved.tls : etcdTls(options.tls) };
    const { namespace, maxTxnOps, endpoints } = settings;
    const keys = new EtcdKeys(namespace);
    const session = new EtcdSession({ settings, keys, clock, logger });
    const base = { session, clock, settings, logger, keys };
    const context = { ...base, reads: new EtcdReads(base), writes: new SessionWrites(base, keys) };
    this.#keys = keys;
    this.#session = session;
    this.#reads = context.reads;
    this.#nodeWrites = new NodeWrites(context);
    this.#context = context;
    this.#settings = settings;
    this.limits = etcdLimits(namespace, maxTxnOps);
    this.description = `etcd at ${endpoints.map(({ address }) => address).join(',')}, namespace '${namespace}'`;
  }

  get session(): Session {
    return this.#session;
  }

  connect(): void {
    this.#session.connect();
  }

  fullPath(path: string): string {
    return this.#keys.node(path);
  }

  async get(path: string): Promise<string | undefined> {
    const [node] = await this.getAll([path]);
    return node?.value;
  }

  async children(path: string): Promise<readonly string[]> {
    const [names = []] = await this.childrenOfAll([path]);
    return names;
  }

  async getAll(paths: readonly string[]): Promise<readonly (MirroredNode | undefined)[]> {
    for (const path of paths) requirePath('read', path);
    const subject = { operation: 'read', path: pathsInWords(paths) };
    const found = await this.#reads.ranges(
      subject,
      paths.map((path) => ({ key: this.#keys.node(path) })),
    );
    return found.map(([kv]) => kv && nodeOf(kv));
  }

  async childrenOfAll(paths: readonly string[]): Promise<readonly (readonly string[])[]> {
    for (const path of paths) requirePath('list the children of', path);
    const subject = { operation: 'list the children of', path: pathsInWords(paths) };
    const ranges = paths.map((path): RangeRequest => {
      const range = path === '/' ? this.#keys.index : this.#keys.below(path);
      return { ...range, keysOnly: true };
    });
    const found = await this.#reads.ranges(subject, ranges);
    return found.map((kvs, index) => {
      const path = paths[index] ?? '/';
      if (path === '/') return kvs.map(({ key }) => nodeName(key));
      return childNames(
        path,
        kvs.map(({ key }) => this.#keys.pathOf(key) ?? ''),
      );
    });
  }

  async create(path: string, value: string, lifetime: Lifetime = 'persistent'): Promise<boolean> {
    requireWithinLimits({ operation: 'create', path }, [{ type: 'create', path, value }], this.limits);
    return this.#nodeWrites.create(path, value, lifetime);
  }

  async put(path: string, value: string): Promise<void> {
    requireWithinLimits({ operation: 'write', path }, [{ type: 'set', path, value }], this.limits);
    return this.#nodeWrites.put(path, value);
  }

  async remove(path: string): Promise<boolean> {
    requireWithinLimits({ operation: 'remove', path }, [{ type: 'remove', path }], this.limits);
    return this.#nodeWrites.remove(path);
  }

  async commit(operations: readonly Operation[]): Promise<number> {
    requireOperations(operations);
    const subject = { operation: 'commit to', path: pathsInWords(operations.slice(0, 4).map(({ path }) => path)) };
    requireWithinLimits(subject, operations, this.limits);
    return this.#nodeWrites.commit(operations);
  }

  async mirror(path: string, options?: MirrorOptions): Promise<Mirror> {
    requirePath('mirror', path);
    checkMirrorOptions(options);
    const mirror = new EtcdMirror(this.#context, path, options);
    await mirror.open();
    return mirror;
  }

  async exclusively<T>(path: string, timeoutMs: number, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    requirePath('hold', path);
    return new QueuedHold(this, path, this.#context).during(timeoutMs, task);
  }

  async lineage(): Promise<Lineage | undefined> {
    const subject = { operation: 'ask for the lineage of', path: '/' };
    const { revision, ranges } = await this.#reads.snapshot(subject, [{ key: this.#keys.lineage }]);
    const [id] = ranges[0] ?? [];
    return id && { id: id.value.toString(), changes: revision };
  }

  async serverReport(): Promise<ServerReport> {
    const subject = { operation: 'ask for the state of', path: '/' };
    const { client } = requireConnected(this.#session, subject).connection;
    try {
      return await etcdReport({ ...this.#context, settings: this.#settings, client });
    } catch (error) {
      throw translated(subject, error);
    }
  }

  async close(): Promise<void> {
    await this.#session.close();
  }
}

const SILENT: JobLogger = {
  debug: () => undefined,
  log: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
