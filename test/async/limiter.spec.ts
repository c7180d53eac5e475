import { describe, expect, test } from '@jest/globals';
import { Limiter } from '../../lib/async/limiter.js';
import { settle } from '../../lib/testing/manual-clock.js';

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
    expect(() => new Limiter(limit)).toThrow(`at least 1, got ${limit}`);
  });
});
