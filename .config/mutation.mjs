/**
 * `npm run mutation`: puts small faults into the code, one at a time, and counts those that the tests notice.
 *
 *   npm run mutation -- lib/time              the code of a folder, with the tests of the same folder below test/unit/
 *   npm run mutation -- lib/time/cron.ts      the code of a file
 *   npm run mutation -- lib/kernel/rules test/unit/kernel/rules/plan.spec.ts    with these tests
 *   npm run mutation -- lib/settings --part 1/5                           the first fifth: every fifth stretch of 40 lines
 *   npm run mutation -- lib/layout --concurrency 1                        on one core instead of two
 *
 * Fails if the tests notice less than nine of ten. A mutant without a visible effect is switched off by a comment in
 * the code that says why: `// Stryker disable next-line ConditionalExpression: the search ends there anyhow`. For pure
 * code only, whose tests need no server. A folder takes between ten minutes and an hour of two cores; a part of it is a
 * sample. (A mutant that spans two stretches belongs to no part.)
 *
 * Vitest runs the same test files that Jest runs in `npm test`: it keeps the modules loaded, which makes a mutant four
 * times as cheap. A mutant with which a test file cannot even be imported counts as killed: see failed-imports.mjs. A
 * mutant that makes the tests hang counts as killed too, and is listed on its own.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { root } from './prepare.mjs';

/** Mutants lie within a stretch: long enough that few span two. */
const STRETCH_LINES = 40;

/** Stretches seen so far, in all files: short files count too. */
let stretch = 0;

const { values, positionals } = parsed();
const paths = positionals.map((path) => posix.normalize(path).replace(/\/$/, ''));
const mutated = paths.filter((path) => path.startsWith('lib/'));
const tests = paths.filter((path) => path.startsWith('test/'));
const unknown = paths.filter((path) => !/^(lib|test)\//.test(path) || !existsSync(join(root, path)));
const [part, parts] = values.part.split('/').map(Number);

if (mutated.length === 0 || unknown.length > 0) fail(`Name a folder or file below lib/, got '${paths.join(' ')}'.`);
if (!(Number(values.concurrency) >= 1)) fail(`--concurrency must be at least 1, got '${values.concurrency}'.`);
if (!(part >= 1 && part <= parts)) fail(`--part must be such as 1/5, got '${values.part}'.`);

process.chdir(root);
const wanted = tests.length > 0 ? tests : [...new Set(mutated.map(testsOf))];
// In UTC, tests cannot notice that the zone of the process is ignored.
process.env.TZ = 'America/New_York';
// The workers that run the tests read it: see vitest.config.mjs.
process.env.MUTATION_TESTS = wanted.flatMap((path) => filesOf(path, '.spec.ts')).join(',');
console.log(
  `Faults in ${mutated.join(', ')}${parts > 1 ? `, part ${values.part}` : ''}; tests in ${wanted.join(', ')}`,
);

// Stryker sets the exit code if too many mutants survive.
const results = await new Stryker({
  configFile: '.config/stryker.config.mjs',
  concurrency: Number(values.concurrency),
  mutate: mutated.flatMap((path) => filesOf(path, '.ts')).flatMap(stretchesOf),
}).runMutationTest();
report(results);

/**
 * One line with the counts. Mutants that are switched off, or that ended the run of the tests with an error, do not
 * count.
 */
function report(mutants) {
  const count = (...states) => mutants.filter(({ status }) => states.includes(status)).length;
  const late = count('Timeout');
  const killed = count('Killed') + late;
  const survived = count('Survived', 'NoCoverage');
  const percent = ((100 * killed) / (killed + survived)).toFixed(1);
  console.log(
    `${mutated.join(', ')}: ${killed + survived} mutants, ${killed} killed (${late} by timeout), ` +
      `${survived} survived (${count('NoCoverage')} not reached by any test), ${percent} %; ` +
      `${count('Ignored')} switched off, ${count('RuntimeError', 'CompileError')} without a result.`,
  );
}

/** The file's stretches that belong to the part, as Stryker writes them; the whole file if there is one part. */
function stretchesOf(file) {
  if (parts === 1) return [file];
  const lines = readFileSync(join(root, file), 'utf8').split('\n').length;
  const stretches = [];
  for (let first = 1; first <= lines; first += STRETCH_LINES) stretches.push([first, first + STRETCH_LINES - 1]);
  return stretches
    .filter(() => stretch++ % parts === part - 1)
    .map(([from, to]) => `${file}:${from}-${Math.min(to, lines)}`);
}

/** The folder below test/ that mirrors a path below lib/, or the nearest one above it. */
function testsOf(path) {
  const mirrored = path.replace(/^lib\//, 'test/unit/');
  for (let folder = mirrored; folder !== 'test/unit'; folder = dirname(folder)) {
    if (existsSync(join(root, folder)) && isFolder(folder)) return folder;
  }
  throw new Error(`There is no folder of tests for ${path}: name it after the code.`);
}

function filesOf(path, ending) {
  if (!isFolder(path)) return [path];
  const names = readdirSync(join(root, path), { recursive: true });
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => posix.join(path, name))
    .sort();
}

function isFolder(path) {
  return statSync(join(root, path)).isDirectory();
}

function parsed() {
  try {
    const options = { part: { type: 'string', default: '1/1' }, concurrency: { type: 'string', default: '2' } };
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return fail(error.message);
  }
}

function fail(problem) {
  console.error(problem);
  console.error('For example: npm run mutation -- lib/time');
  process.exit(1);
}
