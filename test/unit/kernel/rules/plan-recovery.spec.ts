/** The actions that the rules plan for marks, crashes and missed firings, with all their fields. */
import { describe, expect, test } from '@jest/globals';
import { type Backlog, type LocalState } from '../../../../lib/kernel/rules/plan-input.js';
import { type ItemView, type JobView } from '../../../../lib/layout/job-view.js';
import { type WaitingRun } from '../../../../lib/layout/x-node/accepted-triggers.js';
import { actionsOf, NO_BACKLOG, planOf } from '../../../support/plans.js';
import { aConfiguration, aView, anItem, idOf, ipOf } from '../../../support/views.js';

const T = Date.parse('2030-01-01T00:00:05Z');
/** The crash report of a run for that instant. */
const crashed = (instant: number) => ({ instant, jobParameter: undefined });
const FAILOVER = aConfiguration({ failover: true });
const SCHEDULED = aConfiguration({ cron: '0/5 * * * * ?' });
const mine = (item: number, changes: Partial<ItemView> = {}): ItemView =>
  anItem(item, { owner: idOf('A'), ...changes });
const disabled = (name: string) => new Map([[ipOf(name), 'DISABLED' as const]]);

describe('an instance whose marks outlived its runs', () => {
  const takenOver = mine(0, { running: true, takenOverBy: idOf('B') });

  test('removes those marks only, not the mark of a peer that runs one of its items', () => {
    const now = aView(['A', 'B'], { items: [takenOver, mine(1, { running: true })] });
    const leftovers = [{ item: 1, instant: T }];

    expect(actionsOf('A', now, { leftovers })).toEqual([{ type: 'clear-marks', items: [1] }]);
  });

  test('withdraws the report that the run has crashed, unless that is about another run or it has been taken over', () => {
    const reported = aView(['A', 'B'], {
      ...{ config: FAILOVER, items: [mine(0), mine(1)], assignmentRecord: undefined },
      ...{ crashedItems: [0], crashReports: new Map([[0, crashed(T)]]) },
    });
    const marksCleared = (now: JobView, instant: number): unknown =>
      actionsOf('A', now, { rerunByPeers: [{ item: 0, instant }] }).find(({ type }) => type === 'clear-marks');

    expect(marksCleared(reported, T)).toEqual({ type: 'clear-marks', items: [0] });
    expect(marksCleared(reported, T - 5_000)).toBeUndefined();
    expect(marksCleared({ ...reported, items: [takenOver, mine(1)] }, T)).toBeUndefined();
    expect(marksCleared({ ...reported, crashedItems: [] }, T)).toBeUndefined();
  });

  test('is not taken over meanwhile, and other items are', () => {
    const reports = new Map([0, 1].map((item) => [item, crashed(T)]));
    const reported = aView(['A'], {
      ...{ config: FAILOVER, items: [mine(0), mine(1)], assignmentRecord: undefined, crashReports: reports },
    });
    const takeovers = (crashedItems: readonly number[]): readonly unknown[] =>
      actionsOf('A', { ...reported, crashedItems }, { rerunByPeers: [{ item: 0, instant: T }] })
        .map((action) => JSON.stringify(action))
        .filter((text) => text.includes('failover'));

    expect(takeovers([0])).toEqual([]);
    expect(takeovers([0, 1])).toHaveLength(1);
  });
});

describe('a run that has crashed', () => {
  const dead = (item: number) => anItem(item, { owner: idOf('B'), running: true, runningOn: idOf('B') });
  const own = mine(1, { running: true, runningOn: idOf('A') });
  const withJava = aView(['A', 'J'], {
    ...{ config: FAILOVER, live: new Set([idOf('A')]), items: [dead(0), own] },
  });
  const busy = { isIdle: false, busy: new Set([1]) };
  const isReported = (now: JobView, local: Partial<LocalState>): boolean =>
    planOf('A', now, local).includes('report-crashed');

  test('is left to an idle Java peer by an instance that is busy: it sees a crash by the marks that a report removes', () => {
    expect(isReported(withJava, busy)).toBe(false);
    expect(isReported(withJava, {})).toBe(true);
  });

  test('is reported by a busy instance if there is no Java peer, or none that gets items', () => {
    expect(isReported({ ...withJava, javaPeers: new Set() }, busy)).toBe(true);
    expect(isReported({ ...withJava, servers: new Map([[ipOf('A'), 'ENABLED']]) }, busy)).toBe(true);
  });

  test('is always reported by the instance that was running the item: no other one knows', () => {
    const local = { ...busy, hasLostTrackOf: (item: number) => item === 1 };
    expect(isReported(withJava, local)).toBe(true);
  });

  test('waits for settings that can be read, as does all that failover has left', () => {
    const unread = { ...withJava, config: undefined };
    expect(planOf('A', { ...unread, crashedItems: [0] })).toEqual([]);
  });

  test('that was reported without need leaves a report, which the leader puts away', () => {
    const now = aView(['A', 'B'], { crashReports: new Map([[1, crashed(T)]]) });
    expect(planOf('A', now)).toEqual(['tidy-up']);
    expect(planOf('B', now)).toEqual([]);
  });
});

test('servers that are offline for long are removed by one instance', () => {
  const servers = new Map([...aView(['A', 'C']).servers, [ipOf('B'), 'ENABLED' as const]]);
  const local = { offlineServers: [ipOf('B')] };

  expect(planOf('A', aView(['A', 'C'], { servers }), local)).toEqual(['remove-servers']);
  expect(planOf('C', aView(['A', 'C'], { servers }), local)).toEqual([]);
});

describe('a takeover', () => {
  const crashed = aView(['A'], { config: FAILOVER, crashedItems: [0] });

  test('of an idle instance begins what has crashed, whatever its instant', () => {
    expect(actionsOf('A', crashed)).toEqual([{ type: 'begin', firing: { cause: 'failover', instant: undefined } }]);
  });

  test('does not begin while another run is beginning, nor shortly after one has failed', () => {
    expect(planOf('A', crashed, { canBegin: false })).toEqual([]);
    expect(planOf('A', crashed, { mayTakeOver: false })).toEqual([]);
  });

  test.each<[why: string, view: JobView, local: Partial<LocalState>]>([
    ['the instance is idle', crashed, { idleInstancesWait: 'over' }],
    ['nothing waits any more', aView(['A']), { idleInstancesWait: 'waiting', isIdle: false, busy: new Set([0]) }],
    ['nothing waits any more after a failed one', aView(['A']), { mayTakeOver: false }],
  ])('is tried without a wait the next time, because %s', (_, view, local) => {
    expect(planOf('A', view, local)).toContain('end-takeover-wait');
  });

  test('keeps its wait for idle instances while the instance is busy and items wait', () => {
    const local = { idleInstancesWait: 'waiting', isIdle: false, busy: new Set([1]) } as const;
    expect(planOf('A', crashed, local)).not.toContain('end-takeover-wait');
  });
});

describe('the wait of a trigger for an assignment', () => {
  const after = { assignmentWait: 'over' } as const;

  test('ends when the trigger has gone, so that the next one may wait again', () => {
    expect(planOf('A', aView(['A']), after)).toEqual(['end-trigger-wait']);
  });

  test('goes on while the trigger stands', () => {
    expect(planOf('A', aView(['A'], { triggers: new Set([idOf('A')]) }), after)).toEqual(['accept-trigger']);
  });
});

/** Reasons for which nothing may begin here, whatever was missed. */
const NOTHING_MAY_BEGIN: readonly [why: string, view: Partial<JobView>, local: Partial<LocalState>][] = [
  ['another run is beginning', {}, { canBegin: false }],
  ['the items are about to be assigned again', { reshardingNeeded: true, leader: idOf('B') }, {}],
  ['the server is disabled', { servers: disabled('A') }, {}],
];

describe('what was missed', () => {
  const both = aView(['A', 'B'], { items: [mine(0), mine(1)] });
  const begun = (now: JobView, backlog: Partial<Backlog>, local: Partial<LocalState> = {}): unknown =>
    actionsOf('A', now, { backlog: { ...NO_BACKLOG, ...backlog }, ...local }).find(({ type }) => type === 'begin');

  const accepted = (...waiting: WaitingRun[]): Partial<JobView> => ({
    acceptedTriggers: new Map([[idOf('A'), { waiting, dropped: new Set() }]]),
  });
  const waitingFor = (jobParameter: string | undefined, ...items: number[]): WaitingRun => ({
    jobParameter,
    isForAll: false,
    items: new Set(items),
  });
  const forAll = { ...waitingFor('p', 0, 1), isForAll: true };

  test('by an accepted trigger of all items is run for all of them', () => {
    const firing = { cause: 'manual', instant: undefined, jobParameter: 'p' };
    expect(begun({ ...both, ...accepted(forAll) }, {})).toEqual({ type: 'begin', firing });
  });

  test('by an accepted trigger of all items of another instance completes that instance’s run', () => {
    const firing = { cause: 'manual', instant: undefined, jobParameter: 'p', items: [0, 1] };
    const acceptedTriggers = new Map([[idOf('C'), { waiting: [forAll], dropped: new Set<number>() }]]);
    expect(begun({ ...both, acceptedTriggers }, {})).toEqual({ type: 'begin', firing });
  });

  test.each(NOTHING_MAY_BEGIN)('is not run while %s', (_, view, local) => {
    expect(begun({ ...both, ...accepted(forAll), ...view }, {}, local)).toBeUndefined();
  });

  test('by items that were busy when a trigger came is run for those with the same parameter, then for the others', () => {
    const items = [0, 1, 2, 3].map((item) => mine(item));
    const now = aView(['A'], { config: aConfiguration({ shardingTotalCount: 4 }), items });
    const firing = { cause: 'manual', instant: undefined };

    expect(begun({ ...now, ...accepted(waitingFor('p', 0, 3), waitingFor(undefined, 1)) }, {})).toEqual({
      type: 'begin',
      firing: { ...firing, items: [0, 3], jobParameter: 'p' },
    });
    expect(begun({ ...now, ...accepted(waitingFor(undefined, 1)) }, {})).toEqual({
      type: 'begin',
      firing: { ...firing, items: [1] },
    });
  });

  test('by items at two instants is run one instant after the other', () => {
    const missedByItem = new Map([
      [0, T],
      [1, T + 5_000],
    ]);
    const firing = { cause: 'misfire', instant: T, items: [0] };
    expect(begun(both, { missedByItem })).toEqual({ type: 'begin', firing });
  });

  test('without a session waits for settings that can be read: peers may keep no records', () => {
    expect(begun({ ...both, config: undefined }, { missedInstant: T, hasLostSession: true })).toBeUndefined();
  });
});

describe('a firing that was lost in a handover', () => {
  const before = T - 5_000;
  const local = { missedInstant: (_: number, begun: number) => (begun === before ? T : undefined) };
  const lost = aView(['A', 'B'], { items: [mine(0), mine(1)], lastBegun: new Map([[1, before]]) });

  test('is run for its instant by the new owner, for that item', () => {
    const firing = { cause: 'catch-up', instant: T, items: [1] };
    expect(actionsOf('A', lost, local)).toEqual([{ type: 'begin', firing }]);
  });

  test.each<[why: string, view: Partial<JobView>, local: Partial<LocalState>]>([
    ...NOTHING_MAY_BEGIN,
    ['the item runs elsewhere', { items: [mine(0), mine(1, { running: true, takenOverBy: idOf('B') })] }, {}],
    ['the item still runs here', {}, { busy: new Set([1]) }],
  ])('is not run while %s', (_, view, changes) => {
    expect(planOf('A', { ...lost, ...view }, { ...local, ...changes })).not.toContain('begin');
  });
});

describe('the mark of an item that has misfired', () => {
  const misfired = (changes: Partial<JobView> = {}): JobView =>
    aView(['A'], { config: SCHEDULED, items: [mine(0), mine(1, { misfired: true })], ...changes });

  test('stays until its firing has been made up for', () => {
    expect(planOf('A', misfired(), { latestInstant: T })).toEqual(['begin']);
    expect(planOf('A', misfired({ config: aConfiguration() }), { latestInstant: T })).toEqual(['begin']);
  });

  test('stays if this instance has no instants because it is stopping: its successor has', () => {
    expect(planOf('A', misfired(), { latestInstant: undefined })).toEqual([]);
  });

  test('stays although its firing has begun if the next one may have come by the clock of a peer, who would mean that one', () => {
    const begun = misfired({ lastBegun: new Map([[1, T]]) });
    const local = { latestInstant: T };

    expect(planOf('A', begun, { ...local, isNextInstantNear: true })).toEqual([]);
    expect(planOf('A', begun, { ...local, isNextInstantNear: false })).toEqual(['clear-misfired']);
  });

  test('stays while the settings cannot be read, which does not mean that misfire is off', () => {
    expect(planOf('A', misfired({ config: undefined }), { latestInstant: T })).toEqual([]);
  });

  test('is no reason to run an item that the present assignment has left out, as a run would leave it out again', () => {
    const leftOut = (itemCount: number) => misfired({ assignmentRecord: { itemCount, basis: 'ab' } });
    const options = { latestInstant: T };

    expect(planOf('A', leftOut(2), options)).toContain('begin');
    expect(planOf('A', leftOut(1), options)).not.toContain('begin');
  });
});
