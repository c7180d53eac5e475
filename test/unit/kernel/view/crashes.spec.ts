/** The nodes that instances that are gone have left, and the instance that handles them. */
import { describe, expect, test } from '@jest/globals';
import {
  claimableItems,
  cleanupOwner,
  deadRuns,
  failoverRemains,
  hasUnreadDeadMarks,
  obsoleteCrashReports,
  isReported,
  mayPurgeRecordOf,
  shareOfCrashed,
} from '../../../../lib/kernel/view/crashes.js';
import { NOTHING_BEGUN } from '../../../../lib/layout/x-node/begin-record.js';
import { type ItemView, type JobView } from '../../../../lib/layout/job-view.js';
import { aConfiguration, aView, anItem, idOf, ipOf } from '../../../support/views.js';

const T = Date.parse('2030-01-01T00:00:05Z');
/** The crash report of a run for that instant. */
const crashed = (instant: number) => ({ instant, jobParameter: undefined });
const A = idOf('A');
const B = idOf('B');
const GONE = idOf('X');
const FAILOVER = aConfiguration({ failover: true });
const NOT_BUSY = new Set<number>();

describe('an item whose instance is gone', () => {
  const run = (changes: Partial<ItemView>, view: Partial<JobView> = {}, lost = false) =>
    deadRuns(aView(['A', 'B'], { config: FAILOVER, items: [anItem(0, changes)], ...view }), A, () => lost).map(
      ({ isToBeTakenOver }) => (isToBeTakenOver ? 'run again' : 'tidied up'),
    );
  const running = { owner: GONE, running: true, runningOn: GONE };

  test.each<[what: string, expected: readonly string[], item: Partial<ItemView>, view?: Partial<JobView>]>([
    ['that was running is run again', ['run again'], running],
    ['that was not running needs nothing', [], { ...running, running: false }],
    ['is only tidied up without failover', ['tidied up'], running, { config: aConfiguration() }],
    [
      'is only tidied up if an operator has disabled its server',
      ['tidied up'],
      running,
      {
        servers: new Map([
          [ipOf('A'), 'ENABLED'],
          [ipOf('X'), 'DISABLED'],
        ]),
      },
    ],
    [
      'is run again if only the server of another instance is disabled',
      ['run again'],
      running,
      {
        servers: new Map([
          [ipOf('A'), 'DISABLED'],
          [ipOf('X'), 'ENABLED'],
        ]),
      },
    ],
    ['is left to its Java process, whose mark shows that it lives', [], { ...running, runningSession: '0x7' }],
    [
      'is run again though the mark of our instance still stands in its session',
      ['run again'],
      { ...running, runningSession: '0x7' },
      { beginRecords: new Map([[GONE, NOTHING_BEGUN]]) },
    ],
    [
      'had been taken over by it, and is run again',
      ['run again'],
      { ...running, takenOverBy: GONE, failoveringBy: GONE },
    ],
    ['had been claimed by it, and is tidied up', ['tidied up'], { owner: A, takenOverBy: GONE }],
    ['is being run again by a living instance', ['tidied up'], { ...running, takenOverBy: B }],
    ['was to be taken over by it, and is run again', ['run again'], { owner: A, failoveringBy: GONE }],
    [
      'was to be taken over by it, and is already on the list',
      [],
      { owner: A, failoveringBy: GONE },
      { crashedItems: [0] },
    ],
    [
      'was to be taken over by it, and a living instance has done so',
      [],
      { owner: A, failoveringBy: GONE, takenOverBy: B },
    ],
  ])('%s', (_, expected, item, ...[view]) => {
    expect(run(item, view)).toEqual(expected);
  });

  test('may be one of this instance itself that it has lost track of, not one of a peer', () => {
    const own = { owner: A, running: true, runningOn: A };
    expect(run(own)).toEqual([]);
    expect(run(own, {}, true)).toEqual(['run again']);
    expect(run({ owner: B, running: true, runningOn: B }, {}, true)).toEqual([]);
  });
});

describe('the record of an instance', () => {
  const view = (item: Partial<ItemView>): JobView => aView(['A'], { items: [anItem(0, item)] });

  test('may go when the instance is gone and nothing refers to it', () => {
    expect(mayPurgeRecordOf(view({ owner: A }), GONE)).toBe(true);
    expect(mayPurgeRecordOf(view({ owner: A }), A)).toBe(false);
  });

  test('stays while it owns an item or bears a mark of its run', () => {
    expect(mayPurgeRecordOf(view({ owner: GONE }), GONE)).toBe(false);
    expect(mayPurgeRecordOf(view({ owner: A, running: true, runningOn: GONE }), GONE)).toBe(false);
    const one = [anItem(0, { owner: A }), anItem(1, { owner: GONE })];
    expect(mayPurgeRecordOf(aView(['A'], { items: one }), GONE)).toBe(false);
  });
});

describe('marks must be read to know who has left them', () => {
  test.each<[why: string, expected: boolean, item: Partial<ItemView>]>([
    ['if the owner is gone', true, { owner: GONE, running: true }],
    ['if the item has no owner', true, { running: true }],
    ['if the instance that took the item over is gone', true, { owner: A, running: true, takenOverBy: GONE }],
    ['not if a living instance took it over', false, { owner: GONE, running: true, takenOverBy: B }],
    ['not if the owner lives', false, { owner: A, running: true }],
    ['not if they have been read', false, { owner: GONE, running: true, runningOn: GONE }],
    ['not if the item does not run', false, { owner: GONE }],
  ])('%s', (_, expected, item) => {
    const view = aView(['A', 'B'], { items: [anItem(0, item), anItem(1, { owner: A })] });
    expect(hasUnreadDeadMarks(view)).toBe(expected);
  });
});

describe('an item that has crashed can be taken over', () => {
  const claimable = (item: Partial<ItemView>, busy = NOT_BUSY, view: Partial<JobView> = {}): boolean =>
    claimableItems(aView(['A', 'B'], { config: FAILOVER, items: [anItem(0, item)], crashedItems: [0], ...view }), busy)
      .length > 0;

  test('if no instance runs it, or the one whose mark stands is gone', () => {
    expect(claimable({ owner: A })).toBe(true);
    expect(claimable({ owner: A, running: true, runningOn: GONE })).toBe(true);
    expect(claimable({ owner: A, running: true, runningOn: B })).toBe(false);
    expect(claimable({ owner: A, running: true })).toBe(false);
    expect(claimable({ owner: A, takenOverBy: B })).toBe(false);
  });

  test('not if this instance still runs it', () => {
    expect(claimable({ owner: A }, new Set([0]))).toBe(false);
    expect(claimable({ owner: A, running: true, runningOn: GONE }, new Set([0]))).toBe(false);
  });

  test('not if it has not crashed, nor without failover', () => {
    expect(claimable({ owner: A }, NOT_BUSY, { crashedItems: [1] })).toBe(false);
    expect(claimable({ owner: A }, NOT_BUSY, { config: aConfiguration() })).toBe(false);
  });
});

describe('the share of an instance', () => {
  const items = [anItem(0, { owner: A }), anItem(1, { owner: B }), anItem(2, { owner: B, running: true })];
  const view = aView(['A', 'B'], { config: FAILOVER, items, crashedItems: [0, 1] });
  const share = (of: JobView, id: string): number[] => shareOfCrashed(of, id, NOT_BUSY).map(({ item }) => item);

  test('of the only idle instance is all of them', () => {
    expect(share(view, A)).toEqual([0, 1]);
  });

  test('is another one for each idle instance, and together they are all', () => {
    const crashedItems = [0, 1, 2, 3];
    const idle = aView(['A', 'B'], { config: { ...FAILOVER, shardingTotalCount: 4 }, crashedItems });
    expect([...share(idle, A), ...share(idle, B)].sort()).toEqual(crashedItems);
  });

  test('of a busy instance that must take over is the same as if it were idle', () => {
    expect(share(view, B)).toHaveLength(1);
  });

  test('is nothing for an instance that gets no items', () => {
    expect(share({ ...view, servers: new Map([[ipOf('A'), 'ENABLED']]) }, B)).toEqual([]);
  });

  test('is reduced by no Java peer, which takes over only at the moment of a crash', () => {
    const withJava = aView(['A', 'J'], { ...{ config: FAILOVER, crashedItems: [0, 1] }, live: new Set([A]) });
    expect(share(withJava, A)).toEqual([0, 1]);
  });
});

describe('what failover has left', () => {
  const items = [anItem(0, { owner: A }), anItem(1, { owner: A })];
  const left = (changes: Partial<JobView>): readonly number[] => failoverRemains(aView(['A'], { items, ...changes }));

  test('while it is on is reports of items that are gone, once the items are assigned', () => {
    const config = FAILOVER;
    expect(left({ config, crashedItems: [1, 2] })).toEqual([2]);
    expect(left({ config, crashedItems: [1, 2], reshardingNeeded: true })).toEqual([]);
  });

  test('when it is off is all reports, and marks of takeovers that do not run', () => {
    const marked = [
      anItem(0, { owner: A, takenOverBy: A }),
      anItem(1, { owner: A, failoveringBy: A }),
      anItem(2, { owner: A, takenOverBy: A, running: true }),
      anItem(3, { owner: A }),
    ];
    expect(left({ items: marked, crashedItems: [1, 3] })).toEqual([1, 3, 0]);
  });
});

describe('a crash report', () => {
  const crashReports = new Map([[0, crashed(T)]]);

  test.each<[what: string, expected: readonly number[], view: Partial<JobView>]>([
    ['serves nothing if its item does not wait', [0], {}],
    ['is needed while its item waits', [], { crashedItems: [0] }],
    ['is needed while its item has been taken over', [], { items: [anItem(0, { takenOverBy: A })] }],
    ['is needed while its item is being taken over', [], { items: [anItem(0, { failoveringBy: A })] }],
    ['serves nothing if only another item was taken over', [0], { items: [anItem(1, { takenOverBy: A })] }],
  ])('%s', (_, expected, changes) => {
    expect(obsoleteCrashReports(aView(['A'], { crashReports, ...changes }))).toEqual(expected);
  });

  test.each<[what: string, expected: boolean, view: Partial<JobView>]>([
    ['is about a run that has ended', true, {}],
    ['is about an item that is gone', true, { items: [] }],
    ['does not count when its item waits no more', false, { crashedItems: [] }],
    ['does not count if only Java has reported the crash', false, { crashReports: new Map() }],
    ['does not count if it is about another firing', false, { crashReports: new Map([[0, crashed(T + 5_000)]]) }],
    ['does not count once the item runs again', false, { items: [anItem(0, { running: true }), anItem(1)] }],
    ['does not count once the item was taken over', false, { items: [anItem(0, { takenOverBy: B }), anItem(1)] }],
    ['counts although another item runs', true, { items: [anItem(1, { running: true, takenOverBy: B }), anItem(0)] }],
  ])('%s', (_, expected, changes) => {
    const view = aView(['A', 'B'], { crashReports, crashedItems: [0], ...changes });
    expect(isReported(view, { item: 0, instant: T })).toBe(expected);
  });
});

describe('the instance that cleans up', () => {
  const beside = (changes: Partial<JobView>): string | undefined =>
    cleanupOwner(aView(['J', 'C', 'A'], { live: new Set([idOf('C'), A]), ...changes }));

  test('is the leader', () => {
    expect(cleanupOwner(aView(['B', 'A']))).toBe(B);
    expect(cleanupOwner(aView(['A', 'B'], { leader: undefined }))).toBeUndefined();
    expect(beside({ leader: idOf('C') })).toBe(idOf('C'));
  });

  test('under a Java leader, or none beside Java, is the first of ours that is registered', () => {
    expect(beside({})).toBe(A);
    expect(beside({ leader: undefined })).toBe(A);
    const leaving = new Set([idOf('C'), A, '1.0.0.0@-@leaving']);
    expect(beside({ live: leaving })).toBe(A);
  });
});
