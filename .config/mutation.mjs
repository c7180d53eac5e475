/**
 * `npm run mutation`: puts small faults into the code, one at a time, and counts how many the tests notice.
 *
 *   npm run mutation -- lib/time              the code of a folder, with the tests of the same folder below test/unit/
 *   npm run mutation -- lib/time/cron.ts      the code of a file
 *   npm run mutation -- lib/kernel/rules test/unit/kernel/plan.spec.ts    with these tests
 *
 * Fails if the tests notice less than nine of ten. A mutant that changes nothing that can be noticed is switched off by a
 * comment in the code that says why: `// Stryker disable next-line ConditionalExpression: the search ends there anyhow`.
 * For pure code only, whose tests need no server: a mutant takes about a second.
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { root } from './prepare.mjs';

const paths = process.argv.slice(2).map((path) => posix.normalize(path).replace(/\/$/, ''));
const mutated = paths.filter((path) => path.startsWith('lib/'));
const tests = paths.filter((path) => path.startsWith('test/'));
const unknown = paths.filter((path) => !/^(lib|test)\//.test(path) || !existsSync(join(root, path)));

if (mutated.length === 0 || unknown.length > 0) {
  console.error(`Name a folder or file below lib/ to put faults into, got '${paths.join(' ')}'.`);
  console.error('For example: npm run mutation -- lib/time');
  process.exit(1);
}

process.chdir(root);
const wanted = tests.length > 0 ? tests : [...new Set(mutated.map(testsOf))];
console.log(`Faults in ${mutated.join(', ')}; tests in ${wanted.join(', ')}`);

// Stryker sets the exit code if too many mutants survive.
await new Stryker({
  configFile: '.config/stryker.config.mjs',
  mutate: mutated.map((path) => filesOf(path, '.ts')),
  jest: { config: { testMatch: wanted.map((path) => `<rootDir>/${filesOf(path, '.spec.ts')}`) } },
}).runMutationTest();

/** The folder below test/ that mirrors a path below lib/, or the nearest one above it. */
function testsOf(path) {
  const mirrored = path.replace(/^lib\//, 'test/unit/');
  for (let folder = mirrored; folder !== 'test/unit'; folder = dirname(folder)) {
    if (existsSync(join(root, folder)) && isFolder(folder)) return folder;
  }
  throw new Error(`There is no folder of tests for ${path}: name it after the code.`);
}

function filesOf(path, ending) {
  return isFolder(path) ? `${path}/**/*${ending}` : path;
}

function isFolder(path) {
  return statSync(join(root, path)).isDirectory();
}
