/** The settings of jobs in worker threads, and the start of such jobs. With real threads. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { requireThreadFile } from '../../../lib/executors/worker/piscina.js';
import { until } from '../../support/until.js';
import { reportJob } from './stage.js';
import { classed, clock, file, folder, has, newName, ports, run, SPIN, typed, worker } from './worker-stage.js';

describe('a changed setting', () => {
  test('has the next item run with it, while those that run go on', async () => {
    const path = worker(
      "logger.log('begun'); await new Promise((resolve) => context.softStop.addEventListener('abort', resolve)); logger.log('ended');",
    );
    const softStop = new AbortController();
    const former = run(path, { softStop: softStop.signal });
    await has(former, 'begun');

    const next = run(
      worker(
        "const { resourceLimits } = await import('node:worker_threads'); logger.log(String(resourceLimits.maxOldGenerationSizeMb));",
      ),
      {},
      { 'run.workerMemoryMegabytes': '48' },
    );
    await next.ended;
    softStop.abort(new Error('go on'));
    await former.ended;

    expect(next.log).toEqual(['log item 1: 48']);
    expect(former.log[1]).toBe('log item 1: ended');
  });

  test('that is wrong fails the item', async () => {
    await expect(run('').ended).rejects.toThrow(
      `elasticjob.jobs.report.props['run.worker']: must be the path of a module, got ""`,
    );
    const moved = run(file('other.mjs', 'export const work = () => 1;'));
    await expect(moved.ended).rejects.toThrow(
      /^The module file:.*other\.mjs has no function as its default export; its exports: work\.$/,
    );
  });
});

describe('the settings are checked:', () => {
  const problems = (props: Readonly<Record<string, string>>): readonly string[] =>
    (typed.validate?.(reportJob(props)) ?? []).map(({ property, problem }) => `${property}: ${problem}`);
  const missing = join(folder, 'missing.js');

  test.each([
    ['', 'must be the path of a module, got ""'],
    ['https://example.com/a.js', 'must be a file: URL or a path, got "https://example.com/a.js"'],
    ['file://host/a.js', 'must be a file: URL that names a file of this machine, got "file://host/a.js"'],
    [folder, `must be a file, but ${folder} is a folder or something else, got ${JSON.stringify(folder)}`],
    [
      missing,
      `must be a file that exists, but there is no ${missing}; relative paths begin at ${process.cwd()}, got ${JSON.stringify(missing)}`,
    ],
  ])('the worker %j', (path, problem) => {
    expect(problems({ 'run.worker': path })).toEqual([`run.worker: ${problem}`]);
  });

  test('no worker at all', () => {
    expect(problems({})).toEqual(['run.worker: must be the path of a module, got nothing']);
  });

  test.each(['15', '0', '-1', '64.5', '64 MB', '1e3'])('the memory %j', (text) => {
    expect(problems({ 'run.worker': worker(''), 'run.workerMemoryMegabytes': text })).toEqual([
      `run.workerMemoryMegabytes: must be an integer of at least 16, got "${text}"`,
    ]);
  });

  test.each(['', '16', '4096'])('the memory %j is right', (text) => {
    expect(problems({ 'run.worker': worker(''), 'run.workerMemoryMegabytes': text })).toEqual([]);
  });

  test('a worker of the job object and one of the properties are one too many', () => {
    const path = worker('');
    const found = classed.validate?.(reportJob({ 'run.worker': 'b.js' }), { worker: path });

    expect(found).toEqual([
      {
        property: 'run.worker',
        problem: `must not be set beside the job's worker ${JSON.stringify(path)}, got "b.js"`,
      },
    ]);
  });

  test('that of the job object is named by its own key', () => {
    expect(() => classed.validate?.(reportJob({}), { worker: missing })).toThrow(
      `elasticjob.jobs.report.worker: must be a file that exists, but there is no ${missing}`,
    );
  });
});

describe('the start of a job', () => {
  const prepare = async (path: string): Promise<void> => typed.prepare?.(reportJob({ 'run.worker': path }));

  test('loads the module in a thread, which the first item finds ready', async () => {
    const path = file(
      'ready.mjs',
      "import { threadId } from 'node:worker_threads'; globalThis.thread ??= threadId; export default (_, logger) => logger.log(globalThis.thread === threadId && globalThis.prepared === true);\nglobalThis.prepared = true;",
    );

    await prepare(path);
    const item = run(path);
    await item.ended;

    expect(item.log).toEqual(['log item 1: true']);
    expect(Object.keys(globalThis)).not.toContain('prepared');
  });

  test.each([
    [
      'none.mjs',
      'export const work = () => 1, more = 1;',
      'has no function as its default export; its exports: more, work',
    ],
    ['nothing.mjs', '', 'has no function as its default export; its exports: none'],
    ['class.mjs', 'export default class Crunch {}', 'has a class as its default export, instead of a function'],
    ['throws.mjs', "throw new Error('no licence');", 'cannot be loaded: Error: no licence'],
    ['throws-text.mjs', "throw 'no licence';", "cannot be loaded: 'no licence'"],
    [
      'exits.mjs',
      'process.exit(7);',
      'cannot be loaded: it has ended its thread, by process.exit(7) for instance, before it returned',
    ],
  ])('refuses %s', async (name, code, problem) => {
    const path = file(name, code);

    await expect(prepare(path)).rejects.toThrow(
      `elasticjob.jobs.report.props['run.worker']: ${problem}, got ${JSON.stringify(path)}`,
    );
  });

  test.each([
    ['waits for ever', 'await new Promise((resolve) => setTimeout(resolve, 1e6));'],
    ['computes for ever', SPIN],
  ])('refuses a module that %s while it loads, and ends its thread', async (_, code) => {
    const begun = join(folder, 'begun');
    const path = file(
      newName('endless'),
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(begun)}, ''); ${code}`,
    );
    const before = ports();
    rmSync(begun, { force: true });

    const refusal = prepare(path).then(
      () => undefined,
      (error: Error) => error,
    );
    await until(() => existsSync(begun), 'the module to be loaded');
    await clock.advance(29_000);

    expect((await refusal)?.message).toBe(
      `elasticjob.jobs.report.props['run.worker']: cannot be loaded: it has not loaded within 29000 ms, got ${JSON.stringify(path)}`,
    );
    await until(() => ports() <= before, 'the thread to end');
    expect(clock.timers).toBe(0);
  });

  test('refuses a source that is not compiled, and says what to do', async () => {
    const source = file('typed.ts', 'export default (): void => {};');
    const path = join(folder, 'typed.js');

    await expect(prepare(path)).rejects.toThrow(`; there is ${source}: compile it, or start Node with a loader`);
  });
});

test('threads are not started from a bundle, where each would start the whole application', () => {
  mkdirSync(join(folder, 'dist'));
  const advice = 'keep nestjs-elasticjob and piscina external';

  expect(() => requireThreadFile(join(folder, 'dist/main.js'))).toThrow(advice);
  expect(() => requireThreadFile(undefined)).toThrow(advice);
});
