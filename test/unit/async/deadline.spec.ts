import { expect, test } from '@jest/globals';
import { Deadline } from '../../../lib/async/deadline.js';
import { NamedTimers } from '../../../lib/async/named-timers.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

function aDeadline() {
  const clock = new ManualClock();
  const passed: number[] = [];
  const deadline = new Deadline(new NamedTimers<'one'>(clock), 'one', 1_000, () => passed.push(clock.monotonic()));
  return { clock, passed, deadline };
}

test('a deadline passes once, however often the wait is asked for', async () => {
  const { clock, passed, deadline } = aDeadline();

  const begun = [deadline.begin()];
  await clock.advance(600);
  begun.push(deadline.begin());
  const states = [deadline.state];
  await clock.advance(400);
  begun.push(deadline.begin());
  states.push(deadline.state);
  await clock.advance(5_000);

  expect(begun).toEqual([true, false, false]);
  expect(states).toEqual(['waiting', 'over']);
  expect(passed).toEqual([1_000]);
});

test('a deadline that is reset while it waits does not pass', async () => {
  const { clock, passed, deadline } = aDeadline();
  deadline.begin();

  deadline.reset();
  await clock.advance(5_000);

  expect(deadline.state).toBe('none');
  expect(passed).toEqual([]);
});

test('a deadline that has passed can be waited for again when it is reset', async () => {
  const { clock, passed, deadline } = aDeadline();
  deadline.begin();
  await clock.advance(1_000);

  deadline.reset();
  const state = deadline.state;
  const begun = deadline.begin();
  await clock.advance(1_000);

  expect([state, begun]).toEqual(['none', true]);
  expect(passed).toEqual([1_000, 2_000]);
});
