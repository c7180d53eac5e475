import { expect, test } from '@jest/globals';
import { Deadlines } from '../../../lib/async/deadlines.js';
import { NamedTimers } from '../../../lib/async/named-timers.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

function someDeadlines() {
  const clock = new ManualClock();
  const passed: number[] = [];
  const deadlines = new Deadlines(new NamedTimers<'one' | 'other'>(clock), () => passed.push(clock.monotonic()));
  return { clock, passed, deadlines };
}

test('a deadline passes once, however often the wait is asked for', async () => {
  const { clock, passed, deadlines } = someDeadlines();

  const begun = [deadlines.begin('one', 1_000)];
  await clock.advance(600);
  begun.push(deadlines.begin('one', 1_000));
  const states = [deadlines.state('one')];
  await clock.advance(400);
  begun.push(deadlines.begin('one', 1_000));
  states.push(deadlines.state('one'));
  await clock.advance(5_000);

  expect(begun).toEqual([true, false, false]);
  expect(states).toEqual(['waiting', 'over']);
  expect(passed).toEqual([1_000]);
});

test('a deadline that is reset while it waits does not pass', async () => {
  const { clock, passed, deadlines } = someDeadlines();
  deadlines.begin('one', 1_000);

  deadlines.reset('one');
  await clock.advance(5_000);

  expect(deadlines.state('one')).toBe('none');
  expect(passed).toEqual([]);
});

test('a deadline that has passed can be waited for again when it is reset', async () => {
  const { clock, passed, deadlines } = someDeadlines();
  deadlines.begin('one', 1_000);
  await clock.advance(1_000);

  deadlines.reset('one');
  const state = deadlines.state('one');
  const begun = deadlines.begin('one', 1_000);
  await clock.advance(1_000);

  expect([state, begun]).toEqual(['none', true]);
  expect(passed).toEqual([1_000, 2_000]);
});

test('the waits of different names do not disturb each other', async () => {
  const { clock, passed, deadlines } = someDeadlines();
  deadlines.begin('one', 1_000);
  await clock.advance(600);

  deadlines.begin('other', 1_000);
  await clock.advance(400);
  deadlines.reset('one');

  expect([deadlines.state('one'), deadlines.state('other')]).toEqual(['none', 'waiting']);
  await clock.advance(600);
  expect(passed).toEqual([1_000, 1_600]);
});
