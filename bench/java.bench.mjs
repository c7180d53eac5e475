// Java's ElasticJob and this library side by side, on one ZooKeeper, in one run; README.md describes the measures.
//   npm run bench -- java                        beside 3.0.4, the newest release on Maven Central
//   npm run bench -- java --java 3.0.4,3.0.5     beside these, if their artifacts are to be had
//   npm run bench -- java --rounds 1             a glimpse
//   npm run bench -- java --only crash,memory    these parts
// Needs Linux, a JDK and Maven. Takes less than five minutes for each version of Java's.
import '../.config/typescript.mjs';
import { spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { zooKeeperEnvironment } from '../.config/zookeeper.mjs';
import { buildJavaPeers } from '../test/campaigns/interop/java-peers.mjs';

const { values } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    java: { type: 'string', default: '3.0.4' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: 'requests,throughput,reshard,crash,memory' },
  },
});
const versions = values.java.split(',');

try {
  buildJavaPeers(versions);
  Object.assign(process.env, zooKeeperEnvironment(), { INTEROP_JAVA: versions.join() });
  await run();
} catch (error) {
  // Other benchmarks do not depend on this one.
  console.error(error);
  process.exitCode = 1;
}

async function run() {
  const began = performance.now();
  const { ZooKeeperServer } = await import('../test/support/zookeeper-server.ts');
  const { Instances, JVM, NODE } = await import('./java/instances.mjs');
  const { Reader } = await import('./java/reader.mjs');
  const { Results } = await import('./java/results.mjs');
  const results = new Results();
  const notes = [];
  const server = await ZooKeeperServer.start({ configuration: ['tickTime=2000', 'minSessionTimeout=4000'] });
  const instances = new Instances(server.address);
  let reader, zooKeeper;
  try {
    reader = await Reader.open(server);
    const rounds = Number(values.rounds);
    const context = { sides: [...versions, NODE], instances, results, rounds, reader, say: (note) => notes.push(note) };
    zooKeeper = version(await server.ask('srvr'));
    for (const part of values.only.split(',')) {
      const partBegan = performance.now();
      await (await import(`./java/${part}.mjs`))[part](context);
      console.error(`${part}: ${seconds(partBegan)}`);
    }
  } finally {
    await instances.close();
    await reader?.close();
    await server.dispose();
  }
  console.log(
    `Node ${process.versions.node}; ElasticJob ${versions.join(' and ')} on Java ${version(spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr)} with ${JVM.join(' ')}; ` +
      `ZooKeeper ${zooKeeper}; ${cpus().length} × ${cpus()[0].model}, ${Math.round(totalmem() / 2 ** 30)} GiB; ` +
      `${new Date().toISOString().slice(0, 10)}; ${seconds(began)}\n`,
  );
  console.log(results.table(versions));
  if (notes.length > 0) console.log(`\n${notes.join('\n')}`);
}

function seconds(since) {
  return `${((performance.now() - since) / 1_000).toFixed(0)} s`;
}

function version(text) {
  return /\d+\.\d+\.\d+/.exec(text)?.[0];
}
