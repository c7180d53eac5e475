// The registry centres beside one another, each server with its stock settings and syncing to disk; and, for runs a
// second, pg-boss and graphile-worker on the same PostgreSQL. The parts:
//   firing      5 items on two instances: round trips, commits and pushes a firing, the processor's time of a run
//   throughput  runs a second of 1,000 monitored items that do nothing in one process, beside the queues
//   idle        1,000 jobs that do not fire: requests a minute, the processor's time of process and server
//   takeover    from SIGKILL of an instance until a peer has begun its item again (session 4 s)
//   join        a second instance joins a job of 1,000 items, and leaves
//   npm run bench -- registries
//   npm run bench -- registries --part throughput,idle --rounds 1
//   npm run bench -- registries --only PostgreSQL
import { parseArgs } from 'node:util';
import { installPeers, versionOf } from './support/peers.mjs';
import { SERVERS } from './support/registry-servers.mjs';
import { machine } from './support/report.mjs';

const PARTS = ['firing', 'throughput', 'idle', 'takeover', 'join'];
const { values } = parseArgs({
  options: {
    part: { type: 'string', default: PARTS.join() },
    only: { type: 'string', default: Object.keys(SERVERS).join() },
    rounds: { type: 'string', default: '3' },
  },
  strict: false,
});

try {
  await run();
} catch (error) {
  // Other benchmarks do not depend on this one.
  console.error(error);
  process.exitCode = 1;
}

async function run() {
  const servers = {};
  const parts = values.part.split(',');
  if (parts.includes('throughput')) installPeers();
  try {
    for (const kind of values.only.split(',')) servers[kind] = await SERVERS[kind]();
    for (const name of parts) {
      const { measure } = await import(`./registries/${name}.mjs`);
      console.log(`\n${await measure(servers, { rounds: Number(values.rounds) })}`);
    }
    const versions = Object.values(servers).map(({ version }) => version);
    const peers = parts.includes('throughput') ? ['pg-boss', 'graphile-worker'].map(versionOf) : [];
    console.log(`\n${machine(...versions, ...peers)}; median of ${values.rounds} rounds`);
  } finally {
    for (const server of Object.values(servers)) await server.dispose();
  }
}
