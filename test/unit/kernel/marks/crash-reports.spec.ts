import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../../lib/async/deferred.js';
import { sleep } from '../../../../lib/async/wait.js';
import { TestCluster } from '../../../../lib/testing/index.js';

const told = ({ runs }: TestCluster): string[] => runs.map(({ instance, item, at }) => `${instance} ${item} ${at}`);

/** Everything of the tree that speaks of a run, or of a crash. */
const traces = ({ tree }: TestCluster): string[] =>
  [...tree.keys()].filter((path) => /\d\/(running|failover|failovering)$|(failover\/items|crashed)\/\d/.test(path));

/** A runs item 1 and B runs item 0 for 01:00:00, until the test ends these runs, or they are told to end. */
async function twoRuns(): Promise<TestCluster & { readonly end: (instance: string) => void }> {
  const ends = new Map<string, Deferred>();
  const cluster = await TestCluster.start(['A', 'B'], {
    job: { cron: '0 0 * * * ?', failover: true },
    work: (instance, { signal }) => {
      const end = new Deferred();
      ends.set(instance, end);
      signal.addEventListener('abort', () => end.resolve());
      return end.promise;
    },
  });
  await cluster.fire();
  expect(told(cluster).sort()).toEqual(['A 1 01:00:00', 'B 0 01:00:00']);
  cluster.forget();
  return Object.assign(cluster, { end: (instance: string) => ends.get(instance)?.resolve() });
}

describe('a peer’s report of a crash', () => {
  test.each([
    [
      'after it noticed that it was cut off',
      (cluster: TestCluster) => cluster.member('A').registry.faults.disconnect(),
    ],
    ['before it noticed that it was cut off', (cluster: TestCluster) => cluster.cut('A')],
  ])('is withdrawn by the instance whose run has ended %s, and the item is not run again', async (_, cutOff) => {
    await using cluster = await twoRuns();
    cutOff(cluster);
    cluster.end('A');
    // B has reported A's run, and takes it over when it has finished its own.
    await cluster.advance('8s');
    expect(cluster.view.crashedItems).toEqual([1]);

    await cluster.heal('A');
    expect(cluster.view.crashedItems).toEqual([]);
    cluster.end('B');
    await cluster.advance('20s');

    expect(told(cluster)).toEqual([]);
    expect(traces(cluster)).toEqual([]);
  });

  test('of a run that was told to end stands, and the item is run again once', async () => {
    await using cluster = await twoRuns();
    cluster.cut('A');
    await cluster.advance('8s');
    expect(cluster.view.crashedItems).toEqual([1]);

    await cluster.heal('A');
    await cluster.advance('1s');
    cluster.end('A');
    cluster.end('B');
    await cluster.advance('20s');

    expect(told(cluster)).toEqual(['A 1 01:00:00']);
    expect(traces(cluster)).toEqual([]);
  });

  test('that a peer has acted on already is left alone, and that peer’s run too', async () => {
    await using cluster = await twoRuns();
    cluster.cut('A');
    cluster.end('A');
    await cluster.advance('8s');
    cluster.end('B');
    await cluster.settle();
    expect(told(cluster)).toEqual(['B 1 01:00:00']);
    const before = traces(cluster);

    await cluster.heal('A');

    expect(traces(cluster)).toEqual(before);
    expect(cluster.tree.get(cluster.paths.item(1, 'running'))).toBe(cluster.idOf('B'));
    cluster.end('B');
    await cluster.advance('20s');
    expect(told(cluster)).toEqual(['B 1 01:00:00']);
    expect(traces(cluster)).toEqual([]);
  });

  test('of a takeover that has died is withdrawn by the instance that had ended the run, and the item is not run again', async () => {
    await using cluster = await twoRuns();
    cluster.cut('A');
    cluster.end('A');
    await cluster.advance('8s');
    cluster.end('B');
    await cluster.settle();
    expect(told(cluster)).toEqual(['B 1 01:00:00']);
    cluster.kill('B');
    await cluster.heal('A');
    cluster.forget();

    await cluster.advance('20s');

    expect(told(cluster)).toEqual([]);
    expect(traces(cluster)).toEqual([]);
  });

  test('of another run of the item stands, although an earlier run of it has ended here', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C'], {
      job: { cron: '0/10 * * * * ?', failover: true },
      work: (name, { scheduledAt }) => {
        if (name === 'A' && scheduledAt?.getUTCSeconds() === 10) return sleep(cluster.clock, 1_000);
        return name === 'B' && scheduledAt?.getUTCSeconds() === 20 ? new Promise(() => undefined) : undefined;
      },
    });
    await cluster.disable('C');
    await cluster.fire();
    // A's run of 00:00:10 ends, and A cannot remove its mark; B takes it over, and dies while it runs both for
    // 00:00:20.
    cluster.cut('A');
    await cluster.advance('10s');
    expect(told(cluster)).toEqual(['A 1 00:00:10', 'B 0 00:00:10', 'B 1 00:00:10', 'B 0 00:00:20', 'B 1 00:00:20']);
    cluster.kill('B');
    await cluster.advance('7s');
    expect(cluster.view.crashedItems).toEqual([0, 1]);
    cluster.forget();

    await cluster.heal('A');
    await cluster.advance('2s');

    expect(told(cluster)).toEqual(['A 0 00:00:20', 'A 1 00:00:20']);
    expect(traces(cluster)).toEqual([]);
  });
});
