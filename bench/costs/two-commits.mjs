// The least that a monitored firing of a job needs on ZooKeeper, made by the library's own client: a commit that checks
// the assignment and the settings, creates the items' marks and writes the begin record, and one that removes the
// marks. Names and contents are as long as the library's.
import { Buffer } from 'node:buffer';

const { ZooKeeperClient } = await import('../../dist/modules/registry/zookeeper/client/zookeeper-client.js');
const { systemClock } = await import('../../dist/modules/time/clock.js');

const ME = Buffer.from('192.168.100.100@-@12345-k3j9x2ab');

/** A connected client with so many jobs of so many items; `fire()` makes both commits of each job. */
export async function bareClient({ zooKeeper, namespace, jobs, items }) {
  const [host, port] = zooKeeper.split(':');
  const timeouts = { sessionTimeoutMs: 60_000, connectionTimeoutMs: 15_000 };
  const connection = { servers: [{ host, port: Number(port) }], chroot: '', digest: undefined, ...timeouts };
  const client = new ZooKeeperClient(connection, { clock: systemClock });
  await new Promise((resolve) => {
    client.onState = ({ phase }) => phase === 'connected' && resolve();
    client.connect();
  });
  await client.create(`/${namespace}`, Buffer.of(), 'persistent');
  const all = await Promise.all(Array.from({ length: jobs }, (_, number) => made(`/${namespace}/job-${number}`)));
  let [runs, firings] = [0, 0];

  async function made(job) {
    const create = (path) => ({ type: 'create', path, data: Buffer.of(), mode: 'persistent' });
    const record = `${job}/x-node/fired/${ME}`;
    const folders = [job, `${job}/config`, `${job}/sharding`, `${job}/x-node`, `${job}/x-node/fired`, record];
    const nodes = Array.from({ length: items }, (_, item) => `${job}/sharding/${item}`);
    await client.multi([...folders, ...nodes].map(create));
    return { job, record, marks: nodes.map((path) => `${path}/running`) };
  }

  async function fireJob({ job, record, marks }) {
    const begun = Buffer.from(`${Date.now()}: 0-${items - 1}`);
    await client.multi([
      { type: 'check', path: `${job}/sharding`, version: 0 },
      { type: 'check', path: `${job}/config`, version: 0 },
      ...marks.map((path) => ({ type: 'create', path, data: ME, mode: 'ephemeral' })),
      { type: 'setData', path: record, data: begun, version: firings },
    ]);
    runs += marks.length;
    await client.multi(marks.map((path) => ({ type: 'delete', path, version: -1 })));
  }

  return {
    get runs() {
      return runs;
    },
    async fire() {
      await Promise.all(all.map(fireJob));
      firings++;
    },
    close: () => client.close(),
  };
}
