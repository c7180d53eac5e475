import { describe, expect, test } from '@jest/globals';
import { assignmentBasis, type LocalFacts, plan, scheduleKey } from '../../lib/kernel/plan.js';
import { chooseItems } from '../../lib/kernel/select-items.js';
import { type JobView } from '../../lib/layout/job-view.js';
import { aConfiguration, aView, anItem, idOf, ipOf } from '../support/views.js';

const T = Date.parse('2030-01-01T00:00:05Z');
const HOURLY = aConfiguration({ cron: '0 0 * * * ?' });

/** What `name` plans in `now`, having assigned the items for the state `assignedFor` if it leads. */
function planOf(name: string, now: JobView, local: Partial<LocalFacts> = {}): string[] {
  const facts: LocalFacts = {
    canBegin: true,
    isIdle: true,
    busy: new Set(),
    backlog: {
      instant: undefined,
      hasLostSession: false,
      missed: new Map(),
      trigger: false,
      triggered: new Set(),
    },
    mayTakeOver: true,
    idlePatienceIsOver: false,
    latestInstant: () => undefined,
    desertedServers: [],
    isForgotten: () => false,
    leftoverMarks: [],
    armedFor: now.config === undefined ? undefined : scheduleKey(now.config),
    isScheduled: true,
    assignedFor: { basis: assignmentBasis(now), pinned: [] },
    patienceIsOver: false,
    settled: undefined,
    missedSince: () => undefined,
    ...local,
  };
  return plan({ now, me: idOf(name), myIp: ipOf(name), local: facts }).map(({ type }) => type);
}

describe('a settled job', () => {
  test.each(['A', 'B'])('gives %s nothing to do', (name) => {
    expect(planOf(name, aView(['A', 'B']))).toEqual([]);
  });
});

describe('leading', () => {
  test('an available instance stands for election when there is no leader', () => {
    expect(planOf('B', aView(['A', 'B'], { leader: undefined }))).toEqual(['campaign']);
  });

  test('an instance of a disabled server does not stand for election', () => {
    const servers = new Map([[ipOf('B'), 'DISABLED' as const]]);
    expect(planOf('B', aView(['B'], { leader: undefined, servers }))).toEqual([]);
  });

  test('a leader whose server is disabled gives up leading', () => {
    const servers = new Map([
      [ipOf('A'), 'DISABLED' as const],
      [ipOf('B'), 'ENABLED' as const],
    ]);
    expect(planOf('A', aView(['A', 'B'], { servers }))).toContain('abdicate');
  });
});

describe('an instance whose node an operator has removed', () => {
  test('stops', () => {
    expect(planOf('C', aView(['A', 'B']))).toEqual(['stop']);
  });

  test('gives up leading first, so that nobody waits for what it still runs', () => {
    expect(planOf('C', aView(['A', 'B'], { leader: idOf('C') }))).toEqual(['abdicate', 'stop']);
  });
});

describe('asking for a new assignment', () => {
  const before = assignmentBasis(aView(['A', 'B']));

  test('the leader asks when an instance has joined', () => {
    const assignedFor = { basis: before, pinned: [] };
    expect(planOf('A', aView(['A', 'B', 'C']), { assignedFor })).toEqual(['request-resharding']);
  });

  test('the leader asks when an instance has left', () => {
    expect(planOf('A', aView(['A']), { assignedFor: { basis: before, pinned: [] } })).toEqual(['request-resharding']);
  });

  test('a new leader asks, because it cannot know what the former one has missed', () => {
    expect(planOf('A', aView(['A', 'B']), { assignedFor: undefined })).toEqual(['request-resharding']);
  });

  test('a follower never asks', () => {
    expect(planOf('B', aView(['A', 'B', 'C']), { assignedFor: { basis: before, pinned: [] } })).toEqual([]);
  });

  test('the leader asks when the number of items is changed', () => {
    const now = aView(['A', 'B'], { config: aConfiguration({ shardingTotalCount: 3 }), items: [anItem(0), anItem(1)] });
    expect(planOf('A', now)).toEqual(['request-resharding']);
  });

  test('with staticSharding items once assigned stay, whoever comes or goes', () => {
    const now = aView(['A', 'B', 'C'], { config: aConfiguration({ staticSharding: true }) });
    expect(planOf('A', now, { assignedFor: { basis: before, pinned: [] } })).toEqual([]);
  });

  test('the leader does not ask twice', () => {
    const now = aView(['A', 'B', 'C'], { reshardingNeeded: true, reshardingVersion: 0 });
    expect(planOf('A', now, { assignedFor: { basis: before, pinned: [] } })).toEqual(['reshard']);
  });

  test('nobody asks while there is nobody to assign to', () => {
    const servers = new Map([[ipOf('A'), 'DISABLED' as const]]);
    expect(planOf('A', aView(['A'], { servers }), { assignedFor: undefined })).toEqual(['abdicate']);
  });

  test('items that stayed because they ran are assigned when the last of them has finished', () => {
    const pinned = { basis: assignmentBasis(aView(['A', 'B'])), pinned: [1] };
    const busy = aView(['A', 'B'], {
      items: [anItem(0, { owner: idOf('A') }), anItem(1, { owner: idOf('B'), running: true })],
    });
    expect(planOf('A', busy, { assignedFor: pinned })).toEqual([]);
    expect(planOf('A', aView(['A', 'B']), { assignedFor: pinned })).toEqual(['request-resharding']);
  });

  test('10.0.0.1 is not taken for living because 10.0.0.10 is', () => {
    const both = aView(['A', 'B']);
    const now = { ...both, instances: new Map([...both.instances].filter(([id]) => id === idOf('A'))) };
    expect(planOf('A', now, { assignedFor: { basis: before, pinned: [] } })).toEqual(['request-resharding']);
  });
});

describe('assigning', () => {
  const asked = { reshardingNeeded: true, reshardingVersion: 0 };
  const busy = [anItem(0, { owner: idOf('A') }), anItem(1, { owner: idOf('B'), running: true })];

  test('the leader waits for running items', () => {
    expect(planOf('A', aView(['A', 'B'], { ...asked, items: busy }))).toEqual(['await-idle-items']);
  });

  test('the leader does not wait for ever', () => {
    expect(planOf('A', aView(['A', 'B'], { ...asked, items: busy }), { patienceIsOver: true })).toEqual(['reshard']);
  });

  test('a follower leaves it to the leader', () => {
    expect(planOf('B', aView(['A', 'B'], asked))).toEqual([]);
  });
});

describe('an instance', () => {
  test('whose node was removed stops, whatever else there is to do', () => {
    const now = aView(['B'], { leader: undefined, triggers: new Set([idOf('A')]) });
    expect(planOf('A', now)).toEqual(['stop']);
  });

  test('whose server node was removed puts it back', () => {
    expect(planOf('B', aView(['A', 'B'], { servers: new Map([[ipOf('A'), 'ENABLED']]) }))).toEqual([
      'restore-own-nodes',
    ]);
  });

  test('runs once when it is triggered, and keeps the trigger while it is just beginning a run', () => {
    const now = aView(['A', 'B'], { triggers: new Set([idOf('B')]) });
    expect(planOf('B', now)).toEqual(['run-once']);
    expect(planOf('B', now, { canBegin: false })).toEqual([]);
    expect(planOf('A', now)).toEqual([]);
  });

  test('sets its timer anew when the cron or the time zone is changed', () => {
    const now = aView(['A'], { config: aConfiguration({ cron: '0/5 * * * * ?', timeZone: 'GMT+8' }) });
    expect(planOf('A', now, { armedFor: scheduleKey({ cron: '0/5 * * * * ?' }) })).toContain('reschedule');
    expect(planOf('A', now, { armedFor: undefined, isScheduled: false })).not.toContain('reschedule');
  });

  test('removes marks that it could not remove when their runs ended', () => {
    const now = aView(['A'], {
      items: [anItem(0, { owner: idOf('A'), running: true }), anItem(1, { owner: idOf('A') })],
    });
    expect(planOf('A', now, { leftoverMarks: [0, 1] })).toEqual(['clear-marks']);
    expect(planOf('A', now, { leftoverMarks: [0, 1], busy: new Set([0]) })).toEqual([]);
  });

  test('removes the marks of its items when monitoring is switched off', () => {
    const items = [anItem(0, { owner: idOf('A'), running: true }), anItem(1, { owner: idOf('B'), running: true })];
    const now = aView(['A', 'B'], { config: aConfiguration({ monitorExecution: false }), items });
    expect(planOf('A', now)).toEqual(['clear-marks']);
  });

  test('does nothing without a configuration it can read', () => {
    expect(planOf('A', aView(['A'], { config: undefined }), { armedFor: 'old' })).toEqual([]);
  });
});

describe('a firing whose item changes hands', () => {
  const before = T - 5_000;
  const missedSince = (_item: number, mark: number): number | undefined => (mark === before ? T : undefined);
  const settled = { instant: T, items: new Set([0]) };
  const mine = [anItem(0, { owner: idOf('A') }), anItem(1, { owner: idOf('A') })];

  test('is made up for by the new owner if the old one has not begun it', () => {
    const now = aView(['A'], { items: mine, firings: new Map([[1, before]]) });
    expect(planOf('A', now, { settled, missedSince })).toEqual(['begin']);
  });

  test('is left alone if the old owner has begun it', () => {
    const now = aView(['A'], { items: mine, firings: new Map([[1, T]]) });
    expect(planOf('A', now, { settled, missedSince })).toEqual([]);
  });

  test('is left alone for an item on which this instance has decided', () => {
    const now = aView(['A'], {
      items: mine,
      firings: new Map([
        [0, before],
        [1, T],
      ]),
    });
    expect(planOf('A', now, { settled, missedSince })).toEqual([]);
  });

  test('is left alone for an item that nobody of ours has run before: a Java peer may have', () => {
    expect(planOf('A', aView(['A'], { items: mine }), { settled, missedSince })).toEqual([]);
  });

  test('is left alone if more than this one firing is missing, which is for the misfire policy to say', () => {
    const now = aView(['A'], { items: mine, firings: new Map([[1, before - 1]]) });
    expect(planOf('A', now, { settled, missedSince })).toEqual([]);
  });
});

describe('choosing items', () => {
  const items = (view: JobView, name: string, instant?: number): number[] =>
    chooseItems(view, idOf(name), { instant }, new Set()).items.map(({ item }) => item);

  test('takes those that are assigned to the instance', () => {
    expect(items(aView(['A', 'B'], { config: aConfiguration({ shardingTotalCount: 5 }) }), 'A', T)).toEqual([0, 2, 4]);
  });

  test('leaves out disabled items, items that run, and items begun for this instant or a later one', () => {
    const owner = idOf('A');
    const now = aView(['A'], {
      config: HOURLY,
      items: [
        anItem(0, { owner, disabled: true }),
        anItem(1, { owner, running: true }),
        anItem(2, { owner }),
        anItem(3, { owner }),
        anItem(4, { owner }),
      ],
      firings: new Map([
        [2, T],
        [3, T + 1],
        [4, T - 1],
      ]),
    });
    expect(items(now, 'A', T)).toEqual([4]);
  });

  test('takes begun items all the same when somebody triggers the job by hand', () => {
    expect(
      items(
        aView(['A'], {
          firings: new Map([
            [0, T],
            [1, T],
          ]),
        }),
        'A',
      ),
    ).toEqual([0, 1]);
  });

  test('gives a disabled server nothing', () => {
    expect(items(aView(['A'], { servers: new Map([[ipOf('A'), 'DISABLED']]) }), 'A', T)).toEqual([]);
  });
});
