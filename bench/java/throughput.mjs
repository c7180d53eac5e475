// Items run per second by one instance: firings of a hundred items that do nothing, one firing after the other.
import { median } from './results.mjs';
import { inTurn } from './times.mjs';

const ITEMS = 100;
const FIRINGS_A_ROUND = 8;
const WARM_UP_ROUNDS = 4;
const COMPUTING_ITEMS = 16;
const COMPUTING_MS = 10;
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
    const job = { jobName: 'computing', shardingTotalCount: COMPUTING_ITEMS, monitorExecution: false };
    await member.ask('start', { ...job, jobListenerTypes: ['EACH_INSTANCE'] });
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
  await computing({ sides, members, results, rounds });
  for (const member of members.values()) await member.kill();
}

/** Java runs items on all processors, Node on one. */
async function computing({ sides, members, results, rounds }) {
  for (const side of sides) await members.get(side).ask('compute', COMPUTING_MS);
  for (let round = -1; round < rounds; round++) {
    for (const side of inTurn(sides, round + 1)) {
      const durations = await members.get(side).ask('fire', 'computing', FIRINGS_A_ROUND);
      const title = `firing of ${COMPUTING_ITEMS} items that compute for ${COMPUTING_MS} ms each`;
      if (round >= 0) results.add(title, side, [median(durations)]);
    }
  }
}
