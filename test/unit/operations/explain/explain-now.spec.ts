import { describe, expect, test } from '@jest/globals';
import { type OperationRecord } from '../../../../lib/api/events/operation-record.js';
import { type JobView } from '../../../../lib/layout/job-view.js';
import { NOTHING_BEGUN } from '../../../../lib/layout/x-node/begin-record.js';
import { JobPaths } from '../../../../lib/layout/job-paths.js';
import { type InstanceFault, NO_PAST, type Past } from '../../../../lib/operations/explain/explanation.js';
import { explain } from '../../../../lib/operations/explain/explain.js';
import { en } from '../../../../lib/console/ui/i18n/en.js';
import { aConfiguration, anItem, aView, idOf, ipOf } from '../../../support/views.js';

const NOW = Date.parse('2030-01-01T00:00:07Z');
const paths = new JobPaths('bill');

function ask(view: JobView, item?: number, past: Past = NO_PAST, fault?: InstanceFault) {
  const fullPath = (path: string): string => `/elasticjob${path}`;
  const faults = fault === undefined ? [] : [{ ...fault, isHere: true }];
  const explanation = explain({
    ...{ view, paths, fullPath, item, instant: undefined, now: NOW, past, similar: undefined, faults },
  });
  expectValues(explanation);
  return explanation;
}

/** The page's text for a reason finds all values that it wants, and no cure lacks its code. */
function expectValues({ reason, others, limits }: ReturnType<typeof explain>): void {
  for (const each of [reason, ...others]) {
    const text = (en as Readonly<Record<string, string>>)[`reason.${each.code}`] ?? 'none';
    const wanted = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    expect([each.code, Object.keys(each.values)]).toEqual([each.code, expect.arrayContaining(wanted)]);
    expect(each.remedy === undefined).toBe(each.cure === undefined);
    expect(`${each.cure} ${each.remedy?.command}`).not.toMatch(/<\w+>/);
  }
  for (const { code, values } of limits)
    expect([code, Object.keys(values)]).toEqual([code, code === 'java-types' ? ['types'] : []]);
}

const scheduled = (changes = {}) => aConfiguration({ cron: '0/5 * * * * ?', timeZone: 'GMT', ...changes });
const aJob = (names: readonly string[], changes: Partial<JobView> = {}): JobView =>
  aView(names, { config: scheduled(), ...changes });
const own = (changes = {}) => [anItem(0, { owner: idOf('A'), ...changes }), anItem(1, { owner: idOf('A') })];

function anOperation(changes: Partial<OperationRecord>): OperationRecord {
  return {
    ...{ id: '1', operation: 'disable', jobName: 'bill', serverIp: undefined, item: undefined, operator: 'anna' },
    ...{
      registryCenter: undefined,
      reason: 'maintenance',
      startedAt: new Date('2029-12-31T08:00:00Z'),
      before: {},
      after: {},
    },
    ...{ outcome: 'done', error: undefined, ...changes },
  };
}

describe('What keeps a job from running', () => {
  const gone = { exists: false, config: undefined, items: [] };

  test.each<[string, JobView, RegExp]>([
    ['unknown-job', { ...aJob([]), ...gone }, /Job 'bill' does not exist: there is no node \/elasticjob\/bill\.$/],
    ['no-configuration', { ...aJob(['A']), config: undefined }, /no node \/elasticjob\/bill\/config/],
    [
      'unreadable-configuration',
      { ...aJob(['A']), config: undefined, configFault: '/bill/config: no mapping.' },
      /settings of job 'bill' cannot be used: \/elasticjob\/bill\/config: no mapping\.$/,
    ],
    ['too-many-items', aJob(['A'], { config: scheduled({ shardingTotalCount: 200_000 }), items: [] }), /200000 items/],
    ['no-instance', aJob([], { withdrawn: [idOf('A')] }), /stopped last: 10\.0\.0\.65@-@1-A/],
    ['servers-disabled', aJob(['A'], { servers: new Map([[ipOf('A'), 'DISABLED']]) }), /disabled: 10\.0\.0\.65\.$/],
    ['no-leader', aJob(['A'], { leader: undefined }), /has no leader/],
    ['unknown-leader', aJob(['A'], { leader: idOf('Z') }), /10\.0\.0\.90@-@1-Z, which is not a living instance\.$/],
    [
      'unknown-leader',
      aJob(['A'], { leader: idOf('Z'), leaderSession: undefined }),
      /and its node is persistent, as copies and backups make it\.$/,
    ],
    ['being-assigned', aJob(['A'], { reshardingNeeded: true, items: own({ running: true }) }), /running items 0; no/],
    ['being-assigned', aJob(['A'], { items: [] }), /wait to be assigned by the leader/],
    ['no-schedule', aView(['A']), /runs only when it is triggered/],
    [
      'runs-after',
      aJob(['A'], { config: aConfiguration({ props: { 'graph.after': 'importA,importB' } }) }),
      /it runs after importA, importB, for/,
    ],
    ['unusable-schedule', aJob(['A'], { config: scheduled({ cron: '0/5 * * *' }) }), /'0\/5 \* \* \*'/],
    ['schedule-over', aJob(['A'], { config: scheduled({ cron: '0 0 0 1 1 ? 2020' }) }), /no instant any more/],
  ])('is the decisive cause: %s', (type, view, sentence) => {
    const { reason } = ask(view);

    expect(reason).toMatchObject({ type, items: [], holds: 'now' });
    expect(reason.sentence).toMatch(sentence);
    expect(reason.cure).toMatch(/\.$/);
  });

  test('is nothing, and the next instant is named, if all its items may run', () => {
    const { reason, others, unknown } = ask(aJob(['A', 'B']));

    expect([reason, ...others]).toMatchObject([
      {
        type: 'free',
        items: [0, 1],
        next: new Date('2030-01-01T00:00:10Z'),
        sentence: 'Nothing keeps items 0-1 from running; the next instant is 2030-01-01T00:00:10.000Z.',
        cure: undefined,
      },
    ]);
    expect(unknown).toEqual([]);
  });

  test('is told for all items together, those with the same cause as one, and those that nothing keeps last', () => {
    const items = [0, 1, 2, 3, 4].map((item) => anItem(item, { owner: idOf('A'), disabled: item % 2 === 1 }));
    const { reason, others } = ask(aJob(['A'], { config: scheduled({ shardingTotalCount: 5 }), items }));

    expect([reason, ...others].map(({ type, items: concerned }) => [type, concerned])).toEqual([
      ['item-disabled', [1, 3]],
      ['free', [0, 2, 4]],
    ]);
    expect(reason.sentence).toBe('Items 1,3 are disabled.');
  });

  test('of a name that is nearly right is the name; of a removed job, its removal', () => {
    const view: JobView = { ...aJob([]), ...gone };
    const removal = anOperation({ operation: 'remove-job', reason: undefined });
    const another = anOperation({ operation: 'remove-job', jobName: 'bills', operator: 'ben' });
    const past = { ...NO_PAST, operations: [another, removal] };
    const question = {
      view,
      paths,
      fullPath: (path: string) => path,
      item: undefined,
      instant: undefined,
      now: NOW,
      faults: [],
    };

    expect(explain({ ...question, past, similar: 'bills' }).reason.sentence).toBe(
      "Job 'bill' does not exist: there is no node /bill; it was removed, by anna at 2029-12-31T08:00:00.000Z; did you mean 'bills'?",
    );
  });
});

describe('What keeps an item from running', () => {
  const died = { owner: idOf('Z') };
  const beginRecords = new Map([
    [idOf('A'), { ...NOTHING_BEGUN, instants: new Map([[0, Date.parse('2030-01-01T00:00:05Z')]]) }],
  ]);

  test.each<[string, JobView, RegExp, object?]>([
    [
      'no-such-item',
      aJob(['A'], { config: scheduled({ shardingTotalCount: 1 }), items: [anItem(1)] }),
      /not an item of/,
    ],
    ['left-out', aJob(['A'], { items: own(), assignmentRecord: { itemCount: 1, basis: '' } }), /^Item 1 is not part/],
    [
      'item-disabled',
      aJob(['A'], { items: [anItem(0), anItem(1, { owner: idOf('A'), disabled: true })] }),
      /disabled\.$/,
    ],
    [
      'still-running',
      aJob(['A'], { items: [anItem(0), anItem(1, { owner: idOf('A'), running: true, runningOn: idOf('A') })] }),
      /^Item 1 is still running on 10\.0\.0\.65@-@1-A; .*made up for by one run/,
    ],
    [
      'run-lost',
      aJob(['A'], { items: [anItem(0), anItem(1, { owner: idOf('A'), running: true, runningOn: idOf('Z') })] }),
      /died with its instance 10\.0\.0\.90@-@1-Z; failover is off/,
      { failover: false, instanceId: idOf('Z') },
    ],
    [
      'run-lost',
      aJob(['A'], { config: scheduled({ failover: true }), crashedItems: [1] }),
      /waits to be taken over by an idle instance/,
      { failover: true },
    ],
    [
      'taken-over',
      aJob(['A', 'B'], {
        items: [
          anItem(0),
          anItem(1, { owner: idOf('A'), running: true, runningOn: idOf('B'), takenOverBy: idOf('B') }),
        ],
      }),
      /taken over by 10\.0\.0\.66@-@1-B/,
    ],
    ['no-owner', aJob(['A'], { items: [anItem(0, { owner: idOf('A') }), anItem(1)] }), /has no owner/],
    ['owner-gone', aJob(['A'], { items: [anItem(0), anItem(1, died)] }), /1-Z, is gone\.$/, { how: 'unknown' }],
    [
      'owner-gone',
      aJob(['A'], { items: [anItem(0), anItem(1, died)], withdrawn: [idOf('Z')] }),
      /has stopped\.$/,
      { how: 'stopped' },
    ],
    [
      'owner-gone',
      aJob(['A'], { items: [anItem(0), anItem(1, died)], beginRecords: new Map([[idOf('Z'), undefined]]) }),
      /has died: its session has ended\.$/,
      { how: 'died' },
    ],
    [
      'owner-stopping',
      aJob(['A'], { items: [anItem(0), anItem(1, died)], live: new Set([idOf('A'), idOf('Z')]) }),
      /is stopping/,
    ],
    [
      'owner-unreadable',
      aJob(['A', 'B'], {
        instances: new Map(
          ['A', 'B'].map((name) => [
            idOf(name),
            { jobInstanceId: idOf(name), serverIp: ipOf(name), session: 's', readable: name === 'A' },
          ]),
        ),
      }),
      /1-B, the owner of item 1, cannot be read/,
    ],
    [
      'owner-disabled',
      aJob(['A', 'B'], {
        servers: new Map([
          [ipOf('A'), 'ENABLED'],
          [ipOf('B'), 'DISABLED'],
        ]),
      }),
      /is on the server 10\.0\.0\.66, which is disabled\.$/,
      { status: 'DISABLED' },
    ],
    [
      'owner-disabled',
      aJob(['A', 'B'], { servers: new Map([[ipOf('A'), 'ENABLED']]) }),
      /which has no node/,
      { status: 'MISSING' },
    ],
    [
      'misfired',
      aJob(['A'], { items: [anItem(0), anItem(1, { owner: idOf('A'), misfired: true })] }),
      /missed a firing/,
    ],
    [
      'manual-run-due',
      aJob(['A', 'B'], {
        acceptedTriggers: new Map([
          [
            idOf('A'),
            { waiting: [{ jobParameter: undefined, isForAll: false, items: new Set([1]) }], dropped: new Set() },
          ],
        ]),
      }),
      /^Item 1 has been triggered, and is run for that as soon as nothing keeps it\.$/,
    ],
    ['triggered', aJob(['A', 'B'], { triggers: new Set([idOf('B')]) }), /has a trigger that it has not accepted/],
    ['free', aJob(['A', 'B']), /^Nothing keeps item 1 from running/],
  ])('is the decisive cause: %s', (type, view, sentence, fields = {}) => {
    const { reason } = ask(view, 1);

    expect(reason).toMatchObject({ type, items: [1], holds: 'now', ...fields });
    expect(reason.sentence).toMatch(sentence);
  });

  test('since when it has been running is known from the record of its instance; with misfire off, firings are dropped', () => {
    const config = scheduled({ misfire: false });
    const items = own({ running: true, runningOn: idOf('A') });

    expect(ask(aJob(['A'], { config, items, beginRecords }), 0).reason).toMatchObject({
      type: 'still-running',
      since: new Date('2030-01-01T00:00:05Z'),
      missed: 'dropped',
    });
  });

  test.each(['SCRIPT', 'script'])('the script of a job of type %s may have left a process behind', (jobClass) => {
    const { reason } = ask(aJob(['A'], { jobClass, items: own({ running: true, runningOn: idOf('A') }) }), 0);

    expect(reason).toMatchObject({ type: 'still-running', isScript: true });
    expect(reason.cure).toContain('if the script has exited and a process that it has started holds its output');
  });

  test('nothing is said of scripts where there are none', () => {
    const { reason } = ask(aJob(['A'], { items: own({ running: true, runningOn: idOf('A') }) }), 0);

    expect(reason).toMatchObject({ type: 'still-running', isScript: false });
    expect(reason.cure).not.toContain('script');
  });

  test('an item that the job does not have yet is left out; one that it cannot have does not exist', () => {
    const view = aJob(['A'], { items: [anItem(0, { owner: idOf('A') })] });

    expect(ask(view, 1).reason.type).toBe('left-out');
    expect(ask(view, 7).reason).toMatchObject({ type: 'no-such-item', shardingTotalCount: 2 });
  });

  test('an item of a job whose items were never assigned has no owner', () => {
    const { reason, others } = ask(aJob(['A'], { items: [] }), 1);

    expect([reason, ...others].map(({ type }) => type)).toContain('no-owner');
  });

  test('an item that is missing among the others is left out', () => {
    const items = [0, 2].map((item) => anItem(item, { owner: idOf('A') }));
    const { reason } = ask(aJob(['A'], { config: scheduled({ shardingTotalCount: 3 }), items }));

    expect(reason).toMatchObject({ type: 'left-out', items: [1] });
  });

  test('who has disabled it, when and why is told if it is on record', () => {
    const view = aJob(['A'], {
      items: own({ disabled: true }),
      servers: new Map([[ipOf('A'), 'DISABLED']]),
    });
    const item = anOperation({ operation: 'disable-item', item: 0, after: { '/bill/sharding/0/disabled': '' } });
    const server = anOperation({
      operator: 'ben',
      reason: undefined,
      after: { [`/bill/servers/${ipOf('A')}`]: 'DISABLED' },
    });
    const { reason, others, unknown } = ask(view, 0, { ...NO_PAST, operations: [item, server] });

    expect(reason.sentence).toBe(
      "All servers with instances of job 'bill' are disabled: 10.0.0.65, by ben at 2029-12-31T08:00:00.000Z.",
    );
    expect(others[0]?.sentence).toBe('Item 0 is disabled, by anna at 2029-12-31T08:00:00.000Z (maintenance).');
    expect(unknown).toEqual([]);
  });

  test('an operation that was undone, or failed, does not count as the one that has disabled it', () => {
    const view = aJob(['A'], { items: own({ disabled: true }) });
    const path = '/bill/sharding/0/disabled';
    const operations = [
      anOperation({ operation: 'disable-item', after: { [path]: '' }, outcome: 'failed' }),
      anOperation({ operation: 'enable-item', before: { [path]: '' } }),
      anOperation({ operation: 'disable-item', after: { [path]: '' } }),
    ];
    const { reason, unknown } = ask(view, 0, { ...NO_PAST, operations });

    expect(reason).toMatchObject({ type: 'item-disabled', record: undefined });
    expect(unknown).toEqual([expect.stringContaining('not on record') as unknown]);
    expect(ask(view, 0).unknown).toEqual([expect.stringContaining('no records of operations are read') as unknown]);
  });
});

describe('What an instance in this process says', () => {
  const fault = (changes: Partial<InstanceFault> = {}): InstanceFault => ({
    ...{ instanceId: idOf('A'), state: 'blocked', reason: 'settings in /config cannot be used: NOPE. Correct them.' },
    ...changes,
  });
  const types = ({ reason, others }: ReturnType<typeof ask>) => [reason, ...others].map(({ type }) => type);

  test('keeps its own items from running, and is the reason', () => {
    const { reason } = ask(aJob(['A'], { items: own() }), 0, NO_PAST, fault());

    expect(reason.sentence).toBe(
      "On this instance, 10.0.0.65@-@1-A, job 'bill' is blocked: settings in /config cannot be used: NOPE. Correct them.",
    );
    expect(types(ask(aJob(['A'], { items: own() }), undefined, NO_PAST, fault()))).toEqual(['instance-fault']);
  });

  test('is no reason for an item of another instance, and is added', () => {
    const view = aJob(['A', 'B'], { items: [anItem(0, { owner: idOf('B') })] });

    expect(types(ask(view, 0, NO_PAST, fault()))).toEqual(['free', 'instance-fault']);
  });

  test('is added if something only does not run as wished', () => {
    const view = aJob(['A'], { items: own() });

    expect(types(ask(view, 0, NO_PAST, fault({ state: 'impaired' })))).toEqual(['free', 'instance-fault']);
  });

  test('is added if the job is not stored, as it could not be started', () => {
    const view = { ...aJob([]), exists: false, config: undefined, items: [] };

    expect(types(ask(view, undefined, NO_PAST, fault({ state: 'failed' })))).toEqual(['unknown-job', 'instance-fault']);
  });

  test('is missing of Java instances, of which only the names in the settings are known', () => {
    const config = scheduled({ jobErrorHandlerType: 'NOPE', jobListenerTypes: ['AUDIT'] });
    const view = aJob(['A'], { config, items: own() });

    const beside = { ...view, javaPeers: new Set([idOf('A')]) };
    expect(ask(beside, 0).unknown).toEqual([
      expect.stringContaining('and can use them (NOPE, AUDIT): their logs say so'),
    ]);
    expect(ask(view, 0).unknown).toEqual([]);
    expect(ask(aJob(['A'], { items: own() }), 0).unknown).toEqual([]);
  });
});
