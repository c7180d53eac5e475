/** Jobs in worker threads, with real threads. */
import { getEventListeners } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, afterAll, describe, expect, test } from '@jest/globals';
import { describeFailure } from '../../../lib/api/describe-cause.js';
import { JobExecutionError } from '../../../lib/api/errors.js';
import { type WorkerThreadJob } from '../../../lib/api/worker-job.js';
import { requireThreadFile } from '../../../lib/executors/piscina.js';
import { workerExecutors } from '../../../lib/executors/worker-executor.js';
import { ManualClock } from '../../../lib/testing/index.js';
import { type ShardingContext } from '../../../lib/index.js';
import { until } from '../../support/until.js';
import { aContext, reportJob, type RunItem, runItem } from './stage.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'elasticjob-workers-')));
const clock = new ManualClock();
const { typed, classed } = workerExecutors(clock);
afterEach(() => typed.release?.('report'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A module of that name. Returns its path. */
function file(name: string, code: string): string {
  const path = join(folder, name);
  writeFileSync(path, code);
  return path;
}

let count = 0;
/** A module whose default export is a function with this body. */
const worker = (body: string): string => file(`w${++count}.mjs`, `export default async (context, logger) => {${body}}`);

const run = (path: string, changes: Partial<ShardingContext> = {}, props: Record<string, string> = {}): RunItem =>
  runItem(typed, { 'run.worker': path, ...props }, changes);

const has = (item: RunItem, text: string): Promise<void> =>
  until(() => item.log.some((line) => line.endsWith(`: ${text}`)), `the log to have ${text}`);

/** What an item's run throws. */
const failure = (item: RunItem): Promise<Error> =>
  item.ended.then(
    () => new Error('it succeeded'),
    (error: Error) => error,
  );

/** Runs for as long as the thread lives. */
const SPIN = 'for (;;);';
const WAIT = 'await new Promise((resolve) => setTimeout(resolve, 1e6));';
const THREAD = "const { threadId } = await import('node:worker_threads');";

describe('a worker is given', () => {
  test('the sharding context, without what cannot be copied, and signals of its own', async () => {
    const context = aContext({ scheduledAt: new Date(86_400_000), ...{ more: { amount: 3n }, code: () => 1 } });
    const item = run(
      worker(`
        const { signal, softStop, ...rest } = context;
        logger.log(JSON.stringify(rest, (_, value) => typeof value === 'bigint' ? value + 'n' : value));
        logger.log(context.scheduledAt instanceof Date);
        for (const each of [signal, softStop]) logger.log([each instanceof AbortSignal, each.aborted]);`),
      context,
    );

    await item.ended;

    expect(item.log).toEqual([
      `log item 1: ${JSON.stringify({ ...context, ...{ signal: undefined, softStop: undefined, code: undefined, more: { amount: '3n' } } })}`,
      'log item 1: true',
      'log item 1: [ true, false ]',
      'log item 1: [ true, false ]',
    ]);
  });

  test('the log of the job, with all its levels', async () => {
    const item = run(
      worker(`
        logger.debug('one'); logger.log('two'); logger.warn('three'); logger.error('four', 'at stack');
        for (let i = 0; i < 1000; i++) logger.log(String(i));`),
    );

    await item.ended;

    expect(item.log.slice(0, 4)).toEqual([
      'debug item 1: one',
      'log item 1: two',
      'warn item 1: three',
      'error item 1: four',
    ]);
    expect(item.log.length).toBe(1004);
  });

  test('a thread that is not the main one, and that other items find ready', async () => {
    const path = worker(
      `${THREAD} logger.log(String(threadId)); globalThis.runs = (globalThis.runs ?? 0) + 1; logger.log(String(globalThis.runs));`,
    );

    const first = run(path);
    await first.ended;
    const second = run(path);
    await second.ended;

    expect(first.log[1]).toBe('log item 1: 1');
    expect(second.log).toEqual([first.log[0], 'log item 1: 2']);
  });

  test('a thread of its own while another item runs', async () => {
    const path = worker(`logger.log('here'); if (context.shardingItem === 0) { ${SPIN} }`);
    const busy = run(path, { shardingItem: 0 });
    await has(busy, 'here');

    await run(path).ended;

    busy.abort();
    await clock.advance(800);
    expect(await failure(busy)).toBe(busy.reason);
  });
});

describe('a worker module is', () => {
  test.each([
    ['a path', (path: string) => path],
    ['a path that begins at the current directory', (path: string) => relative(process.cwd(), path)],
    ['a URL as a text', (path: string) => pathToFileURL(path).href],
  ])('%s', async (_, named) => {
    const item = run(named(worker("logger.log('done');")));

    await item.ended;

    expect(item.log).toEqual(['log item 1: done']);
  });

  test.each([
    ['CommonJS', 'plain.cjs', "module.exports = (_, logger) => logger.log('done');"],
    [
      'CommonJS from TypeScript',
      'compiled.cjs',
      "exports.__esModule = true; exports.default = (_, logger) => logger.log('done');",
    ],
  ])('%s', async (_, name, code) => {
    const item = run(file(name, code));

    await item.ended;

    expect(item.log).toEqual(['log item 1: done']);
  });

  test('a URL that a job object names', async () => {
    const job: WorkerThreadJob = { worker: pathToFileURL(worker("logger.log('done');")) };
    const log: string[] = [];
    const note = (message: string): void => void log.push(message);
    const running = { configuration: reportJob({}), logger: { debug: note, log: note, warn: note, error: note } };

    expect(classed.accepts(job)).toBe(true);
    expect(classed.validate?.(reportJob({}), job)).toEqual([]);
    await classed.process(job, reportJob({}), aContext(), running);

    expect(log).toEqual(['done']);
  });

  test.each([
    {},
    { worker: '' },
    { worker: 5 },
    { worker: 'a.js', execute: () => 1 },
    { worker: 'a.js', fetchData: () => 1 },
    null,
  ])('not that of the object %j', (job) => {
    expect(classed.accepts(job as object)).toBe(false);
  });
});

describe('what a worker throws is the failure of the item:', () => {
  test('an error with its name, message, code, stack and causes', async () => {
    const path = worker(`
      const cause = new AggregateError([new RangeError('low'), 'text'], 'several');
      throw Object.assign(new TypeError('bad', { cause }), { code: 'E_BAD' });`);

    const error = await failure(run(path));

    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'TypeError', message: 'bad', code: 'E_BAD' });
    expect(error.stack).toContain(pathToFileURL(path).href);
    expect(describeFailure(error)).toBe(
      "TypeError: bad (caused by AggregateError: several (2 errors: RangeError: low; 'text'))",
    );
  });

  test.each([
    ["'a text'", 'a text'],
    ['{ a: 1 }', { a: 1 }],
    ['undefined', undefined],
    ['() => 1', '[Function (anonymous)]'],
    [
      "Object.defineProperty(new Error(), 'message', { get() { throw 1 } })",
      'an error that throws when it is described',
    ],
  ])('%s', async (thrown, arrived) => {
    const { ended } = run(worker(`throw ${thrown};`));

    await expect(ended).rejects.toEqual(arrived);
  });

  test('a circle of causes', async () => {
    const error = await failure(run(worker("const error = new Error('round'); error.cause = error; throw error;")));

    expect(describeFailure(error)).toMatch(/^Error: round \(caused by Error: round/);
  });
});

describe('a worker whose item is aborted', () => {
  test('learns why, and ends as aborted if it throws the reason', async () => {
    const item = run(
      worker(`
        const { signal, softStop } = context;
        logger.log('begun');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        logger.log(signal.reason.message + ', ' + (softStop.reason === signal.reason));
        signal.throwIfAborted();`),
    );
    await has(item, 'begun');
    item.abort();

    expect(await failure(item)).toBe(item.reason);
    expect(item.log[1]).toBe('log item 1: the session is lost, true');
    expect(clock.timers).toBe(0);
  });

  test('may end what it does within 800 ms, and succeeds then', async () => {
    const item = run(
      worker(`
        logger.log('begun');
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        logger.log('ends');`),
    );
    await has(item, 'begun');
    item.abort();
    await clock.advance(799);

    await item.ended;
    expect(item.log[1]).toBe('log item 1: ends');
  });

  test.each([
    ['computes', SPIN],
    ['waits', WAIT],
    ['sleeps', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);'],
  ])('and that %s has its thread ended after 800 ms; the next item has a new one', async (_, code) => {
    const path = worker(
      `${THREAD} logger.log('thread ' + threadId); logger.log('begun'); if (context.shardingItem === 1) { ${code} }`,
    );
    const item = run(path);
    await has(item, 'begun');
    item.abort();
    await clock.advance(799);
    expect(await Promise.race([failure(item), new Promise((resolve) => setImmediate(resolve))])).toBe(undefined);
    await clock.advance(1);

    expect(await failure(item)).toBe(item.reason);
    const next = run(path, { shardingItem: 0 });
    await next.ended;
    expect(next.log[0]).not.toBe(item.log[0]?.replace('item 1', 'item 0'));
  });

  test('before a thread is ready does not start', async () => {
    const item = run(worker("logger.log('begun');"));
    item.abort();
    await clock.advance(0);

    expect(await failure(item)).toBe(item.reason);
    expect(item.log).toEqual([]);
  });

  test('before it is called does not start', async () => {
    const ports = (): number => process.getActiveResourcesInfo().filter((each) => each === 'MessagePort').length;
    const before = ports();
    const item = run(worker("logger.log('begun');"), { signal: AbortSignal.abort('too late') });

    await expect(item.ended).rejects.toBe('too late');
    expect(clock.timers).toBe(0);
    expect(ports()).toBeLessThanOrEqual(before);
  });

  test('leaves no listener on the signals', async () => {
    const { signal } = new AbortController();
    const { signal: softStop } = new AbortController();

    await run(worker(''), { signal, softStop }).ended;

    expect([signal, softStop].map((each) => getEventListeners(each, 'abort').length)).toEqual([0, 0]);
    expect(clock.timers).toBe(0);
  });
});

test.each(['while it runs', 'before it began'])('a worker learns that it should end soon, %s', async (when) => {
  const softStop = new AbortController();
  const reason = new Error('items move');
  if (when === 'before it began') softStop.abort(reason);
  const item = run(
    worker(`
      const { signal, softStop } = context;
      logger.log('begun');
      if (!softStop.aborted) await new Promise((resolve) => softStop.addEventListener('abort', resolve));
      logger.log(softStop.reason.message + ', ' + signal.aborted);`),
    { softStop: softStop.signal },
  );
  await has(item, 'begun');
  softStop.abort(reason);

  await item.ended;

  expect(item.log[1]).toBe('log item 1: items move, false');
});

describe('a thread that ends by itself fails its item, and the next item has a new one:', () => {
  test.each([
    ['process.exit()', 'process.exit(3);', 'has ended its thread, by process.exit(3) for instance, before it returned'],
    [
      'an uncaught error',
      `setImmediate(() => { throw new Error('oops'); }); ${WAIT}`,
      'has ended its thread by an error outside of its function: Error: oops',
    ],
    [
      'an unhandled rejection',
      `void Promise.reject(new Error('oops')); ${WAIT}`,
      'has ended its thread by an error outside of its function: Error: oops',
    ],
    [
      'an error that is none',
      `setImmediate(() => { throw undefined; }); ${WAIT}`,
      'has ended its thread by an error outside of its function: undefined',
    ],
    [
      'too little memory',
      "const all = []; for (;;) all.push('x'.repeat(1e5).split(''));",
      "has run out of memory: it has reached the limit of 32 MB; let it hold less at once, or raise props['run.workerMemoryMegabytes']",
    ],
  ])('%s', async (_, code, problem) => {
    const path = worker(`if (context.shardingItem === 1) { ${code} } logger.log('done');`);
    const props = { 'run.workerMemoryMegabytes': '32' };

    const error = await failure(run(path, {}, props));

    expect(error).toBeInstanceOf(JobExecutionError);
    expect(error.message).toBe(`The worker ${JSON.stringify(path)} ${problem}.`);
    const next = run(path, { shardingItem: 0 }, props);
    await next.ended;
    expect(next.log).toEqual(['log item 0: done']);
  });

  test('an error between two items is a warning', async () => {
    const path = worker("setTimeout(() => { throw new Error('late'); }, 20);");
    const item = run(path);
    await item.ended;

    await until(() => item.log.length > 0, 'the warning');

    expect(item.log).toEqual([
      `warn item 1: a thread of the worker ${JSON.stringify(path)}, which ran no item at the time, has ended its thread by an error outside of its function: Error: late.`,
    ]);
    await run(path).ended;
  });
});

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
