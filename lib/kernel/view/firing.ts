/** Why the job runs now. */
export interface Firing {
  /**
   * `misfire`: it makes up for a firing that came while its items could not be run. `catch-up`: for one that fell between
   * two owners. `failover`: it takes over items whose run died with its instance.
   */
  readonly cause: 'schedule' | 'misfire' | 'catch-up' | 'trigger' | 'failover';
  /** The scheduled instant in milliseconds since 1970; `undefined` for a manual one, and if each item has its own. */
  readonly instant: number | undefined;
  /** The items to look at. Default: all of this instance's. */
  readonly items?: readonly number[];
}

/** An item that this instance has begun to run, and nobody else does. */
export interface BegunItem {
  readonly item: number;
  /** The scheduled instant it is run for, in milliseconds since 1970; `undefined` if it is run by hand, or nobody knows. */
  readonly instant: number | undefined;
  /** See `ShardingContext.fencingToken`. */
  readonly fencingToken: number;
}
