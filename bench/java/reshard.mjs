// A second instance joins one that owns a thousand items. Node's leader assigns items when an instance joins, Java's at
// the beginning of the next firing; so Java's job is triggered as soon as the newcomer has registered, Node's when the
// items are assigned.
import { until } from '../../test/support/until.ts';
import { NODE } from './instances.mjs';
import { inTurn } from './times.mjs';

const ITEMS = 1_000;
/** Java takes many seconds for each. */
const MOST_ROUNDS = 3;

export async function reshard({ sides, instances, results, rounds, reader }) {
  const pairs = new Map();
  for (const side of sides) {
    const options = { namespace: `reshard-${side}`, log: true };
    pairs.set(side, [await instances.start(side, options), await instances.start(side, options)]);
  }
  // The first round warms up.
  for (let round = -1; round < Math.min(rounds, MOST_ROUNDS); round++) {
    for (const side of inTurn(sides, round + 1)) {
      const times = await join({
        side,
        members: pairs.get(side),
        job: { jobName: `join-${round}`, shardingTotalCount: round < 0 ? ITEMS / 10 : ITEMS },
        reader,
      });
      if (round < 0) continue;
      for (const [measure, ms] of Object.entries(times)) results.add(`join → ${measure}, 1,000 items`, side, [ms]);
    }
  }
  for (const members of pairs.values()) for (const member of members) await member.kill();
}

async function join({ side, members: [owner, newcomer], job, reader }) {
  const { jobName, shardingTotalCount: items } = job;
  const root = `/reshard-${side}/${jobName}`;
  await owner.ask('start', job);
  await owner.ask('execute', jobName);
  const haveEnded = () => owner.runsOf(jobName).filter(({ hasEnded }) => hasEnded).length === items;
  await until(haveEnded, `${side} to run ${items} items`, 60_000);
  await until(async () => !(await reader.holds(`${root}/sharding/${items - 1}/running`)), 'its marks to go', 30_000);

  const began = Date.now();
  await newcomer.ask('start', job);
  const registered = Date.now() - began;
  if (side !== NODE) await newcomer.ask('execute', jobName);
  // The average strategy gives a newcomer the first or the last items.
  const isAssigned = async () => {
    const owners = await Promise.all([0, items - 1].map((item) => reader.value(`${root}/sharding/${item}/instance`)));
    return owners.some((each) => each?.startsWith(newcomer.id)) && !owners.includes(undefined);
  };
  await until(isAssigned, `${side} to assign items to a newcomer`, 60_000);
  const assigned = Date.now() - began;
  if (side === NODE) await newcomer.ask('execute', jobName);
  await until(() => newcomer.runsOf(jobName).length > 0, `${side}'s newcomer to run an item`, 60_000);
  const run = Math.min(...newcomer.runsOf(jobName).map(({ startedAt }) => startedAt)) - began;
  await until(() => newcomer.runsOf(jobName).length === items / 2, `${side}'s newcomer to run its half`, 60_000);
  for (const member of [newcomer, owner]) await member.ask('stop', jobName);
  return { registered, assigned, 'first item run by the newcomer': run };
}
