/**
 * The numbered events of one registry centre. Each stream takes the events that concern it, and an interrupted stream
 * continues after its last number, as long as the log remembers the events since.
 */
import { randomBytes } from 'node:crypto';
import { describeCause } from '../../../api/text/describe-cause.js';
import { type JobLogger } from '../../../api/text/logger.js';
import { Listeners } from '../../../async/listeners.js';
import { NamedTimers } from '../../../async/named-timers.js';
import { type Clock } from '../../../time/clock.js';
import { type LiveEvent } from '../../contract/live.js';
import { type RegistryStatus } from '../../contract/registries.js';
import { type JobRow } from '../../contract/jobs.js';
import { isInGraph } from '../../../layout/job-view.js';
import { jobRow, nextFire, shardRows, withRuns } from './job-rows.js';
import { type LastRuns } from '../trace/last-runs.js';
import { type LiveChange, type LiveJob, type LiveJobs } from './live-jobs.js';
import { changedShards, shardsEvent } from './shard-changes.js';

/** An event with its number. */
export interface LoggedEvent {
  /** Grows with each event. */
  readonly number: number;
  /** Of two events with the same key, the later one replaces the earlier one. */
  readonly key: string;
  readonly event: LiveEvent;
}

/** The sources of the log. */
export interface EventLogParts {
  readonly live: LiveJobs;
  /** The last runs of jobs, which the events of jobs contain. */
  readonly runs: LastRuns;
  readonly clock: Clock;
  readonly logger: JobLogger;
  readonly status: () => RegistryStatus;
}

/** The number of events that are remembered. */
const REMEMBERED = 1_000;

/** The milliseconds between two checks which jobs have fired, while a stream is open. */
const FIRINGS_MS = 2_000;

/** The state of a job that streams were last sent. */
interface LastSent {
  readonly row: string;
  readonly instances: string;
  readonly servers: string;
  readonly version: number | undefined;
  /** The job whose items were last sent, if a stream follows them. */
  readonly job: LiveJob;
}

/** The events of a registry centre. */
export class EventLog {
  /** Distinguishes the numbers of this log from those of another one, such as of an earlier process. */
  readonly epoch = randomBytes(6).toString('base64url');
  readonly #parts: EventLogParts;
  readonly #listeners: Listeners<LoggedEvent | 'closed'>;
  readonly #ring: LoggedEvent[] = [];
  readonly #lastSent = new Map<string, LastSent>();
  /** The number of streams that follow the items of a job. */
  readonly #followed = new Map<string, number>();
  readonly #unsubscribe: readonly (() => void)[];
  readonly #timers: NamedTimers<'firings'>;
  /** The next firing of each job at the last check. */
  readonly #nextFires = new Map<string, number>();
  #number = 0;
  #listenerCount = 0;

  constructor(parts: EventLogParts) {
    this.#parts = parts;
    this.#timers = new NamedTimers(parts.clock);
    this.#listeners = new Listeners({
      onError: (error) => parts.logger.error(`The console could not pass on an event: ${describeCause(error)}`),
    });
    this.#unsubscribe = [
      parts.live.onChange((change) => this.#onChange(change)),
      parts.runs.onChange((jobNames) => this.#onRuns(jobNames)),
    ];
  }

  /** The number of the latest event. */
  get number(): number {
    return this.#number;
  }

  /** True if a stream is open. */
  get hasListeners(): boolean {
    return this.#listenerCount > 0;
  }

  /** Calls the listener with each event, and with `closed` when the registry centre is disconnected. */
  onEvent(listener: (event: LoggedEvent | 'closed') => void): () => void {
    const end = this.#listeners.add(listener);
    if (this.#listenerCount++ === 0) this.#expectFirings();
    return () => {
      end();
      if (--this.#listenerCount === 0) this.#timers.cancelAll();
    };
  }

  /** Also logs changes of the items of a job, until the returned function is called. */
  follow(jobName: string): () => void {
    this.#followed.set(jobName, (this.#followed.get(jobName) ?? 0) + 1);
    const job = this.#parts.live.job(jobName);
    if (job !== undefined)
      this.#lastSent.set(jobName, { ...(this.#lastSent.get(jobName) ?? this.#lastSentOf(job)), job });
    return () => {
      const count = (this.#followed.get(jobName) ?? 1) - 1;
      if (count === 0) this.#followed.delete(jobName);
      else this.#followed.set(jobName, count);
    };
  }

  /** The events after the one with this number; `undefined` if not all of them are remembered. */
  after(number: number): readonly LoggedEvent[] | undefined {
    const first = this.#ring[0]?.number ?? this.#number + 1;
    if (!(number <= this.#number && number >= first - 1)) return undefined;
    return this.#ring.filter((event) => event.number > number);
  }

  /** An event with all items of a job; if they are many, only the request to read them. */
  shardsOf(jobName: string): LoggedEvent | undefined {
    const job = this.#parts.live.job(jobName);
    if (job === undefined) return undefined;
    return { number: this.#number, key: `shards ${jobName}`, event: shardsEvent(jobName, { shards: shardRows(job) }) };
  }

  /** An event with the state of the connection. */
  status(): LoggedEvent {
    return { number: this.#number, key: 'registry', event: { type: 'registry', status: this.#parts.status() } };
  }

  /** Logs that the state of the connection has changed. */
  statusChanged(): void {
    this.#add('registry', { type: 'registry', status: this.#parts.status() });
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#timers.cancelAll();
    this.#listeners.notify('closed');
    this.#listeners.clear();
  }

  #onChange({ changed, removed }: LiveChange): void {
    if (changed.size > REMEMBERED) return this.#everything();
    for (const jobName of removed) {
      this.#lastSent.delete(jobName);
      this.#nextFires.delete(jobName);
      this.#add(`job ${jobName}`, { type: 'job-removed', jobName });
    }
    let haveServersChanged = removed.size > 0;
    for (const jobName of changed) {
      const job = this.#parts.live.job(jobName);
      if (job !== undefined) haveServersChanged = this.#log(job) || haveServersChanged;
    }
    if (haveServersChanged) this.#add('servers', { type: 'servers' });
  }

  /** Asks every stream to read everything again, as more has changed than is remembered. */
  #everything(): void {
    this.#lastSent.clear();
    for (const job of this.#parts.live.jobs) this.#lastSent.set(job.jobName, this.#lastSentOf(job));
    this.#add('resync', { type: 'resync' });
  }

  /** Logs the jobs whose last runs have changed. */
  #onRuns(jobNames: ReadonlySet<string>): void {
    for (const jobName of jobNames) {
      const job = this.#parts.live.job(jobName);
      if (job !== undefined && this.#lastSent.has(jobName)) this.#log(job);
    }
  }

  /** Logs the changes of a job. @returns true if its servers have changed */
  #log(job: LiveJob): boolean {
    const { jobName } = job;
    const before = this.#lastSent.get(jobName);
    const now = this.#lastSentOf(job);
    this.#lastSent.set(jobName, now);
    if (before?.row !== now.row) this.#add(`job ${jobName}`, { type: 'job', job: this.#rowOf(job) });
    if (this.#followed.has(jobName)) this.#logShards(before?.job, job);
    if (before !== undefined && hasGraphChanged(before.job, job))
      this.#add(`graph ${jobName}`, { type: 'graph', jobName });
    if (before !== undefined && before.instances !== now.instances)
      this.#add(`instances ${jobName}`, { type: 'instances', jobName });
    if (before !== undefined && now.version !== undefined && before.version !== now.version)
      this.#add(`config ${jobName}`, { type: 'config', jobName, version: now.version });
    // Only pages show last runs, so without a page the database is not read.
    if (before !== undefined && before.job !== job && this.#listenerCount > 0)
      this.#parts.runs.expect({ jobName, items: job.view.config?.shardingTotalCount });
    return before?.servers !== now.servers || before.instances !== now.instances;
  }

  /** Jobs that are not monitored leave no mark when they run: their last runs are read when they should have fired. */
  #expectFirings(): void {
    const { live, runs, clock } = this.#parts;
    const now = clock.now();
    for (const job of live.jobs) {
      const { jobName, view } = job;
      const due = this.#nextFires.get(jobName) ?? Infinity;
      if (due <= now || runs.of(jobName).lastRun?.result === 'running')
        runs.expect({ jobName, items: view.config?.shardingTotalCount });
      this.#nextFires.set(jobName, nextFire(job, now) ?? Infinity);
    }
    this.#timers.set('firings', FIRINGS_MS, () => this.#expectFirings());
  }

  #logShards(before: LiveJob | undefined, job: LiveJob): void {
    const change = before === undefined ? { shards: shardRows(job), gone: [] } : changedShards(before, job);
    if (change.shards.length + change.gone.length > 0)
      this.#add(`shards ${job.jobName}`, shardsEvent(job.jobName, change));
  }

  #rowOf(job: LiveJob): JobRow {
    return withRuns(jobRow(job, this.#parts.clock.now()), this.#parts.runs.of(job.jobName));
  }

  #lastSentOf(job: LiveJob): LastSent {
    const { view } = job;
    const row = { ...this.#rowOf(job), nextFireAt: undefined };
    return {
      row: JSON.stringify(row),
      instances: [...view.instances.keys(), view.leader ?? ''].join('\n'),
      servers: [...view.servers].join('\n'),
      version: view.configVersion,
      job,
    };
  }

  #add(key: string, event: LiveEvent): void {
    const logged = { number: ++this.#number, key, event };
    this.#ring.push(logged);
    if (this.#ring.length > REMEMBERED) this.#ring.shift();
    this.#listeners.notify(logged);
  }
}

/** True if the job belongs to a graph, and its rounds have changed: unchanged parts of a view are the same objects. */
function hasGraphChanged({ view: before }: LiveJob, { view: now }: LiveJob): boolean {
  if (!isInGraph(before) && !isInGraph(now)) return false;
  return before.graph !== now.graph || before.beginRecords !== now.beginRecords;
}
