import { describe, expect, test } from '@jest/globals';
import { type History, type Step } from './history.js';
import { minimise } from './minimise.js';
import { play } from './player.js';
import { type Recording } from './recording.js';
import { scenario } from './scenario.js';
import { historyOf } from './storyteller.js';

const SEEDS = Array.from({ length: 12 }, (_, index) => 101 + index);

/** All of a recording but the names of places in a queue, which are random on purpose. */
function comparable({ commits, logs, rests, ...others }: Recording): unknown {
  return JSON.parse(
    JSON.stringify({
      ...others,
      commits,
      logs: [...logs],
      rests: rests.map((rest) => ({ ...rest, tree: [...rest.tree] })),
    }).replaceAll(/_c_[0-9a-f-]{36}/g, 'place'),
  );
}

function aHistory(steps: readonly Step[]): History {
  return {
    seed: 1,
    job: {
      ...{ periodSeconds: 5, shardingTotalCount: 4, failover: false, misfire: true, monitorExecution: true },
      jobShardingStrategyType: 'AVG_ALLOCATION',
    },
    ...{ behaviours: [], poolSize: 20, slowestMessageMs: 0 },
    steps,
  };
}

describe('a simulation', () => {
  test('is the same each time for the same seed', async () => {
    const twice = async (seed: number) => [await play(historyOf(seed)), await play(historyOf(seed))];

    for (const seed of SEEDS) {
      const [first, second] = await twice(seed);
      expect(comparable(second!)).toEqual(comparable(first!));
    }
  });

  test('does not depend on what was played before', async () => {
    const alone = await play(historyOf(SEEDS[0]!));

    await play(historyOf(SEEDS[1]!));

    expect(comparable(await play(historyOf(SEEDS[0]!)))).toEqual(comparable(alone));
  });

  test('prints what was done, and what came of it', async () => {
    const history = aHistory([
      { atMs: 0, type: 'join', name: 'A', skewMs: 0 },
      { atMs: 7_000, type: 'disable-item', item: 2 },
    ]);

    const recording = await play(history);

    expect(scenario(history, recording, []).split('\n').slice(0, 12)).toEqual([
      '# seed 1: nothing is wrong',
      expect.stringMatching(/^job +periodSeconds=5 shardingTotalCount=4/),
      expect.stringMatching(/^world/),
      '  0.000 join A',
      '  7.000 disable-item 2',
      '----',
      expect.stringMatching(/^ {2}0\.000 join A$/),
      ...Array.from({ length: 5 }, () => expect.any(String)),
    ]);
  });
});

describe('minimising', () => {
  const join = (name: string, atMs = 0): Step => ({ atMs, type: 'join', name, skewMs: 0 });
  const kill = (name: string, atMs: number): Step => ({ atMs, type: 'kill', name });

  test('leaves nothing that is not needed', async () => {
    const history = aHistory([
      join('A'),
      join('B', 100),
      join('C'),
      kill('B', 8_000),
      kill('A', 9_000),
      join('D', 9_500),
    ]);
    const showsTheDeathOfA = ({ steps }: History) =>
      Promise.resolve(steps.some(({ type, ...step }) => type === 'kill' && 'name' in step && step.name === 'A'));

    const smallest = await minimise(history, showsTheDeathOfA);

    expect(smallest.steps).toEqual([kill('A', 9_000)]);
    expect(smallest.job.shardingTotalCount).toBe(1);
  });

  test('keeps what is needed together', async () => {
    const history = aHistory([join('A'), join('B', 100), kill('B', 8_000), join('C', 8_500), kill('A', 9_000)]);
    const showsBothDeaths = ({ steps }: History) =>
      Promise.resolve(steps.filter(({ type }) => type === 'kill').length === 2);

    const smallest = await minimise(history, showsBothDeaths);

    expect(smallest.steps).toEqual([kill('B', 8_000), kill('A', 9_000)]);
  });
});
