import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { Restlessness } from '../../lib/testing/restlessness.js';

describe('a clock that is read again and again', () => {
  test('while no time passes cannot be read any more after fifty thousand times', () => {
    const restlessness = new Restlessness(new ManualClock());
    const { clock } = restlessness;
    const thinkInCircles = (): void => {
      while (clock.monotonic() === 0) clock.now();
    };

    expect(thinkInCircles).toThrow('The cluster does not come to rest: 50000 readings of the clock');
    expect(() => restlessness.demandRest()).toThrow('does not come to rest');
  });

  test('while time passes can be read for ever', async () => {
    const manual = new ManualClock();
    const restlessness = new Restlessness(manual);
    const { clock } = restlessness;

    for (let second = 0; second < 3; second++) {
      for (let reading = 0; reading < 20_000; reading++) clock.now();
      await manual.advance(1_000);
    }

    expect(() => restlessness.demandRest()).not.toThrow();
    expect(clock.now()).toBe(manual.now());
  });
});
