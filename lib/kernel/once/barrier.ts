/**
 * Barriers for listeners that are called once in the cluster: one before the items of a firing start, one when they
 * have completed. Each instance reports its items and waits. The instances that find no item missing try to claim the
 * round; the one whose commit succeeds makes the callback, and all others wait until it has ended.
 *
 * ```
 *   A  report 0 ── waits ─────────────────────────────── goes on
 *   B  report 1 ── waits ─── none is missing: claim ┐ callback ┴ removes the stage's node and its own
 *   C  (killed)         ▲
 *                       └ no instance waits for its item any more
 * ```
 * The missing items are decided again from each view (`missing-items.ts`), so an instance that dies, an item that an
 * operator disables, or a lost notification delays the others for no longer than it takes to be seen. If an item runs,
 * or an earlier firing keeps it, the others wait for it as long as that takes. If it does not arrive although its
 * instance is free, they wait ten seconds (`round-progress.ts`). The listener's timeout limits the whole wait
 * (`barrier-wait.ts`).
 *
 * - **Once**: one commit claims a round, before its callback. If the instance dies in the middle of the callback, no
 *   other one repeats it.
 * - **In order**: each callback of a firing waits for that of the firing before. An instance only ever waits for
 *   firings up to its own, and ends one before it begins the next, so no two wait for each other.
 * - **Together**: an instance that is busy when a firing comes runs it later, or, with `misfire` off, drops it. It
 *   reports the items that it drops. Otherwise another instance would wait for them in vain, miss the next firing
 *   because of that, and let others wait in vain in its turn.
 * - **Failover**: if an instance waits for items to complete, and one of them has lost its instance, the waiting
 *   instance leaves, so that it is free to run that item. The takeover is a part of the same firing; the instance that
 *   ends it finds the reports of the others, and makes the callback. If no instance does, the round is *abandoned*, and
 *   the next firing begins with its callback. An instance that has left a round reports that, so that others do not
 *   wait for it to make the callback.
 * - **Timeout before the start**: the round is closed without a callback, because items begin now. If another instance
 *   has begun the callback, this one waits for it as long again. After completion the round stays open, so that the
 *   last item to complete still leads to the callback.
 *
 * Java's part in this is in `java.ts`.
 */
import { JobStoppedError } from '../../api/errors/errors.js';
import { Abort } from '../../async/abort.js';
import { type GuaranteeStage } from '../../layout/job-paths.js';
import { type JobView } from '../../layout/job-view.js';
import { parseRoundKey, roundKey } from '../../layout/x-node/arrival-record.js';
import { type JobContext } from '../job/job-context.js';
import { type MayHaveMissed, mayBeLostInHandover } from '../view/assignment.js';
import { BarrierWait } from './barrier-wait.js';
import { type MayBeMadeUpFor } from './missing-items.js';
import { type BarrierCall, OnceCallback } from './once-callback.js';
import { OwnArrivals } from './own-arrivals.js';
import { type RoundFiring } from './round.js';
import { RoundProgress } from './round-progress.js';

/** Items of a run that belong to one firing. */
export interface RunPart {
  readonly firing: RoundFiring;
  readonly items: readonly number[];
}

/** A part of a run at the barriers of one listener. */
interface RoundOfPart<Part> {
  readonly part: Part;
  readonly key: string;
  readonly progress: RoundProgress;
}

/** Dependencies of barriers. */
export interface BarrierDeps extends JobContext {
  mayHaveMissed(...of: Parameters<MayHaveMissed>): boolean;
}

/** Parts that all barriers of a job share. */
interface SharedByRuns {
  readonly arrivals: OwnArrivals;
  readonly callback: OnceCallback;
  readonly leaving: Abort;
  readonly mayBeMadeUpFor: MayBeMadeUpFor;
}

/** The barriers of one job on this instance. */
export class Barrier {
  readonly #context: BarrierDeps;
  readonly #shared: SharedByRuns;
  readonly #missedSinceMs: number;

  constructor(context: BarrierDeps) {
    this.#context = context;
    this.#missedSinceMs = context.clock.now();
    this.#shared = {
      arrivals: new OwnArrivals(context),
      callback: new OnceCallback(context),
      leaving: new Abort(),
      mayBeMadeUpFor: (view, item, instant) =>
        mayBeLostInHandover(view, item, instant, (...of) => context.mayHaveMissed(...of)),
    };
  }

  /** The barriers of a run that begins. Its parts are in the order of their instants. */
  run<Part extends RunPart>(parts: readonly Part[]): BarrierRun<Part> {
    const shared = this.#shared;
    shared.arrivals.beginRun();
    return new BarrierRun(parts, {
      ...shared,
      context: this.#context,
      missedSinceMs: this.#missedSinceMs,
      leaving: shared.leaving.signal,
    });
  }

  /**
   * Reports that this instance was busy when the firing at that instant (milliseconds since 1970) came, and drops it
   * for these items. Never rejects.
   */
  drop(instant: number, items: readonly number[]): Promise<void> {
    const { arrivals, leaving } = this.#shared;
    return arrivals.drop(instant, items, leaving.signal);
  }

  /** Ends all waits for items to complete: this instance is about to go. */
  leave(): void {
    this.#shared.leaving.abort(new JobStoppedError(this.#context.paths.jobName, 'it waits for no instance any more'));
  }

  /** Withdraws the reports, as far as the registry centre can be reached. Never rejects. */
  withdraw(): Promise<void> {
    return this.#shared.arrivals.withdraw();
  }

  /** Ends the background work. */
  stop(): void {
    this.leave();
    this.#shared.callback.stop();
  }
}

interface BarrierRunDeps {
  readonly context: JobContext;
  /** The time at which this instance began to take part; milliseconds since 1970. */
  readonly missedSinceMs: number;
  readonly arrivals: OwnArrivals;
  readonly callback: OnceCallback;
  readonly leaving: AbortSignal;
  readonly mayBeMadeUpFor: MayBeMadeUpFor;
}

/** The barriers of one run: before its items start, and when they have completed, for each listener. */
export class BarrierRun<Part extends RunPart> {
  readonly #parts: readonly Part[];
  readonly #deps: BarrierRunDeps;
  /** By the listener's type. */
  readonly #rounds = new Map<string, readonly RoundOfPart<Part>[]>();

  constructor(parts: readonly Part[], deps: BarrierRunDeps) {
    this.#parts = parts;
    this.#deps = deps;
  }

  /**
   * Reports that the items are about to start, and resolves when the callbacks have ended or need not be waited for.
   * @throws the error of a callback that was made here; OnceCallbackTimeoutError if it took too long, or items did not
   *   arrive in time; the call's signal's reason when it is aborted
   */
  async start(type: string, signal: AbortSignal, callOf: (part: Part) => BarrierCall): Promise<void> {
    await this.#report('started', await this.#roundsOf(type), signal);
    await this.#waitFor('started', type, callOf);
  }

  /**
   * Reports that all items have completed, for all listeners at once: an error of one listener must not keep the report
   * from peers.
   */
  async reportCompleted(types: readonly string[], signal: AbortSignal): Promise<void> {
    const rounds = await Promise.all(types.map((type) => this.#roundsOf(type)));
    await this.#report('completed', rounds.flat(), signal);
  }

  /** Resolves when the callbacks after completion have ended or need not be waited for. @throws as `start` does */
  complete(type: string, callOf: (part: Part) => BarrierCall): Promise<void> {
    return this.#waitFor('completed', type, callOf);
  }

  /** Ends the run: its unfinished rounds are left to other instances. Never rejects. */
  async end(): Promise<void> {
    const { arrivals, leaving } = this.#deps;
    const keys = [...this.#rounds.values()].flat().map(({ key }) => key);
    await arrivals.leave(keys, leaving);
  }

  /**
   * Passes one round after the other, in the order of their instants; an error in one does not skip the following ones.
   */
  async #waitFor(stage: GuaranteeStage, type: string, callOf: (part: Part) => BarrierCall): Promise<void> {
    const failures: unknown[] = [];
    for (const round of await this.#roundsOf(type))
      await this.#wait(stage, round, callOf(round.part)).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  async #report(stage: GuaranteeStage, rounds: readonly RoundOfPart<Part>[], signal: AbortSignal): Promise<void> {
    const arrivals = rounds.map(({ key, part }) => ({
      round: { stage, key, instant: part.firing.instant },
      items: part.items,
    }));
    await this.#deps.arrivals.report(stage, arrivals, signal);
  }

  #wait(stage: GuaranteeStage, { part, key, progress }: RoundOfPart<Part>, call: BarrierCall): Promise<void> {
    const { context, callback, leaving } = this.#deps;
    const round = { stage, key, instant: part.firing.instant };
    return new BarrierWait(context, { round, items: part.items, call, callback, progress }).end(leaving);
  }

  async #roundsOf(type: string): Promise<readonly RoundOfPart<Part>[]> {
    const known = this.#rounds.get(type);
    if (known !== undefined) return known;
    const { context } = this.#deps;
    // The last manual round must be known, or there would be two of the same number.
    if (this.#parts.some(({ firing }) => firing.instant === undefined)) await context.watch.sync();
    const rounds = this.#parts.flatMap((part) => {
      const key = this.#keyOf(type, part);
      return key === undefined
        ? []
        : [{ part, key, progress: new RoundProgress(context, { ...this.#deps, firing: part.firing }) }];
    });
    this.#rounds.set(type, rounds);
    return rounds;
  }

  /** A manual firing has no instant to be named by; it gets a number that all instances find by themselves. */
  #keyOf(type: string, { firing: { instant, isPartial } }: RunPart): string | undefined {
    if (instant !== undefined) return roundKey({ firing: { instant }, type });
    const { view } = this.#deps.context.watch;
    const number = lastManual(view, type);
    const last = roundKey({ firing: { manual: number }, type });
    const isOpen = number > 0 && !view.guarantee.completed.called.includes(last);
    if (isOpen && (isPartial || !this.#deps.arrivals.has(last))) return last;
    return isPartial ? undefined : roundKey({ firing: { manual: number + 1 }, type });
  }
}

/** Greatest number of a manual firing on record; 0 if there was none. */
function lastManual({ guarantee: { arrivals, started, completed } }: JobView, type: string): number {
  const known = [...arrivals.values()].flatMap((rounds) => [...rounds.keys()]);
  const numbers = [...known, ...started.called, ...completed.called].map((key) => {
    const round = parseRoundKey(key);
    const isOfType = round?.type === type.toUpperCase();
    return isOfType && 'manual' in round.firing ? round.firing.manual : 0;
  });
  return Math.max(0, ...numbers);
}
