/**
 * A real ZooKeeper for a run of the tests: found on this machine, or installed, and started for the run alone, on a
 * free port of the loopback interface, with a data folder that goes when the run goes.
 *
 * Variables of the environment for tests:
 *   ZOOKEEPER_SERVERS    connect string of the running server; a given one is used unchanged
 *   ZOOKEEPER_CLASSPATH  Java class path of the server, for tests that start servers of their own
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { installPackage } from './packages.mjs';
import { quietly } from './prepare.mjs';

const HELP = `The tests need a real ZooKeeper (3.6 or later). Do one of these:
  - on Debian or Ubuntu:        sudo apt-get install -y --no-install-recommends zookeeper
  - unpacked somewhere, with a Java runtime:  ZOOKEEPER_HOME=/path/to/apache-zookeeper-bin npm test
  - running somewhere already:  ZOOKEEPER_SERVERS=host:2181 npm test`;

const START_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 5_000;

/**
 * Provides ZooKeeper for one run. `env` has the variables for the run; `stop()` ends the server and removes its folder,
 * and may be called twice. Throws, with what to do, if ZooKeeper can be neither found nor installed.
 */
export async function provideZooKeeper() {
  if (process.env.ZOOKEEPER_SERVERS) {
    const installed = findInstallation();
    const env = installed.java && installed.classPath ? javaEnvironment(installed) : {};
    return { env, description: `ZooKeeper given as ${process.env.ZOOKEEPER_SERVERS}`, stop: async () => {} };
  }
  const installation = findOrInstall();
  const server = await start(installation);
  return { ...server, env: { ...javaEnvironment(installation), ZOOKEEPER_SERVERS: server.address } };
}

/** The variables for programs that start servers of their own. Installs ZooKeeper if there is none. */
export function zooKeeperEnvironment() {
  return javaEnvironment(findOrInstall());
}

function javaEnvironment({ java, classPath }) {
  const path = java === 'java' ? process.env.PATH : [dirname(java), process.env.PATH].join(delimiter);
  return { ZOOKEEPER_CLASSPATH: classPath, PATH: path };
}

function findOrInstall() {
  let found = findInstallation();
  if (!found.classPath) {
    installPackage('zookeeper', HELP);
    found = findInstallation();
  }
  if (!found.java) {
    installPackage('default-jre-headless', HELP);
    found = findInstallation();
  }
  if (found.java && found.classPath) return found;
  throw new Error(`${found.java ? 'No ZooKeeper' : 'No Java runtime'} was found, even after installing one.\n${HELP}`);
}

/** Looks for a class path and a Java runtime; a ZOOKEEPER_HOME that holds no ZooKeeper is an error, not a miss. */
function findInstallation() {
  const home = process.env.ZOOKEEPER_HOME;
  const classPath = process.env.ZOOKEEPER_CLASSPATH || (home ? classPathOf(home) : installedClassPath());
  if (home && !classPath) throw new Error(`ZOOKEEPER_HOME=${home} holds no zookeeper*.jar, nor does its lib folder.`);
  const candidates = process.env.JAVA_HOME ? [join(process.env.JAVA_HOME, 'bin/java'), 'java'] : ['java'];
  return { classPath, java: candidates.find(runs) };
}

function installedClassPath() {
  // The manifest of Debian's jar names the jars that it needs, except two of Netty's, which TLS needs.
  const debian = ['zookeeper', 'netty-codec', 'netty-resolver'].map((name) => `/usr/share/java/${name}.jar`);
  if (existsSync(debian[0])) return debian.filter((jar) => existsSync(jar)).join(delimiter);
  const homes = ['/opt', '/usr/local', '/usr/local/share'].flatMap((parent) =>
    namesIn(parent)
      .filter((name) => /zookeeper/i.test(name))
      .map((name) => join(parent, name)),
  );
  return homes.map(classPathOf).find((classPath) => classPath !== undefined);
}

function classPathOf(home) {
  const folders = [home, join(home, 'lib')];
  const holdsServer = folders.some((folder) => namesIn(folder).some((name) => /^zookeeper(-\d.*)?\.jar$/.test(name)));
  return holdsServer ? folders.map((folder) => join(folder, '*')).join(delimiter) : undefined;
}

function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return []; // absent, or not a folder: there is no installation here
  }
}

function runs(java) {
  try {
    quietly(java, ['-version']);
    return true;
  } catch {
    return false;
  }
}

async function start({ java, classPath }) {
  const folder = await mkdtemp(join(tmpdir(), 'elasticjob-zookeeper-'));
  const port = await freePort();
  const log = join(folder, 'server.log');
  await writeFile(join(folder, 'zoo.cfg'), configuration(folder, port));
  const output = await open(log, 'w');
  const heap = ['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  // No test survives a loss of power: the server need not wait for the disk, which another program may keep busy for
  // seconds.
  const options = [...heap, '-Dzookeeper.forceSync=no'];
  const main = ['org.apache.zookeeper.server.quorum.QuorumPeerMain', join(folder, 'zoo.cfg')];
  const child = spawn(java, [...options, '-cp', classPath, ...main], {
    cwd: folder,
    stdio: ['ignore', output.fd, output.fd],
  });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', resolve);
  });
  await output.close();
  const stop = async () => {
    await terminate(child, ended);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const version = await untilServing(port, ended);
    return { address: `127.0.0.1:${port}`, description: `${version} on 127.0.0.1:${port}`, stop };
  } catch (error) {
    const said = await readFile(log, 'utf8');
    await stop();
    throw new Error(`ZooKeeper (${classPath}) did not start: ${error.message}\n${said.slice(-4000)}`, { cause: error });
  }
}

/** A short tick lets sessions expire within a test; the wide limits keep the server from adjusting what a test asks. */
function configuration(folder, port) {
  return `tickTime=200
dataDir=${join(folder, 'data')}
clientPort=${port}
clientPortAddress=127.0.0.1
admin.enableServer=false
maxClientCnxns=0
4lw.commands.whitelist=*
extendedTypesEnabled=true
minSessionTimeout=400
maxSessionTimeout=120000
`;
}

async function untilServing(port, ended) {
  let over;
  void ended.then((reason) => (over = reason instanceof Error ? reason.message : 'it ended at once'));
  const deadline = performance.now() + START_DEADLINE_MS;
  while (performance.now() < deadline) {
    if (over !== undefined) throw new Error(over);
    const status = await ask(port, 'srvr');
    if (status.includes('Mode:')) return requireVersion(status);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it did not answer within ${START_DEADLINE_MS / 1000} s`);
}

function requireVersion(status) {
  const [, version = 'unknown', major, minor] = /version: ((\d+)\.(\d+)[.\d]*)/.exec(status) ?? [];
  if (Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 6)) return `ZooKeeper ${version}`;
  throw new Error(`its version is ${version}, and 3.6 or later is needed`);
}

/** The answer to one of ZooKeeper's four-letter commands; empty while the server cannot answer. */
function ask(port, command) {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(command));
    // Connected during start-up, the server may never answer.
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('data', (data) => (answer += String(data)));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(answer));
  });
}

async function terminate(child, ended) {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
  await ended;
  clearTimeout(timer);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
