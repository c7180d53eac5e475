/**
 * The actions that the rules plan for a leader, and for an instance whose own nodes are damaged, with all their fields.
 */
import { describe, expect, test } from '@jest/globals';
import { type LocalState } from '../../../../lib/kernel/rules/plan-input.js';
import { lastKnownLeaderOf } from '../../../../lib/kernel/rules/removal.js';
import { assignmentBasis } from '../../../../lib/kernel/view/assignment.js';
import { type JobView } from '../../../../lib/layout/job-view.js';
import { actionsOf, planOf } from '../../../support/plans.js';
import { aConfiguration, aView, anItem, idOf, ipOf } from '../../../support/views.js';

const disabled = (...names: readonly string[]) => new Map(names.map((name) => [ipOf(name), 'DISABLED' as const]));

describe('a leader that gives up leading', () => {
  const afterwards = aView(['A', 'B']).servers;

  // A Java successor would not ask by itself, and would leave items with this instance.
  test.each<[asks: string, requesting: string, view: Partial<JobView>]>([
    ['asks for an assignment, because its items must go to others', 'assignment', {}],
    ['asks for nothing if a request stands already', 'nothing', { reshardingNeeded: true }],
    ['asks for nothing if no instance is left to take the items', 'nothing', { servers: disabled('A', 'B') }],
    [
      'asks for nothing if staticSharding keeps the items where they are',
      'nothing',
      { config: aConfiguration({ staticSharding: true }) },
    ],
  ])('%s', (_, requesting, view) => {
    const disabledHere = new Map([...(view.servers ?? afterwards), [ipOf('A'), 'DISABLED' as const]]);
    const byDisabling = actionsOf('A', aView(['A', 'B'], { ...view, servers: disabledHere }));
    const byRemoving = actionsOf('X', aView(['A', 'B'], { ...view, leader: idOf('X') }));

    expect(byDisabling).toContainEqual({ type: 'abdicate', requesting });
    expect(byRemoving).toEqual([{ type: 'abdicate', requesting }, { type: 'stop' }]);
  });
});

describe('a leader asks for a new assignment, and says why', () => {
  test.each<[reason: string, view: JobView, local: Partial<LocalState>]>([
    [
      'the number of items differs from the configured one',
      aView(['A', 'B'], { config: aConfiguration({ shardingTotalCount: 3 }), items: [anItem(0), anItem(1)] }),
      { assignedFor: { basis: 'two items', pinned: [] } },
    ],
    [
      'there is a new leader, or the answer to its last assignment was lost',
      aView(['A', 'B']),
      { assignedFor: undefined },
    ],
    [
      'instances, servers or settings have changed',
      aView(['A', 'B']),
      { assignedFor: { basis: 'other instances', pinned: [] } },
    ],
    [
      'items have no living owner',
      aView(['A', 'B'], { items: [anItem(0), anItem(1, { owner: idOf('A') })] }),
      { removalWait: 'over' },
    ],
    [
      'items have no living owner',
      aView(['A', 'B'], { items: [anItem(0, { owner: 'gone' }), anItem(1, { owner: idOf('A') })] }),
      {},
    ],
  ])('%s', (reason, view, local) => {
    expect(actionsOf('A', view, local)).toEqual([{ type: 'request-resharding', reason }]);
  });

  test('items that had to stay with their instance have finished', () => {
    const now = aView(['A', 'B'], {
      items: [anItem(0, { owner: idOf('A'), running: true }), anItem(1, { owner: idOf('B') })],
    });
    const assignedFor = { basis: assignmentBasis(now), pinned: [0, 1] };
    const reason = 'items that had to stay with their instance have finished';

    expect(actionsOf('A', now, { assignedFor })).toEqual([{ type: 'request-resharding', reason }]);
  });
});

describe('a leader does not assign the items', () => {
  const asked = { reshardingNeeded: true, reshardingVersion: 0 };

  test('while a Java instance that has vanished may come back, because its items would move twice', () => {
    const local = { hasFlappingPeers: true, isAwaitingFlappingPeers: true };
    expect(planOf('A', aView(['A', 'B'], asked), local)).toEqual([]);
  });

  test('while there is no instance to assign them to', () => {
    expect(planOf('A', aView(['A'], { ...asked, servers: disabled('A') }))).toEqual(['abdicate']);
  });

  test('by settings that it cannot read', () => {
    expect(planOf('A', aView(['A'], { ...asked, config: undefined }))).toEqual([]);
  });
});

describe('an instance that runs items', () => {
  const busy = { isIdle: false, busy: new Set([0]) };

  test('is asked to end them early while the leader waits to assign the items', () => {
    expect(planOf('B', aView(['A', 'B'], { reshardingNeeded: true }), busy)).toEqual(['soft-stop']);
    expect(planOf('B', aView(['A', 'B']), busy)).toEqual([]);
  });
});

describe('what has vanished without a reason, as while a job is removed node by node', () => {
  const vanished: readonly [what: string, who: string, view: JobView, then: string][] = [
    ['the server', 'B', aView(['A', 'B'], { servers: new Map([[ipOf('A'), 'ENABLED']]) }), 'restore-own-nodes'],
    [
      'the sign of life',
      'B',
      aView(['A', 'B'], { live: new Set([idOf('A')]), javaPeers: new Set() }),
      'restore-own-nodes',
    ],
    ['the record', 'B', aView(['A', 'B'], { beginRecords: new Map() }), 'restore-own-nodes'],
    ['the leader', 'B', aView(['A', 'B'], { leader: undefined }), 'campaign'],
    ['an item', 'A', aView(['A', 'B'], { items: [anItem(0, { owner: idOf('A') })] }), 'request-resharding'],
    [
      'the owner of an item',
      'A',
      aView(['A', 'B'], { items: [anItem(0), anItem(1, { owner: idOf('A') })] }),
      'request-resharding',
    ],
  ];

  test.each(vanished)('%s is awaited for a second, and then made again', (_, who, view, then) => {
    const local = { lastKnownLeader: { id: idOf('A'), session: 'one' } };
    expect(planOf(who, view, local)).toEqual(['await-removal']);
    expect(planOf(who, view, { ...local, removalWait: 'waiting' })).toEqual([]);
    expect(planOf(who, view, { ...local, removalWait: 'over' })).toEqual([then]);
  });

  test('ends to be awaited when it is back', () => {
    expect(planOf('B', aView(['A', 'B']))).toEqual([]);
    expect(planOf('B', aView(['A', 'B']), { removalWait: 'waiting' })).toEqual(['end-removal-wait']);
    expect(planOf('B', aView(['A', 'B']), { removalWait: 'over' })).toEqual(['end-removal-wait']);
  });

  test('is no leader whose server was disabled, whose session has ended, or who is unknown', () => {
    const leaderless = aView(['A', 'B'], { leader: undefined });
    const { instances, servers } = leaderless;
    const led = { id: idOf('A'), session: instances.get(idOf('A'))!.session };
    const disabled = new Map([...servers, [ipOf('A'), 'DISABLED' as const]]);
    const gone = new Map([...instances].filter(([id]) => id !== idOf('A')));

    expect(lastKnownLeaderOf(aView(['A', 'B']), 'one', { id: idOf('B'), session: 'two' })).toEqual({
      ...led,
      session: 'one',
    });
    expect(lastKnownLeaderOf(leaderless, undefined, led)).toEqual(led);
    expect(lastKnownLeaderOf(leaderless, undefined, { ...led, session: 'an earlier one' })).toBeUndefined();
    expect(lastKnownLeaderOf({ ...leaderless, servers: disabled }, undefined, led)).toBeUndefined();
    expect(lastKnownLeaderOf({ ...leaderless, instances: gone }, undefined, led)).toBeUndefined();
    expect(lastKnownLeaderOf(leaderless, undefined, undefined)).toBeUndefined();
  });

  test('is no leader of Java, which may be reconnecting, nor one that this instance has never seen', () => {
    const leaderless = aView(['A', 'B'], { leader: undefined });
    const lastKnownLeader = { id: idOf('A'), session: undefined };
    expect(planOf('B', leaderless)).toEqual(['campaign']);
    expect(planOf('B', { ...leaderless, javaPeers: new Set([idOf('A')]) }, { lastKnownLeader })).toEqual(['campaign']);
  });
});

describe('an instance restores its own nodes', () => {
  const { instances } = aView(['A', 'B']);
  const own = instances.get(idOf('B'))!;
  const withOwn = (changes: Partial<typeof own>) => new Map([...instances, [idOf('B'), { ...own, ...changes }]]);

  test.each<[why: string, view: Partial<JobView>]>([
    ['an old console has overwritten the node, so that it gets no items', { instances: withOwn({ readable: false }) }],
    [
      'a restored copy has made the node persistent, so that it would outlive the instance',
      { instances: withOwn({ session: undefined }) },
    ],
  ])('at once if %s', (_, view) => {
    expect(planOf('B', aView(['A', 'B'], view))).toContain('restore-own-nodes');
  });
});

describe('the next look at the whole job', () => {
  test('is scheduled at first, and again when its interval has been changed', () => {
    const now = aView(['A'], { config: aConfiguration({ reconcileIntervalMinutes: 5 }) });

    for (const resyncMinutes of [undefined, 10])
      expect(actionsOf('A', now, { resyncMinutes })).toEqual([{ type: 'schedule-resync', minutes: 5 }]);
    expect(actionsOf('A', now, { resyncMinutes: 5 })).toEqual([]);
  });

  test('stays as scheduled while the settings cannot be read', () => {
    expect(actionsOf('A', aView(['A'], { config: undefined }), { resyncMinutes: 10 })).toEqual([]);
  });

  test('comes when a Java instance that has vanished has had its time, scheduled once', () => {
    const now = aView(['A']);
    expect(planOf('A', now, { hasFlappingPeers: true })).toEqual(['await-flapping-peers']);
    expect(planOf('A', now, { hasFlappingPeers: true, isAwaitingFlappingPeers: true })).toEqual([]);
  });
});
