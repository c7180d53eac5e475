import { describe, expect, test } from '@jest/globals';
import { type Delivery } from '../../../lib/registry/embedded/delivery.js';
import { LivelockGuard } from '../../../lib/testing/livelock-guard.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const MOST_READINGS = 50_000;
const MOST_MESSAGES = 20_000;

const MESSAGE: Delivery = { channel: 'A→registry', what: 'put /counter', arrive: () => undefined };

function repeat(times: number, action: () => void): void {
  for (let time = 0; time < times; time++) action();
}

describe('a clock that is read while no time passes', () => {
  test.each(['now', 'monotonic'] as const)('lets %s() be read fifty thousand times, and not once more', (read) => {
    const guard = new LivelockGuard(new ManualClock());
    const { clock } = guard;

    repeat(MOST_READINGS, () => clock[read]());

    expect(() => clock[read]()).toThrow(
      'The cluster is in a livelock: 50000 readings of the clock, while no time passed.',
    );
    expect(() => guard.throwIfLivelocked()).toThrow('50000 readings of the clock');
  });

  test('can be read as often again once time has passed, or the test has gone on', async () => {
    const manual = new ManualClock();
    const guard = new LivelockGuard(manual);
    const { clock } = guard;

    repeat(MOST_READINGS, () => clock.now());
    await manual.advance(1);
    repeat(MOST_READINGS, () => clock.now());
    guard.throwIfLivelocked();
    repeat(MOST_READINGS, () => clock.now());

    expect(() => clock.now()).toThrow('is in a livelock');
  });

  test('never can be read again after a livelock', async () => {
    const manual = new ManualClock();
    const guard = new LivelockGuard(manual);
    expect(() => repeat(MOST_READINGS + 1, () => guard.clock.now())).toThrow('is in a livelock');

    await manual.advance(1_000);

    expect(() => guard.clock.monotonic()).toThrow('is in a livelock');
    expect(() => guard.throwIfLivelocked()).toThrow('is in a livelock');
  });

  test('shows the time of the cluster, and wakes when it is due', async () => {
    const manual = new ManualClock();
    const { clock } = new LivelockGuard(manual);
    const woken: number[] = [];
    clock.after(1_000, () => woken.push(clock.monotonic()));

    await manual.advance(2_000);

    expect(woken).toEqual([1_000]);
    expect([clock.now(), clock.monotonic()]).toEqual([manual.now(), 2_000]);
  });
});

describe('messages that are sent while no time passes', () => {
  test('arrive up to the twenty thousandth, and no more', async () => {
    const manual = new ManualClock();
    const guard = new LivelockGuard(manual);
    let arrived = 0;
    const deliver = guard.delivery(() => arrived++);

    repeat(MOST_MESSAGES, () => deliver(MESSAGE));
    guard.throwIfLivelocked();
    repeat(MOST_MESSAGES, () => deliver(MESSAGE));
    await manual.advance(1);
    repeat(MOST_MESSAGES + 1, () => deliver(MESSAGE));
    expect(arrived).toBe(3 * MOST_MESSAGES);
    await manual.advance(1);
    deliver(MESSAGE);

    expect(arrived).toBe(3 * MOST_MESSAGES);
    expect(() => guard.throwIfLivelocked()).toThrow('20000 messages, the last one A→registry: put /counter, while');
  });
});

describe('a cluster of many items', () => {
  test('may send and read 50 times as much at one instant as it has items', () => {
    let items = 100_000;
    const guard = new LivelockGuard(new ManualClock(), () => items);
    const deliver = guard.delivery(() => undefined);

    repeat(1_000_000, () => guard.clock.now());
    repeat(100_000, () => deliver(MESSAGE));
    guard.throwIfLivelocked();
    items = 20_000;
    repeat(1_000_000, () => guard.clock.now());

    expect(() => guard.clock.now()).toThrow('1000000 readings of the clock');
  });
});
