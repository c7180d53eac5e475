import { describe, expect, test } from '@jest/globals';
import { summaryOf } from '../../../sample/src/demo/summary.js';
import { Run } from '../../../sample/src/orders/run.entity.js';

const PERIOD_MS = 2_000;

function run(second: number, item: number, instance = 'A'): Run {
  const region = `region ${item}`;
  return Object.assign(new Run(), {
    jobName: 'shipOrders',
    item,
    region,
    scheduledAt: second * 1000,
    instance,
    orders: 10,
  });
}

function firing(second: number): readonly Run[] {
  return [0, 1, 2, 3, 4, 5].map((item) => run(second, item));
}

const summary = (runs: readonly Run[]): ReturnType<typeof summaryOf> =>
  summaryOf(runs, { from: 1_000, until: 10_000, periodMs: PERIOD_MS });

describe("the demonstration's summary", () => {
  test('finds nothing wrong if every firing ran every item once', () => {
    const { firings, runs, orders, faults } = summary([...firing(2), ...firing(4)]);

    expect({ firings, runs, orders, faults }).toEqual({ firings: 2, runs: 12, orders: 120, faults: [] });
  });

  test('names an item that was run twice, and by whom', () => {
    const { faults } = summary([...firing(2), run(2, 3, 'D')]);

    expect(faults).toEqual(['Item 3 (west) was run 2 times, by A and D at 00:00:02.']);
  });

  test('names an item that was not run', () => {
    const { faults } = summary([...firing(2), ...firing(4).slice(1)]);

    expect(faults).toEqual(['Item 0 (north) was run by no instance at 00:00:04.']);
  });

  test('notices a firing that nobody ran', () => {
    const { faults } = summary([...firing(2), ...firing(6)]);

    expect(faults).toEqual(['There was no firing between 00:00:02 and 00:00:06.']);
  });

  test('does not take silence for success', () => {
    expect(summary([]).faults).toEqual(['There was no firing.']);
  });

  test('leaves out what came before the beginning and after the end', () => {
    expect(summary([run(1, 0), ...firing(10), run(12, 0)]).faults).toEqual([]);
  });
});
