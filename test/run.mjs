/**
 * `npm test`: everything a clone needs, from nothing but Node, npm and (on Debian) root: dependencies, a build, a real
 * ZooKeeper for this run, then Jest, then the simulation. Arguments are Jest's own; a part of the tests leaves the
 * simulation out: `npm test -- test/unit/time`.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import config from '../.config/jest.config.mjs';
import { prepare, root } from '../.config/prepare.mjs';
import { provideEtcd, provideNetcat } from '../.config/packages.mjs';
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
  provideNetcat();
  provideEtcd();
  const zookeeper = await provideZooKeeper();
  try {
    console.log(`Node ${process.versions.node}, ${zookeeper.description}`);
    const env = { ...process.env, ...zookeeper.env };
    const isPart = jestArguments.some((each) => !each.startsWith('-'));
    const code = await (isPart ? jest(jestArguments, env) : everything(jestArguments, env));
    if (code !== 0 || isPart) return code;
  } finally {
    await zookeeper.stop();
  }
  return interruption.signal ? 1 : await simulation();
}

/**
 * The gate for size has processes of its own: those of the other tests keep the memory of all files that they have run.
 */
async function everything(jestArguments, env) {
  const others = [...config.testPathIgnorePatterns, '<rootDir>/test/size/'];
  const size = await jest([...jestArguments, 'test/size'], env);
  return (await jest([...jestArguments, ...others.map((each) => `--testPathIgnorePatterns=${each}`)], env)) || size;
}

/** The same histories each time; `npm run simulate` plays others. */
function simulation() {
  const flags = ['--import', pathToFileURL(join(root, '.config/typescript.mjs')).href];
  return program([...flags, join(root, 'test/campaigns/simulation/main.ts'), '--histories', '4000'], process.env);
}

function jest(jestArguments, env) {
  if (interruption.signal) return 1;
  // The contract suite throws in listeners on purpose, which registry centres report as warnings.
  const quiet = ['ExperimentalWarning', 'ElasticJobWarning'].map((type) => `--disable-warning=${type}`);
  const flags = ['--experimental-vm-modules', ...quiet];
  const jest = [join(root, 'node_modules/jest/bin/jest.js'), '-c', join(root, '.config/jest.config.mjs')];
  return program([...flags, ...jest, ...jestArguments], env);
}

/** Runs Node to its end, and returns its exit code. */
function program(nodeArguments, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, nodeArguments, { cwd: root, env, stdio: 'inherit' });
    interruption.pass = (signal) => child.kill(signal);
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
