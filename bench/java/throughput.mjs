// Items run per second by one instance: firings of a hundred items that do nothing, one firing after the other.
import { median } from './results.mjs';
import { inTurn } from './times.mjs';

const ITEMS = 100;
const FIRINGS_A_ROUND = 8;
const WARM_UP_ROUNDS = 4;
const MODES = { unmonitored: false, monitored: true };

export async function throughput({ sides, instances, results, rounds }) {
  const members = new Map();
  for (const side of sides) {
    const member = await instances.start(side, { namespace: `throughput-${side}` });
    members.set(side, member);
    for (const [jobName, monitorExecution] of Object.entries(MODES)) {
      const job = { jobName, shardingTotalCount: ITEMS, monitorExecution, jobListenerTypes: ['EACH_INSTANCE'] };
      await member.ask('start', job);
    }
  }
  for (const mode of Object.keys(MODES)) {
    for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
      for (const side of inTurn(sides, round + WARM_UP_ROUNDS)) {
        const durations = await members.get(side).ask('fire', mode, FIRINGS_A_ROUND);
        if (round < 0) continue;
        const ms = median(durations);
        results.add(`firing of ${ITEMS} items, ${mode}`, side, [ms]);
        const rate = { unit: 'items/s', better: 'more' };
        results.add(`items run a second, ${mode}`, side, [(ITEMS / ms) * 1_000], rate);
      }
    }
  }
  for (const member of members.values()) await member.kill();
}
