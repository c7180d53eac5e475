// The cost of importing the package beyond Nest: processor time of the main entry, by import and by require, and of
// `nestjs-elasticjob/bootstrap`, which loads nothing of Nest. Medians. `--rounds 7`
import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } }, strict: false });
const root = fileURLToPath(new URL('..', import.meta.url));

/** The modules that an application has loaded before. */
const NEST = ['reflect-metadata', '@nestjs/common', '@nestjs/core', '@nestjs/schedule', '@nestjs/config'];
const CASES = [
  { name: 'import of nestjs-elasticjob', before: NEST, load: imported('dist/esm/index.js') },
  { name: 'require of nestjs-elasticjob, as Jest and bundlers do', before: NEST, load: required('dist/cjs/index.js') },
  { name: 'import of nestjs-elasticjob/bootstrap', before: [], load: imported('dist/esm/bootstrap.js') },
];

const figures = new Map(CASES.map(({ name }) => [name, []]));
// In turn, so that all have the same load beside them.
for (let round = 0; round < Number(values.rounds); round++)
  for (const each of CASES) figures.get(each.name).push(processorTime(each));
for (const [name, times] of figures) console.log(`${name}: ${median(times).toFixed(0)} ms of processor time`);
console.log(`load of the machine: ${loadavg()[0].toFixed(1)}`);

function imported(path) {
  return `await import(${JSON.stringify(pathToFileURL(`${root}${path}`).href)});`;
}

function required(path) {
  return `require(${JSON.stringify(`${root}${path}`)});`;
}

/** In a process of its own, whose modules are not loaded yet. */
function processorTime({ before, load }) {
  const program = `
    import { createRequire } from 'node:module';
    const require = createRequire(${JSON.stringify(`${root}package.json`)});
    for (const name of ${JSON.stringify(before)}) await import(name);
    const began = process.cpuUsage();
    ${load}
    const { user, system } = process.cpuUsage(began);
    console.log((user + system) / 1_000);`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The import failed:\n${stderr}`);
  return Number(stdout);
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
