import { RegistryUnavailableError } from '../../../api/errors/errors.js';
import { type JobLogger } from '../../../api/text/logger.js';
import { Listeners } from '../../../async/listeners.js';
import { type Mirror, type MirroredNode, type MirrorOptions } from '../../registry-center.js';
import { type PostgresLink } from '../connection/link.js';
import { type Connected, type PostgresqlSession } from '../postgresql-session.js';
import { type Statements } from '../statements.js';
import {
  jobOf,
  type JournalEntry,
  nodeOf,
  type OwnCommit,
  PostgresqlMirror,
  type Snapshot,
} from './postgresql-mirror.js';

/** A caller that waits for the end of a reading that begins after its call. */
interface Waiting {
  readonly number: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface JobRevision {
  readonly head: number;
  readonly known: number;
  readonly entries: readonly JournalEntry[];
}

/**
 * Reads for all mirrors of a registry centre: one reading at a time, of all jobs that have changed meanwhile. Notices
 * of changes come from notifications, heartbeats, and our own commits; none of them carries the change itself, so that
 * one that is lost, or comes twice, does no harm.
 */
export class Mirrors {
  readonly #session: () => PostgresqlSession;
  readonly #statements: Statements;
  readonly #logger: JobLogger;
  readonly #byJob = new Map<string, Set<PostgresqlMirror>>();
  readonly #changed = new Set<string>();
  #waiting: Waiting[] = [];
  #readings = 0;
  #isReading = false;
  #isAskedAgain = false;

  constructor(session: () => PostgresqlSession, statements: Statements, logger: JobLogger) {
    this.#session = session;
    this.#statements = statements;
    this.#logger = logger;
  }

  /** Opens a mirror; resolves once it is complete. */
  async open(path: string, options: MirrorOptions = {}): Promise<Mirror> {
    const onError = (error: unknown): void =>
      this.#logger.error(`A listener of the mirror of ${path} failed: ${String(error)}`);
    const mirror = new PostgresqlMirror(path, options, this, new Listeners({ onError }));
    const job = jobOf(path);
    const mirrors = this.#byJob.get(job) ?? new Set();
    this.#byJob.set(job, mirrors.add(mirror));
    try {
      await this.sync(mirror, 'mirror');
      return mirror;
    } catch (error) {
      mirror.close();
      throw error;
    }
  }

  /** Resolves once the mirror shows what was committed before the call. */
  async sync(mirror: PostgresqlMirror, operation: string): Promise<void> {
    try {
      do {
        if (mirror.path === '/') await this.#noteChanges(mirror);
        else this.#changed.add(jobOf(mirror.path));
        await new Promise<void>((resolve, reject) => {
          this.#waiting.push({ number: this.#readings + 1, resolve, reject });
          this.#read();
        });
      } while (mirror.needsSnapshot && !mirror.isClosed);
    } catch (error) {
      throw new RegistryUnavailableError(operation, mirror.path, error);
    }
  }

  /** Asks which jobs have changed, those that this process does not know yet included. */
  async #noteChanges(mirror: PostgresqlMirror): Promise<void> {
    const { connected } = this.#session();
    if (mirror.needsSnapshot || !connected) return;
    const { rows } = await connected.link.query(this.#statements.revisions());
    for (const { job, revision } of rows)
      if (mirror.position(String(job)) < Number(revision)) this.#changed.add(String(job));
  }

  closed(mirror: PostgresqlMirror): void {
    const job = jobOf(mirror.path);
    const mirrors = this.#byJob.get(job);
    mirrors?.delete(mirror);
    if (mirrors?.size === 0) this.#byJob.delete(job);
  }

  /** Some jobs have these revisions now, or had them. */
  onJobs(jobs: readonly (readonly [job: string, revision: number])[]): void {
    for (const [job, revision] of jobs)
      if (this.#covering(job).some((mirror) => mirror.position(job) < revision)) this.#changed.add(job);
    if (this.#changed.size > 0) this.#read();
  }

  /** The payload of a notification: revision and job. */
  onNotification(payload: string): void {
    const space = payload.indexOf(' ');
    this.onJobs([[payload.slice(space + 1), Number(payload.slice(0, space))]]);
  }

  /** We have committed this; `operations` is empty if only the server knows what that has changed. */
  onOwnCommit(commit: OwnCommit): void {
    for (const job of Object.keys(commit.previous))
      for (const mirror of this.#covering(job))
        if (commit.operations.length === 0 || !mirror.followOwn(job, commit)) this.#changed.add(job);
    if (this.#changed.size > 0) this.#read();
  }

  /** True if everything that these paths show in mirrors of this process is routine; false without mirrors. */
  isRoutine(paths: readonly string[]): boolean {
    return paths.every((path) => this.#covering(jobOf(path)).some((mirror) => mirror.isRoutineAt(path)));
  }

  onConnected(): void {
    for (const mirror of this.#all()) mirror.becomeOutdated();
    this.#read();
  }

  onDisconnected(): void {
    for (const mirror of this.#all()) mirror.becomeOutdated();
  }

  close(): void {
    for (const mirror of this.#all()) mirror.close();
  }

  #all(): readonly PostgresqlMirror[] {
    return [...this.#byJob.values()].flatMap((mirrors) => [...mirrors]);
  }

  #covering(job: string): readonly PostgresqlMirror[] {
    return [...(this.#byJob.get(job) ?? []), ...((job !== '' && this.#byJob.get('')) || [])];
  }

  #read(): void {
    this.#isAskedAgain = true;
    if (!this.#isReading) void this.#readOn();
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    while (this.#isAskedAgain) {
      this.#isAskedAgain = false;
      const number = ++this.#readings;
      try {
        const { connected } = this.#session();
        if (!connected) throw new Error(`The session is ${this.#session().state.phase}`);
        await this.#readOnce(connected);
        this.#settle(number, ({ resolve }) => resolve());
      } catch (error) {
        this.#settle(number, ({ reject }) => reject(error));
      }
    }
    this.#isReading = false;
  }

  #settle(number: number, settle: (waiting: Waiting) => void): void {
    const due = this.#waiting.filter((each) => each.number <= number);
    this.#waiting = this.#waiting.filter((each) => each.number > number);
    for (const each of due) settle(each);
  }

  async #readOnce({ link }: Connected): Promise<void> {
    const jobs = [...this.#changed];
    this.#changed.clear();
    const renewed = this.#all().filter((mirror) => mirror.needsSnapshot);
    try {
      await Promise.all(renewed.map((mirror) => this.#renew(link, mirror)));
      await this.#follow(link, jobs);
    } catch (error) {
      // No notification would name these jobs again; with another link, everything is read again.
      link.break(`the journal could not be read: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
    // One that has lost the thread reads everything in the next round.
    if (this.#all().some((mirror) => mirror.needsSnapshot)) this.#isAskedAgain = true;
  }

  async #renew(link: PostgresLink, mirror: PostgresqlMirror): Promise<void> {
    const { rows } = await link.query(this.#statements.subtree(mirror.path));
    if (link.isBroken) throw new Error('The connection broke');
    mirror.replaceAll(snapshotOf(mirror.path, rows));
  }

  async #follow(link: PostgresLink, jobs: readonly string[]): Promise<void> {
    const known = new Map<string, number>();
    for (const job of jobs) {
      const positions = this.#covering(job).flatMap((mirror) => (mirror.needsSnapshot ? [] : [mirror.position(job)]));
      if (positions.length > 0) known.set(job, Math.min(...positions));
    }
    if (known.size === 0) return;
    const { rows } = await link.query(this.#statements.journal(known));
    if (link.isBroken) throw new Error('The connection broke');
    for (const [job, { entries, ...at }] of journalOf(known, rows))
      for (const mirror of this.#covering(job)) mirror.follow(job, entries, at);
  }
}

type Rows = readonly Readonly<Record<string, unknown>>[];

function snapshotOf(path: string, rows: Rows): Snapshot {
  const nodes = new Map<string, MirroredNode>();
  const revisions = new Map<string, number>();
  if (path === '/') nodes.set('/', nodeOf({ value: '', version: 0, revision: 0, session: null }));
  for (const row of rows) {
    const revision = Number(row['revision']);
    if (typeof row['job'] === 'string') revisions.set(row['job'], revision);
    else
      nodes.set(
        String(row['path']),
        nodeOf({ ...(row as { value: string; version: number; session: null }), revision }),
      );
  }
  return { nodes, revisions };
}

function journalOf(known: ReadonlyMap<string, number>, rows: Rows): ReadonlyMap<string, JobRevision> {
  const found = new Map<string, JobRevision & { readonly entries: JournalEntry[] }>();
  for (const { job, head, revision, previous, changes } of rows) {
    const name = String(job);
    const of = found.get(name) ?? { head: Number(head), known: known.get(name) ?? 0, entries: [] };
    found.set(name, of);
    if (revision === null) continue;
    const entry = { revision: Number(revision), previous: Number(previous) };
    of.entries.push({ ...entry, changes: changes as JournalEntry['changes'] });
  }
  return found;
}
