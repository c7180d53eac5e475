/**
 * The steps of a newcomer, with the real template of Nest: `nest new`, the README's line of installation, a job, the
 * template's own tests, every builder, and restarts on a real ZooKeeper.
 *
 *   node test/packaging/newcomer/main.mjs 12 nestjs-elasticjob-1.0.0.tgz
 *
 * The second argument is the packed library. Everything happens in a new folder, which is removed at the end.
 */
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { root } from '../../../.config/prepare.mjs';
import { provideZooKeeper } from '../../../.config/zookeeper.mjs';
import { Application, run } from './application.mjs';

const [line, tarball] = process.argv.slice(2);
if (!['11', '12'].includes(line) || tarball === undefined) {
  console.error('Name the line of Nest, 11 or 12, and the packed library.');
  process.exit(1);
}

/** The template of Nest 12 is ESM with Vitest, that of Nest 11 CommonJS with Jest. */
const isModule = line === '12';
const ITEMS = ['item 0 of 3', 'item 1 of 3', 'item 2 of 3'];
/** A default session lasts longer than this: only a graceful stop frees the items in time. */
const RESTART_MS = 20_000;

const folder = await mkdtemp(join(tmpdir(), 'elasticjob-newcomer-'));
const app = join(folder, 'app');
const zookeeper = await provideZooKeeper();
try {
  await create();
  await run('npm', ['test'], app);
  await run('npm', ['run', 'test:e2e'], app);
  await build();
  console.log(`A newcomer to Nest ${line}: all is well.`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await zookeeper.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Creates the application from the template, installs what the README says, and adds the job and its tests. */
async function create() {
  const options = ['--skip-git', '--skip-install', '--package-manager', 'npm'];
  await run('npx', ['--yes', `@nestjs/cli@${line}`, 'new', 'app', ...options], folder);
  await run('npm', ['install', ...(await packagesOfReadme()), '@swc/cli', '@swc/core', 'esbuild'], app);
  // Named .txt, so that no tool takes them for sources or tests of this project.
  const sources = new URL('app/', import.meta.url);
  for (const file of await readdir(sources, { recursive: true })) {
    if (!file.endsWith('.txt')) continue;
    const text = await readFile(new URL(file, sources), 'utf8');
    // As the templates write imports: with the ending in ESM, without in CommonJS.
    await writeFile(join(app, file.replace(/\.txt$/, '')), isModule ? text : text.replace(/(from '\..*)\.js'/g, "$1'"));
  }
}

/** The packages of the README's line of installation for this line of Nest; the library itself is the packed one. */
async function packagesOfReadme() {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const lines = [...readme.matchAll(/^npm install (nestjs-elasticjob .*)$/gm)].map(([, packages]) =>
    packages.split(' '),
  );
  const found = lines.find((packages) => packages.some((name) => name.endsWith('schedule@6')) === (line === '11'));
  if (found === undefined) throw new Error(`README.md does not say what to install with Nest ${line}.`);
  return found.map((name) => (name === 'nestjs-elasticjob' ? resolve(tarball) : name));
}

/** Runs the application as each builder makes it, each time joining the job that the build before it has stored. */
async function build() {
  const main = 'dist/main.js';
  const bundle = `bundle.${isModule ? 'mjs' : 'cjs'}`;
  await run('npx', ['nest', 'build'], app);
  const entry = isModule ? ((await exists('dist/src/main.js')) ? 'dist/src/main.js' : main) : main;
  await runs('tsc', entry);
  await run('npx', ['nest', 'build', '-b', 'swc'], app);
  await runs('SWC', (await exists('dist/src/main.js')) ? 'dist/src/main.js' : main);
  await esbuild(entry, bundle);
  await runs('esbuild', bundle);
  await esbuild(entry, bundle, '--minify');
  await runs('esbuild, minified', bundle);
  // Nest 12's own command line refuses webpack for ESM.
  if (!isModule) {
    await run('npx', ['nest', 'build', '--webpack'], app);
    await runs('webpack', main);
  }
  await worker();
}

/**
 * Bundles the job of the page on worker threads, with the configuration that it gives for this line of Nest, and runs
 * it.
 */
async function worker() {
  const rspack = ['@rspack/core', 'webpack-node-externals', 'tsconfig-paths-webpack-plugin'];
  await run('npm', ['install', 'piscina', ...(isModule ? rspack : [])], app);
  const blocks = [
    ...(await readFile(join(root, 'docs/worker-threads.md'), 'utf8')).matchAll(/^```\w+\n([^]*?)^```$/gm),
  ];
  const example = (start) => blocks.map(([, code]) => code).find((code) => code.startsWith(start));
  const folderOfModule = isModule ? 'import.meta.dirname' : '__dirname';
  const job = example('// crunch.job.ts')
    .replace("new URL('./crunch.js', import.meta.url)", `join(${folderOfModule}, 'crunch.js')`)
    .replace(/^/, "import { join } from 'node:path';\n");
  await writeFile(join(app, 'src/app.module.ts'), job);
  // The bundle of the worker has to hold what the worker imports.
  const suffix = isModule ? '.js' : '';
  await writeFile(join(app, 'src/crunch.ts'), `import './aside${suffix}';\n${example('// crunch.ts')}`);
  await writeFile(join(app, 'src/aside.ts'), "process.stdout.write('the module beside the worker\\n');\nexport {};\n");
  const builder = isModule ? 'rspack' : 'webpack';
  await writeFile(join(app, `${builder}.config.js`), example(isModule ? 'export default (' : 'module.exports = ('));
  await rm(join(app, 'dist'), { recursive: true });
  await run('npx', ['nest', 'build', '--builder', builder], app);
  const texts = ['the module beside the worker', 'item 0: 0: 2262 primes', 'item 1: 1: 2262 primes'];
  await runs(`worker threads, ${builder}`, 'dist/main.js', {
    texts,
    env: { ELASTICJOB_JOBS_CRUNCH_CRON: '* * * * * ?' },
  });
}

async function esbuild(entry, bundle, ...options) {
  const packages = ['microservices', 'websockets', 'platform-fastify'].map((name) => `@nestjs/${name}`);
  const optional = [...packages, 'class-transformer', 'class-validator'];
  const format = isModule ? 'esm' : 'cjs';
  const banner =
    "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";
  const flags = ['--bundle', '--platform=node', `--format=${format}`, `--outfile=${bundle}`, '--log-level=error'];
  const external = optional.map((name) => `--external:${name}`);
  await run(
    'npx',
    ['esbuild', entry, ...flags, ...external, ...(isModule ? [`--banner:js=${banner}`] : []), ...options],
    app,
  );
}

/** Starts the program, stops it as a deployment does, and starts it again: its items run soon each time. */
async function runs(builder, program, { texts = ITEMS, env = {} } = {}) {
  for (const time of ['first start', 'restart']) {
    const began = performance.now();
    const application = new Application(program, app, {
      ELASTICJOB_REGCENTER_SERVERLISTS: zookeeper.env.ZOOKEEPER_SERVERS,
      ELASTICJOB_REGCENTER_NAMESPACE: `newcomer-${line}`,
      ...env,
    });
    try {
      await application.says(texts, RESTART_MS);
      const tookMs = Math.round(performance.now() - began);
      await application.stop();
      console.log(`${builder}, ${time}: all items after ${tookMs} ms`);
    } finally {
      await application.kill();
    }
  }
}

async function exists(file) {
  return readFile(join(app, file)).then(
    () => true,
    () => false,
  );
}
