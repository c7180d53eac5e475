import { setTimeout } from 'node:timers/promises';

/**
 * Waits for the middle between two firings of a job that fires every `periodMs`, the `times`th from now. From one
 * middle, exactly so many firings pass.
 */
export async function untilBetweenFirings(times, periodMs) {
  const toNext = (1.5 * periodMs - (Date.now() % periodMs)) % periodMs;
  // Timers are inexact: a call after a wait for a middle is still in it.
  const first = toNext < periodMs / 4 ? toNext + periodMs : toNext;
  await setTimeout(first + (times - 1) * periodMs);
}

/** Every side first about as often as any other. */
export function inTurn(sides, round) {
  const at = round % sides.length;
  return [...sides.slice(at), ...sides.slice(0, at)];
}
