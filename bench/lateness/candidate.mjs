// The process of one candidate: starts its jobs, and reports when they began and their cost.
import { cpuMs, serve } from '../support/children.mjs';
import { CANDIDATES } from './candidates.mjs';

await serve(async ({ candidate, ...settings }) => {
  let began = [];
  const note = () => began.push(Date.now());
  const stop = await CANDIDATES[candidate].start({ ...settings, note });
  return {
    /** The runs that have begun since the last call, and the figures of the process. */
    facts() {
      const facts = { began, cpuMs: cpuMs(), rssMiB: process.memoryUsage().rss / 2 ** 20 };
      began = [];
      return facts;
    },
    stop,
  };
});
