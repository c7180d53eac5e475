import { describe, expect, test } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { abortable, sleep, withDeadline } from '../../../lib/async/wait.js';
import { ManualClock, settle } from '../../../lib/testing/manual-clock.js';

/** The present state of a promise. */
async function outcome(promise: Promise<unknown>): Promise<unknown> {
  return Promise.race([promise.catch((error: unknown) => error), settle().then(() => 'pending')]);
}

/** How many listeners wait for the signal to abort. */
function listenersOn(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}

/** The rejections that no handler took while `action` ran and settled. */
async function unhandledDuring(action: () => void): Promise<readonly unknown[]> {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  action();
  await settle();
  process.off('unhandledRejection', note);
  return unhandled;
}

describe('sleep', () => {
  test('lasts as long as it is told', async () => {
    const clock = new ManualClock();
    const slept = sleep(clock, 1_000).then(() => 'slept');

    await clock.advance(999);
    expect(await outcome(slept)).toBe('pending');
    await clock.advance(1);
    expect(await outcome(slept)).toBe('slept');
  });

  test('ends with the reason as soon as its signal aborts, and leaves no timer', async () => {
    const clock = new ManualClock();
    const reason = new Error('woken');
    const controller = new AbortController();
    const slept = sleep(clock, 1_000, controller.signal);

    controller.abort(reason);

    await expect(slept).rejects.toBe(reason);
    expect(clock.timers).toBe(0);
  });

  test('does not begin when its signal has aborted', async () => {
    const clock = new ManualClock();
    const reason = new Error('too late');

    await expect(sleep(clock, 1_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(clock.timers).toBe(0);
  });

  test('an abort after the sleep changes nothing', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const slept = sleep(clock, 1_000, controller.signal).then(() => 'slept');

    await clock.advance(1_000);
    controller.abort(new Error('too late'));

    expect(await slept).toBe('slept');
  });

  // A signal that lives as long as its job is listened to at every retry.
  test('leaves no listener on its signal, whether it lasts to the end, is woken or does not begin', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const { signal } = controller;

    const first = sleep(clock, 1_000, signal);
    expect(listenersOn(signal)).toBe(1);
    await clock.advance(1_000);
    await first;
    expect(listenersOn(signal)).toBe(0);

    const woken = outcome(sleep(clock, 1_000, signal));
    controller.abort();
    await woken;
    await outcome(sleep(clock, 1_000, signal));
    expect(listenersOn(signal)).toBe(0);
  });
});

describe('withDeadline', () => {
  const tooLate = (): Error => new Error('too late');

  test('settles as the promise does if that is in time, and leaves no timer', async () => {
    const clock = new ManualClock();

    expect(await withDeadline(clock, Promise.resolve('done'), 1_000, tooLate)).toBe('done');
    await expect(withDeadline(clock, Promise.reject(new Error('failed')), 1_000, tooLate)).rejects.toThrow('failed');
    await settle();

    expect(clock.timers).toBe(0);
  });

  test('rejects with the given error when the time is over', async () => {
    const clock = new ManualClock();
    const waited = withDeadline(clock, new Promise(() => undefined), 1_000, tooLate);
    const result = outcome(waited);
    const later = waited.catch((error: unknown) => error);

    await clock.advance(999);
    expect(await result).toBe('pending');
    await clock.advance(1);
    expect(await later).toEqual(tooLate());
  });

  test('a promise that fails after the deadline is no unhandled rejection', async () => {
    const clock = new ManualClock();
    let fail = (_: Error): void => undefined;
    const waited = withDeadline(clock, new Promise((_, reject) => (fail = reject)), 10, tooLate);
    const refused = waited.catch((error: unknown) => error);

    await clock.advance(10);
    expect(await refused).toEqual(tooLate());
    const unhandled = await unhandledDuring(() => fail(new Error('late failure')));

    expect(unhandled).toEqual([]);
  });
});

describe('abortable', () => {
  test('settles as the promise does while the signal has not aborted', async () => {
    const { signal } = new AbortController();

    expect(await abortable(Promise.resolve('done'), signal)).toBe('done');
    await expect(abortable(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
  });

  test('rejects with the reason when the signal aborts, or has aborted', async () => {
    const reason = new Error('aborted');
    const controller = new AbortController();
    const waiting = abortable(new Promise(() => undefined), controller.signal);

    controller.abort(reason);

    await expect(waiting).rejects.toBe(reason);
    await expect(abortable(Promise.resolve('done'), controller.signal)).rejects.toBe(reason);
  });

  test.each([
    ['before', (abort: () => void, wait: () => void) => (abort(), wait())],
    ['during', (abort: () => void, wait: () => void) => (wait(), abort())],
  ])('a promise that fails after an abort %s the waiting is no unhandled rejection', async (_, begin) => {
    const controller = new AbortController();
    const reason = new Error('aborted');
    let fail = (_: Error): void => undefined;
    const promise = new Promise((_, reject) => (fail = reject));
    let waited: Promise<unknown> = Promise.resolve();
    begin(
      () => controller.abort(reason),
      () => void (waited = abortable(promise, controller.signal).catch((error: unknown) => error)),
    );

    expect(await waited).toBe(reason);
    const unhandled = await unhandledDuring(() => fail(new Error('late failure')));

    expect(unhandled).toEqual([]);
  });

  test.each([
    ['is kept', () => Promise.resolve('done')],
    ['is broken', () => Promise.reject(new Error('failed'))],
  ])('leaves no listener on a signal that outlives a promise that %s', async (_, start) => {
    const { signal } = new AbortController();

    const waited = abortable(start(), signal);
    expect(listenersOn(signal)).toBe(1);
    await outcome(waited);

    expect(listenersOn(signal)).toBe(0);
  });

  test('leaves no listener on a signal that aborts while the promise goes on', async () => {
    const controller = new AbortController();
    const waited = abortable(new Promise(() => undefined), controller.signal);

    controller.abort();
    await outcome(waited);

    expect(listenersOn(controller.signal)).toBe(0);
  });
});
