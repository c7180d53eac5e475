import { RegistryUnavailableError } from '../../../api/errors/errors.js';
import { type JobLogger } from '../../../api/text/logger.js';
import { Listeners } from '../../../async/listeners.js';
import { type Mirror, type MirrorOptions } from '../../registry-center.js';
import { type PostgresLink } from '../connection/link.js';
import { type Connected, type PostgresqlSession } from '../postgresql-session.js';
import { type Statements } from '../statements.js';
import { type JobJournal, journalsOf, type MissedEntry, missedJournals, snapshotOf } from './journal-rows.js';
import { jobOf, type OwnCommit, PostgresqlMirror } from './postgresql-mirror.js';

/** A caller that waits for the end of a reading that begins after its call. */
interface Waiting {
  readonly number: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A job with commits of our own under way. */
interface AwaitedJob {
  commits: number;
  /** The newest revision that a notice has named meanwhile. */
  revision: number;
}

/**
 * Reads for all mirrors of a registry centre: one reading at a time, of all jobs that have changed meanwhile. Notices
 * of changes come from notifications, heartbeats, and our own commits; none of them carries the change itself, so that
 * one that is lost, or comes twice, does no harm. The answer to a commit of our own brings what others have committed
 * before it, so while one is under way, a notice about its job waits for it.
 */
export class Mirrors {
  readonly #session: () => PostgresqlSession;
  readonly #statements: Statements;
  readonly #logger: JobLogger;
  readonly #byJob = new Map<string, Set<PostgresqlMirror>>();
  readonly #changed = new Set<string>();
  readonly #awaited = new Map<string, AwaitedJob>();
  /** Notifications that the next reading sends. */
  #announcements: string[] = [];
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
    for (const [job, revision] of jobs) {
      const awaited = this.#awaited.get(job);
      if (awaited) awaited.revision = Math.max(awaited.revision, revision);
      else if (this.#covering(job).some((mirror) => mirror.position(job) < revision)) this.#changed.add(job);
    }
    if (this.#changed.size > 0) this.#read();
  }

  /** The payload of a notification: revision and job. */
  onNotification(payload: string): void {
    const space = payload.indexOf(' ');
    this.onJobs([[payload.slice(space + 1), Number(payload.slice(0, space))]]);
  }

  /** A commit that changes these jobs is under way, until the returned function is called. */
  awaitCommit(jobs: readonly string[]): () => void {
    for (const job of jobs) {
      const awaited = this.#awaited.get(job) ?? { commits: 0, revision: 0 };
      awaited.commits++;
      this.#awaited.set(job, awaited);
    }
    return () => {
      for (const job of jobs) this.#commitEnded(job);
    };
  }

  #commitEnded(job: string): void {
    const awaited = this.#awaited.get(job);
    if (awaited === undefined || --awaited.commits > 0) return;
    this.#awaited.delete(job);
    this.onJobs([[job, awaited.revision]]);
  }

  /** The revision of each job that all its mirrors show; jobs without such mirrors are missing. */
  positions(jobs: Iterable<string>): ReadonlyMap<string, number> {
    const known = new Map<string, number>();
    for (const job of jobs) {
      const shown = this.#covering(job).flatMap((mirror) => (mirror.needsSnapshot ? [] : [mirror.position(job)]));
      if (shown.length > 0) known.set(job, Math.min(...shown));
    }
    return known;
  }

  /** Others have committed this before a commit of our own that was sent with these positions. */
  onMissed(known: ReadonlyMap<string, number>, missed: readonly MissedEntry[]): void {
    this.#show(missedJournals(known, missed));
  }

  /** Notifies all processes that these jobs have those revisions, and reads what others have committed to them. */
  announce(revisions: ReadonlyMap<string, number>): void {
    for (const [job, revision] of revisions) {
      this.#announcements.push(`${revision} ${job}`);
      this.#changed.add(job);
    }
    this.#read();
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
    let last: string | undefined;
    let covering: readonly PostgresqlMirror[] = [];
    return paths.every((path) => {
      const job = jobOf(path);
      if (job !== last) covering = this.#covering(job);
      last = job;
      return covering.some((mirror) => mirror.isRoutineAt(path));
    });
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
    const payloads = this.#announcements;
    this.#announcements = [];
    const renewed = this.#all().filter((mirror) => mirror.needsSnapshot);
    try {
      await Promise.all(renewed.map((mirror) => this.#renew(link, mirror)));
      await this.#follow(link, jobs, payloads);
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

  async #follow(link: PostgresLink, jobs: readonly string[], payloads: readonly string[]): Promise<void> {
    const known = this.positions(jobs);
    if (known.size === 0 && payloads.length === 0) return;
    const { rows } = await link.query(this.#statements.journal(known, payloads));
    if (link.isBroken) throw new Error('The connection broke');
    this.#show(journalsOf(known, rows));
  }

  #show(journals: ReadonlyMap<string, JobJournal>): void {
    for (const [job, { entries, ...at }] of journals)
      for (const mirror of this.#covering(job)) mirror.follow(job, entries, at);
  }
}
