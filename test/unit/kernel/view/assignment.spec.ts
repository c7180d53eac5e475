/** The owners of items, and the check that the assignment still fits. */
import { describe, expect, test } from '@jest/globals';
import {
  assignmentBasis,
  assignmentRecordFor,
  droppedItems,
  wasCompletionCalled,
  lostInHandover,
  mayBeLostInHandover,
  isAssigned,
  isAvailable,
  isDecided,
  isMisassigned,
  isRecounted,
  itemsToAwait,
  pinnedItems,
  readdedItems,
  runningItems,
  scheduleKey,
  staysAsAssigned,
} from '../../../../lib/kernel/view/assignment.js';
import { type ItemView, type JobView, NO_GUARANTEE } from '../../../../lib/layout/job-view.js';
import { aConfiguration, aView, anItem, idOf, ipOf } from '../../../support/views.js';

const T = Date.parse('2030-01-01T00:00:05Z');
const A = idOf('A');
const B = idOf('B');
const disabled = (...names: readonly string[]) => new Map(names.map((name) => [ipOf(name), 'DISABLED' as const]));
const settings = (shardingTotalCount: number) => aConfiguration({ shardingTotalCount });

describe('an instance is available', () => {
  const both = aView(['A', 'B']);

  test('if it is registered and its server is enabled', () => {
    expect(isAvailable(both, A)).toBe(true);
    expect(isAvailable(both, idOf('C'))).toBe(false);
    expect(isAvailable({ ...both, servers: new Map([...both.servers, ...disabled('A')]) }, A)).toBe(false);
  });
});

describe('the items are assigned', () => {
  test.each<[why: string, view: Partial<JobView>, assigned: boolean, decided: boolean]>([
    ['if they have owners and nothing asks for another assignment', {}, true, true],
    ['not before the first assignment', { items: [] }, false, false],
    ['not while another assignment is asked for', { reshardingNeeded: true }, false, false],
    ['not while a leader assigns them', { processing: true }, false, false],
    [
      'not without an instance to assign them to, but then their owners are certain',
      { reshardingNeeded: true, servers: disabled('A', 'B') },
      false,
      true,
    ],
  ])('%s', (_, changes, assigned, decided) => {
    const view = aView(['A', 'B'], changes);
    expect({ assigned: isAssigned(view), decided: isDecided(view) }).toEqual({ assigned, decided });
  });
});

describe('of the items that run', () => {
  const items = [
    anItem(0, { owner: A, running: true }),
    anItem(1, { owner: A, running: true, takenOverBy: B }),
    anItem(2, { owner: 'leaving', running: true }),
    anItem(3, { running: true }),
    anItem(4, { owner: B }),
    anItem(5, { owner: B, running: true }),
  ];
  const view = aView(['A', 'B'], { items, config: settings(5) });

  test('their owners run those that were not taken over', () => {
    expect(runningItems(view)).toEqual([0, 2, 3, 5]);
  });

  test('the leader waits for those whose owner is there', () => {
    expect(itemsToAwait(view)).toEqual([0, 5]);
  });

  test('those whose owner is there stay with it, but not those beyond the number of items', () => {
    expect(pinnedItems(view, 5)).toEqual([{ item: 0, owner: A }]);
    expect(pinnedItems(view, 6)).toEqual([
      { item: 0, owner: A },
      { item: 5, owner: B },
    ]);
  });
});

describe('what an assignment was made for', () => {
  const view = aView(['A', 'B']);

  test.each<[what: string, changed: JobView]>([
    ['an instance', aView(['A'])],
    ['the number of items', { ...view, config: settings(3) }],
    ['the strategy', { ...view, config: aConfiguration({ jobShardingStrategyType: 'ODEVITY' }) }],
  ])('differs if %s differs', (_, changed) => {
    expect(assignmentBasis(changed)).not.toBe(assignmentBasis(view));
    expect(assignmentRecordFor(changed).basis).not.toBe(assignmentRecordFor(view).basis);
  });

  test('is the same whatever instances do meanwhile, and keeps the number of items and the strategy apart', () => {
    const running = { ...view, items: [anItem(0, { owner: B, running: true })] };
    expect(assignmentBasis(running)).toBe(assignmentBasis(view));
    expect(assignmentBasis({ ...view, config: settings(21) })).not.toBe(
      assignmentBasis({ ...view, config: aConfiguration({ jobShardingStrategyType: '1' }) }),
    );
  });

  // Instances of other versions compare it.
  test('is written down as the number of items and a digest of 64 bits', () => {
    expect(assignmentRecordFor(view)).toEqual({ itemCount: 2, basis: expect.stringMatching(/^[\da-f]{16}$/) });
    expect(assignmentRecordFor({ ...view, config: undefined }).itemCount).toBe(0);
  });
});

describe('an assignment brings back', () => {
  const begun = (...items: readonly number[]) => new Map(items.map((item) => [item, T - 5_000]));
  const back = (changes: Partial<JobView>, instant = T): readonly number[] =>
    readdedItems(aView(['A'], { config: settings(4), items: [anItem(0), anItem(1)], ...changes }), instant);

  test('items that have been begun before and are not there', () => {
    expect(back({ lastBegun: begun(0, 1, 2, 3) })).toEqual([2, 3]);
    expect(back({ lastBegun: begun(0, 1) })).toEqual([]);
  });

  test('items that are still there although the last assignment left them out', () => {
    const assignmentRecord = { itemCount: 1, basis: '' };
    expect(back({ lastBegun: begun(0, 1), assignmentRecord })).toEqual([1]);
  });

  test('no items beyond the configured number, or without settings', () => {
    expect(back({ lastBegun: begun(3, 4, 5) })).toEqual([3]);
    expect(back({ lastBegun: begun(3), config: undefined })).toEqual([]);
  });

  test('no items that were begun for that instant or a later one', () => {
    const lastBegun = new Map([
      [2, T - 1],
      [3, T],
    ]);
    expect(back({ lastBegun })).toEqual([2]);
  });
});

describe('the number of items has changed', () => {
  const items = (count: number, changes: Partial<ItemView> = {}): Partial<JobView> => ({
    items: Array.from({ length: count }, (_, item) => anItem(item, { owner: A, ...changes })),
  });

  test.each<[what: string, view: Partial<JobView>, total: number, isChanged: boolean]>([
    ['there are as many as configured', items(3), 3, false],
    ['items are missing', items(2), 3, true],
    ['there are surplus items', items(4), 3, true],
    ['surplus items still run, and go when they have ended', items(4, { running: true }), 3, false],
    [
      'one is missing and a surplus one runs',
      { items: [anItem(0), anItem(1), anItem(3, { running: true }), anItem(4, { running: true })] },
      3,
      true,
    ],
  ])('%s', (_, view, total, isChanged) => {
    expect(isRecounted(aView(['A'], view), total)).toBe(isChanged);
  });
});

describe('staticSharding keeps an assignment', () => {
  const config = aConfiguration({ staticSharding: true });

  test.each<[when: string, view: Partial<JobView>, stays: boolean]>([
    ['if all items have an owner', { config }, true],
    ['not if one has none', { config, items: [anItem(0, { owner: A }), anItem(1)] }, false],
    ['not if it is off', {}, false],
    ['not if the settings cannot be read', { config: undefined }, false],
  ])('%s', (_, view, stays) => {
    expect(staysAsAssigned(aView(['A'], view))).toBe(stays);
  });
});

describe('every instance sees that another assignment is due', () => {
  const owned = (...owners: readonly string[]): ItemView[] => owners.map((owner, item) => anItem(item, { owner }));
  const both = aView(['A', 'B']);
  const made = (view: JobView): JobView => ({ ...view, assignmentRecord: assignmentRecordFor(view) });

  const STATIC = { config: aConfiguration({ staticSharding: true }) };
  const fewerItems = { ...both, config: settings(1), items: owned(A) };
  const byStrategy = (jobShardingStrategyType: string): JobView => ({
    ...{ ...both, items: owned(A, A) },
    config: aConfiguration({ jobShardingStrategyType }),
  });
  const underJava = {
    ...{ ...both, leader: B, javaPeers: new Set([B]) },
    assignmentRecord: assignmentRecordFor(aView(['A'])),
  };

  test.each<[when: string, view: JobView, isDue: boolean]>([
    ['not if it was made for the present instances and settings', made(both), false],
    ['if items are missing', made({ ...both, items: owned(A) }), true],
    ['if an item has no owner', made({ ...both, items: [anItem(0, { owner: A }), anItem(1)] }), true],
    ['not because of the owner of a surplus item that still runs', withSurplus(made(both)), false],
    ['if it was made for other instances', { ...both, assignmentRecord: assignmentRecordFor(aView(['A'])) }, true],
    ['not if staticSharding keeps the items', { ...both, ...STATIC, items: owned('gone', A) }, false],
    [
      'if staticSharding has nothing to keep',
      { ...both, ...STATIC, items: [anItem(0, { owner: A }), anItem(1)] },
      true,
    ],
    [
      'without a note of it, if an instance has no items though there are enough',
      { ...both, items: owned(A, A) },
      true,
    ],
    ['without a note of it, not if each instance has items', both, false],
    ['without a note of it, not if there are fewer items than instances', fewerItems, false],
    ['without a note of it, not if a strategy of another kind left an instance out', byStrategy('MINE'), false],
    ['under a Java leader, whose assignment is in no note', { ...underJava, items: owned(A, A) }, true],
    ['not under a Java leader because of an older note', underJava, false],
    ['not while the settings cannot be read', { ...both, config: undefined, items: owned('gone') }, false],
    ['not without an instance to assign to', { ...both, items: owned('gone'), servers: disabled('A', 'B') }, false],
  ])('%s', (_, view, isDue) => {
    expect(isMisassigned(view)).toBe(isDue);
  });

  test.each(['AVG_ALLOCATION', 'odevity', 'ROUND_ROBIN', 'SINGLE_SHARDING_BALANCE'])(
    'by an instance without items if the strategy is %s',
    (type) => {
      expect(isMisassigned(byStrategy(type))).toBe(true);
    },
  );

  function withSurplus(view: JobView): JobView {
    return { ...view, items: [...view.items, anItem(2, { owner: 'gone', running: true })] };
  }
});

describe('the firing that an item missed in a handover', () => {
  const items = [0, 1].map((item) => anItem(item, { owner: A }));
  const view = aView(['A'], { config: settings(3), items, lastBegun: new Map([[1, T - 5_000]]) });
  const missed = (_: number, lastBegun: number): number | undefined => (lastBegun === T - 5_000 ? T : undefined);
  const lost = (changes: Partial<JobView>, item = 1): number | undefined =>
    lostInHandover({ ...view, ...changes }, A, missed).get(item);

  test('is the one that followed the last one begun', () => {
    expect(lost({})).toBe(T);
    expect(lost({}, 0)).toBeUndefined();
  });

  test('is none without records of what was begun', () => {
    expect(lost({ config: aConfiguration({ monitorExecution: false }) })).toBeUndefined();
    expect(lost({ config: undefined })).toBeUndefined();
  });

  test('is none once it was dropped, or, with misfire off, its last once-listener was called', () => {
    const off = { config: aConfiguration({ misfire: false, shardingTotalCount: 3 }) };
    const dropped = { ...NO_GUARANTEE, dropped: new Map([[B, new Map([[T, new Set([1])]])]]) };
    const called = { ...NO_GUARANTEE, completed: { called: [`${T}/ONCE`, `${T + 1}/ONCE`], call: undefined } };

    expect(lost(off)).toBe(T);
    for (const guarantee of [dropped, called]) expect(lost({ ...off, guarantee })).toBeUndefined();
    // A firing that was dropped stays dropped when misfire is switched on; a last call says nothing about misfire.
    expect(lost({ guarantee: dropped })).toBeUndefined();
    expect(lost({ guarantee: called })).toBe(T);
    expect(lostInHandover({ ...view, ...off, guarantee: dropped }, A, () => undefined).size).toBe(0);
  });

  test('is none for an item of another instance, and none while this one may run no item', () => {
    expect(lost({ items: [anItem(1, { owner: B })] })).toBeUndefined();
    expect(lost({ reshardingNeeded: true })).toBeUndefined();
    expect(lost({ servers: disabled('A') })).toBeUndefined();
  });

  test('is none for an item that the last assignment left out', () => {
    expect(lost({ assignmentRecord: { itemCount: 1, basis: '' } })).toBeUndefined();
    expect(lost({ assignmentRecord: { itemCount: 2, basis: '' } })).toBe(T);
  });

  test('may be that of an instant by the clock of a peer, unless all peers see that it is none', () => {
    const mayBeLost = (changes: Partial<JobView>, item = 1): boolean =>
      mayBeLostInHandover({ ...view, ...changes }, item, T, (_, lastBegun) => lastBegun === T - 5_000);
    const dropped = { ...NO_GUARANTEE, dropped: new Map([[B, new Map([[T, new Set([1])]])]]) };

    expect(mayBeLost({})).toBe(true);
    expect(mayBeLost({ lastBegun: new Map([[1, T]]) })).toBe(false);
    expect(mayBeLost({}, 0)).toBe(false);
    expect(mayBeLost({ guarantee: dropped })).toBe(false);
    expect(mayBeLost({ config: aConfiguration({ monitorExecution: false }) })).toBe(false);
    expect(mayBeLost({ assignmentRecord: { itemCount: 1, basis: '' } })).toBe(false);
  });
});

describe('a firing', () => {
  test('was dropped for the items that any instance has dropped it for', () => {
    const dropped = new Map([
      [A, new Map([[T, new Set([0])]])],
      [
        B,
        new Map([
          [T, new Set([2])],
          [T + 1, new Set([5])],
        ]),
      ],
    ]);
    const view = aView(['A', 'B'], { guarantee: { ...NO_GUARANTEE, dropped } });

    expect([...droppedItems(view, T)]).toEqual([0, 2]);
    expect([...droppedItems(view, T + 5_000)]).toEqual([]);
    expect([...droppedItems(view, undefined)]).toEqual([]);
  });

  test('is over once its last once-listener was called, not that of another firing', () => {
    const completed = { called: [`${T}/ONCE`], call: undefined };
    const view = aView(['A'], { guarantee: { ...NO_GUARANTEE, completed } });

    expect(wasCompletionCalled(view, T)).toBe(true);
    expect(wasCompletionCalled(view, Math.floor(T / 10))).toBe(false);
    expect(wasCompletionCalled(view, T + 1)).toBe(false);
  });
});

test('schedules are told apart by cron and time zone, absent ones too', () => {
  const keys = [
    {},
    { cron: '0 0 12 * * ?' },
    { timeZone: 'GMT' },
    { cron: '0 0 12 * * ?', timeZone: 'GMT' },
    { cron: '0 0 12 * * ?', timeZone: 'GMT+1' },
  ].map(scheduleKey);

  expect(new Set(keys).size).toBe(keys.length);
  expect(scheduleKey({ cron: '0 0 12 * * ?' })).toBe(scheduleKey({ cron: '0 0 12 * * ?' }));
});
