import { describe, expect, test } from '@jest/globals';
import { earlierRounds } from '../../../../lib/kernel/once/earlier-rounds.js';
import { type JobView, NO_GUARANTEE } from '../../../../lib/layout/job-view.js';
import { decodeArrivals } from '../../../../lib/layout/x-node/arrival-record.js';
import { aView, idOf } from '../../../support/views.js';

const ROUND = { stage: 'started', key: '5000/ONCE', instant: 5_000 } as const;

/** Item 0 is A's, item 1 is B's. `reported`: the records of instances, by name. */
function view(reported: Readonly<Record<string, string>>, called: readonly string[] = []): JobView {
  const arrivals = Object.entries(reported).map(([name, text]) => [idOf(name), decodeArrivals(text).rounds] as const);
  const guarantee = { ...NO_GUARANTEE, arrivals: new Map(arrivals), started: { called, call: undefined } };
  return aView(['A', 'B'], { guarantee });
}

describe('an earlier round whose first call is still to come', () => {
  const startingIn = (now: JobView): string | undefined => earlierRounds(now, ROUND, idOf('A')).starting?.key;

  test.each<[string, JobView, string | undefined]>([
    ['is one in which a peer waits with its items', view({ B: '4000/ONCE started 1' }), '4000/ONCE'],
    ['is none whose call was begun', view({ B: '4000/ONCE started 1' }, ['4000/ONCE']), undefined],
    ['is none in which the peer has completed its items', view({ B: '4000/ONCE completed 1' }), undefined],
    ['is none in which only this instance was, for it is here now', view({ A: '4000/ONCE started 0' }), undefined],
    ['is none of an instance that is gone', view({ C: '4000/ONCE started 1' }), undefined],
    ['is none of a manual firing, which may wait for this one', view({ B: 'hand-1/ONCE started 1' }), undefined],
    ['is none of another listener', view({ B: '4000/OTHER started 1' }), undefined],
    ['is none of a later firing', view({ B: '6000/ONCE started 1' }), undefined],
  ])('%s', (_, now, expected) => {
    expect(startingIn(now)).toBe(expected);
  });
});

describe('an earlier round whose last call is due', () => {
  const called = ['4000/ONCE'];
  const dueIn = (now: JobView): Record<string, readonly string[]> => {
    const { abandoned, awaited } = earlierRounds(now, ROUND, idOf('A'));
    return { abandoned: abandoned.map(({ key }) => key), awaited: awaited.map(({ key }) => key) };
  };

  test('may be left to a peer that waits there', () => {
    expect(dueIn(view({ B: '4000/ONCE completed 1' }, called))).toEqual({ abandoned: [], awaited: called });
  });

  test('is abandoned if the peer waits there no more, has come to a later one, or is gone', () => {
    const abandoned = { abandoned: called, awaited: [] };

    expect(dueIn(view({ B: '4000/ONCE completed 1 left' }, called))).toEqual(abandoned);
    expect(dueIn(view({ B: '4000/ONCE completed 1\n5000/ONCE started 1' }, called))).toEqual(abandoned);
    expect(dueIn(view({ C: '4000/ONCE completed 1' }, called))).toEqual(abandoned);
  });
});
