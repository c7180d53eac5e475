/** How long to wait between attempts. */
export interface BackoffOptions {
  /** First delay in milliseconds. */
  readonly baseMs: number;
  /** Longest delay in milliseconds. */
  readonly maxMs: number;
  /** Source of chance, 0 ≤ x < 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * Delay before the attempt after `failures` failed ones (1 or more): exponential with full jitter, as Curator's
 * ExponentialBackoffRetry computes it: base × max(1, random integer below 2^failures), at most `maxMs`.
 */
export function backoffMs(failures: number, { baseMs, maxMs, random = Math.random }: BackoffOptions): number {
  const spread = 2 ** Math.min(failures, 30);
  return Math.min(maxMs, baseMs * Math.max(1, Math.floor(random() * spread)));
}
