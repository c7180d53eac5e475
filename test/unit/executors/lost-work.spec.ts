/** Code of jobs that returns work that would never be done, or an error instead of throwing it. */
import { describe, expect, test } from '@jest/globals';
import { type ElasticJobObject, type ShardingContext } from '../../../lib/index.js';
import { TestCluster } from '../../../lib/testing/index.js';
import { reportJob } from './stage.js';
import { failure, file, newName, run, typed, worker } from './worker-stage.js';

const observable = { subscribe: () => undefined, pipe: () => undefined };
function* generator(): Generator<number> {
  yield 1;
}
async function* asyncGenerator(): AsyncGenerator<number> {
  yield await Promise.resolve(1);
}

const RETURNED: readonly (readonly [unknown, string])[] = [
  [observable, 'returned an Observable, which nobody subscribes to: return lastValueFrom(observable)'],
  [Promise.resolve(observable), 'returned an Observable'],
  [generator(), 'returned a generator, whose body nobody runs'],
  [asyncGenerator(), 'returned a generator, whose body nobody runs'],
  [new Error('no stock'), 'returned an error: throw it, so that the item fails'],
  [[Promise.resolve()], 'returned a list of promises, which nobody waits for: return Promise.all(list)'],
];

/** A cluster of one item whose job is that object. */
const clusterWith = (job: object): Promise<TestCluster> =>
  TestCluster.start(['A'], { job: { shardingTotalCount: 1 }, createJob: () => job as ElasticJobObject });

async function problemOf(job: object): Promise<string> {
  await using cluster = await clusterWith(job);
  await cluster.fire();
  expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['failed']);
  return String(cluster.runs[0]?.error);
}

describe('An item fails if its job returns work that nobody would do', () => {
  test.each(RETURNED)('from execute (case %#)', async (result, problem) => {
    expect(await problemOf({ execute: () => result })).toContain(`execute() ${problem}`);
  });

  test.each(RETURNED)('from processData (case %#)', async (result, problem) => {
    const job = { fetchData: () => [1], processData: () => result };
    expect(await problemOf(job)).toContain(`processData() ${problem}`);
  });

  test.each(RETURNED)('from fetchData (case %#)', async (result, problem) => {
    const job = { fetchData: () => result, processData: () => undefined };
    expect(await problemOf(job)).toContain(`fetchData() ${problem}`);
  });

  test.each([
    ['{ subscribe() {}, pipe() {} }', 'returned an Observable'],
    ['(function* () {})()', 'returned a generator'],
    ['(async function* () {})()', 'returned a generator'],
    ["new Error('no stock')", 'returned an error'],
    ['[Promise.resolve()]', 'returned a list of promises'],
  ])('from a worker (%s)', async (code, problem) => {
    const error = await failure(run(worker(`return ${code};`)));
    expect(error.message).toContain(`The default export ${problem}`);
  });

  test('and the error that it returned is the cause', async () => {
    const error = new Error('no stock');
    await using cluster = await clusterWith({ execute: () => error });
    await cluster.fire();
    expect(cluster.runs[0]?.error).toMatchObject({ cause: error });
  });

  test.each([[undefined], [null], [[1, 2]], [{ rows: 3 }], ['done'], [new Map([[1, 2]])]])(
    'but not if it returns other values, such as %p',
    async (result) => {
      await using cluster = await clusterWith({ execute: () => result });
      await cluster.fire();
      expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['completed']);
    },
  );
});

describe('A job is refused at its start', () => {
  const CALLBACK = 'so that a callback would never be called: return a promise instead';

  test.each([
    [{ execute: generator }, 'execute() is a generator function, whose body nobody runs'],
    [{ execute: asyncGenerator }, 'execute() is a generator function'],
    [
      { execute: (_context: unknown, _done: unknown) => undefined },
      `execute() takes 2 parameters, but is called with (context) alone, ${CALLBACK}`,
    ],
    [{ fetchData: generator, processData: () => undefined }, 'fetchData() is a generator function'],
    [{ fetchData: (_a: unknown, _b: unknown) => [], processData: () => undefined }, 'fetchData() takes 2 parameters'],
    [
      { fetchData: () => [], processData: (_a: unknown, _b: unknown, _c: unknown) => undefined },
      'processData() takes 3 parameters, but is called with (context, data) alone',
    ],
  ])('if its methods would be called and their work not done (case %#)', async (job, problem) => {
    await expect(clusterWith(job)).rejects.toThrow(`elasticjob.jobs.job: ${problem}`);
  });

  test.each([
    ['export default async function* () {}', 'is a generator function, whose body nobody runs'],
    [
      'export default (context, logger, done) => done()',
      'takes 3 parameters, but is called with (context, logger) alone',
    ],
  ])('if it is the module of a worker: %s', async (code, problem) => {
    const configuration = reportJob({ 'run.worker': file(newName('idle'), code) });
    const prepared = async (): Promise<void> => typed.prepare?.(configuration);
    await expect(prepared()).rejects.toThrow(`has a default export that ${problem}`);
  });

  test('but not for parameters with a default value', async () => {
    await using cluster = await clusterWith({ execute: (_context: unknown, _isDryRun = false) => undefined });
    await cluster.fire();
    expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['completed']);
  });
});

test('What a context says cannot be changed by the job', async () => {
  await using cluster = await clusterWith({
    execute: (context: { shardingItem: number } & ShardingContext) => {
      context.shardingItem = 9;
    },
  });

  await cluster.fire();

  expect(cluster.runs[0]).toMatchObject({ outcome: 'failed', item: 0 });
  expect(String(cluster.runs[0]?.error)).toContain("'shardingItem'");
});

test('Nor can it in a worker', async () => {
  const error = await failure(run(worker('context.shardingItem = 9;')));
  expect(error.message).toContain("'shardingItem'");
});
