/** The log lines of an outage of ZooKeeper. Only decisions, without a clock and without a logger: see `OutageLog`. */
import { type ConnectionFault } from './transport.js';

/** A time without a connection, since the first attempt that failed. */
export interface Outage {
  /** In milliseconds by the monotonic clock. */
  readonly since: number;
  /** The newest fault of each server, by `host:port`, in the order in which the servers failed first. */
  readonly faults: ReadonlyMap<string, ConnectionFault>;
  /** The faults that were logged, as server and problem. */
  readonly logged: ReadonlySet<string>;
}

/**
 * Adds a failed attempt. The outage begins with the first one.
 * @returns the outage, and the line to log if this server had no such problem before in this outage
 */
export function withFault(
  outage: Outage | undefined,
  fault: ConnectionFault,
  now: number,
): { readonly outage: Outage; readonly line: string | undefined } {
  const { since, faults, logged }: Outage = outage ?? { since: now, faults: new Map(), logged: new Set() };
  const key = `${fault.server} ${fault.problem}`;
  return {
    outage: { since, faults: new Map([...faults, [fault.server, fault]]), logged: new Set([...logged, key]) },
    line: logged.has(key) ? undefined : `ZooKeeper server ${faultText(fault)}. ${fault.cure}`,
  };
}

/** The line that is due again and again while the outage lasts. */
export function reminderOf(outage: Outage, now: number): string {
  const cures = new Set([...outage.faults.values()].map(({ cure }) => cure));
  const lasting = durationText(now - outage.since);
  return `No ZooKeeper server has been reached for ${lasting}: ${reasonOf(outage)}. ${[...cures].join(' ')}`;
}

/** The line for the end of the outage. `server`: the `host:port` that answers. */
export function recoveryOf(outage: Outage, server: string, now: number): string {
  return `ZooKeeper server ${server} is connected, after ${durationText(now - outage.since)} without a connection.`;
}

/** The newest fault of each server, in one line. */
export function reasonOf({ faults }: Outage): string {
  return [...faults.values()].map(faultText).join('; ');
}

function faultText({ server, problem, detail }: ConnectionFault): string {
  return `${server} ${problem} (${detail})`;
}

function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
