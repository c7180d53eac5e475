/** When an instance need not hear what the items of others do. */
import { describe, expect, test } from '@jest/globals';
import { assignmentRecordFor } from '../../../../lib/kernel/view/assignment.js';
import { mayFollowOwnShare, ownItems } from '../../../../lib/kernel/view/own-share.js';
import { type ItemView, type JobView, NO_GUARANTEE } from '../../../../lib/layout/job-view.js';
import { aConfiguration, aView, anItem, idOf, ipOf } from '../../../support/views.js';

const [A, B, C, GONE] = [idOf('A'), idOf('B'), idOf('C'), idOf('X')];
const CONFIG = aConfiguration({ shardingTotalCount: 6, failover: true });

/** A calm job: A leads, and each of A and B owns three items. */
const calm = (changes: Partial<JobView> = {}): JobView => aView(['A', 'B'], { config: CONFIG, ...changes });

/** The calm job but for one item of A. */
const withItem = (changes: Partial<ItemView>): Partial<JobView> => ({
  items: calm().items.map((item) => (item.item === 0 ? { ...item, ...changes } : item)),
});

/** The items of A and B in a job in which B owns all but `ofOthers`. */
const ownedBy = (ofOthers: number): Partial<JobView> => ({
  items: Array.from({ length: 6 }, (_, item) => anItem(item, { owner: item < ofOthers ? A : B })),
});

test('in a calm job, an instance that does not lead may follow its own share', () => {
  expect(mayFollowOwnShare(calm(), B)).toBe(true);
});

test('so it may while items run and misfire, whether its own or others’', () => {
  const items = calm().items.map((item) => ({ ...item, running: true, misfired: true, disabled: true }));
  expect(mayFollowOwnShare(calm({ items }), B)).toBe(true);
});

test('so may an instance that owns nothing', () => {
  expect(mayFollowOwnShare(calm(assigned(ownedBy(6))), B)).toBe(true);
});

/** A view whose assignment was made for what it shows. */
const assigned = (changes: Partial<JobView>): Partial<JobView> => ({
  ...changes,
  assignmentRecord: assignmentRecordFor(calm(changes)),
});
const servers = new Map([
  [ipOf('A'), 'ENABLED' as const],
  [ipOf('B'), 'DISABLED' as const],
]);
const disabled = assigned({ ...ownedBy(6), servers });
const withoutLeader = assigned({
  instances: new Map([...aView(['B', 'C']).instances]),
  live: new Set([B, C]),
  items: calm().items.map((item) => anItem(item.item, { owner: item.item % 2 === 0 ? C : B })),
});
const guarantee = (changes: Partial<JobView['guarantee']>): Partial<JobView> => ({
  guarantee: { ...NO_GUARANTEE, ...changes },
});

describe('an instance follows everything', () => {
  test('if it leads', () => {
    expect(mayFollowOwnShare(calm(), A)).toBe(false);
  });

  test.each<[why: string, changes: Partial<JobView>]>([
    ['nobody leads', { leader: undefined }],
    ['the settings cannot be read', { config: undefined }],
    ['runs are not marked', { config: aConfiguration({ shardingTotalCount: 6, monitorExecution: false }) }],
    ['others own fewer than three items', ownedBy(2)],
    ['another assignment is wanted', { reshardingNeeded: true }],
    ['the leader assigns', { processing: true }],
    ['it owns nothing, and its server is disabled', disabled],
    ['the leader has ended', withoutLeader],
    [
      'an instance was removed by an operator, and another one starts',
      { live: new Set([B, GONE]), javaPeers: new Set() },
    ],
    ['another instance is Java’s', { live: new Set([B]) }],
    ['another instance counts as Java’s', { javaPeers: new Set([A]) }],
    ['an instance starts or stops', { live: new Set([A, B, GONE]) }],
    ['an item has crashed', { crashedItems: [0] }],
    ['a crash was reported', { crashReports: new Map([[0, { instant: 1, jobParameter: undefined }]]) }],
    ['an item was taken over', withItem({ takenOverBy: B })],
    ['an item is being taken over', withItem({ failoveringBy: B })],
    ['a once-listener was called before a firing', guarantee({ started: { called: ['1/ONCE'], call: undefined } })],
    ['a once-listener was called after a firing', guarantee({ completed: { called: ['1/ONCE'], call: undefined } })],
    ['a once-listener is being called before a firing', guarantee({ started: { called: [], call: A as never } })],
    ['a once-listener is being called after a firing', guarantee({ completed: { called: [], call: A as never } })],
    ['an instance has reported items to a once-listener', guarantee({ arrivals: new Map([[A, new Map()]]) as never })],
    ['an instance has dropped a firing of a once-listener', guarantee({ dropped: new Map([[A, new Map()]]) as never })],
    ['an item has started, as Java notes it', { startedItems: new Set([0]) }],
    ['an item has completed, as Java notes it', { completedItems: new Set([0]) }],
    ['an item has no living owner', withItem({ owner: GONE })],
    ['items are missing', { items: calm().items.slice(0, 5) }],
    ['the assignment was made for other instances', { assignmentRecord: { itemCount: 6, basis: 'other instances' } }],
  ])('if %s', (_, changes) => {
    expect(mayFollowOwnShare(calm(changes), B)).toBe(false);
  });
});

test('with three items of others, it pays', () => {
  expect(mayFollowOwnShare(calm(ownedBy(3)), B)).toBe(true);
});

test('the items that concern an instance are its own', () => {
  expect(ownItems(calm(), B)).toEqual([1, 3, 5]);
  expect(ownItems(calm(), GONE)).toEqual([]);
});
