/**
 * `npm test`: everything a clone needs, from nothing but Node, npm and (on Debian) root: dependencies, a build, a real
 * ZooKeeper for this run, then Jest. Arguments are Jest's own: `npm test -- test/time`.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { prepare, root } from '../.config/prepare.mjs';
import { provideZooKeeper } from '../.config/zookeeper.mjs';

/** Ctrl-C and the like reach Jest; this process stays until the server is stopped and its folder removed. */
const interruption = { signal: undefined, pass: () => {} };
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interruption.signal ??= signal;
    interruption.pass(signal);
  });
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
if (interruption.signal) process.exitCode = 128 + constants.signals[interruption.signal];

async function run(jestArguments) {
  prepare();
  const zookeeper = await provideZooKeeper();
  try {
    console.log(`Node ${process.versions.node}, ${zookeeper.description}`);
    return interruption.signal ? 1 : await jest(jestArguments, { ...process.env, ...zookeeper.env });
  } finally {
    await zookeeper.stop();
  }
}

function jest(jestArguments, env) {
  // The contract suite throws in listeners on purpose, which registry centres report as warnings.
  const quiet = ['ExperimentalWarning', 'ElasticJobWarning'].map((type) => `--disable-warning=${type}`);
  const flags = ['--experimental-vm-modules', ...quiet];
  const program = [join(root, 'node_modules/jest/bin/jest.js'), '-c', join(root, '.config/jest.config.mjs')];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, ...program, ...jestArguments], {
      cwd: root,
      env,
      stdio: 'inherit',
    });
    interruption.pass = (signal) => child.kill(signal);
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
