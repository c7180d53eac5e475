/** The items that an instance holds, from the request for marks until they are removed. */
import { expect, test } from '@jest/globals';
import { HeldItems, RUN_MARKS } from '../../../../lib/kernel/view/held-items.js';

/** An item in the view of others. */
const seen = (held: HeldItems, item: number) => ({
  phase: held.phase(item),
  isMarking: held.isMarking(item),
  isBusy: held.busy.has(item),
  isStarted: held.started.has(item),
  isRunning: held.isRunning,
});

test('an item passes through its phases, and is busy from its beginning until its marks are removed', () => {
  const held = new HeldItems();
  const story = [seen(held, 1)];
  const steps = [() => held.begin([1]), () => held.run([1]), () => held.start(1), () => held.end(1)];
  for (const step of [...steps, () => held.release(1)]) {
    step();
    story.push(seen(held, 1));
  }

  expect(story).toEqual([
    { phase: undefined, isMarking: false, isBusy: false, isStarted: false, isRunning: false },
    { phase: 'beginning', isMarking: true, isBusy: false, isStarted: false, isRunning: false },
    { phase: 'running', isMarking: true, isBusy: true, isStarted: false, isRunning: true },
    { phase: 'running', isMarking: true, isBusy: true, isStarted: true, isRunning: true },
    { phase: 'ending', isMarking: false, isBusy: true, isStarted: true, isRunning: false },
    { phase: undefined, isMarking: false, isBusy: false, isStarted: false, isRunning: false },
  ]);
});

test('items are held independently of each other', () => {
  const held = new HeldItems();

  held.run([0, 1]);
  held.end(0);
  held.release(0);

  expect([...held.busy]).toEqual([1]);
  expect(held.isRunning).toBe(true);
});

test('an item is impaired from the moment it says so until its code has ended, and not before it runs', () => {
  const held = new HeldItems();
  held.begin([0, 1]);

  held.impair(0, 'too early');
  expect(held.impairments.size).toBe(0);
  held.run([0, 1]);
  held.impair(0, 'its port is blocked.');
  held.impair(1, 'its disk is full.');
  held.end(0);
  held.impair(0, 'too late');

  expect([...held.impairments]).toEqual([[1, 'its disk is full.']]);
});

test('an item that does not begin after all is not held, and one that has begun still is', () => {
  const held = new HeldItems();
  held.begin([0, 1]);
  held.run([1]);

  held.giveUpBeginning([0, 1]);

  expect([held.phase(0), held.phase(1)]).toEqual([undefined, 'running']);
});

test('the end of a run is reported once, with whether peers knew of the run by marks', () => {
  const held = new HeldItems();
  const released: unknown[] = [];
  held.onReleased = (item) => released.push(item);
  held.runMarked([{ item: 0, instant: 1_000, fencingToken: 7 }], { marks: RUN_MARKS, session: 's' });
  held.run([1]);

  for (const item of [0, 1]) held.end(item);
  held.unmark(0);
  for (const item of [0, 1]) held.release(item);

  expect(released).toEqual([
    { item: 0, wasMarked: true },
    { item: 1, wasMarked: false },
  ]);
});

test("an item without a run is known by its mark, unless that may be a peer's by now", () => {
  const held = new HeldItems();
  const marked = [0, 1, 2].map((item) => ({ item, instant: 1_000, fencingToken: 7 }));
  held.runMarked(marked, { marks: RUN_MARKS, session: 's' });
  for (const [item, state] of [
    [0, 'ended'],
    [1, 'rerun-by-peer'],
  ] as const) {
    held.release(item);
    held.mark(item)!.state = state;
  }

  held.forgetSession();

  expect([0, 1, 2].map((item) => [held.isKnown(item), held.mark(item)?.state])).toEqual([
    [true, 'not-removed'],
    [false, 'rerun-by-peer'],
    [true, 'session-lost'],
  ]);
});
