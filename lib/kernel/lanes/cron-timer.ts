import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { QuartzCron } from '../../time/cron.js';
import { type Clock, systemClock } from '../../time/clock.js';
import { firingTurns } from '../../time/event-loop.js';
import { InvalidCronError } from '../../time/invalid-cron-error.js';
import { lastBefore } from '../../time/last-before.js';
import { scheduleKey } from '../view/assignment.js';
import { type Instants } from '../view/firing.js';
import { type ScheduleState } from '../view/obstacles.js';

/** Wakes jobs at instants. In Nest, the scheduler registry shows them under the jobs' names. */
export interface FiringTimers {
  /**
   * Arms the timer of a job, replacing an earlier one. `onFire` is called once, not before `instant`, and later if the
   * event loop is busy; it is called however late it is.
   */
  arm(jobName: string, instant: Date, onFire: () => void): void;
  /** Forgets the job's timer. */
  disarm(jobName: string): void;
}

/** Timers of jobs on a clock, for use outside Nest and in tests. */
export class ClockTimers implements FiringTimers {
  readonly #clock: Clock;
  readonly #cancels = new Map<string, () => void>();
  readonly #isInTurns: boolean;

  constructor(clock: Clock) {
    this.#clock = clock;
    // Under a clock that a test moves, everything that is due happens at once.
    this.#isInTurns = clock === systemClock;
  }

  arm(jobName: string, instant: Date, onFire: () => void): void {
    this.disarm(jobName);
    const cancelTimer = this.#clock.after(instant.getTime() - this.#clock.now(), () => {
      if (this.#isInTurns) firingTurns.run(fire);
      else fire();
    });
    const cancel = (): void => cancelTimer();
    const fire = (): void => {
      // The timer was armed again, or disarmed, while the firing waited for its turn.
      if (this.#cancels.get(jobName) !== cancel) return;
      // The wall clock may have been set back meanwhile, and timers may fire a little early.
      if (this.#clock.now() < instant.getTime()) this.arm(jobName, instant, onFire);
      else onFire();
    };
    this.#cancels.set(jobName, cancel);
  }

  disarm(jobName: string): void {
    this.#cancels.get(jobName)?.();
    this.#cancels.delete(jobName);
  }
}

/** No two instants of an expression are nearer to each other, in milliseconds. */
const SHORTEST_PERIOD_MS = 1_000;

const REMEMBERED_INSTANTS = 100;

/** Instants are counted up to this number. */
const MOST_COUNTED = 1_000;

/**
 * How far the clocks of peers may be ahead of this one, or behind, in milliseconds. Half of the shortest period, so
 * that there is a time without doubt.
 */
const SKEW_OF_PEERS_MS = 500;

/** The settings that determine when a job fires. */
export type Schedule = Pick<JobConfiguration, 'cron' | 'timeZone'>;

/** Dependencies of a `CronTimer`. */
export interface CronTimerDeps {
  readonly jobName: string;
  readonly clock: Clock;
  readonly timers: FiringTimers;
}

/** Fires a job at the instants of its cron expression. */
export class CronTimer {
  /** Called with the scheduled instant each time the job is due. */
  onFire: (instant: Date) => void = () => undefined;
  readonly #deps: CronTimerDeps;
  #cron: QuartzCron | undefined;
  #armedFor: string | undefined;
  /** The text of `#cron`. */
  #inForce: string | undefined;
  /** `scheduleKey` of the schedule in force. */
  #keyInForce: string | undefined;
  /** The reason why the latest schedule cannot be used. */
  #refusal: string | undefined;
  #isEnabled = false;
  // Instants in milliseconds since 1970.
  #next: number | undefined;
  #latest: number | undefined;
  /** The time at which this schedule replaced another one; milliseconds since 1970. */
  #changedAt: number | undefined;
  /** The last instant of the schedule that was replaced. */
  #latestFormer: number | undefined;
  readonly #after = new Map<number, readonly [number | undefined, number | undefined]>();

  constructor(deps: CronTimerDeps) {
    this.#deps = deps;
  }

  /** True if the job is to fire by its cron expression on this instance. */
  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  /** State of the job's schedule here. */
  get state(): ScheduleState {
    if (!this.#isEnabled) return { type: 'off' };
    const cron = this.#inForce;
    return this.#refusal === undefined ? { type: 'in-force', cron } : { type: 'refused', cron, reason: this.#refusal };
  }

  /** The instant that the timer fires next; `undefined` while it is not armed, or if no instant follows. */
  get nextInstant(): Date | undefined {
    return this.#next === undefined ? undefined : new Date(this.#next);
  }

  /** Milliseconds from `nextInstant` to the instant that follows; `undefined` if there is none. */
  get periodMs(): number | undefined {
    const following = this.#next === undefined ? undefined : this.#following(this.#next);
    return this.#next === undefined || following === undefined ? undefined : following - this.#next;
  }

  /** From now on the job fires by its cron expression here. @throws InvalidCronError, InvalidTimeZoneError as `arm` */
  enable(schedule: Schedule): void {
    this.arm(schedule);
    this.#isEnabled = true;
  }

  /**
   * As `enable`, but if the schedule cannot be used, or there is none yet, the timer is only not armed: `state` has the
   * reason, and the next change of the schedule arms it.
   */
  enableAnyway(schedule: Schedule | undefined): void {
    this.#isEnabled = true;
    try {
      if (schedule !== undefined) this.arm(schedule);
    } catch (error) {
      if (this.#refusal === undefined) throw error;
    }
  }

  /** The job fires here no more. */
  disable(): void {
    this.#isEnabled = false;
    this.disarm();
  }

  /** `scheduleKey` of the schedule that the timer is armed for; `undefined` while it is not armed. */
  get armedFor(): string | undefined {
    return this.#armedFor;
  }

  /**
   * Fires at the instants of `cron` in `timeZone` from now on; without `cron` it fires no more.
   * @throws InvalidCronError, InvalidTimeZoneError if they cannot be used; the timer stays as it was then
   */
  arm(schedule: Schedule): void {
    const cron = this.#parse(schedule);
    const key = scheduleKey(schedule);
    // Not `armedFor`, which may be a schedule that could not be used: then the former one has held all the time.
    if (this.#keyInForce !== undefined && this.#keyInForce !== key) {
      this.#latestFormer = this.#latestDue();
      this.#changedAt = this.#deps.clock.now();
    }
    this.#cron = cron;
    this.#keyInForce = key;
    this.#inForce = schedule.cron;
    this.#refusal = undefined;
    this.#after.clear();
    this.#latest = undefined;
    this.#deps.timers.disarm(this.#deps.jobName);
    this.#armNext(this.#deps.clock.now());
    this.#armedFor = key;
  }

  #parse(schedule: Schedule): QuartzCron | undefined {
    const { cron, timeZone } = schedule;
    if (cron === undefined) return undefined;
    try {
      return QuartzCron.parse(cron, timeZone === undefined ? {} : { timeZone });
    } catch (error) {
      // A schedule that cannot be read must not be tried again until it changes.
      this.#armedFor = scheduleKey(schedule);
      this.#refusal = error instanceof Error ? error.message : String(error);
      throw error;
    }
  }

  /**
   * The wall clock was set: the timer is armed again by the new time. An instant that the clock leapt over fires now,
   * late.
   */
  rearm(): void {
    const fresh = this.#following(this.#deps.clock.now());
    if (this.#next === undefined || fresh === undefined || fresh < this.#next)
      return this.#armNext(this.#deps.clock.now());
    this.#armAt(this.#next);
  }

  /** Forgets the schedule. */
  disarm(): void {
    this.#deps.timers.disarm(this.#deps.jobName);
    this.#cron = undefined;
    this.#inForce = undefined;
    this.#refusal = undefined;
    this.#after.clear();
    this.#next = undefined;
    this.#latest = undefined;
    this.#keyInForce = undefined;
    this.#changedAt = undefined;
    this.#latestFormer = undefined;
    this.#armedFor = undefined;
  }

  /**
   * The instant that followed `lastBegun`, if it is the only one since then and not longer than `windowMs` ago (all in
   * milliseconds, instants since 1970). Two kinds of instants do not count: those that this timer is still going to
   * fire, and those from before the schedule replaced another one, because the job was not due then.
   */
  missedInstant(lastBegun: number, windowMs: number): number | undefined {
    const [instant, following] = this.#instantsAfter(lastBegun);
    if (instant === undefined || this.#next === undefined || instant >= this.#next) return undefined;
    if (instant < this.#deps.clock.now() - windowMs) return undefined;
    if (this.#changedAt !== undefined && instant <= this.#changedAt) return undefined;
    return following !== undefined && following < this.#next ? undefined : instant;
  }

  /**
   * True if `missedInstant` may be `instant` on a peer by the clock there, which differs from this one by half a second
   * at most. Arguments as there. A peer that has not fired for the instant yet counts, too: it has to run the item.
   */
  mayPeerHaveMissed(instant: number, lastBegun: number, windowMs: number): boolean {
    const [first, following] = this.#instantsAfter(lastBegun);
    const earliest = this.#deps.clock.now() - SKEW_OF_PEERS_MS;
    if (first !== instant || this.#next === undefined || instant < earliest - windowMs) return false;
    if (this.#changedAt !== undefined && instant <= this.#changedAt - SKEW_OF_PEERS_MS) return false;
    return following === undefined || following >= this.#next || following > earliest;
  }

  /**
   * The instants of the schedule after `after` and before `end` (both in milliseconds since 1970). Instants from before
   * the schedule replaced another one are left out: the job was not due then. `undefined` if there are none, or none
   * within a year before `end`.
   */
  instantsBetween(after: number, end: number): Instants | undefined {
    const first = this.#following(Math.max(after, this.#changedAt ?? -Infinity));
    if (this.#cron === undefined || first === undefined || first >= end) return undefined;
    const last = lastBefore(this.#cron, new Date(end))?.getTime();
    return last === undefined ? undefined : { first, last, count: this.#count(first, last) };
  }

  /** Number of instants from the first to the last one; `undefined`: too many to count. */
  #count(first: number, last: number): number | undefined {
    let count = 1;
    for (let instant: number | undefined = first; instant !== undefined && instant < last; count++) {
      if (count === MOST_COUNTED) return undefined;
      instant = this.#following(instant);
    }
    return count;
  }

  /**
   * The last instant before the one this timer is going to fire; milliseconds since 1970. `undefined` if there is none
   * within a year. While the job does not fire here, as while it stops, it is the last instant of `schedule` that has
   * passed.
   */
  latest(schedule: Schedule): number | undefined {
    return this.#isEnabled ? this.#latestInForce() : this.#latestOf(schedule);
  }

  /**
   * As `latest`; but until a schedule that replaced another one has fired, it is the last instant of that other one.
   */
  latestDue(schedule: Schedule): number | undefined {
    return this.#isEnabled ? this.#latestDue() : this.#latestOf(schedule);
  }

  /** True if the next instant is so near that it may have come already by the clocks of peers. */
  get isNextNear(): boolean {
    return this.#next !== undefined && this.#next - this.#deps.clock.now() <= SKEW_OF_PEERS_MS;
  }

  #latestInForce(): number | undefined {
    if (this.#cron !== undefined && this.#next !== undefined)
      this.#latest ??= lastBefore(this.#cron, new Date(this.#next))?.getTime();
    return this.#latest;
  }

  #latestDue(): number | undefined {
    const latest = this.#latestInForce();
    const isOfFormer = this.#changedAt !== undefined && (latest ?? 0) <= this.#changedAt;
    return isOfFormer ? this.#latestFormer : latest;
  }

  #latestOf({ cron, timeZone }: Schedule): number | undefined {
    if (cron === undefined) return undefined;
    try {
      const parsed = QuartzCron.parse(cron, timeZone === undefined ? {} : { timeZone });
      return lastBefore(parsed, new Date(this.#deps.clock.now() + 1))?.getTime();
    } catch (error) {
      if (error instanceof InvalidCronError) return undefined;
      throw error;
    }
  }

  /**
   * The next two instants after `lastBegun`. Remembered, because each reconciliation asks for each item, and most share
   * one instant.
   */
  #instantsAfter(lastBegun: number): readonly [number | undefined, number | undefined] {
    const known = this.#after.get(lastBegun);
    if (known !== undefined) return known;
    const instant = this.#following(lastBegun);
    const instants = [instant, instant === undefined ? undefined : this.#following(instant)] as const;
    if (this.#after.size >= REMEMBERED_INSTANTS) this.#after.clear();
    this.#after.set(lastBegun, instants);
    return instants;
  }

  /** True if no other instant lies between that one and the one the timer is armed for. */
  #isBeforeNext(instant: number): boolean {
    return this.#following(instant) === this.#next;
  }

  /** The first instant after that one, which need not be an instant of the schedule. */
  #following(instant: number): number | undefined {
    return this.#cron?.next(new Date(instant))?.getTime();
  }

  #armNext(after: number): void {
    const instant = this.#following(after);
    this.#next = instant;
    if (instant !== undefined) this.#armAt(instant);
  }

  #armAt(instant: number): void {
    const { timers, jobName } = this.#deps;
    timers.arm(jobName, new Date(instant), () => this.#fire(instant));
  }

  #fire(instant: number): void {
    const { clock } = this.#deps;
    // Armed before the firing is reported, so that no failure there can end the schedule. Instants that passed while
    // the event loop was busy are not fired one by one: the late one stands for them.
    const after = Math.max(instant, clock.now());
    this.#armNext(after);
    this.#latest = after - instant < SHORTEST_PERIOD_MS || this.#isBeforeNext(instant) ? instant : undefined;
    this.onFire(new Date(instant));
  }
}
