// Requests to the registry centre for one firing: ten items on two instances, counted at a proxy in front of each.
import { TcpProxy } from '../../test/support/tcp-proxy.ts';
import { untilBetweenFirings } from './times.mjs';

/** Long enough that a firing is over before the next one. */
const PERIOD_MS = 2_000;
const FIRINGS = 4;
const ITEMS = 10;
const MOST_ATTEMPTS = 3;
/** The first firings assign the items. */
const SETTLING = 2;
const MODES = {
  unmonitored: { monitorExecution: false, failover: false },
  monitored: { monitorExecution: true, failover: false },
  'monitored, failover on': { monitorExecution: true, failover: true },
};

export async function requests({ sides, instances, results, reader, say }) {
  const pairs = [];
  try {
    // Counts do not depend on the machine's load, so all sides run at once.
    for (const side of sides) pairs.push(await pair(side, instances));
    for (const [mode, settings] of Object.entries(MODES)) {
      const started = await Promise.all(pairs.map((each) => startShared(each, mode, settings, reader)));
      // Attempts of others may have come in between.
      await untilBetweenFirings(1, PERIOD_MS);
      for (const { proxies } of pairs) for (const proxy of proxies) proxy.resetRequests();
      await untilBetweenFirings(FIRINGS, PERIOD_MS);
      for (const { side, proxies } of pairs) {
        for (const [member, proxy] of proxies.entries()) {
          const title = `requests a firing, ${mode}, ${member === 0 ? 'leader' : 'follower'}`;
          results.add(title, side, [proxy.count() / FIRINGS], { unit: 'requests' });
          say(`${title}, ${side}: ${byName(proxy.requests)}`);
        }
      }
      for (const [index, { members }] of pairs.entries())
        for (const member of members) await member.ask('stop', started[index]);
    }
  } finally {
    await Promise.all(pairs.flatMap(({ members }) => members.map((each) => each.kill())));
    await Promise.all(pairs.flatMap(({ proxies }) => proxies.map((each) => each.close())));
  }
}

async function pair(side, instances) {
  const proxies = [await TcpProxy.start(instances.servers), await TcpProxy.start(instances.servers)];
  const namespace = `requests-${side}`;
  const members = await Promise.all(
    proxies.map(({ address }) => instances.start(side, { namespace, servers: address })),
  );
  return { side, proxies, members };
}

/**
 * Starts a job on both, of which the first leads, until each owns half of its items, and returns its name. Java may
 * miss that an instance has joined in the moment of a firing, and leave all items with the other.
 */
async function startShared({ side, members }, mode, settings, reader) {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const jobName = `${mode.replace(/\W+/g, '-')}-${attempt}`;
    const job = { jobName, shardingTotalCount: ITEMS, cron: '0/2 * * * * ?', ...settings };
    await untilBetweenFirings(1, PERIOD_MS);
    for (const member of members) await member.ask('start', job);
    await untilBetweenFirings(SETTLING, PERIOD_MS);
    const paths = Array.from({ length: ITEMS }, (_, item) => `/requests-${side}/${jobName}/sharding/${item}/instance`);
    const owners = await Promise.all(paths.map((path) => reader.value(path)));
    const isShared = members.every(({ id }) => owners.filter((owner) => owner?.startsWith(id)).length === ITEMS / 2);
    if (isShared) return jobName;
    for (const member of members) await member.ask('stop', jobName);
  }
  throw new Error(`${side} did not share the items of a job in ${MOST_ATTEMPTS} attempts`);
}

function byName(counts) {
  return Object.entries(counts)
    .filter(([name]) => name !== 'ping')
    .map(([name, count]) => `${name} ${Number((count / FIRINGS).toFixed(1))}`)
    .join(', ');
}
