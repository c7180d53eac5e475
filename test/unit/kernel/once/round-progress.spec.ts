import { expect, test } from '@jest/globals';
import { type JobView, NO_GUARANTEE } from '../../../../lib/layout/job-view.js';
import { type JobContext } from '../../../../lib/kernel/job/job-context.js';
import { RoundProgress } from '../../../../lib/kernel/once/round-progress.js';
import { ManualClock } from '../../../../lib/testing/index.js';
import { aConfiguration, anItem, aView, idOf } from '../../../support/views.js';

const ROUND = { stage: 'started', key: 'hand-1/ONCE', instant: undefined } as const;

/**
 * A has come to a manual firing with item 0. Item 1 is B's and item 2 is C's; one of them runs its item for a firing of
 * its own.
 */
const runningOn = (runner: 'B' | 'C'): JobView => {
  const report = (started: number[]) => ({ started: new Set(started), completed: new Set<number>() });
  const item = runner === 'B' ? 1 : 2;
  return aView(['A', 'B', 'C'], {
    config: aConfiguration({ shardingTotalCount: 3 }),
    guarantee: {
      ...NO_GUARANTEE,
      arrivals: new Map([
        [idOf('A'), new Map([[ROUND.key, report([0])]])],
        [idOf(runner), new Map([['5000/ONCE', report([item])]])],
      ]),
    },
    items: ['A', 'B', 'C'].map((owner, index) => anItem(index, { owner: idOf(owner), running: index === item })),
  });
};

test('a manual firing waits ten seconds in all for an item that does not come, though its peers run firings of their own by turns', async () => {
  const clock = new ManualClock();
  const progress = new RoundProgress({ clock, me: idOf('A') } as unknown as JobContext, {
    firing: { instant: undefined, isPartial: false },
    missedSinceMs: 0,
    mayBeMadeUpFor: () => false,
  });
  const after = async (ms: number, runner: 'B' | 'C'): Promise<string> => {
    await clock.advance(ms);
    return progress.of(runningOn(runner), ROUND).type;
  };

  // Item 2 is late for nine seconds, item 1 is late for nine, and item 2 again for one.
  expect(await after(0, 'B')).toBe('wait');
  expect(await after(9_000, 'C')).toBe('wait');
  expect(await after(9_000, 'B')).toBe('wait');
  expect(await after(999, 'B')).toBe('wait');
  expect(await after(1, 'B')).toBe('complete');
  expect(await after(0, 'C')).toBe('wait');
  expect(await after(1_000, 'C')).toBe('complete');
});
