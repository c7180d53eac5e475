/**
 * `npm run test:databases`: the tests of this folder on real PostgreSQL and MariaDB servers. Arguments are Jest's own,
 * besides `--postgres-bin <folder>`, the programs of a PostgreSQL other than Debian's.
 */
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { root } from '../support/program.js';
import { DatabaseServer, KINDS } from './support/servers.js';

const CONFIGURATION = join(root, '.config/jest.databases.config.mjs');

const servers: DatabaseServer[] = [];
let passOn: (signal: NodeJS.Signals) => void = () => undefined;
// Ctrl-C reaches Jest; this process stays until the servers are stopped and their folders removed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => passOn(signal));

try {
  const args = takePostgresBin(process.argv.slice(2));
  // One after the other: each may have to install packages, under one lock.
  for (const kind of KINDS) servers.push(await DatabaseServer.start(kind));
  process.exitCode = await jest(args);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  for (const server of servers) await server[Symbol.asyncDispose]();
}

/** Takes the folder out of the arguments, into the environment. */
function takePostgresBin(given: readonly string[]): readonly string[] {
  const at = given.indexOf('--postgres-bin');
  if (at < 0) return given;
  const folder = given[at + 1];
  if (folder === undefined) throw new Error('--postgres-bin: name the folder that has initdb and postgres');
  process.env['POSTGRES_BIN'] = resolve(folder);
  return given.filter((_, index) => index !== at && index !== at + 1);
}

function jest(args: readonly string[]): Promise<number> {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const env = { ...process.env, DATABASE_SERVERS: JSON.stringify(servers.map(({ address }) => address)) };
  const program = [...flags, join(root, 'node_modules/jest/bin/jest.js'), '-c', CONFIGURATION, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, program, { cwd: root, env, stdio: 'inherit' });
    passOn = (signal) => child.kill(signal);
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
