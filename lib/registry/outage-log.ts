import { type JobLogger } from '../api/text/logger.js';
import { type Clock } from '../time/clock.js';

/** A failed attempt to use a server, or a connection to it that broke. */
export interface ServerFault {
  /** `host:port`. */
  readonly server: string;
  /** The kind of fault: each is logged once for each server in an outage. */
  readonly problem: string;
  /** Server and fault, without a full stop: `localhost:2181 refuses connections (ECONNREFUSED)`. */
  readonly text: string;
  /** Advice, as a sentence. */
  readonly cure?: string;
}

/** The words of a kind of registry centre for an outage. */
export interface OutageWords {
  /** Stands before the text of a fault: `ZooKeeper server `, `etcd cannot be used: `. */
  readonly fault: string;
  /** Says that there is no server: `No ZooKeeper server`. */
  readonly none: string;
  /** Stands before the `host:port` of a server that is connected: `ZooKeeper server `, `etcd at `. */
  readonly connected: string;
}

/** The moment at which a line is made, by the monotonic clock in milliseconds, and its words. */
interface LogMoment {
  readonly words: OutageWords;
  readonly now: number;
}

/** A time without a connection, since the first attempt that failed. */
interface Outage {
  /** In milliseconds by the monotonic clock. */
  readonly since: number;
  /** The newest fault of each server, by `host:port`, in the order in which the servers failed first. */
  readonly faults: ReadonlyMap<string, ServerFault>;
  /** The faults that were logged, as server and problem. */
  readonly logged: ReadonlySet<string>;
}

/** The time between two entries about an outage that lasts. */
const REMINDER_EVERY_MS = 60_000;

/** The surroundings of the log of outages. */
export interface OutageLogOptions {
  readonly clock: Clock;
  readonly logger: JobLogger;
  readonly words: OutageWords;
}

/**
 * Logs why no server of a registry centre can be reached: each reason once and at once, all of them every minute, and
 * the recovery.
 */
export class OutageLog {
  readonly #clock: Clock;
  readonly #logger: JobLogger;
  readonly #words: OutageWords;
  #outage: Outage | undefined;
  #isClosed = false;
  #cancelReminder: () => void = () => undefined;

  constructor({ clock, logger, words }: OutageLogOptions) {
    this.#clock = clock;
    this.#logger = logger;
    this.#words = words;
  }

  /** The reason why no server can be reached; `undefined` unless an attempt has failed since the last connection. */
  get reason(): string | undefined {
    return this.#outage && reasonOf(this.#outage);
  }

  /** Notes that an attempt to connect has failed, or that a connection broke. */
  failed(fault: ServerFault): void {
    if (this.#isClosed) return;
    if (this.#outage === undefined) this.#remindLater();
    const { outage, line } = withFault(this.#outage, fault, this.#moment);
    this.#outage = outage;
    if (line !== undefined) this.#logger.warn(line);
  }

  /** Notes that the session is connected, to `server` (`host:port`). */
  connected(server: string): void {
    const outage = this.#outage;
    this.#end();
    if (outage) this.#logger.log(recoveryOf(outage, server, this.#moment));
  }

  /** Ends all logging. */
  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  get #moment(): LogMoment {
    return { words: this.#words, now: this.#clock.monotonic() };
  }

  #end(): void {
    this.#outage = undefined;
    this.#cancelReminder();
  }

  #remindLater(): void {
    this.#cancelReminder = this.#clock.after(REMINDER_EVERY_MS, () => {
      this.#remindLater();
      if (this.#outage) this.#logger.warn(reminderOf(this.#outage, this.#moment));
    });
  }
}

/**
 * Adds a failed attempt. The outage begins with the first one.
 * @returns the outage, and the line to log if this server had no such problem before in this outage
 */
function withFault(
  outage: Outage | undefined,
  fault: ServerFault,
  { words, now }: LogMoment,
): { readonly outage: Outage; readonly line: string | undefined } {
  const { since, faults, logged }: Outage = outage ?? { since: now, faults: new Map(), logged: new Set() };
  const key = `${fault.server} ${fault.problem}`;
  return {
    outage: { since, faults: new Map([...faults, [fault.server, fault]]), logged: new Set([...logged, key]) },
    line: logged.has(key) ? undefined : [`${words.fault}${fault.text}.`, ...curesOf([fault])].join(' '),
  };
}

/** The line that is due again and again while the outage lasts. */
function reminderOf(outage: Outage, { words, now }: LogMoment): string {
  const lasting = durationText(now - outage.since);
  const fact = `${words.none} has been reached for ${lasting}: ${reasonOf(outage)}.`;
  return [fact, ...curesOf([...outage.faults.values()])].join(' ');
}

/** The line for the end of the outage. `server`: the `host:port` that answers. */
function recoveryOf(outage: Outage, server: string, { words, now }: LogMoment): string {
  return `${words.connected}${server} is connected, after ${durationText(now - outage.since)} without a connection.`;
}

/** The newest fault of each server, in one line. */
function reasonOf({ faults }: Outage): string {
  return [...faults.values()].map(({ text }) => text).join('; ');
}

function curesOf(faults: readonly ServerFault[]): readonly string[] {
  return [...new Set(faults.flatMap(({ cure }) => (cure === undefined ? [] : [cure])))];
}

function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
