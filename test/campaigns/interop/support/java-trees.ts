/**
 * The nodes of `test/unit/layout/fixtures/java-3.0.5-trees.json`, left again by real instances of Java:
 *
 * - `J1` registers all jobs but `mixed`, and runs the one-off job once.
 * - `J2` runs `mixed`. While it runs all items, an instance that is not Java's joins. Java leaves that instance items 2
 *   and 3, with the marks of a firing that they missed, and runs items 0 and 1 again. In this run `J2` freezes.
 * - The instance that is not Java's then writes what this story does not come to: an item that is disabled, one that is
 *   misfired while it runs, one that waits for a takeover, and a record of its own.
 *
 * What differs from run to run is left out (see CHANCE) or replaced: process numbers and sessions by fixed ones, and
 * the number of a node's last change among all changes on the server by that among the changes that are still to be
 * seen.
 */
import { type StoredNode } from '../../../unit/layout/fixtures.js';
import { until } from '../../../support/until.js';
import { ZooKeeperServer } from '../../../support/zookeeper-server.js';
import { MixedCluster } from './mixed-cluster.js';
import { type JobSettings, type Peer } from './peer.js';
import { type JavaNode } from './portrait.js';
import { type Side, startJob } from './sides.js';
import { TreeReader } from './tree.js';
import { untilStill } from './until-still.js';

/** Nodes by their paths below the namespace. */
export type StoredNodes = Readonly<Record<string, StoredNode>>;

const NAMESPACE = 'trees';
const JAVA_IP = '192.0.2.2';

/** The processes of `J1` and `J2` on record. */
const PROCESSES = ['24903', '25530'];

/** The sessions on record, in the order of their starts: of `J1`, of the instance that is not Java's, of `J2`. */
const SESSIONS = ['1000026f0750001', '1000026f0750002', '1000026f0750003'];

/** The instance that is not Java's. */
const OTHER = { ip: '10.0.0.9', id: '10.0.0.9@-@4711-k3j9x2ab' };

/**
 * Java leads this job for a moment, before it takes in that its server is disabled; whether it asks for a sharding is
 * chance.
 */
const CHANCE = /^\/trees\/disabledJob\/leader\/sharding/;

/** Longer than Java's period between two firings of `mixed`, so that the next firing is missed. */
const RUN_MS = 3_000;

/** The nodes that Java leaves of these jobs, one of which is `mixed` and one `oneOffJob`. */
export async function javaTreesOf(side: Side, configurations: readonly JobSettings[]): Promise<StoredNodes> {
  const mixed = configurations.find(({ jobName }) => jobName === 'mixed')!;
  // Containers that are empty stay, so that what is left does not depend on when the server looks.
  await using server = await ZooKeeperServer.start({
    systemProperties: { 'znode.container.checkIntervalMs': '3600000' },
  });
  await using cluster = await MixedCluster.open(server.address, NAMESPACE, { job: mixed, sessionMs: 20_000 });
  const start = (name: string): Promise<Peer> =>
    cluster.start(name, { ip: JAVA_IP, job: false, version: side.version });
  const first = await start('J1');
  const look = async (): Promise<readonly JavaNode[]> =>
    (await first.process.ask('tree', `/${NAMESPACE}`)) as JavaNode[];
  for (const settings of configurations) {
    if (settings === mixed) continue;
    await startJob(first, side, settings);
    if (settings.disabled === true) continue;
    const request = `/${settings.jobName}/leader/sharding/necessary`;
    // Java's listeners make it after Java has registered the job.
    await until(async () => (await cluster.reader.value(request)) !== undefined, `Java to make ${request}`);
  }
  await untilStill(look);
  await first.in('oneOffJob').execute();
  await untilStill(look);

  await using other = await TreeReader.open(server.address, NAMESPACE);
  const second = await start('J2');
  await second.last(RUN_MS);
  await startJob(second, side, mixed);
  await untilShared(cluster, other);
  second.freeze();
  await addMarks(other);
  return onRecord(await look(), [first, second]);
}

/** Waits until Java runs items 0 and 1 for the firing that it missed when the other instance had joined. */
async function untilShared(cluster: MixedCluster, other: TreeReader): Promise<void> {
  const items = async (node: string): Promise<string> =>
    (await cluster.nodes(/^sharding\/\d\/\w/))
      .filter(({ path, value }) => path.endsWith(`/${node}`) && value !== OTHER.id)
      .map(({ path }) => path.split('/')[1])
      .join();
  await until(async () => (await items('running')) === '0,1,2,3', 'Java to run all items', 15_000);
  await other.write(`/mixed/servers/${OTHER.ip}`, 'ENABLED');
  await other.register(`/mixed/instances/${OTHER.id}`, `jobInstanceId: ${OTHER.id}\nserverIp: ${OTHER.ip}\n`);

  const isSo = async (): Promise<boolean> =>
    (await items('instance')) === '0,1' && (await items('misfire')) === '2,3' && (await items('running')) === '0,1';
  await until(isSo, 'Java to run its two items for the missed firing', 30_000);
}

async function addMarks(other: TreeReader): Promise<void> {
  const job = ['sharding/3/disabled', 'sharding/0/misfire', 'leader/failover', 'leader/failover/items'];
  for (const path of [...job, 'leader/failover/items/1', 'x-node', 'x-node/fired'])
    await other.write(`/mixed/${path}`, '');
  await other.write(`/mixed/x-node/fired/${OTHER.id}`, '1767225600000: 0-1');
}

/** Nodes as they are on record, in the order of their paths. */
function onRecord(found: readonly JavaNode[], java: readonly Peer[]): StoredNodes {
  const nodes = found.slice(1).filter(({ path }) => !CHANCE.test(path));
  const changes = ranked(nodes.map(({ change }) => BigInt(change)));
  const sessions = ranked(nodes.flatMap(({ kind, session }) => (kind === 'ephemeral' ? [BigInt(`0x${session}`)] : [])));
  const named = (text: string): string =>
    java.reduce((result, { process }, index) => result.replace(`@-@${process.pid}`, `@-@${PROCESSES[index]}`), text);
  const entries = nodes.map(({ path, kind, value, session, version, change }): [string, StoredNode] => [
    named(path.slice(NAMESPACE.length + 1)),
    {
      data: named(value ?? ''),
      ...(kind === 'ephemeral'
        ? { lifetime: 'session', session: SESSIONS[sessions.indexOf(BigInt(`0x${session}`))]! }
        : { lifetime: 'persistent' }),
      version: Number(version),
      revision: changes.indexOf(BigInt(change)) + 1,
    },
  ]);
  return Object.fromEntries(entries.sort(([one], [two]) => (one < two ? -1 : 1)));
}

/** The numbers, each once, in ascending order. */
function ranked(numbers: readonly bigint[]): readonly bigint[] {
  return [...new Set(numbers)].sort((one, two) => (one < two ? -1 : 1));
}
