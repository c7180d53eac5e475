import { describeCause } from '../../api/text/describe-cause.js';
import { DeadlineExceededError } from '../../api/errors/errors.js';
import { withAnySignal } from '../../async/any-signal.js';
import { type CallView, describeRound } from '../../layout/x-node/arrival-record.js';
import { type JobView } from '../../layout/job-view.js';
import { type JobContext } from '../job/job-context.js';
import { earlierRounds } from './earlier-rounds.js';
import { JavaPeers, TURN_MS } from './java.js';
import { missingItems } from './missing-items.js';
import { type OnceCallback, type BarrierCall, OnceCallbackTimeoutError } from './once-callback.js';
import { type BarrierRound, callOfOthers } from './round.js';
import { type Progress, type RoundProgress } from './round-progress.js';

/** Duration of a wait after which the log first says what it waits for. */
const LOG_AFTER_MS = 10_000;

/** Time between two such lines. */
const LOG_EVERY_MS = 60_000;

/** How often a wait checks its deadlines while the registry centre cannot be reached. */
const DISCONNECTED_TICK_MS = 1_000;

/** The next step of a wait, as one view shows it. */
type Decision =
  | { readonly type: 'go-on' | 'called-by-java' }
  /** Make the callback, after those of earlier rounds that were abandoned. */
  | { readonly type: 'call'; readonly abandoned: readonly BarrierRound[]; readonly givenUp: readonly string[] }
  | Exclude<Progress, { readonly type: 'complete' }>;

const UNDECIDED = { type: 'wait', untilMs: Infinity, whom: 'the registry centre', items: [] } as const;

/** The round that an instance waits for, and its callback. */
export interface BarrierWaitOptions {
  readonly round: BarrierRound;
  /** The items that this instance has reported. */
  readonly items: readonly number[];
  /** The callback to make; its timeout also limits the wait. */
  readonly call: BarrierCall;
  readonly callback: OnceCallback;
  readonly progress: RoundProgress;
}

/** One instance's wait at one barrier, after it has reported its items. */
export class BarrierWait {
  readonly #context: JobContext;
  readonly #options: BarrierWaitOptions;
  readonly #since: number;
  readonly #java: JavaPeers;
  #logAt: number;
  #isLeaving = false;
  /** Errors that callbacks of abandoned rounds have thrown. */
  readonly #failures: unknown[] = [];
  /** Since when no item is missing, on the monotonic scale. */
  #completeSince: number | undefined;
  /** Since when another instance makes the callback before the start, on the monotonic scale. */
  #callSince: number | undefined;

  constructor(context: JobContext, options: BarrierWaitOptions) {
    this.#context = context;
    this.#options = options;
    this.#since = context.clock.monotonic();
    this.#logAt = this.#since + LOG_AFTER_MS;
    this.#java = new JavaPeers(context, options.round, options.items);
  }

  /**
   * Waits, and makes the callback if that falls to this instance. When the items have completed, `leaving` ends the
   * wait.
   * @throws as `BarrierRun.start`
   */
  async end(leaving: AbortSignal): Promise<void> {
    await this.#end(leaving);
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  async #end(leaving: AbortSignal): Promise<void> {
    const { round, callback } = this.#options;
    const { watch, logger } = this.#context;
    for (;;) {
      const decision = await this.#decision(leaving);
      switch (decision.type) {
        case 'go-on':
        case 'wait':
          return;
        case 'called-by-java':
          return callback.close(round);
        case 'leave':
          return this.#log(
            `leaves; items ${decision.items.join(',')} have to be run first, maybe by this instance; the one that runs them makes the callback`,
          );
        case 'call':
          if (await this.#call(decision)) return;
          await watch
            .sync()
            .catch((error: unknown) => logger.debug(`could not look at the round again: ${describeCause(error)}`));
          continue;
        default:
          return decision satisfies never;
      }
    }
  }

  /**
   * Makes the callback of the round, after those of abandoned rounds. If there are such, only they are made now: they
   * take their time, and an item of this round may have found a new owner meanwhile.
   * @returns true if the round's callback was made
   */
  async #call({ abandoned, givenUp }: Extract<Decision, { type: 'call' }>): Promise<boolean> {
    const { round, call, callback } = this.#options;
    for (const earlier of abandoned) {
      // An error in this callback does not keep the following ones from being made.
      const isMade = await this.#callAbandoned(earlier).catch((error: unknown) => this.#failures.push(error) > 0);
      if (!isMade) return false;
    }
    if (abandoned.length > 0) return false;
    if (givenUp.length > 0) this.#log(`goes on without items ${givenUp.join(', ')}`);
    return callback.attempt(round, call);
  }

  async #callAbandoned(earlier: BarrierRound): Promise<boolean> {
    const { call, callback } = this.#options;
    const { watch } = this.#context;
    const attempt = (): Promise<boolean> =>
      callback.attempt(earlier, { ...call, make: (signal) => call.makeAbandoned(signal, earlier) });
    if (await attempt()) return true;
    // The answer may have been lost, and no later attempt checks this round.
    return callback.state(await watch.sync(), earlier) === 'claimed-by-us' && attempt();
  }

  /** The first decision other than to wait; `wait` if this instance leaves before. */
  async #decision(leaving: AbortSignal): Promise<Decision> {
    const { watch } = this.#context;
    const { round, call } = this.#options;
    if (round.stage === 'started') return this.#await(call.signal);
    if (leaving.aborted) {
      this.#isLeaving = true;
      await watch.sync();
      return this.#decide(watch.view);
    }
    try {
      return await withAnySignal([call.signal, leaving], (signal) => this.#await(signal));
    } catch (error) {
      if (leaving.aborted && !call.signal.aborted) return UNDECIDED;
      throw error;
    }
  }

  async #await(signal: AbortSignal): Promise<Decision> {
    const { watch, clock } = this.#context;
    let decision: Decision = watch.isCurrent ? this.#decide(watch.view) : UNDECIDED;
    while (decision.type === 'wait') {
      const dueAt = Math.min(decision.untilMs, this.#logAt, this.#timeoutAt);
      // While disconnected nothing is decided, and a deadline that has passed must not be checked in an endless loop.
      const timeoutMs = Math.max(watch.isCurrent ? 0 : DISCONNECTED_TICK_MS, dueAt - clock.monotonic());
      const isOver = (view: JobView): boolean => {
        decision = this.#decide(view);
        return decision.type !== 'wait' || decision.untilMs < dueAt;
      };
      if (timeoutMs > 0 && (await this.#isOverInTime(isOver, timeoutMs, signal))) continue;
      await this.#onTime(decision.type === 'wait' ? decision.whom : '');
      if (watch.isCurrent) decision = this.#decide(watch.view);
    }
    return decision;
  }

  async #isOverInTime(isOver: (view: JobView) => boolean, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#context.watch.until(isOver, { timeoutMs, signal, what: () => this.#options.round.key });
      return true;
    } catch (error) {
      if (error instanceof DeadlineExceededError) return false;
      throw error;
    }
  }

  get #timeoutAt(): number {
    const { timeoutMs } = this.#options.call;
    return timeoutMs > 0 ? (this.#callSince ?? this.#since) + timeoutMs : Infinity;
  }

  /** Does what is due: the end of the wait, a line in the log, or reading values that the mirror has left unread. */
  async #onTime(whom: string): Promise<void> {
    const now = this.#context.clock.monotonic();
    // No item begins without a connection, so the wait before the start does not end until there is one: only then can
    // the round be closed, so that no other instance makes its callback when items run already.
    const canGiveUp = this.#options.round.stage === 'completed' || this.#context.watch.isCurrent;
    if (now >= this.#timeoutAt && canGiveUp) return this.#giveUp(whom);
    if (now >= this.#logAt) {
      this.#logAt = now + LOG_EVERY_MS;
      this.#log(`waits for ${whom}`);
    }
    await this.#options.progress.readWhatIsDue();
  }

  /** @throws OnceCallbackTimeoutError, unless another instance has just begun the callback that items wait for */
  async #giveUp(whom: string): Promise<void> {
    const { round, call, callback } = this.#options;
    const { watch } = this.#context;
    const isOpen = (): boolean => watch.isCurrent && callback.state(watch.view, round) === 'not-called';
    // Items begin now, so it is too late for a callback before the start. An attempt to close the round may lose
    // against other writes.
    while (round.stage === 'started' && isOpen() && !call.signal.aborted) await callback.close(round);
    if (this.#noteCall(watch.view)) return;
    const what = round.stage === 'started' ? 'start' : 'complete';
    throw new OnceCallbackTimeoutError(
      call.timeoutMs,
      `Job '${this.#context.paths.jobName}' waited for all items of ${describeRound(round.key)} to ${what}, in vain for ${whom}, and goes on`,
    );
  }

  /**
   * Notes when another instance begins the callback before the start. No item begins during it, so it has a timeout of
   * its own.
   * @returns true if it was not noted before
   */
  #noteCall(view: JobView): boolean {
    const { round, callback } = this.#options;
    const isNoted = round.stage === 'completed' || this.#callSince !== undefined;
    if (isNoted || callback.state(view, round) !== 'in-progress') return false;
    this.#callSince = this.#context.clock.monotonic();
    return true;
  }

  #decide(view: JobView): Decision {
    const { round, callback, progress } = this.#options;
    this.#noteCall(view);
    const state = callback.state(view, round);
    if (state === 'claimed-by-us') return { type: 'call', abandoned: [], givenUp: [] };
    if (state === 'called') return { type: 'go-on' };
    const call = callOfOthers(view, round.stage, this.#context.me);
    if (call !== undefined) return waitForCall(call);
    if (this.#java.hasCalled(view)) return { type: 'called-by-java' };
    const made = this.#isLeaving ? this.#progressOnLeaving(view) : progress.of(view, round);
    if (made.type === 'wait') this.#java.noteAwaited(made.items);
    if (made.type === 'complete') return this.#whenComplete(view, made.givenUp);
    this.#completeSince = undefined;
    return made;
  }

  /**
   * A leaving instance has no timer to predict handovers, so it treats every missing item as one that will be made up
   * for.
   */
  #progressOnLeaving(view: JobView): Progress {
    const { round } = this.#options;
    const missing = missingItems(view, round, {
      mayBeMadeUpFor: () => true,
      isRead: () => true,
      hasArrivedByTakeover: () => true,
    });
    return missing.length === 0 ? { type: 'complete', givenUp: [] } : UNDECIDED;
  }

  /**
   * Decides when no item is missing any more. Callbacks of a stage come in the order of their firings, and a Java peer
   * that waits comes first.
   */
  #whenComplete(view: JobView, givenUp: readonly string[]): Decision {
    const { round } = this.#options;
    const { starting, goingOn, abandoned, awaited } = earlierRounds(view, round, this.#context.me);
    const first = round.stage === 'started' ? starting : goingOn;
    if (first !== undefined) return waitFor(`the callback for ${describeRound(first.key)}, which comes first`);
    const now = this.#context.clock.monotonic();
    this.#completeSince ??= now;
    const turnEndsAt = this.#completeSince + TURN_MS;
    if (now < turnEndsAt && (awaited.length > 0 || this.#java.mayCall(view)))
      return waitFor('an instance that has waited longer to make the callback', turnEndsAt);
    // Items of a manual firing may take long to come.
    const left = awaited.filter(({ instant }) => instant !== undefined);
    const due = [...abandoned, ...left].sort(({ instant: one = 0 }, { instant: other = 0 }) => one - other);
    const call = due.length > 0 ? callOfOthers(view, 'completed', this.#context.me) : undefined;
    return call === undefined ? { type: 'call', abandoned: due, givenUp } : waitForCall(call);
  }

  #log(what: string): void {
    const { stage, key } = this.#options.round;
    this.#context.logger.log(`the barrier of ${describeRound(key)} when all items have ${stage}: ${what}.`);
  }
}

function waitForCall({ key, instance }: CallView): Decision {
  return waitFor(`the callback for ${describeRound(key)} by ${instance} to end`);
}

function waitFor(whom: string, untilMs = Infinity): Decision {
  return { type: 'wait', untilMs, whom, items: [] };
}
