import { type JobLogger } from '../../api/text/logger.js';
import { type Clock } from '../../time/clock.js';
import { type EventOfJob, groupOf, summaryOf } from './event-summaries.js';
import { isCommon, type JobEvent } from './job-events.js';
import { type EventCollector, JobLog } from './job-log.js';

/** Up to this number of jobs in the process, each has an entry of its own. */
const MOST_SINGLE_JOBS = 5;

/**
 * How long nothing must happen before the events are summarised, and how long they may wait for that; in milliseconds.
 */
const QUIET_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;

/** What an event log needs. */
export interface EventLogDeps {
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** Id of this instance. */
  readonly instance: string;
  /** How many jobs the process has now. */
  readonly jobCount: () => number;
}

/**
 * Writes one entry instead of hundreds when many jobs of a process have the same event within a short time: when an
 * instance starts, stops or joins. In a process of few jobs, each event is an entry of its own, at once. A job that
 * starts without a leader has one entry in any case, which says who leads and which items go where: this instance's
 * election and its first assignment, which follow at once, have none.
 */
export class EventLog implements EventCollector {
  readonly #deps: EventLogDeps;
  #events: EventOfJob[] = [];
  /** Jobs among the events that had no leader when this instance registered. */
  readonly #starting = new Set<string>();
  #latestEnd = 0;
  #cancel: () => void = () => undefined;

  constructor(deps: EventLogDeps) {
    this.#deps = deps;
  }

  collect(jobName: string, event: JobEvent): boolean {
    if (!isCommon(event)) return false;
    if (this.#starting.has(jobName)) {
      if (event.type === 'leads') return true;
      if (event.type === 'assigned' || event.type === 'stopped') this.#endStart(jobName);
      if (event.type === 'assigned') return true;
    }
    const isStart = event.type === 'registered' && event.leader === undefined;
    if (!isStart && !this.#hasManyJobs) return false;
    if (isStart) this.#starting.add(jobName);
    this.#add({ jobName, event });
    return true;
  }

  get #hasManyJobs(): boolean {
    return this.#deps.jobCount() > MOST_SINGLE_JOBS;
  }

  #add(event: EventOfJob): void {
    const { clock } = this.#deps;
    const now = clock.monotonic();
    if (this.#events.length === 0) this.#latestEnd = now + LONGEST_WAIT_MS;
    this.#events.push(event);
    this.#cancel();
    this.#cancel = clock.after(Math.min(QUIET_MS, this.#latestEnd - now), () => this.flush());
  }

  /** All that is to be said of the start of a job is known. Among many jobs, its entry waits for theirs. */
  #endStart(jobName: string): void {
    if (this.#hasManyJobs) return;
    this.#starting.delete(jobName);
    const own = this.#events.filter((each) => each.jobName === jobName);
    this.#events = this.#events.filter((each) => each.jobName !== jobName);
    if (this.#events.length === 0) this.#cancel();
    for (const each of own) this.#write([each]);
  }

  /** Writes what has been collected. */
  flush(): void {
    this.#cancel();
    const groups = new Map<string, EventOfJob[]>();
    const isSingle = !this.#hasManyJobs;
    for (const each of this.#events) {
      const key = isSingle ? `${each.jobName} ${groupOf(each)}` : groupOf(each);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [each]);
      else group.push(each);
    }
    this.#events = [];
    this.#starting.clear();
    for (const group of groups.values()) this.#write(group);
  }

  #write(group: readonly EventOfJob[]): void {
    const { logger, instance } = this.#deps;
    const last = group[group.length - 1];
    if (last === undefined) return;
    if (group.every(({ jobName }) => jobName === last.jobName))
      return new JobLog(logger, { jobName: last.jobName, instance }).event(last.event);
    const { level, text, fields } = summaryOf(group, instance);
    const log = new JobLog(logger, { jobName: undefined, instance });
    const entry = { ...fields, event: last.event.type };
    if (level === 'warn') log.warn(text, entry);
    else log.log(text, entry);
  }
}
