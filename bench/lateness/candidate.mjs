// The process of one candidate: starts its jobs, and tells when they began and what that has cost.
import { cpuMs, serve } from '../support/children.mjs';
import { CANDIDATES } from './candidates.mjs';

await serve(async ({ candidate, ...settings }) => {
  let began = [];
  const note = () => began.push(Date.now());
  const stop = await CANDIDATES[candidate].start({ ...settings, note });
  return {
    /** What has begun since the last time, and the figures of the process. */
    facts() {
      const facts = { began, cpuMs: cpuMs(), rssMiB: process.memoryUsage().rss / 2 ** 20 };
      began = [];
      return facts;
    },
    stop,
  };
});
