/** A firing of a job, as one instance sees it. */
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type FiringCause } from '../../api/events/run-events.js';

/** One occasion to run items of this instance: its cause, its instant and its items. */
export interface Firing {
  readonly cause: FiringCause;
  /**
   * The scheduled instant in milliseconds since 1970; `undefined` for a manual firing, and if each item has its own.
   */
  readonly instant: number | undefined;
  /** The only items to consider. Default: all items of this instance. */
  readonly items?: readonly number[];
  /** The `jobParameter` of this manual firing alone. Default: that of the settings. */
  readonly jobParameter?: string | undefined;
}

/** Instants of the schedule that follow one another, in milliseconds since 1970. */
export interface Instants {
  readonly first: number;
  readonly last: number;
  /** Number of the instants; `undefined`: too many to count. */
  readonly count: number | undefined;
}

/** `the firing of 2030-01-01T00:00:05.000Z`, or `the 3 firings from … to …`. */
export function describeInstants({ first, last, count }: Instants): string {
  const [from, to] = [first, last].map((instant) => new Date(instant).toISOString());
  return count === 1 ? `the firing of ${from}` : `the ${count ?? 'many'} firings from ${from} to ${to}`;
}

/** An item that this instance, and no other, has begun to run. */
export interface BegunItem {
  readonly item: number;
  /**
   * The scheduled instant of the run, in milliseconds since 1970; `undefined` after a manual firing, or if it is
   * unknown.
   */
  readonly instant: number | undefined;
  /** The `jobParameter` of this manual run alone. An instance that takes the item over passes it on. */
  readonly jobParameter?: string | undefined;
  /** See `ShardingContext.fencingToken`. */
  readonly fencingToken: number;
}

/** The items that a run has begun. */
export interface BegunRun {
  readonly items: readonly BegunItem[];
  /** Items that are due too, but still run or wait to be taken over. */
  readonly blocked: readonly number[];
  /** Items that need no second decision on this firing: begun, blocked, disabled, or begun before. */
  readonly decidedOn: readonly number[];
  /** The settings that the items run with. */
  readonly config: JobConfiguration;
}

/** Rules for firings of a job that meet its running items. */
export interface RunPolicy {
  /**
   * `by-item`: a run may begin while others go on, with the items that are free, so that a slow item keeps no other
   * from its next firing. `never`: one run ends before the next begins.
   */
  readonly overlap: 'by-item' | 'never';
  /**
   * `recover`: a firing whose items still run is run once they have ended. `drop`: it is dropped (manual, `misfire`).
   */
  readonly missed: 'recover' | 'drop';
}

/**
 * The policy that a job's settings ask for. Listeners see one firing after the other, as in Java, so they exclude
 * overlap.
 */
export function runPolicyOf({ jobListenerTypes, misfire }: JobConfiguration): RunPolicy {
  return { overlap: jobListenerTypes.length === 0 ? 'by-item' : 'never', missed: misfire ? 'recover' : 'drop' };
}
