import { expect, test } from '@jest/globals';
import { HashQueue } from '../../../../lib/console/security/passwords/hash-queue.js';

test('a queue of hashes makes one at a time, and refuses more than may wait, with the time to come again', async () => {
  const queue = new HashQueue(2, 1);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const hash = (number: number): Promise<number> =>
    queue.run(async () => {
      started.push(number);
      await new Promise<void>((resolve) => void ends.push(resolve));
      return number;
    });

  const admitted = [hash(0), hash(1), hash(2)];
  await expect(hash(3)).rejects.toMatchObject({ status: 503, code: 'busy', headers: { 'retry-after': '2' } });
  ends[0]?.();
  await admitted[0];
  const next = hash(4);

  expect(started).toEqual([0, 1]);
  for (let number = 1; number < 4; number++) {
    ends[number]?.();
    await [...admitted, next][number];
  }
  expect(started).toEqual([0, 1, 2, 4]);
});

test('a hash that fails leaves its place to the next', async () => {
  const queue = new HashQueue(0, 1);

  await expect(queue.run(() => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory');

  expect(await queue.run(() => Promise.resolve('made'))).toBe('made');
});
