import { describe, expect, test } from '@jest/globals';
import { type Backlog, type LocalState } from '../../../../lib/kernel/rules/plan-input.js';
import { chooseItems } from '../../../../lib/kernel/view/items.js';
import { NOTHING_BEGUN } from '../../../../lib/layout/x-node/begin-record.js';
import { type ItemView, type JobView, NO_GUARANTEE, type ServerStatus } from '../../../../lib/layout/job-view.js';
import { actionsOf, type LocalFacts, NO_BACKLOG, planOf } from '../../../support/plans.js';
import { aConfiguration, aView, anItem, idOf, ipOf } from '../../../support/views.js';
import { assignmentBasis, assignmentRecordFor, scheduleKey } from '../../../../lib/kernel/view/assignment.js';
import { shareOfCrashed } from '../../../../lib/kernel/view/crashes.js';

const T = Date.parse('2030-01-01T00:00:05Z');
const HOURLY = aConfiguration({ cron: '0 0 * * * ?' });

/** The last call of the firing at that instant was made. */
const withLastCall = (instant: number): JobView['guarantee'] => ({
  ...NO_GUARANTEE,
  completed: { called: [`${instant}/ONCE`], call: undefined },
});

/** An item whose run has ended, and whose marks could not be removed. */
const left = (item: number) => ({ item, instant: T });

describe('a decided job', () => {
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

describe('a Java leader', () => {
  const ours = new Set([idOf('A'), idOf('C')]);
  const items = (...owners: readonly string[]): ItemView[] =>
    owners.map((owner, item) => anItem(item, { owner: idOf(owner) }));
  const config = aConfiguration({ shardingTotalCount: 3 });
  const decided = aView(['J', 'A', 'C'], { live: ours, config });
  const leftOut = { ...decided, items: items('J', 'A', 'J') };
  const basis = assignmentBasis(leftOut);

  test('that has assigned the items to all instances is left alone', () => {
    expect(planOf('A', decided)).toEqual([]);
  });

  test('that leaves out an instance is given time, then asked for an assignment, once and by one instance only', () => {
    expect(actionsOf('A', leftOut)).toEqual([{ type: 'wait-for-java-leader', basis }]);
    expect(planOf('A', leftOut, { overdueAssignment: { basis, state: 'waiting' } })).toEqual([]);
    expect(planOf('A', leftOut, { overdueAssignment: { basis, state: 'due' } })).toEqual(['request-in-leaders-place']);
    expect(planOf('A', leftOut, { overdueAssignment: { basis, state: 'asked' } })).toEqual([]);
    expect(planOf('C', leftOut, { overdueAssignment: { basis, state: 'due' } })).toEqual([]);
  });

  test('is given time anew when instances have changed', () => {
    expect(planOf('A', leftOut, { overdueAssignment: { basis: 'another one', state: 'asked' } })).toEqual([
      'wait-for-java-leader',
    ]);
  });

  test('that leaves items with a disabled server is asked too', () => {
    const servers = new Map([['J', 'ENABLED'] as const, ['A', 'ENABLED'] as const, ['C', 'DISABLED'] as const]);
    const now = { ...decided, servers: new Map([...servers].map(([name, status]) => [ipOf(name), status])) };
    expect(planOf('A', now)).toEqual(['wait-for-java-leader']);
  });

  test('that is about to assign the items, or must not, is not asked', () => {
    expect(planOf('A', { ...leftOut, reshardingNeeded: true })).toEqual([]);
    expect(planOf('A', { ...leftOut, processing: true })).toEqual([]);
    const staticSharding = aConfiguration({ shardingTotalCount: 3, staticSharding: true });
    expect(planOf('A', { ...leftOut, config: staticSharding })).not.toContain('wait-for-java-leader');
  });

  test('may leave out instances if its strategy is none that spreads the items', () => {
    const config = aConfiguration({ shardingTotalCount: 3, jobShardingStrategyType: 'FIRST_TAKES_ALL' });
    expect(planOf('A', { ...leftOut, config })).toEqual([]);
    const gone = { ...leftOut, config, items: items('J', 'A', 'X') };
    expect(planOf('A', gone)).toEqual(['wait-for-java-leader']);
    for (const type of ['odevity', 'ROUND_ROBIN', 'SINGLE_SHARDING_BALANCE'])
      expect(planOf('A', { ...leftOut, config: { ...config, jobShardingStrategyType: type } })).not.toEqual([]);
  });

  test('is asked whatever one of our leaders has written down of an earlier assignment', () => {
    const now = { ...leftOut, assignmentRecord: assignmentRecordFor(leftOut) };
    expect(planOf('A', now)).toEqual(['wait-for-java-leader']);
  });

  test('may leave out instances if there are fewer items', () => {
    const two = aConfiguration({ shardingTotalCount: 2 });
    const now = aView(['J', 'A', 'C'], { live: ours, config: two, items: items('J', 'A') });
    expect(planOf('A', now)).toEqual([]);
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

  test('is not asked for while a manual run begins, unless that waits for the first one', () => {
    const local = { assignedFor: undefined, isBeginningManually: true };
    expect(planOf('A', aView(['A', 'B']), local)).toEqual([]);
    expect(planOf('A', aView(['A', 'B'], { items: [] }), local)).toEqual(['request-resharding']);
  });

  test('a follower never asks', () => {
    expect(planOf('B', aView(['A', 'B', 'C']), { assignedFor: { basis: before, pinned: [] } })).toEqual([]);
  });

  test('the leader asks when the number of items is changed', () => {
    const now = aView(['A', 'B'], { config: aConfiguration({ shardingTotalCount: 3 }), items: [anItem(0), anItem(1)] });
    const assignedFor = { basis: assignmentBasis(aView(['A', 'B'])), pinned: [] };
    expect(planOf('A', now, { assignedFor })).toEqual(['request-resharding']);
  });

  test('with staticSharding items once assigned stay, whoever comes or goes', () => {
    const now = aView(['A', 'B', 'C'], { config: aConfiguration({ staticSharding: true }) });
    expect(planOf('A', now, { assignedFor: { basis: before, pinned: [] } })).toEqual([]);
  });

  test('the leader does not ask twice', () => {
    const now = aView(['A', 'B', 'C'], { reshardingNeeded: true, reshardingVersion: 0 });
    expect(planOf('A', now, { assignedFor: { basis: before, pinned: [] } })).toEqual(['reshard']);
  });

  test('waits after a failure of the sharding strategy, unless instances or settings have changed', () => {
    const now = aView(['A', 'B'], { reshardingNeeded: true });

    expect(planOf('A', now, { strategyWaitsFor: assignmentBasis(now) })).toEqual([]);
    expect(planOf('A', now, { strategyWaitsFor: assignmentBasis(aView(['A'])) })).toEqual(['reshard']);
  });

  test('first settles the items that come back if the settings have changed since the request', () => {
    const now = aView(['A', 'B'], { reshardingNeeded: true });

    expect(planOf('A', now, { readdedHandledForRevision: 0 })).toEqual(['mark-readded-as-not-due']);
    expect(planOf('B', now, { readdedHandledForRevision: 0 })).toEqual([]);
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

describe('an item that is one too many', () => {
  const items = [anItem(0, { owner: idOf('A') }), anItem(1, { owner: idOf('A') })];
  const surplus = anItem(2, { owner: idOf('D'), running: true, takenOverBy: idOf('A') });

  test('and is being rescued for an instance that is gone gives the leader nothing to do until that has ended', () => {
    expect(planOf('A', aView(['A'], { items: [...items, surplus] }))).toEqual([]);
    const ended = { ...surplus, running: false, takenOverBy: undefined };
    expect(planOf('A', aView(['A'], { items: [...items, ended] }))).toEqual(['request-resharding']);
  });
});

describe('assigning', () => {
  const asked = { reshardingNeeded: true, reshardingVersion: 0 };
  const busy = [anItem(0, { owner: idOf('A') }), anItem(1, { owner: idOf('B'), running: true })];

  test('the leader waits for running items', () => {
    expect(planOf('A', aView(['A', 'B'], { ...asked, items: busy }))).toEqual(['await-idle-items']);
  });

  test('the leader does not wait for ever', () => {
    expect(planOf('A', aView(['A', 'B'], { ...asked, items: busy }), { idleItemsDeadlinePassed: true })).toEqual([
      'reshard',
    ]);
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

  test('runs once when it is triggered, and keeps the trigger while it is just beginning a run', () => {
    const now = aView(['A', 'B'], { triggers: new Set([idOf('B')]) });
    expect(planOf('B', now)).toEqual(['accept-trigger']);
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
    expect(planOf('A', now, { leftovers: [left(0), left(1)] })).toEqual(['clear-marks']);
    expect(planOf('A', now, { leftovers: [left(0), left(1)], busy: new Set([0]) })).toEqual([]);
  });

  test('removes the marks of its items when monitoring is switched off', () => {
    const items = [anItem(0, { owner: idOf('A'), running: true }), anItem(1, { owner: idOf('B'), running: true })];
    const now = aView(['A', 'B'], { config: aConfiguration({ monitorExecution: false }), items });
    expect(actionsOf('A', now)).toEqual([{ type: 'clear-marks', items: [0] }]);
  });

  test('does nothing without a configuration it can read', () => {
    expect(planOf('A', aView(['A'], { config: undefined }), { armedFor: 'old' })).toEqual([]);
  });
});

describe('failover', () => {
  const config = aConfiguration({ failover: true });
  const died = (changes: Partial<ItemView> = {}): ItemView =>
    anItem(0, { owner: idOf('B'), running: true, runningOn: idOf('B'), version: 4, ...changes });
  const living = anItem(1, { owner: idOf('A') });
  const A = (changes: Partial<JobView>, local: LocalFacts = {}): string[] =>
    planOf('A', aView(['A'], { config, ...changes }), { assignedFor: undefined, ...local }).filter(
      (type) => !/resharding|reshard/.test(type),
    );

  test('is told of by every instance that sees a run of one that is gone', () => {
    const now = aView(['A', 'C'], { config, items: [died(), living] });
    expect(planOf('A', now)).toContain('report-crashed');
    expect(planOf('C', now)).toContain('report-crashed');
  });

  test('is not told of while the runner lives, or is being stopped by an operator, or is not known', () => {
    expect(planOf('A', aView(['A', 'B'], { config, items: [died(), living] }))).toEqual([]);
    expect(A({ items: [died(), living], live: new Set([idOf('A'), idOf('B')]) })).toEqual([]);
    expect(A({ items: [died({ runningOn: undefined }), living] })).toEqual([]);
  });

  test('is told of a rescuer that is gone, once', () => {
    const item = anItem(0, { owner: idOf('A'), failoveringBy: idOf('B') });
    expect(A({ items: [item, living] })).toEqual(['report-crashed']);
    expect(A({ items: [item, living], crashedItems: [0] })).not.toContain('report-crashed');
  });

  test('is told of this instance itself if it bears a mark that it knows nothing of', () => {
    const mine = anItem(0, { owner: idOf('A'), running: true, runningOn: idOf('A') });
    expect(A({ items: [mine, living] })).toEqual([]);
    expect(A({ items: [mine, living] }, { hasLostTrackOf: () => true })).toEqual(['report-crashed']);
  });

  test('takes over at once when idle, when it has finished if busy, and at last although it is busy', () => {
    const waiting = { items: [anItem(0, { owner: idOf('A') }), living], crashedItems: [0] };
    expect(A(waiting)).toEqual(['begin']);
    expect(A(waiting, { isIdle: false, busy: new Set([1]) })).toEqual(['await-idle-instances']);
    expect(A(waiting, { isIdle: false, busy: new Set([1]), idleInstancesWait: 'over' })).toEqual(['begin']);
  });

  test('takes over nothing that is still being run, here or elsewhere, nor on a disabled server', () => {
    const running = anItem(0, { owner: idOf('A'), running: true });
    expect(A({ items: [running, living], crashedItems: [0] })).toEqual([]);
    const idle = { items: [anItem(0, { owner: idOf('A') }), living], crashedItems: [0] };
    expect(A(idle, { busy: new Set([0]) })).toEqual([]);
    expect(A({ ...idle, servers: new Map([[ipOf('A'), 'DISABLED']]) })).not.toContain('begin');
  });

  test('leaves what a crash has left to one instance when it is off, which just removes it', () => {
    const items = [died(), living];
    const off = aView(['A', 'C'], { config: aConfiguration(), items });
    expect(planOf('A', off)).toContain('report-crashed');
    expect(planOf('C', off)).toEqual([]);
  });

  test('is ended by the leader when it is switched off', () => {
    const left = {
      config: aConfiguration(),
      items: [anItem(0, { owner: idOf('A'), failoveringBy: idOf('A') }), living],
    };
    expect(planOf('A', aView(['A', 'C'], left))).toEqual(['end-failover']);
    expect(planOf('C', aView(['A', 'C'], left))).toEqual([]);
    expect(planOf('A', aView(['A', 'C'], { crashedItems: [1] }))).toEqual(['end-failover']);
  });

  test('when it is switched off under a Java leader, is cleared by the first of our instances', () => {
    const now = aView(['J', 'A', 'C'], { crashedItems: [1], live: new Set([idOf('A'), idOf('C')]) });
    expect(planOf('A', now)).toEqual(['end-failover']);
    expect(planOf('C', now)).toEqual([]);
  });
});

describe('the shares of crashed items', () => {
  const config = aConfiguration({ failover: true, shardingTotalCount: 7 });
  const view = (names: readonly string[], changes: Partial<JobView> = {}): JobView =>
    aView(names, { config, crashedItems: [0, 1, 2, 3, 4, 5, 6], ...changes });
  const share = (name: string, of: JobView): number[] =>
    shareOfCrashed(of, idOf(name), new Set()).map(({ item }) => item);

  test('are even, and together all', () => {
    const three = view(['A', 'B', 'C']);
    const shares = ['A', 'B', 'C'].map((name) => share(name, three));
    expect(shares.map(({ length }) => length)).toEqual([3, 3, 3]);
    expect(new Set(shares.flat()).size).toBe(7);
  });

  test('leave one item to whoever is first, so that it does not wait for one who does not come', () => {
    const one = view(['A', 'B', 'C'], { crashedItems: [4] });
    expect(['A', 'B', 'C'].map((name) => share(name, one))).toEqual([[4], [4], [4]]);
  });

  test('are not for instances that are busy', () => {
    const items = Array.from({ length: 7 }, (_, item) => anItem(item, { owner: idOf(item < 4 ? 'A' : 'B') }));
    items[6] = anItem(6, { owner: idOf('B'), running: true });
    expect(share('A', view(['A', 'B'], { items, crashedItems: [0, 1, 2] }))).toEqual([0, 1, 2]);
  });
});

describe('what instances that are gone have left', () => {
  const record = new Map([
    [idOf('A'), NOTHING_BEGUN],
    [idOf('C'), NOTHING_BEGUN],
    [idOf('B'), NOTHING_BEGUN],
  ]);
  const items = [anItem(0, { owner: idOf('A') }), anItem(1, { owner: idOf('C') })];

  test('is put away by the leader', () => {
    const now = aView(['A', 'C'], { items, beginRecords: record });
    expect(planOf('A', now)).toEqual(['tidy-up']);
    expect(planOf('C', now)).toEqual([]);
  });

  test('is put away by the first of our instances under a Java leader', () => {
    const now = aView(['J', 'A', 'C'], { items, beginRecords: record, live: new Set([idOf('A'), idOf('C')]) });
    expect(planOf('A', now)).toEqual(['tidy-up']);
    expect(planOf('C', now)).toEqual([]);
  });

  test('stays as long as items are theirs, so that one can tell that they kept a record', () => {
    const theirs = [anItem(0, { owner: idOf('A') }), anItem(1, { owner: idOf('B') })];
    expect(planOf('A', aView(['A', 'C'], { items: theirs, beginRecords: record }))).not.toContain('tidy-up');
  });

  test('includes a note of a former leader that it is assigning', () => {
    expect(planOf('A', aView(['A'], { processing: true }))).toEqual(['tidy-up']);
    expect(planOf('A', aView(['A', 'C'], { leader: idOf('C'), processing: true }))).toEqual([]);
  });

  test('includes whom a Java peer wants to run next, whether or not that one owns the item', () => {
    const now = aView(['J', 'A', 'C'], { live: new Set([idOf('A'), idOf('C')]), nextJobInstanceIp: ipOf('C') });
    expect(planOf('A', now)).toEqual(['tidy-up']);
    expect(planOf('C', now)).toEqual([]);
  });

  test('includes servers, but only those that an operator has not disabled and that nobody uses', () => {
    const servers = new Map<string, ServerStatus>([
      [ipOf('A'), 'ENABLED'],
      [ipOf('B'), 'ENABLED'],
      [ipOf('C'), 'DISABLED'],
    ]);
    const offlineServers = [ipOf('A'), ipOf('B'), ipOf('C')];
    const [action] = actionsOf('A', aView(['A'], { servers }), { offlineServers });
    expect(action).toEqual({ type: 'remove-servers', ips: [ipOf('B')] });
  });
});

describe('what could not be run when it was due', () => {
  const begun = (now: JobView, local: Partial<LocalState>): unknown =>
    actionsOf('A', now, local).find(({ type }) => type === 'begin');
  const mine = [anItem(0, { owner: idOf('A') }), anItem(1, { owner: idOf('A') })];

  test('is run as soon as the item is free, and only that item', () => {
    const backlog = { ...NO_BACKLOG, missedByItem: new Map([[1, T]]) };
    const firing = { cause: 'misfire', instant: T, items: [1] };
    expect(begun(aView(['A'], { items: mine }), { backlog })).toEqual({ type: 'begin', firing });
    expect(begun(aView(['A'], { items: mine }), { backlog, busy: new Set([1]) })).toBeUndefined();
    const rescued = [mine[0]!, anItem(1, { owner: idOf('A'), running: true, takenOverBy: idOf('B') })];
    expect(begun(aView(['A', 'B'], { items: rescued }), { backlog })).toBeUndefined();
  });

  test('is not run if somebody has begun it meanwhile', () => {
    const backlog = { ...NO_BACKLOG, missedByItem: new Map([[1, T]]) };
    expect(begun(aView(['A'], { items: mine, lastBegun: new Map([[1, T]]) }), { backlog })).toBeUndefined();
  });

  test('is run for a new owner by its mark, for the latest instant', () => {
    const items = [mine[0]!, anItem(1, { owner: idOf('A'), misfired: true })];
    const firing = { cause: 'misfire', instant: T, items: [1] };
    expect(begun(aView(['A'], { items }), { latestInstant: T })).toEqual({ type: 'begin', firing });
  });

  test.each<[why: string, view: Partial<JobView>, latest: number | undefined]>([
    ['it has been made up for', { lastBegun: new Map([[1, T]]) }, T],
    ['misfire is off', { config: aConfiguration({ misfire: false }) }, T],
    ['the job has no schedule', {}, undefined],
  ])('leaves no mark if %s', (_, changes, latest) => {
    const items = [mine[0]!, anItem(1, { owner: idOf('A'), misfired: true })];
    expect(planOf('A', aView(['A'], { items, ...changes }), { latestInstant: latest })).toEqual(['clear-misfired']);
  });

  test.each<[what: string, backlog: Partial<Backlog>]>([
    ['of the whole instance', { missedInstant: T, isDroppedIfMisfireTurnsOff: true }],
    ['of an item', { missedByItem: new Map([[1, T]]) }],
  ])(
    '%s is dropped when misfire is switched off, before anything is begun, also as lost in a handover',
    (_, changes) => {
      const local = { backlog: { ...NO_BACKLOG, ...changes }, missedInstant: () => T };
      const view = aView(['A'], { items: mine, lastBegun: new Map([[1, T - 5_000]]) });
      expect(planOf('A', view, local)).toContain('begin');
      expect(planOf('A', { ...view, config: aConfiguration({ misfire: false }) }, local)).toEqual(['forget-missed']);
    },
  );

  test('is run with misfire off if it was not kept for that', () => {
    const view = aView(['A'], { items: mine, config: aConfiguration({ misfire: false }) });
    const firing = { cause: 'misfire', instant: T };
    expect(begun(view, { backlog: { ...NO_BACKLOG, missedInstant: T } })).toEqual({ type: 'begin', firing });
  });

  test('is run after a lost session only if everybody keeps records', () => {
    const backlog = { ...NO_BACKLOG, missedInstant: T, hasLostSession: true };
    const both = aView(['A', 'J'], { items: mine });
    expect(begun(both, { backlog })).toEqual({ type: 'begin', firing: { cause: 'misfire', instant: T } });
    expect(begun({ ...both, javaPeers: new Set([idOf('J')]) }, { backlog })).toBeUndefined();
    expect(begun({ ...both, config: aConfiguration({ monitorExecution: false }) }, { backlog })).toBeUndefined();
  });

  test('is not run after a lost session if its last once-listener has been called', () => {
    const backlog = { ...NO_BACKLOG, missedInstant: T, hasLostSession: true };
    const view = aView(['A'], { items: mine, guarantee: withLastCall(T) });
    expect(begun(view, { backlog })).toBeUndefined();
    expect(begun({ ...view, guarantee: withLastCall(T - 1) }, { backlog })).toBeDefined();
    expect(begun(view, { backlog: { ...backlog, hasLostSession: false } })).toBeDefined();
  });
});

describe('a firing whose item changes hands', () => {
  const before = T - 5_000;
  const missedInstant = (_item: number, mark: number): number | undefined => (mark === before ? T : undefined);
  const decided = { instant: T, items: new Set([0]) };
  const mine = [anItem(0, { owner: idOf('A') }), anItem(1, { owner: idOf('A') })];

  test('is made up for by the new owner if the old one has not begun it', () => {
    const now = aView(['A'], { items: mine, lastBegun: new Map([[1, before]]) });
    expect(planOf('A', now, { decided, missedInstant })).toEqual(['begin']);
  });

  test('is left alone if the old owner has begun it', () => {
    const now = aView(['A'], { items: mine, lastBegun: new Map([[1, T]]) });
    expect(planOf('A', now, { decided, missedInstant })).toEqual([]);
  });

  test('is left alone with misfire off if the former owner has dropped it for the item', () => {
    const droppedFor = (...items: number[]) => ({
      ...NO_GUARANTEE,
      dropped: new Map([[idOf('B'), new Map([[T, new Set(items)]])]]),
    });
    const config = aConfiguration({ misfire: false });
    const now = aView(['A'], { config, items: mine, lastBegun: new Map([[1, before]]) });

    expect(planOf('A', { ...now, guarantee: droppedFor(1) }, { missedInstant })).toEqual([]);
    expect(planOf('A', { ...now, guarantee: droppedFor(0) }, { missedInstant })).toEqual(['begin']);
  });

  test('is left alone with misfire off if its last once-listener has been called', () => {
    const now = aView(['A'], { items: mine, lastBegun: new Map([[1, before]]), guarantee: withLastCall(T) });
    const noMisfire = { ...now, config: aConfiguration({ misfire: false }) };

    expect(planOf('A', noMisfire, { missedInstant })).toEqual([]);
    expect(planOf('A', { ...noMisfire, guarantee: withLastCall(before) }, { missedInstant })).toEqual(['begin']);
    expect(planOf('A', now, { missedInstant })).toEqual(['begin']);
  });

  test('is left alone for an item on which this instance has decided', () => {
    const now = aView(['A'], {
      items: mine,
      lastBegun: new Map([
        [0, before],
        [1, T],
      ]),
    });
    expect(planOf('A', now, { decided, missedInstant })).toEqual([]);
  });

  test('is left alone for an item that nobody of ours has run before: a Java peer may have', () => {
    expect(planOf('A', aView(['A'], { items: mine }), { decided, missedInstant })).toEqual([]);
  });

  test('is left alone if more than this one firing is missing, which is for the misfire policy to say', () => {
    const now = aView(['A'], { items: mine, lastBegun: new Map([[1, before - 1]]) });
    expect(planOf('A', now, { decided, missedInstant })).toEqual([]);
  });
});

describe('choosing items', () => {
  const items = (view: JobView, name: string, instant?: number): number[] =>
    chooseItems(
      view,
      idOf(name),
      { cause: instant === undefined ? 'manual' : 'schedule', instant },
      new Set(),
    ).items.map(({ item }) => item);

  test('takes those that are assigned to the instance', () => {
    expect(items(aView(['A', 'B'], { config: aConfiguration({ shardingTotalCount: 5 }) }), 'A', T)).toEqual([0, 2, 4]);
  });

  test('leaves out disabled items, items that run, and items begun for this instant or a later one', () => {
    const owner = idOf('A');
    const now = aView(['A'], {
      config: { ...HOURLY, shardingTotalCount: 5 },
      items: [
        anItem(0, { owner, disabled: true }),
        anItem(1, { owner, running: true }),
        anItem(2, { owner }),
        anItem(3, { owner }),
        anItem(4, { owner }),
      ],
      lastBegun: new Map([
        [2, T],
        [3, T + 1],
        [4, T - 1],
      ]),
    });
    expect(items(now, 'A', T)).toEqual([4]);
  });

  test('leaves out items beyond the configured number, which a Java leader takes away only at its next firing', () => {
    const owner = idOf('A');
    const now = aView(['A'], {
      config: { ...HOURLY, shardingTotalCount: 2 },
      items: [0, 1, 2, 3].map((item) => anItem(item, { owner })),
    });
    expect(items(now, 'A', T)).toEqual([0, 1]);
  });

  test('takes items that wait for a manual run, whatever they were begun for', () => {
    const lastBegun = new Map([
      [0, T],
      [1, T],
    ]);
    const run = { jobParameter: undefined, isForAll: true, items: new Set([1]) };
    const acceptedTriggers = new Map([[idOf('A'), { waiting: [run], dropped: new Set<number>() }]]);
    expect(items(aView(['A'], { lastBegun, acceptedTriggers }), 'A')).toEqual([1]);
    expect(items(aView(['A'], { lastBegun }), 'A')).toEqual([]);
  });

  test('gives a disabled server nothing', () => {
    expect(items(aView(['A'], { servers: new Map([[ipOf('A'), 'DISABLED']]) }), 'A', T)).toEqual([]);
  });
});

describe('a trigger', () => {
  const triggered = (names: readonly string[], changes: Partial<JobView> = {}): JobView =>
    aView(names, { triggers: new Set([idOf('B')]), ...changes });
  const owned = (...owners: readonly string[]): ItemView[] =>
    owners.map((owner, item) => anItem(item, { owner: idOf(owner) }));

  test('is accepted at once if the assignment was made for the present instances, however it spreads the items', () => {
    const now = triggered(['A', 'B'], { items: owned('A', 'A') });
    expect(planOf('B', { ...now, assignmentRecord: assignmentRecordFor(now) })).toEqual(['accept-trigger']);
  });

  test('waits for an assignment that was made for other instances or settings', () => {
    const now = triggered(['A', 'B'], { items: owned('A', 'B') });
    const before = [
      aView(['A', 'B', 'C']),
      aView(['A', 'C']),
      { ...now, config: aConfiguration({ jobShardingStrategyType: 'ODEVITY' }) },
      { ...now, config: aConfiguration({ shardingTotalCount: 3 }) },
    ];
    for (const view of before)
      expect(planOf('B', { ...now, assignmentRecord: assignmentRecordFor(view) })).toEqual(['await-assignment']);
  });

  test('waits, if nothing is written down of the assignment, for an instance that has no items although there are enough', () => {
    expect(planOf('B', triggered(['A', 'B'], { items: owned('A', 'A') }))).toEqual(['await-assignment']);
    expect(planOf('B', triggered(['A', 'B'], { items: owned('A', 'B') }))).toEqual(['accept-trigger']);
  });

  test('waits for items whose owner is not there, however they are assigned', () => {
    const now = triggered(['A', 'B'], { items: owned('A', 'X') });
    expect(planOf('B', { ...now, assignmentRecord: assignmentRecordFor(now) })).toEqual(['await-assignment']);
  });

  test('has waited long enough when its time is over', () => {
    const now = triggered(['A', 'B'], { items: owned('A', 'X') });
    expect(planOf('B', now, { assignmentWait: 'over' })).toEqual(['accept-trigger']);
  });

  test('does not wait where items stay with their instances', () => {
    const config = aConfiguration({ staticSharding: true });
    expect(planOf('B', triggered(['A', 'B'], { config, items: owned('A', 'X') }))).toEqual(['accept-trigger']);
  });

  describe('that was accepted when a firing was missed as a whole', () => {
    const kept: Backlog = { ...NO_BACKLOG, missedInstant: T };
    const config = aConfiguration({ misfire: false });
    const waiting = [{ jobParameter: undefined, isForAll: true, items: new Set([0, 1]) }];
    const acceptedTriggers = new Map([[idOf('B'), { waiting, dropped: new Set<number>() }]]);
    const firstOf = (changes: Partial<JobView> = {}, backlog: Partial<Backlog> = {}): unknown => {
      const now = aView(['A', 'B'], { config, items: owned('A', 'B'), acceptedTriggers, ...changes });
      const local: Partial<LocalState> = { backlog: { ...kept, ...backlog } };
      return actionsOf('B', { ...now, assignmentRecord: assignmentRecordFor(now) }, local).find(
        ({ type }) => type === 'begin',
      );
    };
    const manual = { type: 'begin', firing: { cause: 'manual', instant: undefined } };

    test('follows that firing with misfire off, when peers go on to later firings', () => {
      expect(firstOf()).toEqual({ type: 'begin', firing: { cause: 'misfire', instant: T } });
      expect(firstOf({}, { hasLostSession: true })).toEqual(firstOf());
    });

    test('goes before that firing with misfire on, or it might wait for ever behind slow runs', () => {
      expect(firstOf({ config: aConfiguration({ misfire: true }) })).toEqual(manual);
    });

    test.each<[why: string, view: Partial<JobView>, backlog: Partial<Backlog>]>([
      ['there is none', {}, { missedInstant: undefined }],
      ['a peer may have begun it', { javaPeers: new Set([idOf('A')]) }, { hasLostSession: true }],
      ['its last once-listener has been called', { guarantee: withLastCall(T) }, { hasLostSession: true }],
    ])('does not wait for that firing if %s', (_, view, backlog) => {
      expect(firstOf(view, backlog)).toEqual(manual);
    });
  });
});

describe('in a job of ten items that did nothing but fire', () => {
  const now = aView(['A', 'B'], { config: aConfiguration({ shardingTotalCount: 10 }) });
  const calmFor = (ms: number, local: Partial<LocalState> = {}): Partial<LocalState> => ({
    sinceSignificantChangeMs: ms,
    ...local,
  });

  test('for five seconds, instances that do not lead stop listening to each other’s items', () => {
    expect(planOf('B', now, calmFor(4_999))).toEqual([]);
    expect(planOf('B', now, calmFor(5_000))).toEqual(['follow-own-share']);
    expect(planOf('A', now, calmFor(5_000))).toEqual([]);
  });

  test('an instance that does so already, or that runs items, does nothing about it', () => {
    expect(planOf('B', now, calmFor(5_000, { isNarrowed: true }))).toEqual([]);
    expect(planOf('B', now, calmFor(5_000, { isIdle: false }))).toEqual([]);
  });

  test('and in which an instance starts, everybody goes on listening', () => {
    const starting = { ...now, live: new Set([...now.live, idOf('C')]) };
    expect(planOf('B', starting, calmFor(60_000))).toEqual([]);
  });
});
