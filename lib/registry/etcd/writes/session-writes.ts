/**
 * Writes that belong to the session, and of which it is known whether they happened.
 *
 * Each write is a transaction with two parts added: it compares the session's *slot*, and puts a number of its own into
 * it. A slot is a key on the session's lease that one write at a time uses; its version counts its writes. So a write
 *
 * - happens only while the session lives (a new slot is compared together with the session's key);
 * - happens at most once, however often it is sent;
 * - leaves its number behind.
 *
 * If the answer is lost, the write is *settled*: another transaction puts "void" into the slot, provided that its
 * version is still the one from before the write. Either that succeeds, and the write can never happen, even if it is
 * still under way somewhere; or the slot holds the write's number, and it has happened, at the revision of the slot.
 * Only if etcd cannot be asked in time, or the session has ended meanwhile, the outcome stays unknown.
 *
 * If a write finds its slot older than we left it, etcd has lost later writes of this session: a backup has taken the
 * place of its data. Then nodes of the session are gone while it lives, so it is over.
 */
import { RegistryOutcomeUnknownError, RegistryUnavailableError, SessionLostError } from '../../../api/errors/errors.js';
import { sleep } from '../../../async/wait.js';
import { EtcdError } from '../client/etcd-error.js';
import { type Compare, CompareResult, CompareTarget, type RequestOp, type TxnResponse } from '../client/messages.js';
import { existsAt } from './commit-plan.js';
import { type CallSubject, isPassing, translated } from '../etcd-failures.js';
import { type EtcdKeys } from '../etcd-keys.js';
import { type CallContext, requireConnected } from '../etcd-reads.js';
import { type Connected } from '../session/etcd-session.js';
import { leaseOf } from '../node-values.js';
import { type Slot, SlotPool } from './slot-pool.js';

/** The compares and the operations of a write. */
export interface WriteTxn {
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
}

/** The end of a write: it happened at this revision, or its comparisons did not hold and nothing was changed. */
export type WriteOutcome =
  | { readonly happened: true; readonly revision: number; readonly responses: TxnResponse['responses'] }
  | { readonly happened: false };

/** The end of a write of a slot whose answer was lost. */
type Settlement = { readonly revision: number } | 'never' | 'session over';

/** See the top of the file. */
export class SessionWrites {
  readonly #context: CallContext;
  readonly #keys: EtcdKeys;
  readonly #slots = new SlotPool();
  #writes = 0;

  constructor(context: CallContext, keys: EtcdKeys) {
    this.#context = context;
    this.#keys = keys;
  }

  /**
   * Carries out a write of the present session.
   * @throws RegistryUnavailableError if nothing was changed; RegistryOutcomeUnknownError if that is not known
   */
  async write(subject: CallSubject, txn: WriteTxn): Promise<WriteOutcome> {
    const { clock, settings } = this.#context;
    const connected = requireConnected(this.#context.session, subject);
    const endsAt = clock.monotonic() + settings.requestTimeoutMs;
    for (;;) {
      const slot = this.#slots.take(connected.id);
      const number = String(++this.#writes);
      try {
        const answer = await this.#send(connected, slot, number, txn);
        if (answer.succeeded) return happened(slot, this.#slots, answer);
        this.#slots.giveBack(slot);
        this.#requireLife(subject, { connected, slot, answer });
        return { happened: false };
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        if (error.isAnswer) this.#slots.giveBack(slot);
        const revision = error.isAnswer ? undefined : await this.#settle(subject, { connected, slot, number, error });
        if (revision !== undefined) return { happened: true, revision, responses: [] };
        if (error.isLeaseOver) throw this.#over(subject, connected, 'etcd has ended it');
        if (!isPassing(error) || clock.monotonic() >= endsAt) throw translated(subject, error);
      }
      // In a loop on purpose: nothing was changed, and a member needs a moment after a change of etcd's leader.
      await sleep(clock, settings.pause.baseMs);
      if (requireConnected(this.#context.session, subject).id !== connected.id)
        throw this.#over(subject, connected, 'etcd has ended it');
    }
  }

  #send({ id, connection }: Connected, slot: Slot, number: string, txn: WriteTxn): Promise<TxnResponse> {
    const key = this.#keys.slot(id, slot.number);
    const isNew = slot.version === 0;
    return this.#latest(id, connection).client.call('txn', {
      compare: [...txn.compare, atVersion(key, slot.version), ...(isNew ? [existsAt(this.#keys.session(id))] : [])],
      success: [...txn.success, { requestPut: { key, value: Buffer.from(number), lease: leaseOf(id) } }],
      failure: [
        { requestRange: { key: this.#keys.session(id), keysOnly: true } },
        { requestRange: { key, keysOnly: true } },
      ],
    });
  }

  /** The connection may have been replaced by another one of the same session. */
  #latest(id: string, connection: Connected['connection']): Connected['connection'] {
    const { connected } = this.#context.session;
    return connected?.id === id ? connected.connection : connection;
  }

  #requireLife(
    subject: CallSubject,
    { connected, slot, answer }: { readonly connected: Connected; readonly slot: Slot; readonly answer: TxnResponse },
  ): void {
    const [session, found] = answer.responses.map(({ responseRange }) => responseRange?.kvs[0]);
    if (session === undefined) throw this.#over(subject, connected, 'etcd has ended it');
    if (Number(found?.version ?? 0) < slot.version)
      throw this.#over(subject, connected, 'etcd has lost its latest writes, as it does when a backup is restored');
  }

  #over({ operation, path }: CallSubject, { id }: Connected, reason: string): RegistryUnavailableError {
    this.#context.session.noteEnd(id, reason);
    return new RegistryUnavailableError(operation, path, new SessionLostError(`it ended while trying to ${operation}`));
  }

  /**
   * Finds out what became of a write whose answer was lost.
   * @returns the revision at which it happened; `undefined`: it never will
   * @throws RegistryOutcomeUnknownError if that cannot be found out
   */
  async #settle(
    { operation, path }: CallSubject,
    { connected, slot, number, error }: LostWrite,
  ): Promise<number | undefined> {
    const { session, clock, settings } = this.#context;
    const endsAt = clock.monotonic() + settings.requestTimeoutMs;
    for (;;) {
      const now = session.connected;
      const { state } = session;
      const isOver = state.phase === 'suspended' ? state.id !== connected.id : now?.id !== connected.id;
      if (isOver || clock.monotonic() >= endsAt) throw new RegistryOutcomeUnknownError(operation, path, error);
      try {
        const settlement = now && (await this.#void(now, slot, number));
        if (settlement === 'never') return undefined;
        if (settlement === 'session over') session.noteEnd(connected.id, 'etcd has ended it');
        else if (settlement !== undefined) return settlement.revision;
      } catch (failure) {
        if (!isPassing(failure)) throw new RegistryOutcomeUnknownError(operation, path, failure);
      }
      // In a loop on purpose: until the session is connected again, and its member answers.
      await sleep(clock, settings.pause.baseMs);
    }
  }

  /** Makes a write impossible, unless it has happened. May be called again if its own answer is lost. */
  async #void({ id, connection }: Connected, slot: Slot, number: string): Promise<Settlement> {
    const key = this.#keys.slot(id, slot.number);
    const isNew = slot.version === 0;
    const answer = await connection.client
      .call('txn', {
        compare: [atVersion(key, slot.version), ...(isNew ? [existsAt(this.#keys.session(id))] : [])],
        success: [{ requestPut: { key, value: Buffer.from(`void ${number}`), lease: leaseOf(id) } }],
        failure: [{ requestRange: { key } }],
      })
      .catch((error: unknown) => {
        if (error instanceof EtcdError && error.isLeaseOver) return undefined;
        throw error;
      });
    if (answer === undefined) return 'session over';
    const [found] = answer.responses[0]?.responseRange?.kvs ?? [];
    if (!answer.succeeded && found === undefined) return 'session over';
    slot.version++;
    this.#slots.giveBack(slot);
    const hasHappened = found?.value.toString() === number;
    return hasHappened ? { revision: Number(found.modRevision) } : 'never';
  }
}

interface LostWrite {
  readonly connected: Connected;
  readonly slot: Slot;
  readonly number: string;
  readonly error: EtcdError;
}

function happened(slot: Slot, slots: SlotPool, { header, responses }: TxnResponse): WriteOutcome {
  slot.version++;
  slots.giveBack(slot);
  return { happened: true, revision: Number(header.revision), responses };
}

function atVersion(key: string, version: number): Compare {
  return { key, target: CompareTarget.version, result: CompareResult.equal, version };
}
