import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { areOver, fire, numbersOf, sharedJob } from './support/triggered-job.js';
import { MixedCluster } from './support/mixed-cluster.js';

const zooKeeper = sharedZooKeeper();
const LISTENERS = { jobListenerTypes: ['EACH_INSTANCE', 'ONCE'] };

describe('Listeners of a job that Java and Node share', () => {
  let cluster: MixedCluster;
  beforeAll(async () => {
    cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
    for (const name of ['J1', 'N1']) await cluster.start(name, { job: false });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test.each([[['J1', 'N1']], [['N1', 'J1']]])(
    'are called on each instance, and once for all, at each firing: %s',
    async (members) => {
      await using job = await sharedJob(cluster, members, LISTENERS);

      for (let firing = 0; firing < 5; firing++) {
        const since = Date.now();
        await fire(job);
        await until(() => calls(job, since).length >= 6, 'all calls');

        expect(summary(job, since)).toEqual(CALLED_ONCE);
      }
    },
  );

  test.each([
    ['J1', 'N1'],
    ['N1', 'J1'],
  ])('before the items, once, if %s comes last', async (late, early) => {
    await using job = await sharedJob(cluster, ['J1', 'N1'], LISTENERS);
    const since = Date.now();

    job.peer(late).freeze();
    await job.operate('trigger', job.job.jobName);
    await until(async () => (await job.nodes(/^guarantee\/started\/\d+$/)).length === 2, `${early} to wait`);
    job.peer(late).thaw();
    await job.untilRan('all items to run', (runs) => areOver(runs, 4), since);
    await until(() => calls(job, since).length >= 6, 'all calls');

    expect(summary(job, since)).toEqual(CALLED_ONCE);
    expect(calls(job, since).find(({ event }) => event === 'once-before')?.by).toBe(late);
    expect(await job.leftOver()).toEqual([]);
  });

  test.each([
    ['J1', 'N1'],
    ['N1', 'J1'],
  ])('after the items, once, if %s ends last', async (late, early) => {
    await using job = await sharedJob(cluster, ['J1', 'N1'], LISTENERS);
    const since = Date.now();
    await job.peer(late).block();

    await job.operate('trigger', job.job.jobName);
    await until(async () => (await job.nodes(/^guarantee\/completed\/\d+$/)).length === 2, `${early} to wait`);
    expect(calls(job, since).filter(({ event }) => event === 'once-after')).toEqual([]);
    await job.peer(late).release();
    await until(() => calls(job, since).length >= 6, 'all calls');

    expect(summary(job, since)).toEqual(CALLED_ONCE);
    expect(calls(job, since).find(({ event }) => event === 'once-after')?.by).toBe(late);
    expect(await job.leftOver()).toEqual([]);
  });
});

const calls = (job: MixedCluster, since: number): readonly { event: string; by: string; at: number }[] =>
  job.calls(since);

/** How often each was called, by whom it was called if that is each instance, and whether the items lie between. */
function summary(job: MixedCluster, since: number): object {
  const all = calls(job, since);
  const by = (event: string): readonly string[] =>
    all
      .filter((call) => call.event === event)
      .map((call) => call.by)
      .sort();
  const at = (event: string): number => all.find((call) => call.event === event)?.at ?? NaN;
  const runs = job.runs(since);
  return {
    before: by('before'),
    after: by('after'),
    onceBefore: by('once-before').length,
    onceAfter: by('once-after').length,
    areItemsBetween: runs.every(
      ({ startedAt, endedAt }) => at('once-before') <= startedAt && endedAt! <= at('once-after'),
    ),
    items: numbersOf(runs),
  };
}

const CALLED_ONCE = {
  before: ['J1', 'N1'],
  after: ['J1', 'N1'],
  onceBefore: 1,
  onceAfter: 1,
  areItemsBetween: true,
  items: [0, 1, 2, 3],
};

describe('If an instance is killed while its items run, the listener that is called once', () => {
  let cluster: MixedCluster;
  let since: number;

  beforeEach(async () => {
    cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
    for (const name of ['J1', 'N1']) await cluster.start(name, { job: false, onceTimeoutMs: 2_000 });
  });
  afterEach(() => cluster[Symbol.asyncDispose]());

  /**
   * The job's next firing, in the middle of which the instance dies; returns when the other has taken over its items.
   */
  async function firingThatLoses(victim: string): Promise<MixedCluster> {
    const job = await sharedJob(cluster, ['J1', 'N1'], LISTENERS);
    since = Date.now();
    await job.peer(victim).block();
    await job.operate('trigger', job.job.jobName);
    await job.untilRan('all items to begin', (runs) => runs.length === 4, since);
    await job.peer(victim).kill();
    await job.untilRan('its items to be rescued', (runs) => areOver(runs, 6), since);
    return job;
  }

  test('is called by the Node instance that has rescued the items of a Java instance', async () => {
    const job = await firingThatLoses('J1');
    await until(() => calls(job, since).some(({ event }) => event === 'once-after'), 'the call');

    expect(summary(job, since)).toMatchObject({ onceBefore: 1, onceAfter: 1, items: [0, 1, 2, 2, 3, 3] });
    const before = onceOf(job, since);
    expect(before.at(-1)).toBe('once-after by N1');
    await fire(job);
    // Counted, not timed: the next firing may begin in the millisecond of that call.
    await until(() => onceOf(job, since).length >= before.length + 2, 'the calls of the next firing');
    expect(onceOf(job, since).slice(before.length)).toEqual(['once-before by N1', 'once-after by N1']);
  });

  // A Java instance takes over item by item. In each takeover it waits for all items to start, and for all to complete.
  test('is not called after the items by a Java instance, which waits for the dead in vain, but is at the next firing', async () => {
    const job = await firingThatLoses('N1');

    expect(summary(job, since)).toMatchObject({ onceBefore: 1, onceAfter: 0, items: [0, 0, 1, 1, 2, 3] });
    since = Date.now();
    await fire(job);
    await until(() => onceOf(job, since).length >= 2, 'the calls of the next firing');
    expect(onceOf(job, since)).toEqual(['once-before by J1', 'once-after by J1']);
  });
});

const onceOf = (job: MixedCluster, since: number): readonly string[] =>
  calls(job, since)
    .filter(({ event }) => event.startsWith('once'))
    .map(({ event, by }) => `${event} by ${by}`);
