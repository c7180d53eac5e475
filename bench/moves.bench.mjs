// The cost of an instance that joins, and leaves again: one job of 100 items, on 2, 5, 10 and 20 instances, the one
// that joins included, with Java's AVG_ALLOCATION and with STICKY. Requests of all instances (counted by a proxy, pings
// not), the events that the server sends them, and the items that change their owner. The instance that comes and goes
// sorts in the middle of the others, and its session is there before it joins. All instances have a session of their
// own, and live in this process.
//   npm run bench -- moves
//   npm run bench -- moves --items 1000 --instances 2,10 --rounds 1
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ZookeeperRegistryCenter } from 'nestjs-elasticjob/registry';
import { Instance, JOB_NAME } from './moves/instance.mjs';
import { machine, median, number, table, zooKeeperVersion } from './support/report.mjs';
import { packetsOf, startZooKeeper } from './support/zookeeper.mjs';

const { TcpProxy } = await import('../test/support/tcp-proxy.ts');

const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '100' },
    instances: { type: 'string', default: '2,5,10,20' },
    rounds: { type: 'string', default: '3' },
  },
  strict: false,
});
const ITEMS = Number(values.items);
const COUNTS = values.instances.split(',').map(Number);
const STRATEGIES = ['AVG_ALLOCATION', 'STICKY'];
const DEADLINE_MS = 30_000;
/** A join or a leave is over when nothing has been sent for this many milliseconds. */
const QUIET_MS = 400;
/** The packets that asking for the server's counts adds to those sent, less those received: 1 or 2. */
const ASKING = 1;

const server = await startZooKeeper();
const proxy = await TcpProxy.start(server.port);
const rows = [];
try {
  for (const strategy of STRATEGIES) rows.push(...(await measured(strategy)));
  // Both strategies for the same number of instances beside one another.
  rows.sort((one, other) => one.instances - other.instances);
  report();
  console.log(
    `\n${machine(await zooKeeperVersion(server))}; ${ITEMS} items; median of ${values.rounds} joins and leaves`,
  );
} finally {
  await proxy.close();
  await server.dispose();
}

/** Grows one cluster; at each count that is wanted, one instance joins and leaves a few times. */
async function measured(strategy) {
  const namespace = `moves-${strategy}`;
  const reader = new ZookeeperRegistryCenter({ serverLists: server.address, namespace });
  reader.connect();
  const settings = {
    serverLists: proxy.address,
    namespace,
    jobShardingStrategyType: strategy,
    shardingTotalCount: ITEMS,
  };
  const [members, results] = [[], []];
  try {
    for (const count of COUNTS) {
      while (members.length < count - 1) {
        members.push(await Instance.connected({ ...settings, number: members.length * 10 }));
        await members.at(-1).join();
      }
      const moves = [];
      for (let round = 0; round < Number(values.rounds); round++) {
        const newcomer = await Instance.connected({ ...settings, number: Math.floor(count / 2) * 10 - 5 });
        const ids = members.map(({ id }) => id);
        await untilAssigned(reader, ids);
        const join = await costOf(reader, [...ids, newcomer.id], () => newcomer.join());
        const leave = await costOf(reader, ids, () => newcomer.leave());
        moves.push({ join, leave });
        await newcomer.close();
      }
      for (const what of ['join', 'leave']) results.push({ instances: count, strategy, what, ...middle(moves, what) });
    }
    return results;
  } finally {
    await Promise.all(members.map((member) => member.leave()));
    await Promise.all(members.map((member) => member.close()));
    await reader.close();
  }
}

function middle(moves, what) {
  const keys = ['moved', 'requests', 'events', 'ms'];
  return Object.fromEntries(keys.map((key) => [key, median(moves.map((each) => each[what][key]))]));
}

/** The requests, events and moves until each of these instances owns items and nothing is sent any more. */
async function costOf(reader, ids, change) {
  const before = { owners: await ownersIn(reader), packets: await packetsOf(server) };
  proxy.resetRequests();
  const began = performance.now();
  await change();
  const { owners, assignedAt } = await untilAssigned(reader, ids);
  const { sent, received } = await packetsOf(server);
  return {
    moved: owners.filter((owner, item) => owner !== before.owners[item]).length,
    requests: proxy.count(),
    // Each request, the reader's included, is answered by one packet; all else are events, and what asking for the
    // count takes.
    events: sent - before.packets.sent - (received - before.packets.received) - ASKING,
    ms: assignedAt - began,
  };
}

async function untilAssigned(reader, ids) {
  const deadline = performance.now() + DEADLINE_MS;
  const wanted = [...ids].sort().join();
  let [assignedAt, quietSince, seen] = [undefined, performance.now(), -1];
  for (;;) {
    const owners = await ownersIn(reader);
    const now = performance.now();
    if ([...new Set(owners)].sort().join() === wanted) assignedAt ??= now;
    const requests = proxy.count();
    if (requests !== seen) [seen, quietSince] = [requests, now];
    if (assignedAt !== undefined && now - quietSince >= QUIET_MS) return { owners, assignedAt };
    if (now > deadline)
      throw new Error(`The items were not spread over ${ids.length} instances within ${DEADLINE_MS} ms`);
    await sleep(20);
  }
}

async function ownersIn(reader) {
  const nodes = await reader.getAll(
    Array.from({ length: ITEMS }, (_, item) => `/${JOB_NAME}/sharding/${item}/instance`),
  );
  return nodes.map((node) => node?.value);
}

function report() {
  const columns = ['instances', '', 'strategy', 'items moved', 'requests', 'events', 'ms until assigned'];
  const cells = rows.map(({ instances, what, strategy, moved, requests, events, ms }) => [
    ...[what === 'join' ? `${instances - 1} → ${instances}` : `${instances} → ${instances - 1}`, what, strategy],
    ...[moved, requests, events, ms].map((each) => number(each, 0)),
  ]);
  console.log(table(columns, cells));
}
