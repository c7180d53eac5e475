import { type Clock } from '../../../time/clock.js';
import { EtcdError, Status } from './etcd-error.js';

/** The time for an answer after another leader was elected: the call may have been passed on to that one. */
const LATE_ANSWER_MS = 500;

interface UnansweredCall {
  readonly fail: (error: EtcdError) => void;
}

/**
 * The calls of one connection that wait for their answers.
 *
 * A member passes a write on to etcd's leader. If the leader dies, the write is lost, and the member answers only when
 * it gives up: after seven seconds with etcd's own settings, while everything else goes on. Each answer carries the
 * term of the leader. So if an answer has a later term, calls that were made before fail shortly afterwards. They may
 * have had their effect nevertheless, as after any failure without an answer.
 */
export class UnansweredCalls {
  readonly #clock: Clock;
  readonly #calls = new Set<UnansweredCall>();
  readonly #timers = new Set<() => void>();
  #term = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Notes a call that was made.
   * @param fail called at most once, unless the returned function was called before: the call has ended
   */
  add(fail: (error: EtcdError) => void): () => void {
    const call = { fail };
    this.#calls.add(call);
    return () => this.#calls.delete(call);
  }

  /** Notes the term of an answer. */
  heardTerm(term: number): void {
    if (term <= this.#term) return;
    const isFirst = this.#term === 0;
    this.#term = term;
    const before = [...this.#calls];
    if (isFirst || before.length === 0) return;
    const cancel = this.#clock.after(LATE_ANSWER_MS, () => {
      this.#timers.delete(cancel);
      this.#fail(before, 'etcd has elected another leader, which may not know of the request');
    });
    this.#timers.add(cancel);
  }

  /** Fails all of them, because the connection was closed. */
  close(reason: string): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    this.#fail([...this.#calls], reason);
  }

  #fail(calls: readonly UnansweredCall[], reason: string): void {
    for (const call of calls) if (this.#calls.delete(call)) call.fail(new EtcdError(Status.unavailable, reason));
  }
}
