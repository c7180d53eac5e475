// The three servers of registry centres, as one: each with its own folder, syncing to disk before it confirms, as in
// production. Each can say what it has been asked, what it has committed and pushed, and the processor's time that it
// has used.
import '../../.config/typescript.mjs';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { startPostgresProxy } from './postgres-proxy.mjs';
import { cpuMsOf } from './redis-server.mjs';
import { packetsOf, startZooKeeper } from './zookeeper.mjs';

const { default: pg } = await import('pg');
const { DatabaseServer } = await import('../../test/databases/support/servers.ts');
const { EtcdServer } = await import('../../test/support/etcd-server.ts');

/** Statements of the benchmark itself, which it does not count. */
const OWN = '/* bench */';

/** How each kind is started. */
export const SERVERS = { ZooKeeper: zooKeeper, PostgreSQL: postgresql, etcd };

/**
 * Each has `address`, for `openRegistryCenter`; `counts()`: requests, commits and pushes so far; `cpuMs()`; `version`,
 * such as `etcd 3.4.23`; and `dispose()`.
 */
async function zooKeeper() {
  const server = await startZooKeeper();
  const pid = pidOf('java', server.directory);
  return {
    address: server.address,
    async counts() {
      const { sent, received } = await packetsOf(server);
      const zxid = parseInt(/Zxid: 0x([0-9a-f]+)/.exec(await server.ask('srvr'))[1], 16);
      // Each request is answered by one packet; all else are events.
      return { requests: received, commits: zxid, pushes: sent - received };
    },
    cpuMs: async () => cpuMsOf(pid),
    version: `ZooKeeper ${/\d+\.\d+\.\d+/.exec(await server.ask('srvr'))[0]}`,
    dispose: () => server.dispose(),
  };
}

/**
 * `statements()` are those since the last `reset()`: `{ query, calls, ms, writes }`; `direct` is the URL that avoids
 * the proxy.
 */
async function postgresql() {
  const server = await DatabaseServer.start('postgres', [
    'shared_preload_libraries=pg_stat_statements',
    'pg_stat_statements.track=top',
    'max_connections=200',
  ]);
  const urlOf = (port) => `postgres://postgres@127.0.0.1:${port}/postgres`;
  const proxy = await startPostgresProxy(server.port);
  const client = new pg.Client({ connectionString: urlOf(server.port) });
  await client.connect();
  const ask = async (text, values) => (await client.query(`${OWN} ${text}`, values)).rows;
  await ask('CREATE EXTENSION pg_stat_statements');
  const statements = () =>
    ask(`SELECT query, calls::int, total_exec_time AS ms, wal_records > 0 AS writes
      FROM pg_stat_statements WHERE query NOT LIKE '${OWN}%' ORDER BY calls DESC`);
  return {
    address: urlOf(proxy.port),
    direct: urlOf(server.port),
    ask,
    statements,
    reset: () => ask('SELECT pg_stat_statements_reset()'),
    async counts() {
      const writing = (await statements()).filter(({ writes }) => writes);
      const commits = writing.reduce((sum, { calls }) => sum + calls, 0);
      return { requests: proxy.counts.roundTrips, commits, pushes: proxy.counts.notifications };
    },
    cpuMs: async () => cpuMsOfAll(server.address.pid),
    version: `PostgreSQL ${(await ask('SHOW server_version'))[0].server_version.split(' ')[0]}`,
    async dispose() {
      await client.end();
      await proxy.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function etcd() {
  const args = ['--unsafe-no-fsync=false', '--heartbeat-interval=100', '--election-timeout=1000'];
  const server = await EtcdServer.start({ args });
  const metrics = async (...names) => {
    const text = await (await fetch(`http://${server.address}/metrics`)).text();
    const lines = text.split('\n').filter((line) => names.some((name) => line.startsWith(name)));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  return {
    address: server.address,
    counts: async () => ({
      requests: await metrics('grpc_server_msg_received_total'),
      commits: await metrics('etcd_server_proposals_committed_total'),
      pushes: await metrics('grpc_server_msg_sent_total{grpc_method="Watch"'),
    }),
    cpuMs: async () => (await metrics('process_cpu_seconds_total')) * 1_000,
    version: `etcd ${/Version: ([\d.]+)/.exec(execFileSync(process.env.ETCD ?? 'etcd', ['--version'], { encoding: 'utf8' }))[1]}`,
    dispose: () => server.dispose(),
  };
}

/** The process with this name, and this text among its arguments. */
function pidOf(name, argument) {
  const pids = readdirSync('/proc').filter((each) => /^\d+$/.test(each));
  return pids.find((pid) => {
    try {
      const isNamed = readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name;
      return isNamed && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(argument);
    } catch {
      return false; // It has ended meanwhile.
    }
  });
}

/** The processor's time of a process with its children, those that have ended included, in milliseconds. */
function cpuMsOfAll(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const ended = (Number(fields[13]) + Number(fields[14])) * 10;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + (cpuMsOf(child) ?? 0), cpuMsOf(pid) + ended);
}
