// A second instance joins one that owns a thousand items. Java assigns items at the beginning of a firing, Node when the
// instance joins; so the job is triggered as soon as the newcomer has registered, and once more Node alone is watched
// without a trigger.
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
    const members = [await instances.start(side, options), await instances.start(side, options)];
    pairs.set(side, members);
  }
  // The first round warms up.
  for (let round = -1; round < Math.min(rounds, MOST_ROUNDS); round++) {
    const items = round < 0 ? ITEMS / 10 : ITEMS;
    for (const side of inTurn(sides, round + 1)) {
      const tell = (measure, ms) => round >= 0 && results.add(`${measure}, 1,000 items`, side, [ms]);
      await join({
        side,
        members: pairs.get(side),
        jobName: `triggered-${round}`,
        isTriggered: true,
        items,
        reader,
        tell,
      });
    }
    const tell = (_, ms) => round >= 0 && results.add('join → assigned without a firing, 1,000 items', NODE, [ms]);
    await join({
      side: NODE,
      members: pairs.get(NODE),
      jobName: `watched-${round}`,
      isTriggered: false,
      items,
      reader,
      tell,
    });
  }
  for (const members of pairs.values()) for (const member of members) await member.kill();
}

async function join({ side, members: [owner, newcomer], jobName, isTriggered, items, reader, tell }) {
  const root = `/reshard-${side}/${jobName}`;
  const job = { jobName, shardingTotalCount: items };
  await owner.ask('start', job);
  await owner.ask('execute', jobName);
  const haveEnded = () => owner.runsOf(jobName).filter(({ hasEnded }) => hasEnded).length === items;
  await until(haveEnded, `${side} to run ${items} items`, 60_000);
  await until(async () => !(await reader.holds(`${root}/sharding/${items - 1}/running`)), 'its marks to go', 30_000);

  const began = Date.now();
  const registered = newcomer.ask('start', job).then(() => Date.now());
  // Java's own way to fire a one-off job everywhere; Node's is the same.
  const fired = registered.then(() => (isTriggered ? newcomer.ask('execute', jobName) : undefined));
  // The average strategy gives a newcomer the first or the last items.
  const isAssigned = async () => {
    const owners = await Promise.all([0, items - 1].map((item) => reader.value(`${root}/sharding/${item}/instance`)));
    return owners.some((each) => each?.startsWith(newcomer.id)) && !owners.includes(undefined);
  };
  await until(isAssigned, `${side} to assign items to a newcomer`, 60_000);
  tell('join → assigned', Date.now() - began);
  tell('join → registered', (await registered) - began);
  await fired;
  if (isTriggered) {
    await until(() => newcomer.runsOf(jobName).length > 0, `${side}'s newcomer to run an item`, 60_000);
    tell(
      'join → first item run by the newcomer',
      Math.min(...newcomer.runsOf(jobName).map(({ startedAt }) => startedAt)) - began,
    );
    await until(() => newcomer.runsOf(jobName).length === items / 2, `${side}'s newcomer to run its half`, 60_000);
  }
  for (const member of [newcomer, owner]) await member.ask('stop', jobName);
}
