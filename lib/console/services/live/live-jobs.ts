/**
 * All jobs of one registry centre, kept up to date by one recursive mirror: lists, details and the stream of events
 * read this table, and send no requests to the registry centre.
 *
 * ```
 *  registry centre ──watch──▶ Mirror('/') ──changed paths──▶ LiveJobs: one JobViewReader a job ──names──▶ listeners
 * ```
 * The registry centre is authoritative. While it is out of reach, the table shows the last known state, and
 * `staleSince` has the time of it. A job that cannot be read hides only itself.
 */
import { type JobLogger } from '../../../api/text/logger.js';
import { describeCause } from '../../../api/text/describe-cause.js';
import { Listeners } from '../../../async/listeners.js';
import { NamedTimers } from '../../../async/named-timers.js';
import { isPresenceOnly, type JobView, JobViewReader } from '../../../layout/job-view.js';
import { type Mirror, type RegistryCenter } from '../../../registry/registry-center.js';
import { type Clock } from '../../../time/clock.js';
import { openTree, type TreeMirror } from './job-trees.js';

/** A job in the table. */
export interface LiveJob {
  readonly jobName: string;
  readonly view: JobView;
  /** Why these credentials may not read the job; absent if they may. */
  readonly hidden?: string;
}

/** A change of the table. */
export interface LiveChange {
  /** Jobs that are new or have changed. */
  readonly changed: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
}

interface Entry {
  readonly reader: JobViewReader;
  job: LiveJob;
}

/** The table of all jobs. */
export class LiveJobs {
  readonly #registry: RegistryCenter;
  readonly #clock: Clock;
  readonly #logger: JobLogger;
  readonly #entries = new Map<string, Entry>();
  readonly #hidden = new Map<string, LiveJob>();
  readonly #listeners: Listeners<LiveChange>;
  readonly #timers: NamedTimers<'open'>;
  #mirror: TreeMirror | undefined;
  #moment = 0;
  #opening: Promise<void> | undefined;
  #staleSince: number | undefined;
  #isClosed = false;
  #unsubscribe: () => void = () => undefined;
  #revision = 0;

  constructor(registry: RegistryCenter, { clock, logger }: { readonly clock: Clock; readonly logger: JobLogger }) {
    this.#registry = registry;
    this.#clock = clock;
    this.#logger = logger;
    this.#timers = new NamedTimers(clock);
    this.#listeners = new Listeners({
      onError: (error) => logger.error(`The console could not pass on a change of jobs: ${describeCause(error)}`),
    });
  }

  /** Begins to follow the registry centre, now or once it is connected, and goes on until `close()`. */
  start(): void {
    this.#staleSince ??= this.#clock.now();
    const { session } = this.#registry;
    this.#unsubscribe = session.onChange(({ phase }) => {
      if (phase === 'connected') this.#openSoon();
    });
    if (session.state.phase === 'connected') this.#openSoon();
  }

  /** True if the table has been read at least once. */
  get isKnown(): boolean {
    return this.#mirror !== undefined;
  }

  /** The time since which the table is out of date; `undefined` if it is up to date. */
  get staleSince(): number | undefined {
    return this.#staleSince;
  }

  /** Grows with each change of the table. */
  get revision(): number {
    return this.#revision;
  }

  /** All jobs, in no particular order. */
  get jobs(): readonly LiveJob[] {
    return [...[...this.#entries.values()].map(({ job }) => job), ...this.#hidden.values()];
  }

  /** The number of jobs. */
  get size(): number {
    return this.#entries.size + this.#hidden.size;
  }

  job(jobName: string): LiveJob | undefined {
    return this.#entries.get(jobName)?.job ?? this.#hidden.get(jobName);
  }

  /** Resolves when the table has been read. @throws the error with which reading it has failed */
  async ready(): Promise<void> {
    if (this.isKnown) return;
    await (this.#opening ?? this.#open());
  }

  /**
   * Shows everything that was written before the call.
   * @throws RegistryUnavailableError if the registry centre does not answer now
   */
  async sync(): Promise<void> {
    await this.ready();
    await this.#mirror?.sync();
  }

  /**
   * Calls the listener with each change. A change without jobs says that the table has become stale, or up to date
   * again.
   */
  onChange(listener: (change: LiveChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#timers.cancelAll();
    this.#mirror?.close();
    this.#staleSince ??= this.#clock.now();
  }

  #openSoon(): void {
    if (this.#mirror !== undefined || this.#opening !== undefined || this.#isClosed) return;
    this.#open().catch((error: unknown) => {
      this.#logger.warn(
        `The console cannot read the jobs of ${this.#registry.description} yet: ${describeCause(error)}`,
      );
    });
  }

  #open(): Promise<void> {
    this.#opening ??= this.#read().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #read(): Promise<void> {
    try {
      const mirror = await openTree(this.#registry, {
        presenceOnly: isPresenceOnly,
        clock: this.#clock,
        logger: this.#logger,
      });
      if (this.#isClosed) return mirror.close();
      this.#mirror = mirror;
      mirror.onChange(() => this.#take(mirror));
      this.#take(mirror);
    } catch (error) {
      if (!this.#isClosed) this.#timers.setRetry('open', () => this.#openSoon());
      throw error;
    }
  }

  #take(mirror: TreeMirror): void {
    if (!mirror.isCurrent) this.#staleSince ??= this.#clock.now();
    else this.#staleSince = undefined;
    const changes = this.#moment === 0 ? undefined : mirror.changesSince(this.#moment);
    this.#moment = mirror.moment;
    const change = this.#apply(mirror, changes);
    this.#takeHidden(mirror.hidden ?? NONE, change);
    this.#revision++;
    this.#listeners.notify(change);
  }

  #apply(mirror: TreeMirror, changes: readonly string[] | undefined): { changed: Set<string>; removed: Set<string> } {
    const changed = new Set<string>();
    const removed = new Set<string>();
    const byJob = grouped(changes ?? mirror.nodes.keys());
    if (changes === undefined)
      for (const jobName of [...this.#entries.keys()]) {
        if (!byJob.has(jobName)) this.#drop(jobName, removed);
        // Removals are not listed after a gap, so the job is read from the beginning.
        else this.#entries.delete(jobName);
      }
    for (const [jobName, paths] of byJob) {
      const entry = this.#entryOf(jobName);
      const view = entry.reader.read(mirror.nodes, paths);
      if (!view.exists && !mirror.nodes.has(`/${jobName}`)) this.#drop(jobName, removed);
      else if (entry.job.view !== view || changes === undefined) {
        entry.job = { jobName, view };
        changed.add(jobName);
      }
    }
    return { changed, removed };
  }

  #entryOf(jobName: string): Entry {
    let entry = this.#entries.get(jobName);
    if (entry === undefined) {
      const reader = new JobViewReader(jobName);
      entry = { reader, job: { jobName, view: reader.read(NO_NODES) } };
      this.#entries.set(jobName, entry);
    }
    return entry;
  }

  #drop(jobName: string, removed: Set<string>): void {
    if (this.#entries.delete(jobName)) removed.add(jobName);
  }

  #takeHidden(
    hidden: ReadonlyMap<string, string>,
    { changed, removed }: { changed: Set<string>; removed: Set<string> },
  ): void {
    for (const jobName of [...this.#hidden.keys()])
      if (!hidden.has(jobName)) {
        this.#hidden.delete(jobName);
        if (!this.#entries.has(jobName)) removed.add(jobName);
      }
    for (const [jobName, reason] of hidden) {
      if (this.#hidden.get(jobName)?.hidden === reason) continue;
      this.#hidden.set(jobName, { jobName, view: new JobViewReader(jobName).read(NO_NODES), hidden: reason });
      changed.add(jobName);
    }
  }
}

const NONE: ReadonlyMap<string, string> = new Map();
const NO_NODES: Mirror['nodes'] = new Map();

/** Groups paths by their job. */
function grouped(paths: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const byJob = new Map<string, string[]>();
  for (const path of paths) {
    const end = path.indexOf('/', 1);
    const jobName = end < 0 ? path.slice(1) : path.slice(1, end);
    if (jobName === '') continue;
    const known = byJob.get(jobName);
    if (known === undefined) byJob.set(jobName, [path]);
    else known.push(path);
  }
  return byJob;
}
