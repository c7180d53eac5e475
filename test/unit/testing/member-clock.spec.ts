import { expect, test } from '@jest/globals';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { MemberClock } from '../../../lib/testing/member-clock.js';

test('a frozen clock wakes nobody; thawed, it wakes who was due meanwhile, in order, and nobody who was cancelled', async () => {
  const cluster = new ManualClock(0);
  const clock = new MemberClock(cluster);
  const woken: string[] = [];
  clock.after(20, () => woken.push(`second at ${clock.now()}`));
  const cancelThird = clock.after(30, () => woken.push('third'));
  clock.after(10, () => {
    woken.push(`first at ${clock.now()}`);
    cancelThird();
  });

  clock.freeze();
  await cluster.advance(50);
  expect(woken).toEqual([]);
  clock.thaw();

  expect(woken).toEqual(['first at 50', 'second at 50']);
});
