/**
 * Applications with worker threads as users build and run them: bundled by esbuild, as CommonJS, and without piscina.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build, type BuildOptions } from 'esbuild';
import { Program, root } from '../../support/program.js';
import { until } from '../../support/until.js';
import { exampleFile } from '../../docs/pages/pages.js';

/** Inside the project, so that the applications find its dependencies; the package itself is linked. */
let folder: string;

beforeAll(() => {
  mkdirSync(join(root, 'dist'), { recursive: true });
  folder = mkdtempSync(join(root, 'dist/bundles-'));
  writeFileSync(join(folder, 'package.json'), '{}');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/nestjs-elasticjob'), 'dir');
  const boot = `
    import 'reflect-metadata';
    import { NestFactory } from '@nestjs/core';
    import { AppModule } from './crunch.job.js';
    NestFactory.createApplicationContext(AppModule, { abortOnError: false }).catch((error) => { console.error(error); process.exitCode = 1; });`;
  writeFileSync(join(folder, 'crunch.job.ts'), exampleFile('crunch.job.ts'));
  // The bundle of the worker has to hold what the worker imports.
  writeFileSync(join(folder, 'crunch.ts'), `import './aside.js';\n${exampleFile('crunch.ts')}`);
  writeFileSync(join(folder, 'aside.ts'), "process.stdout.write('aside\\n');");
  writeFileSync(join(folder, 'main.ts'), boot);
  const atDirname = exampleFile('crunch.job.ts')
    .replace("new URL('./crunch.js', import.meta.url)", "join(__dirname, 'crunch.js')")
    .replace(/^/, "import { join } from 'node:path';\n");
  writeFileSync(join(folder, 'main-cjs.ts'), `${atDirname}\n${boot.replace(/import { AppModule }.*/, '')}`);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OPTIONAL = ['@nestjs/microservices', '@nestjs/websockets', 'class-transformer', 'piscina'];
const REQUIRE = "import { createRequire as make } from 'node:module'; const require = make(import.meta.url);";

/** Bundles two entries into a folder of that name, and returns the path of the first one's bundle. */
async function bundled(name: string, main: string, options: BuildOptions): Promise<string> {
  const outdir = join(folder, name);
  mkdirSync(outdir, { recursive: true });
  writeFileSync(join(outdir, 'package.json'), `{ "type": "${options.format === 'cjs' ? 'commonjs' : 'module'}" }`);
  const entryPoints = [main, 'crunch.ts'].map((file) => join(folder, file));
  const tsconfigRaw = { compilerOptions: { experimentalDecorators: true } };
  await build({ entryPoints, outdir, bundle: true, platform: 'node', logLevel: 'error', tsconfigRaw, ...options });
  return relative(root, join(outdir, main.replace(/\.ts$/, '.js')));
}

const CRON = { ELASTICJOB_JOBS_CRUNCH_CRON: '* * * * * ?' };

test.each([
  ['ESM', 'main.ts', { format: 'esm', packages: 'external' }],
  ['ESM, minified', 'main.ts', { format: 'esm', packages: 'external', minify: true }],
  ['CommonJS', 'main-cjs.ts', { format: 'cjs', packages: 'external' }],
  [
    'all packages but these two',
    'main.ts',
    { format: 'esm', external: ['nestjs-elasticjob', ...OPTIONAL, '@nestjs/*'], banner: { js: REQUIRE } },
  ],
] as const)('a bundle (%s) beside that of its worker runs the items in threads', async (name, main, options) => {
  await using program = new Program(await bundled(name, main, options as BuildOptions), { env: CRON });

  await until(
    () => /item 0: 0: 2262 primes/.test(program.output) && /item 1: 1: 2262 primes/.test(program.output),
    'both items',
  ).catch((cause: unknown) => {
    throw new Error(program.output, { cause });
  });

  expect(program.output).toContain('aside');
});

/** The job alone fails: the application goes on, so that its other jobs run. */
function untilOutput(program: Program, text: string): Promise<void> {
  return until(() => program.output.includes(text), text).catch((cause: unknown) => {
    throw new Error(program.output, { cause });
  });
}

test('a job in a bundle that contains the library does not start, and says what must be external', async () => {
  const path = await bundled('inside', 'main.ts', { format: 'esm', external: OPTIONAL, banner: { js: REQUIRE } });
  await using program = new Program(path, { env: CRON });

  await untilOutput(
    program,
    'worker threads cannot be started from a bundle that contains nestjs-elasticjob: keep nestjs-elasticjob and piscina external',
  );
});

test('without piscina the job says what to install', async () => {
  const path = await bundled('without', 'main.ts', { format: 'esm', packages: 'external' });
  const hook = `import { Module } from 'node:module';
    const load = Module._load;
    Module._load = (name, ...rest) => {
      if (name === 'piscina') throw Object.assign(new Error("Cannot find module 'piscina'"), { code: 'MODULE_NOT_FOUND' });
      return load(name, ...rest);
    };`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
  await using program = new Program(path, { env: CRON, args });

  await untilOutput(
    program,
    "worker threads need the package piscina: npm install piscina (Error: Cannot find module 'piscina')",
  );
});

test('the CommonJS build of the library runs the items in threads, and the process ends by itself', async () => {
  const code = `
    const { EmbeddedRegistryCenter, JobHost, OneOffJobBootstrap, jobConfiguration } = require(${JSON.stringify(join(root, 'dist/cjs/index.js'))});
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'cjs' });
    registryCenter.connect();
    const log = (message) => {
      console.log(message);
      if (message.includes('primes')) setImmediate(() => host.stop().then(() => registryCenter.close()));
    };
    const host = new JobHost({ registryCenter, logger: { debug: log, log, warn: log, error: log } });
    const job = { worker: require('node:path').join(__dirname, 'crunch.mjs') };
    const once = jobConfiguration({ jobName: 'crunch', shardingTotalCount: 1 });
    new OneOffJobBootstrap(registryCenter, job, once, { host }).execute();`;
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'crunch.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  });
  writeFileSync(join(folder, 'crunch.mjs'), outputFiles[0]?.text ?? '');
  writeFileSync(join(folder, 'main.cjs'), code);
  await using program = new Program(relative(root, join(folder, 'main.cjs')));

  expect(await program.end()).toBe(0);
  expect(program.output).toContain("Job 'crunch': item 0: 0: 2262 primes");
});
