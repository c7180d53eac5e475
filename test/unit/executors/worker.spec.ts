/** The input of a worker, its module, and its errors, with real threads. */
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { describeFailure } from '../../../lib/api/text/describe-cause.js';
import { type WorkerThreadJob } from '../../../lib/api/job/worker-job.js';
import { aContext, reportJob } from './stage.js';
import { classed, clock, failure, file, has, run, SPIN, THREAD, worker } from './worker-stage.js';

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
    const logger = { debug: note, log: note, warn: note, error: note };
    const running = { configuration: reportJob({}), logger, noteImpairment: note };

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
