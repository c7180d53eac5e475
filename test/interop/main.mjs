/**
 * `npm run test:interop`: builds the Java peers, starts ZooKeeper, and runs the tests of this folder.
 *
 *   npm run test:interop                             with ElasticJob 3.0.4, the newest release on Maven Central
 *   npm run test:interop -- --java 3.0.5,3.0.4       with these, if their artifacts are to be had; the first is the usual one
 *   npm run test:interop -- test/interop/trees       arguments are Jest's own
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from '../../.config/prepare.mjs';
import { provideZooKeeper } from '../../.config/zookeeper.mjs';

const HELP = `These tests need a JDK (17 or later) and Maven (3.6 or later), beside ZooKeeper.
On Debian or Ubuntu: sudo apt-get install -y --no-install-recommends default-jdk-headless maven`;

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function run(args) {
  const at = args.indexOf('--java');
  const versions = at < 0 ? ['3.0.4'] : args.splice(at, 2)[1].split(',');
  for (const program of ['java', 'javac', 'mvn']) {
    if (spawnSync(program, ['-version']).error) throw new Error(`${program} was not found. ${HELP}`);
  }
  prepare();
  for (const version of versions) build(version);
  const zookeeper = await provideZooKeeper();
  try {
    console.log(`Node ${process.versions.node}, ElasticJob ${versions.join(' and ')}, ${zookeeper.description}`);
    return jest(args, { ...process.env, ...zookeeper.env, INTEROP_JAVA: versions.join() });
  } finally {
    await zookeeper.stop();
  }
}

/** Maven's output is shown only if it fails. */
function build(version) {
  const folder = join(root, 'test/interop/java-peer');
  const args = ['-q', '--batch-mode', 'package', `-P${version}`];
  // What has been fetched once is not looked for again.
  const offline = existsSync(join(folder, 'target', version, 'class-path')) ? ['--offline'] : [];
  const { status, stdout, stderr } = spawnSync('mvn', [...offline, ...args], { cwd: folder, encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(
    `The Java peer could not be built for ElasticJob ${version}: mvn ${args.join(' ')}\n${stdout}${stderr}`,
  );
}

function jest(args, env) {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = [join(root, 'node_modules/jest/bin/jest.js'), '-c', join(root, '.config/jest.interop.config.mjs')];
  const { status } = spawnSync(process.execPath, [...flags, ...jest, ...args], { cwd: root, env, stdio: 'inherit' });
  return status ?? 1;
}
