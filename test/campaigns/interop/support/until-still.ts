import { isDeepStrictEqual } from 'node:util';
import { until } from '../../../support/until.js';

/** Longer than anything takes that an instance does by itself. */
const STILL_MS = 1_500;

/** The result of `look` after it has been the same for a while. @throws if it has not been within 30 s */
export async function untilStill<T>(look: () => Promise<T>): Promise<T> {
  let now = await look();
  let since = performance.now();
  const isStill = async (): Promise<boolean> => {
    const next = await look();
    if (!isDeepStrictEqual(next, now)) since = performance.now();
    now = next;
    return performance.now() - since > STILL_MS;
  };
  await until(isStill, 'nothing to move any more', 30_000);
  return now;
}
