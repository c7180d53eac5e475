/**
 * The obstacles that keep a job from running, found in a view: the reason and the cure, for the log and the health
 * report.
 */
import { expect, test } from '@jest/globals';
import { JobPaths } from '../../../../lib/layout/job-paths.js';
import { type JobView } from '../../../../lib/layout/job-view.js';
import { type Obstacle, type ObstacleInput, obstacleTo } from '../../../../lib/kernel/view/obstacles.js';
import { aConfiguration, aView, anItem, idOf, ipOf } from '../../../support/views.js';

const A = idOf('A');
const B = idOf('B');

/** The obstacle of the job on A, in a cluster of A, which leads, and B. */
function obstacleIn(view: Partial<JobView>, more: Partial<ObstacleInput> = {}): Obstacle | undefined {
  return obstacleTo({
    view: { ...aView(['A', 'B']), ...view },
    ...{ me: A, myIp: ipOf('A'), paths: new JobPaths('bill') },
    fullPath: (path) => `/orders${path}`,
    schedule: { type: 'in-force', cron: '0 0 * * * ?' },
    ownCron: '0 0 * * * ?',
    settingFaults: [],
    assignmentFailure: undefined,
    strategyFailure: undefined,
    graphProblems: [],
    itemsThatLostRounds: [],
    idleUpstreams: [],
    stoppedRound: undefined,
    impairments: new Map(),
    ...more,
  });
}

test.each<[what: string, view: Partial<JobView>, more?: Partial<ObstacleInput>]>([
  ['all is well', {}],
  ['an item is disabled', { items: [anItem(0, { owner: A, disabled: true }), anItem(1, { owner: B })] }],
  [
    'the server of another instance is disabled',
    { servers: new Map([...aView(['A']).servers, [ipOf('B'), 'DISABLED']]) },
  ],
  [
    'a Java leader assigns the items at its next firing',
    { reshardingNeeded: true, leader: B, javaPeers: new Set([B]) },
  ],
  ['a Java leader has not assigned any item yet', { items: [], leader: B, javaPeers: new Set([B]) }],
  [
    'an item of a dead owner is run by the instance that took it over',
    { items: [anItem(0, { owner: 'gone', takenOverBy: A })] },
  ],
  ['a surplus item has no owner', { items: [anItem(0, { owner: A }), anItem(1, { owner: B }), anItem(2)] }],
  ['the job is a one-off job', {}, { schedule: { type: 'off' } }],
  [
    'no instance leads, and this one may not',
    { leader: undefined, items: [], servers: new Map([[ipOf('B'), 'ENABLED']]) },
  ],
])('nothing is in the way if %s', (_, view, ...[more]) => {
  expect(obstacleIn(view, more)).toBeUndefined();
});

const NO_SETTINGS = { config: undefined, configRevision: 7 };

test.each<
  [key: string, effect: string, graceMs: number, reason: string, view: Partial<JobView>, more?: Partial<ObstacleInput>]
>([
  [
    'unreadable-settings 7',
    'blocked',
    0,
    `its settings cannot be used: /orders/bill/config: the document is empty. Nothing of this job runs until /orders/bill/config ` +
      `is mended: write valid settings there, or delete that node and restart an instance, which then stores its own.`,
    { ...NO_SETTINGS, configFault: '/bill/config: the document is empty.' },
  ],
  [
    'missing-settings',
    'blocked',
    0,
    `its settings are gone: there is no node /orders/bill/config. Nothing of this job runs until it is there again: ` +
      `restart an instance, which then stores its own settings, or restore the node.`,
    NO_SETTINGS,
  ],
  [
    'disabled-server',
    'disabled',
    0,
    `its server is disabled for this job: /orders/bill/servers/${ipOf('A')} is DISABLED, by an operator or by the setting ` +
      `'disabled'. This instance runs no items until the node is ENABLED.`,
    { servers: new Map([[ipOf('A'), 'DISABLED']]) },
  ],
  [
    'unknown-server-status',
    'blocked',
    0,
    `/orders/bill/servers/${ipOf('A')} is neither ENABLED nor DISABLED, which counts as disabled: this instance runs no items. ` +
      `Write ENABLED or DISABLED there.`,
    { servers: new Map([[ipOf('A'), 'UNKNOWN']]) },
  ],
  [
    'restored-leader',
    'blocked',
    0,
    `/orders/bill/leader/election/instance names 'garbage', which is not a living instance, and the node is persistent, as copies ` +
      `and backups make it. No instance leads, so no items are assigned. Run npx elasticjob doctor bill --fix, which removes it, or delete the node.`,
    { leader: 'garbage', leaderSession: undefined },
  ],
  [
    'unknown-leader',
    'blocked',
    5_000,
    `/orders/bill/leader/election/instance names 'other', which is not a living instance, and session 0x7 keeps the node. No ` +
      `instance leads, so no items are assigned. End the process of that session, or delete the node.`,
    { leader: 'other', leaderSession: '0x7' },
  ],
  [
    'no-leader',
    'blocked',
    30_000,
    `no instance leads, so no items are assigned. This instance stands for election; a node below ` +
      `/orders/bill/leader/election/latch whose process is gone is in its way: delete that node.`,
    { leader: undefined },
  ],
  [
    'unassigned',
    'blocked',
    30_000,
    'this instance leads, and could not assign the items: it is too large. Nothing of this job runs until they are assigned.',
    { reshardingNeeded: true },
    { assignmentFailure: 'it is too large.' },
  ],
  [
    'unassigned',
    'blocked',
    30_000,
    `its items wait for the leader ${B} to assign them, whose log and health report say what keeps it from that. Nothing of ` +
      `this job runs until they are assigned.`,
    { items: [], leader: B },
  ],
  [
    'unowned-items',
    'impaired',
    30_000,
    `items 1 have no living owner, so no instance runs them. The leader ${A} assigns them again; its log says what keeps it from that.`,
    { items: [anItem(0, { owner: A }), anItem(1)] },
  ],
  [
    'unowned-items',
    'blocked',
    30_000,
    `items 0-1 have no living owner, so no instance runs them. staticSharding keeps them so: set it to false in ` +
      `/orders/bill/config until they are assigned again.`,
    {
      config: aConfiguration({ staticSharding: true }),
      items: [anItem(0, { owner: 'gone' }), anItem(1, { owner: 'gone' })],
    },
  ],
  [
    'unusable-schedule It has one field.',
    'impaired',
    0,
    `the schedule in /orders/bill/config cannot be used, and the former cron '0 0 * * * ?' stays in force, but not on an instance ` +
      `that starts meanwhile: It has one field. Correct cron and timeZone there.`,
    {},
    { schedule: { type: 'refused', cron: '0 0 * * * ?', reason: 'It has one field.' } },
  ],
  [
    'no-cron',
    'blocked',
    0,
    `its settings in /orders/bill/config have no cron expression, so that it runs only when it is triggered: the cron '0 0 * * * ?' ` +
      `of this instance has no effect, as stored settings win. Write it there, or start an instance with overwrite: true.`,
    { config: aConfiguration({ jobName: 'bill' }) },
    { schedule: { type: 'in-force', cron: undefined } },
  ],
  [
    'blocked by settings: timeoutMilliseconds: must be a number; pool: unknown',
    'blocked',
    0,
    'settings in /orders/bill/config cannot be used: timeoutMilliseconds: must be a number; pool: unknown. ' +
      'Nothing of this job runs here until they are corrected there.',
    {},
    {
      settingFaults: [
        { effect: 'impaired', problem: 'jobListenerTypes: unknown', consequence: 'the job runs without it' },
        { effect: 'blocked', problem: 'timeoutMilliseconds: must be a number', consequence: undefined },
        { effect: 'blocked', problem: 'pool: unknown', consequence: undefined },
      ],
    },
  ],
  [
    'impaired by settings: jobListenerTypes: unknown (the job runs without it)',
    'impaired',
    0,
    'settings in /orders/bill/config cannot be used: jobListenerTypes: unknown (the job runs without it). Correct them there.',
    {},
    {
      settingFaults: [
        { effect: 'impaired', problem: 'jobListenerTypes: unknown', consequence: 'the job runs without it' },
      ],
    },
  ],
])('%s: the job is %s after %d ms, because %s', (key, effect, graceMs, reason, view, ...[more]) => {
  expect(obstacleIn(view, more)).toMatchObject({ key, effect, graceMs, reason });
});

test.each<[ending: string, view: Partial<JobView>, more?: Partial<ObstacleInput>]>([
  ['its settings can be used again.', { ...NO_SETTINGS, configFault: '/bill/config: the document is empty.' }],
  ['its settings are stored again.', NO_SETTINGS],
  ['its server is enabled again.', { servers: new Map([[ipOf('A'), 'DISABLED']]) }],
  ['it can have a leader again.', { leader: 'garbage' }],
  ['it has a leader again.', { leader: undefined }],
  ['its items are assigned.', { reshardingNeeded: true }],
  ['all its items have living owners again.', { items: [anItem(0, { owner: A }), anItem(1)] }],
  ['its schedule can be used again.', {}, { schedule: { type: 'refused', cron: undefined, reason: 'It is empty.' } }],
  [
    'all its settings can be used.',
    {},
    { settingFaults: [{ effect: 'blocked', problem: 'unknown', consequence: undefined }] },
  ],
  [
    'it has a cron expression again.',
    { config: aConfiguration({ jobName: 'bill' }) },
    { schedule: { type: 'in-force', cron: undefined } },
  ],
])('the end of an obstacle is logged as: %s', (ending, view, ...[more]) => {
  expect(obstacleIn(view, more)?.ending).toBe(ending);
});

test('a schedule that cannot be used, with none before it, blocks the job, and the reason says so', () => {
  const schedule = { type: 'refused', cron: undefined, reason: 'It is empty.' } as const;
  expect(obstacleIn({}, { schedule })).toMatchObject({
    effect: 'blocked',
    reason:
      'the schedule in /orders/bill/config cannot be used, and there is no former one, so it runs only when it is triggered: ' +
      'It is empty. Correct cron and timeZone there.',
  });
});

test('a job without a cron expression of its own is told to write one', () => {
  const view = { config: aConfiguration({ jobName: 'bill' }) };
  const more = { schedule: { type: 'in-force', cron: undefined }, ownCron: undefined } as const;
  expect(obstacleIn(view, more)?.reason).toBe(
    'its settings in /orders/bill/config have no cron expression, so that it runs only when it is triggered. Write one there.',
  );
});

test('a cron expression that has just been mended, and is not armed yet, is no obstacle', () => {
  const view = { config: aConfiguration({ jobName: 'bill', cron: '0 0 * * * ?' }) };
  expect(obstacleIn(view, { schedule: { type: 'in-force', cron: undefined } })).toBeUndefined();
});

test('a leader that does not know why it could not assign the items says only that', () => {
  expect(obstacleIn({ reshardingNeeded: true })?.reason).toBe(
    'this instance leads, and could not assign the items. Nothing of this job runs until they are assigned.',
  );
});

test('a job whose items are being assigned by a Java leader may have items without an owner, one assigned by it may not', () => {
  const items = [anItem(0, { owner: A }), anItem(1)];
  const byJava = { leader: B, javaPeers: new Set([B]), items };

  expect(obstacleIn({ ...byJava, reshardingNeeded: true })).toBeUndefined();
  expect(obstacleIn(byJava)?.key).toBe('unowned-items');
});

test('a server that is not registered yet is no obstacle', () => {
  expect(obstacleIn({ servers: new Map([[ipOf('B'), 'ENABLED']]) })).toBeUndefined();
});

test('settings that cannot be used come before all that follows from them', () => {
  expect(obstacleIn({ ...NO_SETTINGS, configFault: 'x', leader: 'garbage', leaderSession: undefined })?.key).toContain(
    'unreadable-settings',
  );
});
