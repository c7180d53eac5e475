import { expect, test } from '@jest/globals';
import { RoutineNotices } from '../../../lib/registry/postgresql/routine-notices.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

function notices() {
  const clock = new ManualClock();
  const sent: (readonly string[])[] = [];
  return { clock, sent, routine: new RoutineNotices(clock, (payloads) => sent.push(payloads)) };
}

test('the first routine commit notifies by itself, those of the next tenth of a second do not', async () => {
  const { clock, routine } = notices();

  expect(routine.admit()).toBe(true);
  await clock.advance(99);
  expect(routine.admit()).toBe(false);
  await clock.advance(1);
  expect(routine.admit()).toBe(true);
});

test('commits that have not notified share one notification with the latest revision of each job', async () => {
  const { clock, sent, routine } = notices();
  routine.admit();
  await clock.advance(30);

  routine.add(7, ['orders']);
  routine.add(9, ['orders', 'a job']);
  routine.add(8, ['orders']);
  await clock.advance(69);
  expect(sent).toEqual([]);
  await clock.advance(1);

  expect(sent).toEqual([['9 orders', '9 a job']]);
  expect(routine.admit()).toBe(false);
  await clock.advance(1_000);
  expect(sent).toHaveLength(1);
});
