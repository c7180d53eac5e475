import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { withAnySignal } from '../../../lib/async/any-signal.js';

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

describe('withAnySignal', () => {
  test.each([0, 1])('aborts the work for the reason of signal %d', async (index) => {
    const controllers = [new AbortController(), new AbortController()];
    const work = withAnySignal(
      controllers.map(({ signal }) => signal),
      untilAborted,
    );

    controllers[index]!.abort(new Error(`signal ${index}`));

    await expect(work).rejects.toThrow(`signal ${index}`);
  });

  test('aborts the work at once if a signal was aborted before', async () => {
    const aborted = AbortSignal.abort(new Error('too late'));

    await expect(withAnySignal([new AbortController().signal, aborted], untilAborted)).rejects.toThrow('too late');
  });

  test('leaves no listener on a signal that lives on, whether the work succeeds or fails', async () => {
    const { signal } = new AbortController();
    let during = 0;

    const result = await withAnySignal([signal], (each) => {
      during = getEventListeners(signal, 'abort').length;
      return Promise.resolve(each.aborted);
    });
    await withAnySignal([signal], () => Promise.reject(new Error('no'))).catch(() => undefined);

    expect([result, during]).toEqual([false, 1]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
