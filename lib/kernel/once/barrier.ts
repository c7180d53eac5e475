/**
 * Where the items of a firing meet, for listeners that are called once in the cluster: before they start, and when they
 * have completed. Each instance reports its items and waits. Who finds that none is missing makes the call, if it wins
 * the commit that enters the round into the record of calls; all others wait until the call has ended.
 *
 * ```
 *   A  report 0 ── waits ─────────────────────────────────── goes on
 *   B  report 1 ── waits ─── nobody is missing: enter ┐ call ┴ removes the stage's node and its own
 *   C  (killed)         ▲
 *                       └ its item is not waited for any more
 * ```
 * What is missing is decided anew from each view (`missing-items.ts`), so an instance that dies, an item that an operator
 * disables, or a lost notification delays nobody for longer than it takes to be seen. An item whose owner lives and does not
 * come is waited for during `PATIENCE_MS`; one that runs, as long as it runs; all within the listener's timeout.
 *
 * - **Once**: a round is entered by one commit, before its call. Who dies in the middle of the call leaves it begun, and
 *   nobody repeats it. A firing that nobody has entered goes on being completable: see the next point.
 * - **Failover**: who waits for items to complete, and sees that one of them has lost its instance, leaves, so that it is
 *   free to run that item. The rescue is a part of the same firing; who ends it finds the others' reports, and makes the call. If
 *   it never comes to that, the call is made with that of the next firing.
 * - **Timeout before the start**: the round is closed without a call, because items begin now. After completion it stays open, so that
 *   the last item to complete still leads to the call.
 *
 * Java knows only the nodes `guarantee/{stage}/{item}`, and counts them. We write them too; of a Java peer's items, its
 * nodes tell us that they have come.
 */
import { parseRoundKey, roundKey } from '../../layout/x-node/arrival-record.js';
import { type JobView } from '../../layout/job-view.js';
import { type BarrierPorts, BarrierWait } from './barrier-wait.js';
import { type BarrierArrival, type BarrierRound, isClaimed } from './round.js';
import { missingItems } from './missing-items.js';
import { OnceCallback } from './once-callback.js';
import { OwnArrivals } from './own-arrivals.js';

/** How many rounds are remembered by when they began here. */
const REMEMBERED_ROUNDS = 100;

/** The meetings of one job on this instance. */
export class Barrier {
  readonly #ports: BarrierPorts;
  readonly #arrivals: OwnArrivals;
  readonly #callback: OnceCallback;
  readonly #leaving = new AbortController();
  /** When rounds began here, on the monotonic scale; in the order of their beginning. */
  readonly #beganAt = new Map<string, number>();
  /** The present round of a firing by hand, by the listener's type. */
  readonly #manual = new Map<string, string>();

  constructor(ports: BarrierPorts) {
    this.#ports = ports;
    this.#arrivals = new OwnArrivals(ports);
    this.#callback = new OnceCallback(ports);
  }

  /**
   * Reports items, and resolves when the meeting's call has ended or need not be waited for.
   * @throws what the call throws if it was made here; OnceCallTimeoutError if it took too long, or items did not come in
   *   time; the signal's reason when it is aborted
   */
  async meet(arrival: BarrierArrival): Promise<void> {
    const { stage, firing, items, signal } = arrival;
    if (items.length === 0) return;
    const key = await this.#roundOf(arrival);
    if (key === undefined) return;
    const round: BarrierRound = { stage, key, instant: firing.instant };
    const beganAt = this.#beginningOf(key);
    await this.#arrivals.report(round, items, signal);
    const wait = new BarrierWait(this.#ports, { round, arrival, callback: this.#callback, beganAt });
    await wait.end(this.#leaving.signal);
    if (stage === 'completed' && !this.#leaving.signal.aborted) await this.#callAbandonedRounds(arrival, key);
  }

  /**
   * Makes the calls of earlier rounds that nobody will come to any more: all who took part have died, or their timeout has
   * passed, or what was to be run again was not.
   */
  async #callAbandonedRounds(arrival: BarrierArrival, present: string): Promise<void> {
    const { watch, instantLostInHandover } = this.#ports;
    const { type, signal, callback } = arrival;
    for (const key of this.#arrivals.rounds) if (isClaimed(watch.view, 'completed', key)) this.#arrivals.forget(key);
    for (const key of watch.view.guarantee.started.called) {
      const parsed = parseRoundKey(key);
      if (parsed?.type !== type.toUpperCase() || key === present) continue;
      const instant = 'instant' in parsed.firing ? parsed.firing.instant : undefined;
      if (instant !== undefined && instant > (arrival.firing.instant ?? Infinity)) continue;
      const round: BarrierRound = { stage: 'completed', key, instant };
      const missing = missingItems(watch.view, round, instantLostInHandover);
      // Who has not come by now will not.
      const isOver = watch.isCurrent && missing.every(({ why }) => why === 'late');
      const call = { ...arrival, callback: (each: AbortSignal) => callback(each, round), signal };
      // In order, as their firings were.
      if (isOver && this.#callback.state(watch.view, round) === 'not-called') await this.#callback.attempt(round, call);
    }
  }

  /** From now on nobody is waited for to complete: this instance is about to go. */
  leave(): void {
    this.#leaving.abort();
  }

  /** Withdraws what was reported, as far as the registry centre can be reached. Never rejects. */
  withdraw(): Promise<void> {
    return this.#arrivals.withdraw();
  }

  /** Ends what goes on in the background. */
  stop(): void {
    this.leave();
    this.#callback.stop();
  }

  #beginningOf(key: string): number {
    const beganAt = this.#beganAt.get(key) ?? this.#ports.clock.monotonic();
    this.#beganAt.set(key, beganAt);
    for (const [oldest] of this.#beganAt) {
      if (this.#beganAt.size <= REMEMBERED_ROUNDS) break;
      this.#beganAt.delete(oldest);
    }
    return beganAt;
  }

  async #roundOf({ stage, type, firing: { instant, isPartial } }: BarrierArrival): Promise<string | undefined> {
    if (instant !== undefined) return roundKey({ firing: { instant }, type });
    if (stage === 'completed') return this.#manual.get(type);
    // What was written down at the last one must be known, or there would be two of the same number.
    await this.#ports.watch.sync();
    const key = this.#manualRound(type, isPartial);
    if (key === undefined) this.#manual.delete(type);
    else this.#manual.set(type, key);
    return key;
  }

  /** A firing by hand has no instant to be named by; it gets a number that all who run it find by themselves. */
  #manualRound(type: string, isPartial: boolean): string | undefined {
    const { view } = this.#ports.watch;
    const number = lastManual(view, type);
    const last = roundKey({ firing: { manual: number }, type });
    const isOpen = number > 0 && !view.guarantee.completed.called.includes(last);
    if (isOpen && (isPartial || !this.#arrivals.has(last))) return last;
    return isPartial ? undefined : roundKey({ firing: { manual: number + 1 }, type });
  }
}

/** Greatest number of a firing by hand that anything is known of; 0: there was none. */
function lastManual({ guarantee: { arrivals, started, completed } }: JobView, type: string): number {
  const known = [...arrivals.values()].flatMap((rounds) => [...rounds.keys()]);
  const numbers = [...known, ...started.called, ...completed.called].map((key) => {
    const round = parseRoundKey(key);
    const isOfType = round?.type === type.toUpperCase();
    return isOfType && 'manual' in round.firing ? round.firing.manual : 0;
  });
  return Math.max(0, ...numbers);
}
