import { describe, expect, test } from '@jest/globals';
import { KeepAlive } from '../../../lib/registry/zookeeper/client/keep-alive.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const TIMEOUT_MS = 3000;

/** A keep-alive whose pings are not answered unless `answersPings` is set. */
function watched() {
  const clock = new ManualClock();
  const record = { pings: [] as number[], silentAt: undefined as number | undefined, reason: '', answersPings: false };
  const keepAlive: KeepAlive = new KeepAlive({
    clock,
    timeoutMs: TIMEOUT_MS,
    ping() {
      record.pings.push(clock.monotonic());
      if (record.answersPings) {
        keepAlive.heard();
        keepAlive.pingAnswered();
      }
    },
    onSilence(reason) {
      record.silentAt = clock.monotonic();
      record.reason = reason;
    },
  });
  keepAlive.start();
  return { clock, keepAlive, record };
}

describe('Keeping alive', () => {
  test('pings within a third of the timeout, and again', async () => {
    const { clock, keepAlive, record } = watched();
    record.answersPings = true;

    await clock.advance(3000);
    keepAlive.stop();

    expect(record.pings).toEqual([900, 1800, 2700]);
    expect(record.silentAt).toBeUndefined();
  });

  test('counts pings from the last request, not from the last answer', async () => {
    const { clock, keepAlive, record } = watched();
    record.answersPings = true;

    await clock.advance(500);
    keepAlive.requested();
    await clock.advance(300);
    keepAlive.heard();
    keepAlive.answered(0);
    await clock.advance(700);
    keepAlive.stop();

    expect(record.pings).toEqual([1400]);
  });

  test('pings even if something arrives all the time', async () => {
    const { clock, keepAlive, record } = watched();
    record.answersPings = true;

    for (let passed = 0; passed < 3000; passed += 100) {
      await clock.advance(100);
      keepAlive.heard();
    }
    keepAlive.stop();

    expect(record.pings).toEqual([900, 1800, 2700]);
  });

  test('gives up after two thirds of the timeout of silence, once', async () => {
    const { clock, keepAlive, record } = watched();

    await clock.advance(500);
    keepAlive.heard();
    await clock.advance(6000);

    expect(record.silentAt).toBe(2500);
    expect(record.reason).toBe('the server was silent for 2000 ms');
    expect(clock.timers).toBe(0);
  });

  test('does not give up a server that was asked nothing', async () => {
    const { clock, keepAlive, record } = watched();
    // As if the process had slept: the timers fire late, all at the end.
    let slept = false;
    const monotonic = clock.monotonic.bind(clock);
    clock.monotonic = () => monotonic() + (slept ? 2500 : 0);

    slept = true;
    await clock.advance(900);
    await clock.advance(600);
    const silentAfterSleep = record.silentAt;
    await clock.advance(200);
    keepAlive.stop();

    expect(record.pings).toEqual([3400]);
    expect(silentAfterSleep).toBeUndefined();
    expect(record.silentAt).toBe(4150);
  });

  test('waits no longer than the timeout for an answer, even if other messages arrive', async () => {
    const { clock, keepAlive, record } = watched();
    record.answersPings = true;

    await clock.advance(100);
    keepAlive.requested();
    await clock.advance(4000);

    expect(record.silentAt).toBe(3100);
  });

  test('is patient while answers come, however long the queue', async () => {
    const { clock, keepAlive, record } = watched();
    record.answersPings = true;

    keepAlive.requested();
    for (let owed = 100; owed > 0; owed--) {
      await clock.advance(1000);
      keepAlive.heard();
      keepAlive.answered(owed);
    }
    keepAlive.stop();

    expect(record.silentAt).toBeUndefined();
  });

  test('is over after stop()', async () => {
    const { clock, keepAlive, record } = watched();

    keepAlive.stop();
    await clock.advance(10_000);

    expect(record).toMatchObject({ pings: [], silentAt: undefined });
    expect(clock.timers).toBe(0);
  });
});
