import { describe, expect, test } from '@jest/globals';
import { Abort } from '../../../lib/async/abort.js';

const stopped = new Error('stopped');

describe('an abort', () => {
  test('is not aborted, and has no reason, before it is asked for', () => {
    const abort = new Abort();

    expect([abort.aborted, abort.reason, abort.signal.aborted]).toEqual([false, undefined, false]);
  });

  test('aborts the signal that was taken before, for the same reason', () => {
    const abort = new Abort();
    const { signal } = abort;

    abort.abort(stopped);

    expect([abort.aborted, abort.reason]).toEqual([true, stopped]);
    expect([signal.aborted, signal.reason]).toEqual([true, stopped]);
  });

  test('gives a signal that is aborted for the same reason if it is taken afterwards', () => {
    const abort = new Abort();

    abort.abort(stopped);

    expect([abort.signal.aborted, abort.signal.reason]).toEqual([true, stopped]);
  });

  test('gives the same signal each time', () => {
    const abort = new Abort();

    expect(abort.signal).toBe(abort.signal);
  });

  test('keeps its first reason', () => {
    const abort = new Abort();

    abort.abort(stopped);
    abort.abort(new Error('stopped again'));

    expect([abort.reason, abort.signal.reason]).toEqual([stopped, stopped]);
  });

  test('calls each listener once, and none that was removed or that comes afterwards', () => {
    const abort = new Abort();
    const calls: string[] = [];
    const removed = (): void => void calls.push('removed');
    abort.addEventListener('abort', () => calls.push('first'));
    abort.addEventListener('abort', removed);
    abort.addEventListener('abort', () => calls.push('second'));
    abort.removeEventListener('abort', removed);

    abort.abort(stopped);
    abort.abort(stopped);
    abort.addEventListener('abort', () => calls.push('late'));

    expect(calls).toEqual(['first', 'second']);
  });

  test('has aborted when its listeners are called', () => {
    const abort = new Abort();
    let seen: unknown;
    abort.addEventListener('abort', () => (seen = abort.reason));

    abort.abort(stopped);

    expect(seen).toBe(stopped);
  });

  test('lets any number of listeners be added to its signal without a warning', async () => {
    const warnings: unknown[] = [];
    const onWarning = (warning: unknown): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const { signal } = new Abort();

    for (let count = 0; count < 12; count++) signal.addEventListener('abort', () => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);

    expect(warnings).toEqual([]);
  });
});
