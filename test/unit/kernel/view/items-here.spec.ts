/** What an instance runs, from the moment marks are asked for until they are removed. */
import { expect, test } from '@jest/globals';
import { ItemsHere } from '../../../../lib/kernel/view/items-here.js';

/** What the others see of an item. */
const seen = (here: ItemsHere, item: number) => ({
  phase: here.phase(item),
  isMarking: here.isMarking(item),
  isBusy: here.busy.has(item),
  isStarted: here.started.has(item),
  isRunning: here.isRunning,
});

test('an item passes through its phases, and is busy from its beginning until its marks are removed', () => {
  const here = new ItemsHere();
  const story = [seen(here, 1)];
  const steps = [() => here.begin([1]), () => here.run([1]), () => here.start(1), () => here.end(1)];
  for (const step of [...steps, () => here.release([1])]) {
    step();
    story.push(seen(here, 1));
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
  const here = new ItemsHere();

  here.run([0, 1]);
  here.end(0);
  here.release([0]);

  expect([...here.busy]).toEqual([1]);
  expect(here.isRunning).toBe(true);
});

test('an item is impaired from the moment it says so until its code has ended, and not before it runs', () => {
  const here = new ItemsHere();
  here.begin([0, 1]);

  here.impair(0, 'too early');
  expect(here.impairments.size).toBe(0);
  here.run([0, 1]);
  here.impair(0, 'its port is blocked.');
  here.impair(1, 'its disk is full.');
  here.end(0);
  here.impair(0, 'too late');

  expect([...here.impairments]).toEqual([[1, 'its disk is full.']]);
});
