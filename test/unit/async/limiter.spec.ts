import { describe, expect, test } from '@jest/globals';
import { Limiter } from '../../../lib/async/limiter.js';
import { settle } from '../../../lib/testing/manual-clock.js';

describe('A limiter', () => {
  test('runs as many tasks at once as its limit allows, and not one more', async () => {
    const limiter = new Limiter(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const results = [0, 1, 2, 3].map((n) =>
      limiter.run(async () => {
        begun.push(n);
        await new Promise<void>((resolve) => ends.push(resolve));
        return n;
      }),
    );

    await settle();
    expect(begun).toEqual([0, 1]);
    ends[1]!();
    await settle();
    expect(begun).toEqual([0, 1, 2]);
    ends[0]!();
    await settle();
    expect(begun).toEqual([0, 1, 2, 3]);
    ends[2]!();
    ends[3]!();

    expect(await Promise.all(results)).toEqual([0, 1, 2, 3]);
  });

  test('keeps its limit when tasks come while others end', async () => {
    const limiter = new Limiter(3);
    let running = 0;
    let most = 0;
    const run = async (depth: number): Promise<void> => {
      await limiter.run(async () => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
      });
      if (depth > 0) await Promise.all([run(depth - 1), run(depth - 1)]);
    };

    await Promise.all([run(4), run(4)]);

    expect(most).toBe(3);
    expect(running).toBe(0);
  });

  test('passes errors on and gives the place to the next', async () => {
    const limiter = new Limiter(1);

    const failing = limiter.run(() => {
      throw new Error('the task failed');
    });
    const next = limiter.run(() => 'ran');

    await expect(failing).rejects.toThrow('the task failed');
    expect(await next).toBe('ran');
    expect(await limiter.run(() => 'and again')).toBe('and again');
  });

  test.each([0, -1, 1.5, Number.NaN, Infinity])('of %p is refused', (limit) => {
    expect(() => new Limiter(limit)).toThrow(RangeError);
    expect(() => new Limiter(limit)).toThrow(`The limit must be an integer of at least 1, got ${limit}`);
  });
});

describe('A limiter whose limit changes', () => {
  /** A limiter with tasks 0, 1, 2, … of which each ends when the test ends it. */
  async function busy(limit: number, tasks: number) {
    const limiter = new Limiter(limit);
    const running = new Set<number>();
    const ends = new Map<number, () => void>();
    const start = (task: number): Promise<void> =>
      limiter.run(async () => {
        running.add(task);
        await new Promise<void>((resolve) => ends.set(task, resolve));
        running.delete(task);
      });
    for (let task = 0; task < tasks; task++) void start(task);
    await settle();
    const end = async (...ended: readonly number[]): Promise<void> => {
      for (const task of ended) ends.get(task)!();
      await settle();
    };
    return { limiter, start, end, running: () => [...running].sort() };
  }

  test('lets waiting tasks start at once when it grows, in order and not more than it allows', async () => {
    const { limiter, running } = await busy(1, 5);
    expect(running()).toEqual([0]);

    limiter.resize(3);
    await settle();

    expect(limiter.limit).toBe(3);
    expect(running()).toEqual([0, 1, 2]);
  });

  test('lets running tasks end when it shrinks, and starts none until few enough are left', async () => {
    const { limiter, end, running } = await busy(3, 5);

    limiter.resize(1);
    await settle();
    expect(running()).toEqual([0, 1, 2]);
    await end(0, 2);
    expect(running()).toEqual([1]);
    await end(1);

    expect(running()).toEqual([3]);
  });

  test('does not let a newcomer overtake a task that waits', async () => {
    const { limiter, start, running } = await busy(1, 2);

    limiter.resize(2);
    void start(2);
    await settle();

    expect(running()).toEqual([0, 1]);
  });

  test('runs newcomers at once when it has grown beyond the tasks that wait', async () => {
    const { limiter, start, running } = await busy(1, 2);

    limiter.resize(4);
    void start(2);
    void start(3);
    void start(4);
    await settle();

    expect(running()).toEqual([0, 1, 2, 3]);
  });

  test('grows again while more tasks run than a lower limit allowed', async () => {
    const { limiter, end, running } = await busy(3, 6);

    limiter.resize(1);
    limiter.resize(4);
    await settle();
    expect(running()).toEqual([0, 1, 2, 3]);
    await end(0);

    expect(running()).toEqual([1, 2, 3, 4]);
  });

  test.each([0, 1.5, Number.NaN])('refuses %p and keeps the limit it has', async (limit) => {
    const { limiter, end, running } = await busy(2, 4);

    expect(() => limiter.resize(limit)).toThrow(`The limit must be an integer of at least 1, got ${limit}`);
    await end(0);

    expect(limiter.limit).toBe(2);
    expect(running()).toEqual([1, 2]);
  });
});
