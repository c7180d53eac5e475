/**
 * `npm run test:interop`: builds the Java peers, starts ZooKeeper, and runs the tests of this folder.
 *
 *   npm run test:interop                             with ElasticJob 3.0.4, the newest release on Maven Central
 *   npm run test:interop -- --java 3.0.5,3.0.4       with these, if their artifacts are to be had; the first is the usual one
 *   npm run test:interop -- test/interop/trees       arguments are Jest's own
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare, root } from '../../.config/prepare.mjs';
import { provideZooKeeper } from '../../.config/zookeeper.mjs';
import { buildJavaPeers, leftOutWith, takeVersions } from './java-peers.mjs';

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function run(args) {
  const versions = takeVersions(args);
  buildJavaPeers(versions);
  prepare();
  const zookeeper = await provideZooKeeper();
  try {
    console.log(`Node ${process.versions.node}, ElasticJob ${versions.join(' and ')}, ${zookeeper.description}`);
    const code = jest(args, { ...process.env, ...zookeeper.env, INTEROP_JAVA: versions.join() });
    const leftOut = leftOutWith(versions);
    if (leftOut !== undefined) console.log(leftOut);
    return code;
  } finally {
    await zookeeper.stop();
  }
}

function jest(args, env) {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = [join(root, 'node_modules/jest/bin/jest.js'), '-c', join(root, '.config/jest.interop.config.mjs')];
  const { status } = spawnSync(process.execPath, [...flags, ...jest, ...args], { cwd: root, env, stdio: 'inherit' });
  return status ?? 1;
}
