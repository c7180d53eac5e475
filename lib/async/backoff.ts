/** The delays between attempts. */
export interface BackoffOptions {
  /** Shortest delay in milliseconds. */
  readonly baseMs: number;
  /** Longest delay in milliseconds. */
  readonly maxMs: number;
  /** Returns random numbers x with 0 ≤ x < 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * The delay in milliseconds before the next attempt, after `failures` failed ones (1 or more). It is exponential with
 * full jitter, as in Curator's ExponentialBackoffRetry: base × max(1, random integer below 2^failures), at most
 * `maxMs`.
 */
export function backoffMs(failures: number, { baseMs, maxMs, random = Math.random }: BackoffOptions): number {
  const spread = 2 ** Math.min(failures, 30);
  return Math.min(maxMs, baseMs * Math.max(1, Math.floor(random() * spread)));
}
