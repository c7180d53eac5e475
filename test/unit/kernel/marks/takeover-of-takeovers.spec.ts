import { describe, expect, test } from '@jest/globals';
import { sleep } from '../../../../lib/async/wait.js';
import { Deferred } from '../../../../lib/async/deferred.js';
import { type LostWrite } from '../../../../lib/registry/embedded/embedded-connection.js';
import { TestCluster, type TestClusterOptions } from '../../../../lib/testing/index.js';

/** Everything of the tree that speaks of a run, or of a crash. */
const marks = ({ tree }: TestCluster): string[] =>
  [...tree.keys()].filter((path) => /\d\/(running|failover|failovering|misfire)$|failover\/items\//.test(path));

/** A job with failover that fires once an hour, and whose work goes on for ever on A and ends at once elsewhere. */
async function start(names: readonly string[], options: TestClusterOptions = {}): Promise<TestCluster> {
  return TestCluster.start(names, {
    work: (name) => (name === 'A' ? new Promise(() => undefined) : undefined),
    ...options,
    job: { cron: '0 0 * * * ?', failover: true, ...options.job },
  });
}

describe('what has died is run again', () => {
  const deaths = (['applied', 'not-applied'] as const).flatMap((outcome) =>
    Array.from({ length: 14 }, (_, index) => index + 1).map((write): readonly [number, LostWrite] => [write, outcome]),
  );

  test.each(deaths)(
    'EJ2429: although the rescuer dies at its write number %i (%s), and nothing of the rescue is left',
    async (write, outcome) => {
      await using cluster = await start(['A'], { job: { shardingTotalCount: 1 } });
      await cluster.fire();
      await cluster.join('B');
      cluster.kill('A');
      cluster.killAtWrite('B', write, outcome);
      await cluster.advance('7s');
      await cluster.join('C');

      await cluster.advance('20s');

      const rescues = cluster.runs.filter(({ instance }) => instance !== 'A');
      expect(rescues.some(({ outcome: end }) => end === 'completed')).toBe(true);
      expect(rescues.every(({ at }) => at === '01:00:00')).toBe(true);
      expect(marks(cluster)).toEqual([]);

      cluster.forget();
      await cluster.advance('10m');
      expect(cluster.ran).toEqual({});
    },
  );

  test('all at once, by the one who is left', async () => {
    const gate = new Deferred();
    await using cluster = await start(['A'], {
      job: { shardingTotalCount: 2 },
      work: (name) => (name === 'A' ? new Promise(() => undefined) : gate.promise),
    });
    await cluster.fire();
    await cluster.join('B');
    cluster.kill('A');
    cluster.forget();

    await cluster.advance('7s');

    expect(cluster.ran).toEqual({ B: [0, 1] });
    gate.resolve();
    await cluster.settle();
    expect(marks(cluster)).toEqual([]);
  });

  test('by nobody whose server is disabled', async () => {
    await using cluster = await start(['A', 'B'], { job: { shardingTotalCount: 2 } });
    await cluster.fire();
    await cluster.disable('B');
    cluster.kill('A');
    cluster.forget();
    await cluster.advance('20s');
    expect(cluster.ran).toEqual({});

    await cluster.enable('B');
    await cluster.advance('1s');
    expect(cluster.runs.map(({ instance, item, at }) => `${instance} ${item} ${at}`)).toEqual(['B 1 01:00:00']);
  });

  test('although an operator has disabled a server whose address begins alike', async () => {
    await using cluster = await start(['A', 'B'], { job: { shardingTotalCount: 2 } });
    expect(cluster.ipOf('A')).toBe('10.0.0.65');
    await cluster.operator.put(cluster.paths.server('10.0.0.6'), 'DISABLED');
    await cluster.fire();
    cluster.kill('A');
    cluster.forget();

    await cluster.advance('7s');

    expect(cluster.ran).toEqual({ B: [1] });
  });
});

describe('while an item is being rescued', () => {
  /**
   * A fires its items and dies; C, which owned none, runs the takeover for eight seconds. Items belong to B from then
   * on.
   */
  async function rescuing(): Promise<TestCluster> {
    const cluster: TestCluster = await start(['A', 'B', 'C'], {
      job: { cron: '0/10 * * * * ?', shardingTotalCount: 3 },
      work: (name, { scheduledAt }) => {
        const isFirst = scheduledAt?.getTime() === Date.parse('2030-01-01T00:00:10Z');
        if (name === 'A') return new Promise(() => undefined);
        return isFirst ? sleep(cluster.clock, 8_000) : undefined;
      },
    });
    await cluster.fire();
    cluster.kill('A');
    await cluster.advance('9s');
    return cluster;
  }

  test('its owner does not run it for the next firing before the rescue has ended', async () => {
    await using cluster = await rescuing();
    const rescue = cluster.runs.findLast(({ at }) => at === '00:00:10')!;
    expect(rescue).toMatchObject({ item: 2, outcome: 'running' });

    await cluster.advance('30s');

    const later = cluster.runs.filter(({ item, at }) => item === 2 && at === '00:00:20');
    expect(later).toHaveLength(1);
    expect(later[0]!.startedMs).toBeGreaterThanOrEqual(rescue.endedMs!);
  });

  test('the rescuer runs its own items as ever', async () => {
    await using cluster = await rescuing();
    const { instance } = cluster.runs.findLast(({ at }) => at === '00:00:10')!;
    const own = cluster.owners[instance]!.filter((item) => item !== 2);

    await cluster.advance('1s');

    const ran = cluster.runs.filter((run) => run.instance === instance && run.at === '00:00:20');
    expect(own).not.toEqual([]);
    expect(ran.map(({ item }) => item)).toEqual(own);
  });
});
