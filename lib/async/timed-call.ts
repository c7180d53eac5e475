import { type Clock } from '../time/clock.js';
import { withAnySignal } from './any-signal.js';
import { abortable } from './wait.js';

/** Limits of a call of user code. */
export interface TimedCall {
  readonly clock: Clock;
  /** Ends the waiting when it aborts. */
  readonly signal: AbortSignal;
  readonly limitMs: number;
  /** Returns the error with which the call rejects when the time is up. */
  readonly error: () => Error;
}

/**
 * Calls user code, and settles as it does, but no later than its time is up or the signal aborts. The code is given a
 * signal that aborts then; if it does not react, it is left behind.
 */
export async function timedCall<T>(
  call: (signal: AbortSignal) => T | Promise<T>,
  { clock, signal, limitMs, error }: TimedCall,
): Promise<T> {
  const overdue = new AbortController();
  const cancel = clock.after(limitMs, () => overdue.abort(error()));
  try {
    return await withAnySignal([signal, overdue.signal], (either) =>
      abortable(
        Promise.resolve().then(() => call(either)),
        either,
      ),
    );
  } finally {
    cancel();
  }
}
