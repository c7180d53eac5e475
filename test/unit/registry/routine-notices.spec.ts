import { expect, test } from '@jest/globals';
import { RoutineNotices } from '../../../lib/registry/postgresql/routine-notices.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

function notices() {
  const clock = new ManualClock();
  const sent: Readonly<Record<string, number>>[] = [];
  const announce = (revisions: ReadonlyMap<string, number>): void => void sent.push(Object.fromEntries(revisions));
  return { clock, sent, routine: new RoutineNotices(clock, announce) };
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
  await clock.advance(149);
  expect(sent).toEqual([]);
  await clock.advance(1);

  expect(sent).toEqual([{ orders: 9, 'a job': 9 }]);
  expect(routine.admit()).toBe(false);
  await clock.advance(1_000);
  expect(sent).toHaveLength(1);
});

test('a commit that notifies announces the earlier ones of its jobs, and no later ones', async () => {
  const { clock, sent, routine } = notices();
  routine.admit();
  routine.add(7, ['orders']);
  routine.add(8, ['bills']);
  routine.add(12, ['stocks']);

  routine.notified(9, ['orders', 'stocks']);
  await clock.advance(150);

  expect(sent).toEqual([{ bills: 8, stocks: 12 }]);
});
