/**
 * The log lines of an outage of a registry centre. Only decisions, without a clock and without a logger: see
 * `OutageLog`.
 */

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
export interface LogMoment {
  readonly words: OutageWords;
  readonly now: number;
}

/** A time without a connection, since the first attempt that failed. */
export interface Outage {
  /** In milliseconds by the monotonic clock. */
  readonly since: number;
  /** The newest fault of each server, by `host:port`, in the order in which the servers failed first. */
  readonly faults: ReadonlyMap<string, ServerFault>;
  /** The faults that were logged, as server and problem. */
  readonly logged: ReadonlySet<string>;
}

/**
 * Adds a failed attempt. The outage begins with the first one.
 * @returns the outage, and the line to log if this server had no such problem before in this outage
 */
export function withFault(
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
export function reminderOf(outage: Outage, { words, now }: LogMoment): string {
  const lasting = durationText(now - outage.since);
  const fact = `${words.none} has been reached for ${lasting}: ${reasonOf(outage)}.`;
  return [fact, ...curesOf([...outage.faults.values()])].join(' ');
}

/** The line for the end of the outage. `server`: the `host:port` that answers. */
export function recoveryOf(outage: Outage, server: string, { words, now }: LogMoment): string {
  return `${words.connected}${server} is connected, after ${durationText(now - outage.since)} without a connection.`;
}

/** The newest fault of each server, in one line. */
export function reasonOf({ faults }: Outage): string {
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
