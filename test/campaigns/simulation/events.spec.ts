import { describe, expect, test } from '@jest/globals';
import { RegistryRefusedError } from '../../../lib/api/errors/errors.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { aHistory, join } from './a-history.js';
import { InstanceClock } from './instance-clock.js';
import { LimitedRegistryCenter } from './limited-registry-center.js';
import { play } from './player.js';
import { described, poison } from './poison.js';
import { type Recording } from './recording.js';
import { TrueTime } from './true-time.js';

/** When items were assigned, in milliseconds since the beginning. */
function assignments({ commits }: Recording): readonly number[] {
  return commits
    .filter(({ changes }) => changes.some(({ path, after }) => path.endsWith('/instance') && after !== undefined))
    .filter(({ changes }) => changes.some(({ path }) => path.includes('/sharding/')))
    .map(({ atMs }) => atMs);
}

describe('the simulated world', () => {
  test('loses all nodes and sessions when the registry is wiped', async () => {
    const recording = await play(aHistory([join('A'), { atMs: 15_000, type: 'wipe', ms: 2_000 }]));

    const [wipe] = recording.commits.filter(({ by }) => by === 'wipe');
    expect(wipe?.atMs).toBe(15_000);
    expect(wipe?.changes.map(({ path, after }) => [path, after])).toContainEqual(['/bill/config', undefined]);
    const ended = recording.commits.filter(({ atMs, changes }) => {
      return atMs === 15_000 && changes.some(({ path }) => path === '/bill/instances/10.0.0.65@-@1-A');
    });
    expect(ended).toHaveLength(1);
    const registered = recording.commits.filter(({ changes }) =>
      changes.some(({ path, after }) => path === '/bill/instances/10.0.0.65@-@1-A' && after !== undefined),
    );
    expect(registered.map(({ atMs }) => atMs)).toEqual([0, 17_000]);
  });

  test('has a strategy that throws for a while', async () => {
    const recording = await play(
      aHistory([join('A'), { atMs: 12_000, type: 'fail-strategy', ms: 6_000 }, join('B', 13_000)], {
        job: { jobShardingStrategyType: 'UNRELIABLE' },
      }),
    );

    expect(assignments(recording).filter((atMs) => atMs > 12_000 && atMs < 18_000)).toEqual([]);
    expect(assignments(recording).filter((atMs) => atMs >= 18_000).length).toBeGreaterThan(0);
  });

  test('has strategies that leave instances out', async () => {
    const owners = async (jobShardingStrategyType: string) => {
      const { rests } = await play(
        aHistory([join('A'), join('B'), join('C')], { job: { jobShardingStrategyType, shardingTotalCount: 6 } }),
      );
      return new Set([...rests[0]!.tree].filter(([path]) => /\d\/instance$/.test(path)).map(([, owner]) => owner)).size;
    };

    expect(await owners('FIRST_TAKES_ALL')).toBe(1);
    expect(await owners('ALL_BUT_ONE')).toBe(2);
  });

  test('notices what a timer throws, and ends the process', () => {
    const thrown: unknown[] = [];
    const time = new TrueTime(0);
    const clock = new InstanceClock(time, 0, (error) => thrown.push(error));

    clock.after(10, () => {
      throw new Error('the disk is full');
    });

    return time.advance(20).then(() => expect(thrown).toEqual([new Error('the disk is full')]));
  });

  test('has a registry that refuses commits of more operations than it takes', async () => {
    const clock = new TrueTime(0);
    const registry = new LimitedRegistryCenter({ server: new EmbeddedRegistryServer({ clock }), clock }, 2);
    registry.connect();
    await new Promise((resolve) => registry.session.onChange(resolve));
    const creations = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ type: 'create', path: `/${count}-${index}`, value: '' }) as const);

    await expect(registry.commit(creations(2))).resolves.toEqual(expect.any(Number));
    await expect(registry.commit(creations(3))).rejects.toThrow(RegistryRefusedError);
    await registry.close();
  });

  test.each([0, 1, 2])('throws things of kind %i that cannot be described', (kind) => {
    expect(described(poison(kind))).toEqual(expect.any(String));
  });

  test('records the calls of a listener, and those that end with their process', async () => {
    const onceListener = { startedTimeoutMs: 0, completedTimeoutMs: 0, slowestCallMs: 60_000 };
    const { calls } = await play(
      aHistory([join('A'), { atMs: 10_500, type: 'kill', name: 'A' }, join('B', 12_000)], { onceListener }),
    );

    expect(calls[0]).toEqual({
      ...{ instance: 'A', phase: 'before', scheduledMs: 10_000, items: [0, 1], begunMs: 10_000 },
      ...{ endedMs: 10_500, end: 'lost' },
    });
    expect(calls.slice(1).every(({ instance }) => instance === 'B')).toBe(true);
  });
});
