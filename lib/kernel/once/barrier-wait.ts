import { describeRound } from '../../layout/x-node/arrival-record.js';
import { DeadlineExceededError } from '../../api/errors.js';
import { hasJavaPeers, isGone, type JobView } from '../../layout/job-view.js';
import { type BarrierArrival, type BarrierRound } from './round.js';
import { type InstantLostInHandover, type MissingItem, missingItems } from './missing-items.js';
import { type OnceCallback, type OnceCallbackPorts, OnceCallTimeoutError } from './once-callback.js';

/** How long an item is waited for that does not come although its owner lives, or whose state cannot be told. */
export const PATIENCE_MS = 10_000;

/**
 * How long a call is left to the Java peer that may have come last. A Java peer looks only once whether all have come, just after it
 * has reported; would the stage's node be removed before that look, it would not hear of it and wait until its timeout.
 */
const JAVA_TURN_MS = 1_000;

/** After how long a wait reads what the mirror has left unread, to tell who is meant. */
const READING_AFTER_MS = 1_000;

/** Time between two lines of log that tell who is waited for. */
const TELLING_EVERY_MS = 60_000;

/** How often a wait looks at its deadlines while the registry centre cannot be reached. */
const DISCONNECTED_TICK_MS = 1_000;

/** How often a round that came too late is tried to be closed, while others write, too. */
const CLOSING_ATTEMPTS = 5;

/** What to do about a meeting, as the view has it. */
type Decision =
  | { readonly type: 'go-on' | 'complete' | 'called-by-java' }
  /** Somebody has to take these items over first, and it may have to be this instance. */
  | { readonly type: 'leave'; readonly items: readonly number[] }
  /** Until the view changes, or a time on the monotonic scale. */
  | { readonly type: 'wait'; readonly untilMs: number; readonly whom: string };

const UNDECIDED: Decision = { type: 'wait', untilMs: Infinity, whom: '' };

/** What is known of an item that is missing. */
interface Sighting {
  readonly why: MissingItem['why'];
  readonly sinceMs: number;
  /** Whether everything has been read since. */
  hasBeenRead: boolean;
}

/** What waiting needs. */
export interface BarrierPorts extends OnceCallbackPorts {
  readonly instantLostInHandover: InstantLostInHandover;
}

/** What a wait is for. */
export interface BarrierWaitOptions {
  readonly round: BarrierRound;
  readonly arrival: BarrierArrival;
  readonly callback: OnceCallback;
  /** When the round began here, on the monotonic scale. */
  readonly beganAt: number;
}

/** One instance's wait at one meeting, after it has reported its items. */
export class BarrierWait {
  readonly #ports: BarrierPorts;
  readonly #options: BarrierWaitOptions;
  readonly #since: number;
  readonly #sightings = new Map<number, Sighting>();
  readonly #givenUp = new Map<number, string>();
  #tellAt: number;
  #hasSeenOwnNodes = false;
  #isLeaving = false;
  #hasAwaitedOthers = false;
  /** Since when nobody is missing, on the monotonic scale. */
  #completeSince: number | undefined;

  constructor(ports: BarrierPorts, options: BarrierWaitOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#since = ports.clock.monotonic();
    this.#tellAt = this.#since + PATIENCE_MS;
  }

  /** Waits, and makes the call if it falls to this instance. @throws as `Barrier.meet` */
  async end(leaving: AbortSignal): Promise<void> {
    const { round, arrival, callback } = this.#options;
    const { watch } = this.#ports;
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
            `items ${decision.items.join(',')} have lost their instance; whoever runs them makes the listener's call`,
          );
        case 'complete':
          if (this.#givenUp.size > 0) this.#log(`goes on without items ${[...this.#givenUp.values()].join(', ')}`);
          if (await callback.attempt(round, arrival)) return;
          await watch.sync().catch(() => undefined);
          continue;
        default:
          return decision satisfies never;
      }
    }
  }

  /** The first decision that is more than to wait; `wait` if this instance leaves before. */
  async #decision(leaving: AbortSignal): Promise<Decision> {
    const { watch, clock } = this.#ports;
    const { round, arrival } = this.#options;
    const isPatient = round.stage === 'started';
    const signal = isPatient ? arrival.signal : AbortSignal.any([arrival.signal, leaving]);
    if (!isPatient && leaving.aborted) {
      this.#isLeaving = true;
      await watch.sync();
      return this.#decide(watch.view);
    }
    let decision: Decision = watch.isCurrent ? this.#decide(watch.view) : UNDECIDED;
    while (decision.type === 'wait') {
      const dueAt = Math.min(decision.untilMs, this.#tellAt, this.#timeoutAt);
      // While disconnected, nothing is decided, and what was due before is not to be looked at again and again.
      const shortestMs = watch.isCurrent ? 0 : DISCONNECTED_TICK_MS;
      try {
        await watch.until(
          (view) => {
            decision = this.#decide(view);
            return decision.type !== 'wait' || decision.untilMs < dueAt;
          },
          { timeoutMs: Math.max(shortestMs, dueAt - clock.monotonic()), signal, what: () => round.key },
        );
      } catch (error) {
        if (leaving.aborted && !arrival.signal.aborted && !isPatient) return UNDECIDED;
        if (!(error instanceof DeadlineExceededError)) throw error;
        await this.#onTime(decision);
      }
    }
    return decision;
  }

  get #timeoutAt(): number {
    const { timeoutMs } = this.#options.arrival;
    return timeoutMs > 0 ? this.#since + timeoutMs : Infinity;
  }

  /** Something is due: the wait is over, or is to be told of, or what was not read is to be read. */
  async #onTime(decision: Decision): Promise<void> {
    const { clock, watch, logger } = this.#ports;
    const whom = decision.type === 'wait' ? decision.whom : '';
    const now = clock.monotonic();
    if (now >= this.#timeoutAt) return this.#giveUp(whom);
    if (now >= this.#tellAt) {
      this.#tellAt = now + TELLING_EVERY_MS;
      this.#log(`waits for ${whom === '' ? 'the registry centre' : whom}`);
    }
    const unread = [...this.#sightings.values()].filter((sighting) => this.#readingAt(sighting) <= now);
    for (const sighting of unread) sighting.hasBeenRead = true;
    if (unread.length === 0) return;
    await watch.readAll().catch((error: unknown) => logger.debug(String(error)));
  }

  async #giveUp(whom: string): Promise<never> {
    const { round, arrival, callback } = this.#options;
    const { watch, paths } = this.#ports;
    // Items begin now, so it is too late for a call that was to come before.
    for (let attempt = 1; round.stage === 'started' && attempt <= CLOSING_ATTEMPTS && watch.isCurrent; attempt++) {
      if (callback.state(watch.view, round) !== 'not-called') break;
      await callback.close(round);
    }
    const what = round.stage === 'started' ? 'start' : 'complete';
    throw new OnceCallTimeoutError(
      arrival.timeoutMs,
      `Job '${paths.jobName}' waited for all items of ${describeRound(round.key)} to ${what}, in vain for ${whom}, and goes on`,
    );
  }

  #decide(view: JobView): Decision {
    const { round, callback } = this.#options;
    const { me } = this.#ports;
    const state = callback.state(view, round);
    if (state === 'claimed-by-us') return { type: 'complete' };
    if (state === 'called') return { type: 'go-on' };
    const calling = view.guarantee[round.stage].call;
    const isBusy = calling !== undefined && calling.instance !== me && !isGone(view, calling.instance);
    if (isBusy)
      return {
        type: 'wait',
        untilMs: Infinity,
        whom: `the call for ${describeRound(calling.key)} by ${calling.instance} to end`,
      };
    if (this.#wasCalledByJava(view)) return { type: 'called-by-java' };
    // Who is about to go has no timer any more to tell what is to be made up for; it leaves that to others.
    const toCatchUp = this.#isLeaving ? () => round.instant : this.#ports.instantLostInHandover;
    const decision = this.#decideBy(missingItems(view, round, toCatchUp));
    return decision.type === 'complete' && hasJavaPeers(view) ? this.#afterJava() : decision;
  }

  /** Nobody is missing any more. If others came after this instance, the call is theirs to make. */
  #afterJava(): Decision {
    const now = this.#ports.clock.monotonic();
    this.#completeSince ??= now;
    const untilMs = this.#completeSince + JAVA_TURN_MS;
    if (!this.#hasAwaitedOthers || now >= untilMs) return { type: 'complete' };
    return { type: 'wait', untilMs, whom: 'who came last to make the call' };
  }

  #decideBy(missing: readonly MissingItem[]): Decision {
    this.#sight(missing);
    const left = missing.filter(({ why }) => why === 'crashed' || why === 'handed-on').map(({ item }) => item);
    if (left.length > 0) return { type: 'leave', items: left };
    const now = this.#ports.clock.monotonic();
    const awaited = missing.filter(({ item }) => this.#patienceEndsAt(item) > now);
    this.#givenUp.clear();
    for (const { item, why, by } of missing) this.#givenUp.set(item, `${item} (${why}, ${by ?? 'nobody knows where'})`);
    const whom = `items ${awaited.map(({ item }) => this.#givenUp.get(item)).join(', ')}`;
    for (const { item } of awaited) this.#givenUp.delete(item);
    if (awaited.length === 0) return { type: 'complete' };
    this.#completeSince = undefined;
    this.#hasAwaitedOthers ||= awaited.some(({ item }) => !this.#options.arrival.items.includes(item));
    const dues = awaited.flatMap(({ item }) => [
      this.#patienceEndsAt(item),
      this.#readingAt(this.#sightings.get(item)),
    ]);
    return { type: 'wait', untilMs: Math.min(...dues), whom };
  }

  /** Notes since when items are missing, and why. */
  #sight(missing: readonly MissingItem[]): void {
    const present = new Map(missing.map(({ item, why }) => [item, why]));
    for (const [item, { why }] of this.#sightings) if (present.get(item) !== why) this.#sightings.delete(item);
    const sinceMs = this.#ports.clock.monotonic();
    for (const [item, why] of present)
      if (!this.#sightings.has(item)) this.#sightings.set(item, { why, sinceMs, hasBeenRead: false });
  }

  #patienceEndsAt(item: number): number {
    const sighting = this.#sightings.get(item);
    if (sighting === undefined || sighting.why === 'running') return Infinity;
    // Who does not begin is not waited for twice in a firing; who has begun, or ended, gets its time anew.
    return (sighting.why === 'late' ? this.#options.beganAt : sighting.sinceMs) + PATIENCE_MS;
  }

  #readingAt(sighting: Sighting | undefined): number {
    const isClear = sighting === undefined || sighting.hasBeenRead || sighting.why === 'running';
    return isClear ? Infinity : sighting.sinceMs + READING_AFTER_MS;
  }

  /** A Java peer removes the stage's node when it has made the call, or has waited long enough. */
  #wasCalledByJava(view: JobView): boolean {
    const { watch, paths } = this.#ports;
    const { round, arrival } = this.#options;
    const come = round.stage === 'started' ? view.startedItems : view.completedItems;
    if (arrival.items.every((item) => come.has(item))) this.#hasSeenOwnNodes = true;
    return this.#hasSeenOwnNodes && hasJavaPeers(view) && !watch.nodes.has(paths.guarantee(round.stage));
  }

  #log(what: string): void {
    const { logger } = this.#ports;
    const { stage, key } = this.#options.round;
    logger.log(`the round of all items that have ${stage}, ${key}: ${what}.`);
  }
}
