// Builds the Java peers of this folder, for all who start some: the tests here and bench/java.bench.mjs.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../.config/prepare.mjs';

const HELP = `This needs a JDK (17 or later) and Maven (3.6 or later), beside ZooKeeper.
On Debian or Ubuntu: sudo apt-get install -y --no-install-recommends default-jdk-headless maven`;

const VERSIONS = ['3.0.4', '3.0.5'];
const NOT_PUBLISHED = `Maven Central has nothing newer than 3.0.4. To test with 3.0.5, unpack its source release and, in its folder, run
mvn install -DskipTests -pl bootstrap,lifecycle,ecosystem/tracing/rdb -am`;

/**
 * The versions that `--java 3.0.5,3.0.4` among these arguments asks for, which is taken out of them. Default: 3.0.4.
 */
export function takeVersions(args) {
  const at = args.indexOf('--java');
  if (at < 0) return ['3.0.4'];
  const versions = (args.splice(at, 2)[1] ?? '').split(',');
  const unknown = versions.filter((each) => !VERSIONS.includes(each));
  if (unknown.length === 0) return versions;
  throw new Error(
    `--java must be one or more of ${VERSIONS.join(', ')}, with commas between, got '${versions.join()}'`,
  );
}

/** The parts that a run with these versions leaves out, and how to include them; `undefined` if there are none. */
export function leftOutWith(versions) {
  const missing = VERSIONS.filter((each) => !versions.includes(each));
  if (missing.length === 0) return undefined;
  const what = `all tests with ElasticJob ${missing.join(' and ')}, and those of an upgrade from 3.0.4 to 3.0.5`;
  return `Left out: ${what}. They run with --java ${VERSIONS.join()}.`;
}

/**
 * Builds a peer of each of these versions of ElasticJob.
 * @throws if a JDK or Maven is missing, saying what to install, or if a build fails, with what Maven printed
 */
export function buildJavaPeers(versions) {
  for (const program of ['java', 'javac', 'mvn']) {
    if (spawnSync(program, ['-version']).error) throw new Error(`${program} was not found. ${HELP}`);
  }
  for (const version of versions) build(version);
}

/** Maven's output is shown only if it fails. */
function build(version) {
  const folder = join(root, 'test/campaigns/interop/java-peer');
  const args = ['-q', '--batch-mode', 'package', `-P${version}`];
  // Fetched artifacts are not looked for again, unless other dependencies were named since.
  const classPath = join(folder, 'target', version, 'class-path');
  const isFetched = existsSync(classPath) && statSync(classPath).mtimeMs > statSync(join(folder, 'pom.xml')).mtimeMs;
  const offline = isFetched ? ['--offline'] : [];
  const { status, stdout, stderr } = spawnSync('mvn', [...offline, ...args], { cwd: folder, encoding: 'utf8' });
  if (status === 0) return;
  const hint = /Could not (find|resolve)|resolve dependencies/.test(stdout + stderr) ? `${NOT_PUBLISHED}\n` : '';
  throw new Error(
    `The Java peer could not be built for ElasticJob ${version}: mvn ${args.join(' ')}\n${hint}${stdout}${stderr}`,
  );
}
