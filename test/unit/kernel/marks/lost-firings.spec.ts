/** The messages of a new owner of items about firings that no instance ran because the former owner was gone. */
import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../../lib/async/deferred.js';
import { wordsOf } from '../../../../lib/kernel/job/job-events.js';
import { TestCluster, type TestClusterOptions, type TestJob } from '../../../../lib/testing/index.js';
import { joinJavaInstance } from '../../../support/java-instance.js';

/** The warnings about lost firings, with the names of instances for their ids and without the date. */
function warnings({ log }: TestCluster): string[] {
  return log
    .filter((line) => line.includes('no instance ran'))
    .map((line) => line.replaceAll(/10\.0\.0\.\d+@-@\d+-/g, '').replaceAll(/2030-01-01T(\d\d:\d\d:\d\d)\.000Z/g, '$1'));
}

/** A cluster whose job fires every second, after three seconds of calm. Sessions last six seconds. */
async function firing(names: readonly string[], options: TestClusterOptions = {}): Promise<TestCluster> {
  const cluster = await TestCluster.start(names, { ...options, job: { cron: '* * * * * ?', ...options.job } });
  await cluster.advance('3500ms');
  return cluster;
}

const LOST =
  'and no run makes up for that. Their owner A is gone without having stopped: its process has died, or its session has ended. ' +
  'Peers notice such an end sooner if sessionTimeoutMilliseconds is lower.';

/** The instants for which each item was begun, as `00:00:05`. */
function instantsOf({ runs }: TestCluster): ReadonlyMap<number, readonly (string | undefined)[]> {
  const instants = new Map<number, (string | undefined)[]>();
  for (const { item, at } of runs) instants.set(item, [...(instants.get(item) ?? []), at]);
  return instants;
}

describe('the firings of items between the death of their owner and their next assignment', () => {
  test.each<[string, TestJob]>([
    ['misfire', {}],
    ['no misfire', { misfire: false }],
    ['failover', { failover: true }],
    ['failover and no misfire', { failover: true, misfire: false }],
  ])('are logged by their new owner, once, and are those that nobody ran (%s)', async (_, job) => {
    await using cluster = await firing(['A', 'B'], { job: { shardingTotalCount: 4, ...job } });
    expect(cluster.owners).toEqual({ A: [2, 3], B: [0, 1] });

    cluster.kill('A');
    await cluster.advance('20s');

    expect(warnings(cluster)).toEqual([
      `B: Job 'job': no instance ran items 2-3 at the 6 firings from 00:00:04 to 00:00:09, ${LOST}`,
    ]);
    expect(instantsOf(cluster).get(2)?.slice(0, 4)).toEqual(['00:00:01', '00:00:02', '00:00:03', '00:00:10']);
  });

  test('are logged by each new owner for its own items', async () => {
    await using cluster = await firing(['A', 'B', 'C'], { job: { shardingTotalCount: 6 } });
    expect(cluster.owners).toEqual({ A: [4, 5], B: [2, 3], C: [0, 1] });

    cluster.kill('B');
    await cluster.advance('20s');

    expect(
      warnings(cluster)
        .map((line) => line.split(' and ')[0])
        .sort(),
    ).toEqual([
      "A: Job 'job': no instance ran items 3 at the 6 firings from 00:00:04 to 00:00:09,",
      "C: Job 'job': no instance ran items 2 at the 6 firings from 00:00:04 to 00:00:09,",
    ]);
  });

  test('are one line for a thousand items', async () => {
    await using cluster = await firing(['A', 'B'], { job: { shardingTotalCount: 1_000 } });

    cluster.kill('A');
    await cluster.advance('7s');

    expect(warnings(cluster)).toEqual([
      `B: Job 'job': no instance ran items 500-999 at the 6 firings from 00:00:04 to 00:00:09, ${LOST}`,
    ]);
  });

  test('are those that its death may explain, and no earlier ones', async () => {
    await using cluster = await firing(['A', 'B'], { job: { cron: '0/5 * * * * ?' } });
    await cluster.advance('7s');
    await cluster.operator.create(cluster.paths.item(1, 'disabled'), '');
    await cluster.advance('51s');
    await cluster.operator.remove(cluster.paths.item(1, 'disabled'));

    cluster.kill('A');
    await cluster.advance('20s');

    expect(instantsOf(cluster).get(1)?.slice(0, 3)).toEqual(['00:00:05', '00:00:10', '00:01:10']);
    expect(warnings(cluster)).toEqual([
      `B: Job 'job': no instance ran items 1 at the 2 firings from 00:01:00 to 00:01:05, ${LOST}`,
    ]);
  });

  test('are those since monitorExecution was switched on, as nobody knows what ran before', async () => {
    await using cluster = await firing(['A', 'B']);
    await cluster.reconfigure({ monitorExecution: false });
    await cluster.advance('5s');
    cluster.kill('A');
    await cluster.reconfigure({ monitorExecution: true });
    await cluster.advance('20s');

    expect(instantsOf(cluster).get(1)?.slice(7, 9)).toEqual(['00:00:08', '00:00:15']);
    expect(warnings(cluster)).toEqual([
      `B: Job 'job': no instance ran items 1 at the 6 firings from 00:00:09 to 00:00:14, ${LOST}`,
    ]);
  });

  test('are those since the new owner is back, if monitorExecution was off while it was cut off', async () => {
    await using cluster = await firing(['A', 'B']);
    cluster.cut('B');
    await cluster.advance('1s');
    await cluster.reconfigure({ monitorExecution: false });
    await cluster.advance('10s');
    await cluster.reconfigure({ monitorExecution: true });

    cluster.kill('A');
    await cluster.heal('B');
    await cluster.advance('20s');

    expect(instantsOf(cluster).get(1)).toContain('00:00:12');
    expect(cluster.owners).toEqual({ B: [0, 1] });
    expect(warnings(cluster)).toEqual([
      `B: Job 'job': no instance ran items 0-1 at the 6 firings from 00:00:15 to 00:00:20, ${LOST}`,
    ]);
  });

  test('are logged also if settings were changed after the last run of their owner', async () => {
    await using cluster = await firing(['A', 'B']);
    await cluster.reconfigure({ description: 'another one' });

    cluster.kill('A');
    await cluster.advance('10s');

    expect(warnings(cluster)).toEqual([
      `B: Job 'job': no instance ran items 1 at the 6 firings from 00:00:04 to 00:00:09, ${LOST}`,
    ]);
  });

  test('are those of the present schedule only', async () => {
    await using cluster = await firing(['A', 'B']);

    cluster.kill('A');
    await cluster.advance('3500ms');
    await cluster.reconfigure({ cron: '0/2 * * * * ?' });
    await cluster.advance('5s');

    expect(warnings(cluster)).toEqual([`B: Job 'job': no instance ran items 1 at the firing of 00:00:08, ${LOST}`]);
  });

  test('are logged while the first run of the new owner goes on', async () => {
    const gate = new Deferred();
    await using cluster = await firing(['A', 'B'], {
      work: (name, { shardingItem }) => (name === 'B' && shardingItem === 1 ? gate.promise : undefined),
    });

    cluster.kill('A');
    await cluster.advance('7s');

    expect(cluster.runs.at(-1)).toMatchObject({ instance: 'B', item: 1, at: '00:00:10' });
    expect(warnings(cluster)).toHaveLength(1);
    gate.resolve();
  });

  test('are logged when the new owner has begun the items, if it could not do so at once', async () => {
    const gate = new Deferred();
    await using cluster = await firing(['A', 'B'], {
      // Listeners keep a run from beginning beside another one.
      host: { listeners: [{ type: 'EACH', beforeJobExecuted: () => undefined, afterJobExecuted: () => undefined }] },
      job: { jobListenerTypes: ['EACH'] },
      work: (name, { shardingItem }) => (name === 'B' && shardingItem === 0 ? gate.promise : undefined),
    });
    await cluster.advance('2s');

    cluster.kill('A');
    await cluster.advance('20s');
    expect(warnings(cluster)).toEqual([]);
    gate.resolve();
    await cluster.settle();

    expect(warnings(cluster)).toEqual([
      `B: Job 'job': no instance ran items 1 at the 7 firings from 00:00:06 to 00:00:12, ${LOST}`,
    ]);
  });
});

test('of items that have lost different firings, the entry names the largest groups, and counts the others', () => {
  const group = (items: number[], second: number) => ({
    items,
    firings: { first: second * 1_000, last: (second + 1) * 1_000, count: 2 },
  });
  const lost = [group([1], 1), group([2, 3], 2), group([4, 5, 6], 3), group([7], 4), group([8, 9], 5)];

  const { level, text, fields } = wordsOf({ type: 'firings-lost', peer: 'A', lost }, 'B');

  expect(level).toBe('warn');
  expect(fields).toEqual({ peer: 'A', items: [1, 2, 3, 4, 5, 6, 7, 8, 9] });
  expect(text.replaceAll(/1970-01-01T00:00:(\d\d)\.000Z/g, '$1')).toMatch(
    /^no instance ran items 4-6 at the 2 firings from 03 to 04, items 2-3 at the 2 firings from 02 to 03, items 8-9 at the 2 firings from 05 to 06, 2 other items at firings since their last runs, and no run /,
  );
});

describe('no lost firings are logged', () => {
  test('if there is only one, which the new owner makes up for', async () => {
    await using cluster = await firing(['A', 'B'], { job: { cron: '0/5 * * * * ?' } });
    await cluster.advance('3s');

    cluster.kill('A');
    await cluster.advance('20s');

    expect(instantsOf(cluster).get(1)).toEqual(['00:00:05', '00:00:10', '00:00:15', '00:00:20', '00:00:25']);
    expect(warnings(cluster)).toEqual([]);
  });

  test('after a graceful stop, or a new start of the process', async () => {
    await using cluster = await firing(['A', 'B']);

    await cluster.leave('A');
    await cluster.advance('5s');
    await cluster.join('A');
    await cluster.advance('5s');

    expect(warnings(cluster)).toEqual([]);
  });

  test('of items that waited for an enabled instance after their owner had stopped gracefully', async () => {
    await using cluster = await firing(['A', 'B']);
    await cluster.disable('B');

    await cluster.leave('A');
    await cluster.advance('10s');
    await cluster.enable('B');
    await cluster.advance('5s');

    expect(instantsOf(cluster).get(1)?.slice(2, 4)).toEqual(['00:00:03', '00:00:14']);
    expect(warnings(cluster)).toEqual([]);
  });

  test('in an outage of the registry centre that outlasts the sessions of all, which one run makes up for', async () => {
    await using cluster = await firing(['A', 'B']);

    for (const name of ['A', 'B']) await cluster.expire(name);
    await cluster.advance('10s');

    expect(warnings(cluster)).toEqual([]);
  });

  test('of items that an operator had disabled', async () => {
    await using cluster = await firing(['A', 'B']);
    await cluster.operator.create(cluster.paths.item(1, 'disabled'), '');
    await cluster.advance('5s');

    cluster.kill('A');
    await cluster.advance('10s');
    await cluster.operator.remove(cluster.paths.item(1, 'disabled'));
    await cluster.advance('10s');

    expect(cluster.runs.at(-1)?.item).toBe(1);
    expect(warnings(cluster)).toEqual([]);
  });

  test('of items that never ran', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { cron: '* * * * * ?' } });

    cluster.kill('A');
    await cluster.advance('20s');

    expect(warnings(cluster)).toEqual([]);
  });

  test('without monitorExecution, as no instance knows what ran', async () => {
    await using cluster = await firing(['A', 'B'], { job: { monitorExecution: false } });

    cluster.kill('A');
    await cluster.advance('20s');

    expect(warnings(cluster)).toEqual([]);
  });

  test('of a time in which monitorExecution was off', async () => {
    await using cluster = await firing(['A', 'B']);
    await cluster.reconfigure({ monitorExecution: false });

    cluster.kill('A');
    await cluster.advance('15s');
    await cluster.reconfigure({ monitorExecution: true });
    await cluster.advance('5s');

    expect(instantsOf(cluster).get(1)).toContain('00:00:15');
    expect(warnings(cluster)).toEqual([]);
  });

  test('beside Java instances, which keep no records', async () => {
    await using cluster = await firing(['A', 'B'], { job: { shardingTotalCount: 6 } });
    await joinJavaInstance(cluster, 'J');
    await cluster.advance('3s');
    const before = cluster.owners['B'];

    cluster.kill('A');
    await cluster.advance('20s');

    expect(cluster.owners['B']).not.toEqual(before);
    expect(warnings(cluster)).toEqual([]);
  });

  test('of an item that missed a firing while it ran: one run makes up for all', async () => {
    const gate = new Deferred();
    await using cluster = await firing(['A', 'B'], {
      work: (name, { shardingItem }) => (name === 'A' && shardingItem === 1 ? gate.promise : undefined),
    });

    cluster.kill('A');
    await cluster.advance('20s');
    gate.resolve();

    expect(cluster.runs.filter(({ instance, item }) => instance === 'B' && item === 1)[0]?.at).toBe('00:00:09');
    expect(warnings(cluster)).toEqual([]);
  });
});

describe('after the death of all instances', () => {
  test('the first one that comes logs the firings since then', async () => {
    await using cluster = await firing(['A']);
    cluster.kill('A');
    await cluster.advance('1h');

    await cluster.join('B');
    await cluster.advance('5s');

    expect(warnings(cluster)).toEqual([
      `B: Job 'job': no instance ran items 0-1 at the many firings from 00:00:04 to 01:00:03, ${LOST}`,
    ]);
  });

  test('nothing is logged if the settings were changed meanwhile, as nobody knows what was due', async () => {
    await using cluster = await firing(['A']);
    cluster.kill('A');
    await cluster.advance('1h');

    await cluster.join('B', { cron: '*/2 * * * * ?', overwrite: true });
    await cluster.advance('5s');

    expect(warnings(cluster)).toEqual([]);
  });
});
