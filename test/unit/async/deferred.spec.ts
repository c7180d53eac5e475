import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/async/deferred.js';
import { settle } from '../../../lib/testing/manual-clock.js';

describe('A deferred promise', () => {
  test('stays open until it is settled', async () => {
    const deferred = new Deferred();
    let isOpen = true;
    void deferred.promise.then(() => (isOpen = false));

    await settle();
    expect(isOpen).toBe(true);
    deferred.resolve();
    await deferred.promise;

    expect(isOpen).toBe(false);
  });

  test('keeps what it was settled with first', async () => {
    const [resolved, rejected] = [new Deferred(), new Deferred()];
    const reason = new Error('failed');

    resolved.resolve();
    resolved.reject(reason);
    rejected.reject(reason);
    rejected.resolve();
    rejected.reject(new Error('another failure'));

    await expect(resolved.promise).resolves.toBeUndefined();
    await expect(rejected.promise).rejects.toBe(reason);
  });

  test('may be rejected while no one waits for it, and still rejects those who come later', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const deferred = new Deferred();
    const reason = new Error('failed');

    deferred.reject(reason);
    await settle();
    process.off('unhandledRejection', note);

    expect(unhandled).toEqual([]);
    await expect(deferred.promise).rejects.toBe(reason);
  });
});
