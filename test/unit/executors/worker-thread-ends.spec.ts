/** Worker threads that end by themselves, or cannot be started. With real threads. */
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { JobExecutionError } from '../../../lib/api/errors/errors.js';
import { WorkerPool } from '../../../lib/executors/worker/worker-pool.js';
import { until } from '../../support/until.js';
import { aContext } from './stage.js';
import { clock, failure, has, run, WAIT, worker } from './worker-stage.js';

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

describe('if no thread can be started,', () => {
  const limit =
    "it has reached the limit of 3 MB; let it hold less at once, or raise props['run.workerMemoryMegabytes']";
  /**
   * A pool whose threads have too little memory to start. Properties that small are refused, so it is opened here.
   * With 2 MB or less, Node 24 ends the whole process.
   */
  const starved = async (): Promise<WorkerPool> =>
    WorkerPool.open({ worker: 'crunch.mjs', url: pathToFileURL(worker('')).href, memoryMb: 3 }, clock);
  const logger = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };

  test('the job is refused at its start', async () => {
    const pool = await starved();

    expect(await pool.moduleProblem()).toBe(`cannot be loaded: it could not start a thread: ${limit}`);
    expect(clock.timers).toBe(0);
  });

  test('all items that wait for one fail at once', async () => {
    const pool = await starved();

    const ended = await Promise.allSettled([pool.run(aContext(), logger), pool.run(aContext(), logger)]);

    const failed = { status: 'rejected', reason: expect.any(JobExecutionError) };
    expect(ended).toEqual([failed, failed]);
    for (const each of ended as PromiseRejectedResult[])
      expect(each.reason).toHaveProperty('message', `The worker "crunch.mjs" could not start a thread: ${limit}.`);
    expect(clock.timers).toBe(0);
  });

  test('and none fails either, an item fails after 30 seconds', async () => {
    const path = worker('');
    const item = run(path);
    while (clock.timers === 0) await new Promise((resolve) => setImmediate(resolve));

    await clock.advance(30_000);

    expect((await failure(item)).message).toBe(
      `The worker ${JSON.stringify(path)} could not start a thread: Error: no thread has started within 30000 ms.`,
    );
  });
});

describe('an idle thread that ends fails no item:', () => {
  /**
   * Two idle threads, of which the one of item `dying` throws while this process is blocked. The path of their module.
   */
  async function twoIdleThreads(dying: number): Promise<string> {
    const path = worker(`
      logger.log('here');
      if (context.jobParameter === 'next') return;
      await new Promise((resolve) => context.softStop.addEventListener('abort', resolve));
      if (context.shardingItem === ${dying}) setTimeout(() => { throw new Error('late'); }, 50);`);
    const softStop = new AbortController();
    const items = [0, 1].map((shardingItem) => run(path, { shardingItem, softStop: softStop.signal }));
    for (const item of items) await has(item, 'here');
    softStop.abort(new Error('go on'));
    for (const item of items) await item.ended;
    // The error of the thread is on its way when the next items are given to threads.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    return path;
  }

  test.each([
    [0, [1]],
    [1, [1]],
    [0, [0, 1]],
    [1, [0, 1]],
  ])('if the thread that item %i had throws, the items %j run', async (dying, starting) => {
    const path = await twoIdleThreads(dying);

    const items = starting.map((shardingItem) => run(path, { shardingItem, jobParameter: 'next' }));

    for (const item of items) await item.ended;
    const log = items.flatMap((item) => item.log);
    expect(log.filter((line) => line.startsWith('log'))).toHaveLength(starting.length);
    await until(() => items.some((item) => item.log.some((line) => line.startsWith('warn'))), 'the warning');
    expect(items.flatMap((item) => item.log).filter((line) => line.startsWith('warn'))).toEqual([
      expect.stringMatching(/which ran no item at the time, has ended its thread by an error .*: Error: late\.$/),
    ]);
  });
});
