import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { Program, root } from '../../support/program.js';
import { isRunning } from '../../support/processes.js';
import { until } from '../../support/until.js';
import { exampleFile } from './pages.js';

/** Inside the package, so that the examples import it by its name, as it was built. */
let folder: string;

beforeAll(() => {
  mkdirSync(join(root, 'dist'), { recursive: true });
  folder = mkdtempSync(join(root, 'dist/pages-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Compiles an example, with lines added at its end, and returns the path of the program. */
function compiled(file: string, more = ''): string {
  const { outputText } = ts.transpileModule(exampleFile(file) + more, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      useDefineForClassFields: false,
    },
  });
  const path = join(folder, file.replace(/\.ts$/, '.js'));
  writeFileSync(path, outputText);
  return relative(root, path);
}

const hasAll = (output: string, ...texts: readonly string[]): boolean => texts.every((text) => output.includes(text));

test('the complete program fires on all items, and ends on SIGTERM', async () => {
  const env = { ELASTICJOB_JOBS_SYNCORDERS_CRON: '* * * * * ?' };
  await using program = new Program(compiled('main.ts'), { env });

  await until(
    () =>
      hasAll(program.output, 'item 0: orders of Beijing', 'item 1: orders of Shanghai', 'item 2: orders of Guangzhou'),
    'all items',
  );

  expect(await program.end('SIGTERM')).toBe('SIGTERM');
});

test('the program without Nest fires on all items, and ends by itself after SIGTERM', async () => {
  await using program = new Program(compiled('without-nest.ts'));

  await until(() => hasAll(program.output, 'item 0', 'item 1', 'item 2'), 'all items');

  expect(await program.end('SIGTERM')).toBe(0);
});

test('a job added at run time fires on all items, and the program ends by itself', async () => {
  await using program = new Program(compiled('jobs-at-run-time.ts'));

  const exitCode = await program.end();

  expect(program.output).toMatch(/item 0[^]*item 1|item 1[^]*item 0/);
  expect(exitCode).toBe(0);
});

test('the operations trigger a job, change its settings, list it, and leave records', async () => {
  await using program = new Program(compiled('operations.ts'));

  const exitCode = await program.end();

  expect(program.output).toMatch(/taken: .+@-@/);
  expect(program.output).toMatch(/item 0[^]*item 1|item 1[^]*item 0/);
  expect(program.output).toContain('syncOrders OK 0 0 3 * * ?');
  expect(program.output).toContain('anna: trigger syncOrders, late orders: done');
  expect(exitCode).toBe(0);
});

test('the listeners are called around the items, and once for each firing', async () => {
  await using program = new Program(compiled('listeners.ts'));

  const exitCode = await program.end();

  expect(program.output).toMatch(
    /bill: 2 items begin here[^]*open the books of 20[^]*bill\n[^]*bill\n[^]*bill: they have ended[^]*close the books of 20/,
  );
  expect(exitCode).toBe(0);
});

test('the YAML example is read by the module that loads it, and the environment comes before it', async () => {
  writeFileSync(join(folder, 'elasticjob.yaml'), exampleFile('elasticjob.yaml'));
  const boot = `
    import { NestFactory } from '@nestjs/core';
    import { JobBootstraps, ElasticJobHealth } from 'nestjs-elasticjob';
    const app = await NestFactory.createApplicationContext(AppModule);
    console.log(app.get(JobBootstraps).scheduled('syncOrders').jobName, app.get(ElasticJobHealth).report);
    await app.close();`;
  const env = { ELASTICJOB_REGCENTER_SERVERLISTS: '127.0.0.1:1' };
  await using program = new Program(compiled('app.module.ts', boot), { cwd: folder, env });

  const exitCode = await program.end();

  expect(program.output).toMatch(/syncOrders \{[^]*registryCenter: "?.*127\.0\.0\.1:1\b.*orders/);
  expect(exitCode).toBe(0);
});

test.each([
  ['sql-executor.ts', 'cleanUp', /= \$1 \[ 0 \][^]*= \$1 \[ 1 \]/],
  [
    'report-executor.ts',
    'salesReport',
    /salesReport: Sales\nsales of Beijing: 42\nsalesReport: Sales\nsales of Shanghai: 42/,
  ],
  ['near-data.ts', 'compact', /compact 0\ncompact 1\ncompact 2/],
  ['pager.ts', 'bill', /to \+44 20 7946 0000: item 0 of bill: Error: no paper\n/],
  ['by-load.ts', 'resize', /begin 0\nend 0\nbegin 1\nend 1/],
])('the example of an extension in %s serves the job %s', async (file, job, output) => {
  const boot = `
    import { NestFactory } from '@nestjs/core';
    import { JobBootstraps } from 'nestjs-elasticjob';
    const app = await NestFactory.createApplicationContext(AppModule);
    app.enableShutdownHooks();
    await app.get(JobBootstraps).oneOff('${job}').execute();`;
  await using program = new Program(compiled(file, boot));

  await until(() => output.test(program.output), 'the job to run');

  expect(await program.end('SIGTERM')).toBe('SIGTERM');
  if (file === 'pager.ts') expect(program.output).toContain('the phone is hung up');
});

test.each(['sync-orders.test.ts', 'failover.test.ts', 'nightly.test.ts'])(
  'the example of a test in %s passes',
  async (file) => {
    await using program = new Program(compiled(file), { args: ['--test-reporter=tap'] });

    const exitCode = await program.end();

    expect(program.output).toContain('# pass 1\n');
    expect(program.output).toContain('# fail 0\n');
    expect(exitCode).toBe(0);
  },
);

describe('the example of a registry centre of your own', () => {
  const CENTRE = 'counting-registry-center.ts';
  const PROOF = 'counting-registry-center.test.ts';

  test('keeps the contract, by node:test', async () => {
    compiled(CENTRE);
    await using program = new Program(compiled(PROOF), { args: ['--test-reporter=tap'] });

    const exitCode = await program.end();

    expect(program.output).toContain('# pass 125\n');
    expect(program.output).toContain('# fail 0\n');
    expect(exitCode).toBe(0);
  });

  test('keeps the contract, by Vitest', async () => {
    compiled(CENTRE);
    const proof = join(root, compiled(PROOF));
    writeFileSync(proof, readFileSync(proof, 'utf8').replace("from 'node:test'", "from 'vitest'"));
    await using program = new Program('node_modules/vitest/vitest.mjs', {
      words: ['run', '--root', folder, '--reporter', 'json', basename(proof)],
    });

    const exitCode = await program.end();

    expect(program.output).toMatch(/"numPassedTests":125,"numFailedTests":0/);
    expect(exitCode).toBe(0);
  });
});

/** A program that runs the jobs of a YAML file in a folder of its own, and exits at once on SIGHUP. */
function yamlProgram(
  yaml: string,
  env: Record<string, string> = {},
): { readonly cwd: string; readonly start: () => Program } {
  const cwd = mkdtempSync(join(folder, 'yaml-'));
  writeFileSync(join(cwd, 'elasticjob.yaml'), yaml);
  const boot = `
    import { ConfigModule } from '@nestjs/config';
    import { NestFactory } from '@nestjs/core';
    import { elasticJobConfig, ElasticJobModule } from 'nestjs-elasticjob';
    process.on('SIGHUP', () => process.exit(3));
    const imports = [ConfigModule.forRoot({ load: [elasticJobConfig('elasticjob.yaml')] }), ElasticJobModule.forRoot()];
    (await NestFactory.createApplicationContext({ module: class {}, imports })).enableShutdownHooks();`;
  writeFileSync(join(cwd, 'main.mjs'), boot);
  return { cwd, start: () => new Program(relative(root, join(cwd, 'main.mjs')), { cwd, env }) };
}

test('the script of the YAML example runs for each item, and its output is logged', async () => {
  const env = { ELASTICJOB_JOBS_COUNTFILES_CRON: '* * * * * ?' };
  const { cwd, start } = yamlProgram(exampleFile('script-job.yaml'), env);
  mkdirSync(join(cwd, 'jobs'));
  const script = 'import json, sys\nprint(sys.argv[1], "files in", json.loads(sys.argv[2])["shardingParameter"])\n';
  writeFileSync(join(cwd, 'jobs/count-files.py'), script);
  await using program = start();

  await until(
    () =>
      hasAll(
        program.output,
        "Job 'countFiles': item 0: --hidden files in /var/log",
        "Job 'countFiles': item 1: --hidden files in /var/spool",
      ),
    'both items',
  );

  expect(await program.end('SIGTERM')).toBe('SIGTERM');
});

test('an application that exits leaves no script behind', async () => {
  const { start } = yamlProgram(`
    elasticjob:
      jobs:
        wait:
          elasticJobType: SCRIPT
          cron: '* * * * * ?'
          shardingTotalCount: 1
          props:
            script.command.line: sh -c 'trap "" TERM; echo pid $$; sleep 1000'`);
  await using program = start();
  await until(() => /pid \d+/.test(program.output), 'the script to start');
  const [, pid = ''] = /pid (\d+)/.exec(program.output) ?? [];

  expect(await program.end('SIGHUP')).toBe(3);

  await until(() => !isRunning(pid), 'the script to be gone');
});

test('the example of an HTTP job boots', async () => {
  const boot = `
    import { NestFactory } from '@nestjs/core';
    import { JobBootstraps } from 'nestjs-elasticjob';
    const app = await NestFactory.createApplicationContext(HttpJobModule);
    console.log('there is', app.get(JobBootstraps).scheduled('callReports').jobName);
    await app.close();`;
  await using program = new Program(compiled('http-job.module.ts', boot));

  const exitCode = await program.end();

  expect(program.output).toContain('there is callReports');
  expect(exitCode).toBe(0);
});

describe('the examples of worker threads run the items in threads,', () => {
  const PRIMES = [0, 1].map((item) => `item ${item}: ${item}: 2262 primes`);
  const env = { ELASTICJOB_JOBS_CRUNCH_CRON: '* * * * * ?' };

  test('if a class names the module', async () => {
    compiled('crunch.ts');
    const boot = `
    import { NestFactory } from '@nestjs/core';
    (await NestFactory.createApplicationContext(AppModule)).enableShutdownHooks();`;
    await using program = new Program(compiled('crunch.job.ts', boot), { env });

    await until(() => hasAll(program.output, ...PRIMES), 'both items');

    expect(await program.end('SIGTERM')).toBe('SIGTERM');
  });

  test('if a property names it, from the current directory on', async () => {
    const { cwd, start } = yamlProgram(exampleFile('worker-job.yaml'), env);
    mkdirSync(join(cwd, 'dist'));
    renameSync(join(root, compiled('crunch.ts')), join(cwd, 'dist/crunch.js'));
    await using program = start();

    await until(() => hasAll(program.output, ...PRIMES), 'both items');

    expect(await program.end('SIGTERM')).toBe('SIGTERM');
  });
});
