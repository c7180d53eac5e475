import { RegistryUnavailableError } from '../../api/errors/errors.js';
import { sleep } from '../../async/wait.js';
import { type Clock } from '../../time/clock.js';
import { NOT_ASKED_TO_CONNECT } from '../session-state.js';
import { type KeyValue, type RangeRequest } from './client/messages.js';
import { type EtcdSettings } from './etcd-configuration.js';
import { type CallSubject, isPassing, translated } from './etcd-failures.js';
import { type Connected, type EtcdSession } from './session/etcd-session.js';

/** The parts that reads and writes need. */
export interface CallContext {
  readonly session: EtcdSession;
  readonly clock: Clock;
  readonly settings: EtcdSettings;
}

/** Several ranges as they were at one revision. */
export interface Snapshot {
  readonly revision: number;
  readonly ranges: readonly (readonly KeyValue[])[];
}

/**
 * The session, if it is connected.
 * @throws RegistryUnavailableError if it is not; RegistryCredentialsError if etcd refuses us for good
 */
export function requireConnected(session: EtcdSession, { operation, path }: CallSubject): Connected {
  const { connected, refusal, reason, state } = session;
  if (connected) return connected;
  if (refusal) throw refusal;
  if (reason === NOT_ASKED_TO_CONNECT) throw new RegistryUnavailableError(operation, path, undefined, reason);
  const why = reason === undefined ? '' : `: ${reason}`;
  throw new RegistryUnavailableError(operation, path, new Error(`The session is ${state.phase}${why}`));
}

/** Reads, which may be made again: while the session is connected, and until the time of one request has passed. */
export class EtcdReads {
  readonly #context: CallContext;

  constructor(context: CallContext) {
    this.#context = context;
  }

  /**
   * Reads ranges of keys at one revision, not older than the call.
   * @throws RegistryUnavailableError if etcd does not answer
   */
  async snapshot(subject: CallSubject, ranges: readonly RangeRequest[]): Promise<Snapshot> {
    const success = ranges.map((requestRange) => ({ requestRange }));
    const { header, responses } = await this.#ask(subject, ({ connection }) =>
      connection.client.call('txn', { compare: [], success, failure: [] }),
    );
    return {
      revision: Number(header.revision),
      ranges: responses.map(({ responseRange }) => responseRange?.kvs ?? []),
    };
  }

  /** As `snapshot`, for any number of ranges: as many as a transaction holds are of the same revision. */
  async ranges(subject: CallSubject, ranges: readonly RangeRequest[]): Promise<readonly (readonly KeyValue[])[]> {
    const { maxTxnOps } = this.#context.settings;
    if (ranges.length === 0) return [];
    const parts: Promise<Snapshot>[] = [];
    for (let start = 0; start < ranges.length; start += maxTxnOps)
      parts.push(this.snapshot(subject, ranges.slice(start, start + maxTxnOps)));
    return (await Promise.all(parts)).flatMap((part) => part.ranges);
  }

  async #ask<T>(subject: CallSubject, send: (connected: Connected) => Promise<T>): Promise<T> {
    const { session, clock, settings } = this.#context;
    const endsAt = clock.monotonic() + settings.requestTimeoutMs;
    for (;;) {
      const connected = requireConnected(session, subject);
      try {
        return await send(connected);
      } catch (error) {
        const mayPass = isPassing(error) && session.connected?.id === connected.id;
        const isOver = clock.monotonic() + settings.pause.baseMs >= endsAt;
        if (!mayPass || isOver) throw translated(subject, error);
        // In a loop on purpose: after a change of etcd's leader, a member needs a moment.
        await sleep(clock, settings.pause.baseMs);
      }
    }
  }
}
