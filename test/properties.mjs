/**
 * `npm run properties`: the tests of properties, with values that no run has tried before.
 *
 *   npm run properties                        a new seed, 20 times as many values as `npm test` tries
 *   npm run properties -- test/unit/time           of these files only; arguments are Jest's own
 *   PROPERTY_SEED=4711 PROPERTY_RUNS=5 npm run properties
 *
 * `npm test` tries the same values each time instead, so that it fails for a change and not by chance.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../.config/prepare.mjs';

const files = readdirSync(join(root, 'test'), { recursive: true })
  .map((path) => join('test', path))
  .filter((path) => path.endsWith('.spec.ts'))
  .filter((path) => /support\/property\.js'/.test(readFileSync(join(root, path), 'utf8')));

const chosen = process.argv.slice(2);
const isPart = chosen.some((each) => !each.startsWith('-'));
const { PROPERTY_SEED: seed = String(randomInt(1, 2 ** 31)), PROPERTY_RUNS: runs = '20' } = process.env;
console.log(`PROPERTY_SEED=${seed} PROPERTY_RUNS=${runs}`);

const args = ['--testTimeout=600000', ...(isPart ? [] : ['--runTestsByPath', ...files]), ...chosen];
const child = spawn(process.execPath, [join(root, 'test/run.mjs'), ...args], {
  cwd: root,
  env: { ...process.env, PROPERTY_SEED: seed, PROPERTY_RUNS: runs },
  stdio: 'inherit',
});
child.once('exit', (code) => (process.exitCode = code ?? 1));
