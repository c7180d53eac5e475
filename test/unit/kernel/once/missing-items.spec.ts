import { describe, expect, test } from '@jest/globals';
import { type JobView, NO_GUARANTEE } from '../../../../lib/layout/job-view.js';
import { NOTHING_BEGUN } from '../../../../lib/layout/x-node/begin-record.js';
import { missingItems } from '../../../../lib/kernel/once/missing-items.js';
import { aConfiguration, anItem, aView, idOf, ipOf } from '../../../support/views.js';

const NOW = 5_000;
const ROUND = `${NOW}/ONCE`;
const CRASHED_BEFORE = { instant: NOW - 1, jobParameter: undefined };
const [A, B] = [idOf('A'), idOf('B')];

/** The reports of instances, by name: `{ A: '5000/ONCE started 0' }` as items by state and round. */
type Reports = Readonly<Record<string, Readonly<Record<string, { started?: number[]; completed?: number[] }>>>>;

const arrivalsOf = (reported: Reports): JobView['guarantee'] => ({
  ...NO_GUARANTEE,
  arrivals: new Map(
    Object.entries(reported).map(([name, rounds]) => [
      idOf(name),
      new Map(
        Object.entries(rounds).map(([round, { started = [], completed = [] }]) => [
          round,
          { started: new Set(started), completed: new Set(completed) },
        ]),
      ),
    ]),
  ),
});

/** Item 0 is A's, item 1 is B's. */
const view = (reported: Reports, changes: Partial<JobView> = {}): JobView =>
  aView(['A', 'B'], { guarantee: arrivalsOf(reported), ...changes });

const missing = (
  stage: 'started' | 'completed',
  now: JobView,
  { isManual = false, isRead = true, behind = '', toCatchUp = undefined as number | undefined } = {},
): readonly string[] =>
  missingItems(
    now,
    isManual ? { stage, key: 'hand-1/ONCE', instant: undefined } : { stage, key: ROUND, instant: NOW },
    {
      mayBeMadeUpFor: (_view, _item, instant) => instant === toCatchUp,
      isRead: () => isRead,
      hasArrivedByTakeover: (id) => id === behind,
    },
  ).map(({ item, why, by }) => `${item} ${why} ${by === undefined ? '' : by === A ? 'A' : by === B ? 'B' : by}`.trim());

const both = { A: { [ROUND]: { started: [0] } }, B: { [ROUND]: { started: [1] } } };
const onlyA = { A: { [ROUND]: { started: [0] } } };
const items = (...changes: Parameters<typeof anItem>[1][]) =>
  changes.map((change, item) => anItem(item, { owner: item === 0 ? A : B, ...change }));
const failover = aConfiguration({ failover: true });
const noMisfire = aConfiguration({ misfire: false });
/** B has dropped the firing, with its item. */
const dropping = (
  reported: Reports,
  changes: Partial<JobView>,
  { instant = NOW, dropped = [1], by = B } = {},
): JobView =>
  view(reported, {
    guarantee: { ...arrivalsOf(reported), dropped: new Map([[by, new Map([[instant, new Set(dropped)]])]]) },
    ...changes,
  });
/** B is in the callback of the firing before. */
const calling = (reported: Reports): JobView['guarantee'] => ({
  ...arrivalsOf(reported),
  completed: { called: ['4000/ONCE'], call: { key: '4000/ONCE', instance: B } },
});

describe('before items start, missing are', () => {
  test.each<[string, JobView, readonly string[]]>([
    ['none, if all have come', view(both), []],
    ['those whose owner lives and has not come', view(onlyA), ['1 overdue B']],
    ['not those that are disabled', view(onlyA, { items: items({}, { disabled: true }) }), []],
    ['not those of an instance that is gone', aView(['A'], { guarantee: arrivalsOf(onlyA), items: items({}, {}) }), []],
    [
      'not those of a disabled server',
      view(onlyA, {
        servers: new Map([
          [ipOf('A'), 'ENABLED'],
          [ipOf('B'), 'DISABLED'],
        ]),
      }),
      [],
    ],
    ['not those begun for a later firing', view(onlyA, { lastBegun: new Map([[1, NOW + 1]]) }), []],
    ['not those whose owner has reported a later firing', view({ ...onlyA, B: { '6000/ONCE': { started: [1] } } }), []],
    [
      'those that run for an earlier firing, and for this one after that',
      view({ ...onlyA, B: { '4000/ONCE': { started: [1] } } }, { items: items({}, { running: true }) }),
      ['1 busy B'],
    ],
    [
      'those that are marked as running for an earlier firing',
      view(onlyA, {
        items: items({}, { running: true, runningOn: B }),
        lastBegun: new Map([[1, NOW - 1]]),
        beginRecords: new Map([
          [A, NOTHING_BEGUN],
          [B, NOTHING_BEGUN],
        ]),
      }),
      ['1 busy B'],
    ],
    [
      'those whose owner runs a manual firing',
      view({ ...onlyA, B: { 'hand-2/ONCE': { started: [1] } } }, { items: items({}, { running: true }) }),
      ['1 busy B'],
    ],
    [
      'not those that run for an earlier firing, and are disabled now',
      view({ ...onlyA, B: { '4000/ONCE': { started: [1] } } }, { items: items({}, { running: true, disabled: true }) }),
      [],
    ],
    [
      'not those that an instance runs for an earlier firing that waits here with others',
      view({ ...onlyA, B: { '4000/ONCE': { started: [1] }, [ROUND]: { started: [2] } } }),
      [],
    ],
    [
      'not those whose owner runs an earlier firing that goes on with an item that waits here, too',
      view({ A: { '4000/ONCE': { started: [2] }, [ROUND]: { started: [0] } }, B: { '4000/ONCE': { started: [1] } } }),
      [],
    ],
    [
      'not those whose owner waits for the end of such a firing',
      view({ A: { '4000/ONCE': { started: [2] }, [ROUND]: { started: [0] } }, B: { '4000/ONCE': { completed: [1] } } }),
      [],
    ],
    [
      'those whose owner has left such a firing',
      view(
        {},
        {
          guarantee: {
            ...NO_GUARANTEE,
            arrivals: new Map([
              ...arrivalsOf({ A: { '4000/ONCE': { started: [2] }, [ROUND]: { started: [0] } } }).arrivals,
              [B, new Map([['4000/ONCE', { started: new Set<number>(), completed: new Set([1]), isLeft: true }]])],
            ]),
          },
        },
      ),
      ['1 busy B'],
    ],
    [
      'those whose owner waits for an earlier firing that goes on elsewhere',
      view(
        { ...onlyA, B: { '4000/ONCE': { completed: [1] } }, C: { '4000/ONCE': { started: [2] } } },
        { live: new Set([A, B, idOf('C')]) },
      ),
      ['1 busy B'],
    ],
    [
      'those whose owner waits for the callback of an earlier firing',
      view(
        { ...onlyA, B: { '4000/ONCE': { completed: [1] } } },
        { guarantee: calling({ ...onlyA, B: { '4000/ONCE': { completed: [1] } } }) },
      ),
      ['1 busy B'],
    ],
    [
      'those whose owner has come from an earlier firing that is over',
      view({ ...onlyA, B: { '4000/ONCE': { completed: [1] } } }),
      ['1 overdue B'],
    ],
    [
      'those that run for another listener of the same firing',
      view({ ...onlyA, B: { [`${NOW}/OTHER`]: { started: [1] } } }, { items: items({}, { running: true }) }),
      ['1 runner-unknown B'],
    ],
    [
      'those that run for an unknown firing',
      view(onlyA, { items: items({}, { running: true }) }),
      ['1 runner-unknown B'],
    ],
    [
      'not those that have crashed',
      view(onlyA, { config: failover, crashedItems: [1], lastBegun: new Map([[1, NOW]]) }),
      [],
    ],
    ['not those that came to an instance that has come already', view(onlyA, { items: items({}, { owner: A }) }), []],
    [
      'not those of an instance that has come to a later firing without them',
      view({ ...onlyA, B: { '6000/ONCE': { started: [2] } } }),
      [],
    ],
    [
      'not those that an instance runs that is about to go, with misfire: false',
      aView(['A'], {
        guarantee: arrivalsOf({ ...onlyA, B: { '4000/ONCE': { started: [1] } } }),
        items: items({}, { running: true }),
        live: new Set([A, B]),
        config: noMisfire,
      }),
      [],
    ],
    ['not those beyond the number of items', view(onlyA, { config: aConfiguration({ shardingTotalCount: 1 }) }), []],
    ['those of a dead instance’s report too', view({ ...onlyA, C: { [ROUND]: { started: [1] } } }), ['1 overdue B']],
  ])('%s', (_, now, expected) => {
    expect(missing('started', now)).toEqual(expected);
  });
});

describe('when items complete, missing are', () => {
  const aCompleted = { A: { [ROUND]: { completed: [0] } } };
  const bRuns = { ...aCompleted, B: { [ROUND]: { started: [1] } } };
  const running = { items: items({}, { running: true }) };
  const gone = { running: true, runningOn: idOf('C') };

  test.each<[string, JobView, readonly string[]]>([
    ['none, if all have completed', view({ ...aCompleted, B: { [ROUND]: { completed: [1] } } }), []],
    ['those that run', view(bRuns, running), ['1 running B']],
    ['those that have just ended', view(bRuns), ['1 ending B']],
    [
      'those without marks, as long as they are not reported',
      view(bRuns, { config: aConfiguration({ monitorExecution: false }) }),
      ['1 running B'],
    ],
    [
      'not those that have been begun for it, and run no more',
      view(aCompleted, { lastBegun: new Map([[1, NOW]]) }),
      [],
    ],
    [
      'those that crashed in it, with failover',
      view(aCompleted, { config: failover, crashedItems: [1], lastBegun: new Map([[1, NOW]]) }),
      ['1 crashed'],
    ],
    [
      'those that crashed in it and are beyond the number of items, until an assignment removes them',
      view(aCompleted, {
        config: aConfiguration({ failover: true, shardingTotalCount: 1 }),
        items: items({}, {}),
        crashedItems: [1],
        lastBegun: new Map([[1, NOW]]),
      }),
      ['1 crashed'],
    ],
    [
      'those that were taken over in it and are beyond the number of items, until their run has ended',
      view(aCompleted, {
        config: aConfiguration({ failover: true, shardingTotalCount: 1 }),
        items: items({}, { running: true, runningOn: B, takenOverBy: B }),
        beginRecords: new Map([[B, { ...NOTHING_BEGUN, instants: new Map([[1, NOW]]) }]]),
        lastBegun: new Map([[1, NOW]]),
      }),
      ['1 runner-unknown B'],
    ],
    [
      'not those that still run for an earlier firing and are beyond the number of items',
      view(aCompleted, {
        config: aConfiguration({ failover: true, shardingTotalCount: 1 }),
        items: items({}, { running: true, runningOn: B }),
        beginRecords: new Map([[B, { ...NOTHING_BEGUN, instants: new Map([[1, NOW - 1]]) }]]),
        lastBegun: new Map([[1, NOW - 1]]),
      }),
      [],
    ],
    [
      'those that crashed in an earlier firing, which ends first',
      view(aCompleted, { config: failover, crashedItems: [1], lastBegun: new Map([[1, NOW - 1]]) }),
      ['1 crashed'],
    ],
    [
      'those that crashed in an earlier firing and are disabled now, as they are taken over all the same',
      view(aCompleted, {
        config: failover,
        crashedItems: [1],
        items: items({}, { disabled: true }),
        lastBegun: new Map([[1, NOW - 1]]),
      }),
      ['1 crashed'],
    ],
    [
      'those that crashed in an earlier firing and came back since, though they count as begun for this one',
      view(aCompleted, {
        config: failover,
        crashedItems: [1],
        crashReports: new Map([[1, CRASHED_BEFORE]]),
        lastBegun: new Map([[1, NOW + 1]]),
      }),
      ['1 crashed'],
    ],
    [
      'not those that crashed in a later firing',
      view(aCompleted, {
        config: failover,
        crashedItems: [1],
        crashReports: new Map([[1, { ...CRASHED_BEFORE, instant: NOW + 1 }]]),
        lastBegun: new Map([[1, NOW + 1]]),
      }),
      [],
    ],
    [
      'those that run between the barriers of two listeners',
      view({ ...aCompleted, B: { [`${NOW}/OTHER`]: { started: [1] } } }, running),
      ['1 running B'],
    ],
    [
      'not those that were reported as running for it, and run on another instance for a later firing since',
      view(bRuns, {
        items: items({}, { running: true, runningOn: idOf('C') }),
        live: new Set([A, B, idOf('C')]),
        lastBegun: new Map([[1, NOW + 1]]),
      }),
      [],
    ],
    [
      'not those that were reported as running for it, run no more, and count as begun for a later firing',
      view(bRuns, { lastBegun: new Map([[1, NOW + 1]]) }),
      [],
    ],
    [
      'those that run for it, although they count as begun for a later firing that they were left out of',
      view(bRuns, { ...running, lastBegun: new Map([[1, NOW + 1]]) }),
      ['1 running B'],
    ],
    [
      'those of a busy instance that may drop the firing, as long as it has not reported that',
      view({ ...aCompleted, B: { '4000/ONCE': { started: [1] } } }, { ...running, config: noMisfire }),
      ['1 overdue B'],
    ],
    [
      'not those whose instance was busy with them, and has dropped the firing',
      dropping({ ...aCompleted, B: { '4000/ONCE': { started: [1] } } }, { ...running, config: noMisfire }),
      [],
    ],
    [
      'not those whose instance was busy with another item, and has dropped the firing',
      dropping({ ...aCompleted, B: { '4000/ONCE': { started: [2] } } }, { config: noMisfire }),
      [],
    ],
    [
      'not those whose instance has dropped the firing, and is free again',
      dropping(aCompleted, { config: noMisfire }),
      [],
    ],
    [
      'those whose instance has dropped another firing',
      dropping(aCompleted, { config: noMisfire }, { instant: NOW - 1 }),
      ['1 overdue B'],
    ],
    [
      'not those that were busy, and that their owner did not bring along, with misfire: false',
      view(
        { A: { [ROUND]: { completed: [0] } }, C: { '4000/ONCE': { started: [1] } } },
        {
          ...running,
          items: items({}, { running: true, owner: A }),
          live: new Set([A, B, idOf('C')]),
          config: noMisfire,
        },
      ),
      [],
    ],
    [
      'those that an instance runs that is about to go, and that can drop nothing any more',
      aView(['A'], {
        guarantee: arrivalsOf({ ...aCompleted, B: { '4000/ONCE': { started: [1] } } }),
        ...running,
        live: new Set([A, B]),
        config: noMisfire,
      }),
      ['1 busy B'],
    ],
    [
      'those whose instance is busy with a takeover, even with misfire: false',
      view(
        { ...aCompleted, B: { '4000/ONCE': { started: [1] } } },
        { items: items({}, { running: true, takenOverBy: B }), config: noMisfire },
      ),
      ['1 busy B'],
    ],
    [
      'not those that crashed after they were begun manually',
      view(aCompleted, {
        config: failover,
        crashedItems: [1],
        lastBegun: new Map([[1, NOW]]),
        manuallyBegun: new Map([[1, undefined]]),
      }),
      [],
    ],
    [
      'those whose crash is not reported yet',
      view(aCompleted, { config: failover, items: items({}, gone), lastBegun: new Map([[1, NOW]]) }),
      ['1 crashed'],
    ],
    [
      'not those that crashed, without failover',
      view(aCompleted, { items: items({}, gone), lastBegun: new Map([[1, NOW]]) }),
      [],
    ],
    [
      'those that crashed in a firing that has not been read',
      view(aCompleted, {
        config: failover,
        crashedItems: [1],
        beginRecords: new Map([
          [A, undefined],
          [B, undefined],
        ]),
      }),
      ['1 runner-unknown'],
    ],
  ])('%s', (_, now, expected) => {
    expect(missing('completed', now)).toEqual(expected);
  });

  test('not those that their former owner had dropped when they changed hands', () => {
    const handedOn = dropping(aCompleted, { config: noMisfire }, { by: idOf('C') });

    expect(missing('completed', handedOn, { toCatchUp: NOW })).toEqual([]);
    expect(missing('completed', handedOn, { isRead: false })).toEqual([]);
  });

  test('those that came to their owner when it had dropped the firing, if the owner will make up for them', () => {
    const free = dropping(aCompleted, { config: noMisfire }, { dropped: [2] });
    const busy = dropping(
      { ...aCompleted, B: { '4000/ONCE': { started: [2] } } },
      { config: noMisfire },
      { dropped: [2] },
    );

    expect(missing('completed', free, { toCatchUp: NOW })).toEqual(['1 overdue B']);
    expect(missing('completed', busy, { toCatchUp: NOW })).toEqual(['1 busy B']);
    expect(missing('completed', free, { isRead: false })).toEqual(['1 unread B']);
    expect(missing('completed', free, { toCatchUp: NOW - 1 })).toEqual([]);
    expect(missing('completed', busy, { toCatchUp: NOW - 1 })).toEqual([]);
    expect(missing('started', busy, { toCatchUp: NOW })).toEqual([]);
  });

  test('those whose owner has been to a later firing, only if it comes back to make up for them', () => {
    const ahead = view({ ...aCompleted, B: { '6000/ONCE': { started: [2] } } });

    expect(missing('completed', ahead)).toEqual([]);
    expect(missing('completed', ahead, { toCatchUp: NOW })).toEqual(['1 overdue B']);
    expect(missing('completed', ahead, { isRead: false })).toEqual(['1 unread B']);
  });

  test('those that their next owner will make up for, if it waits here itself, or is not known yet', () => {
    const handedOn = view(aCompleted, { items: items({}, { owner: A }) });
    const orphaned = aView(['A'], { guarantee: arrivalsOf(aCompleted), items: items({}, {}) });

    expect(missing('completed', handedOn, { toCatchUp: NOW })).toEqual(['1 moved-to-next-owner A']);
    expect(missing('completed', orphaned, { toCatchUp: NOW })).toEqual(['1 moved-to-next-owner B']);
    expect(missing('completed', handedOn, { toCatchUp: NOW - 1 })).toEqual([]);
    expect(missing('started', handedOn, { toCatchUp: NOW })).toEqual([]);
  });

  test('those whose next owner may make up for them, until the records are read that say so', () => {
    const handedOn = view(aCompleted, { items: items({}, { owner: A }) });

    expect(missing('completed', handedOn, { isRead: false })).toEqual(['1 unread A']);
    expect(missing('completed', handedOn, { isRead: true })).toEqual([]);
    const unmonitored = { ...handedOn, config: aConfiguration({ monitorExecution: false }) };
    expect(missing('completed', unmonitored, { isRead: false })).toEqual([]);
  });

  test('those of an owner that is here with what it has taken over, and has its own firing still before it', () => {
    const tookOver = view(aCompleted, { items: items({}, { owner: A }) });

    expect(missing('completed', tookOver, { behind: A })).toEqual(['1 moved-to-next-owner A']);
    expect(missing('completed', { ...tookOver, config: noMisfire }, { behind: A })).toEqual([
      '1 moved-to-next-owner A',
    ]);
    expect(missing('completed', tookOver, { behind: B })).toEqual([]);
    const dropped = dropping(aCompleted, { items: items({}, { owner: A }), config: noMisfire }, { by: A });
    expect(missing('completed', dropped, { behind: A })).toEqual([]);
  });

  test('those that are marked as having missed a firing, if that is made up for', () => {
    const marked = view(aCompleted, { items: items({}, { owner: A, misfired: true }) });

    expect(missing('completed', marked)).toEqual(['1 moved-to-next-owner A']);
    expect(missing('completed', { ...marked, config: noMisfire })).toEqual([]);
  });
});

describe('of a manual firing, missing are', () => {
  const round = 'hand-1/ONCE';

  test('those that crashed after they were begun manually, and no others', () => {
    const reported = { A: { [round]: { completed: [0] } } };
    const crashed = { config: failover, crashedItems: [1], lastBegun: new Map([[1, NOW]]) };

    expect(
      missing('completed', view(reported, { ...crashed, manuallyBegun: new Map([[1, undefined]]) }), {
        isManual: true,
      }),
    ).toEqual(['1 crashed']);
    expect(missing('completed', view(reported, crashed), { isManual: true })).toEqual([]);
  });
});

test('a manual firing waits for the items of an instance that is free, and not for those of one that is in another firing', () => {
  const manual = { A: { 'hand-1/ONCE': { started: [0] } } };

  expect(missing('started', view(manual), { isManual: true })).toEqual(['1 overdue B']);
  for (const other of [`${NOW}/ONCE`, 'hand-2/ONCE'])
    expect(missing('started', view({ ...manual, B: { [other]: { started: [2] } } }), { isManual: true })).toEqual([]);
  // The same firing at another listener's barrier.
  expect(missing('started', view({ ...manual, B: { 'hand-1/TWICE': { started: [2] } } }), { isManual: true })).toEqual([
    '1 overdue B',
  ]);
});

describe('beside Java peers', () => {
  const java = '10.0.0.1@-@4711';
  const mixed = (changes: Partial<JobView>): JobView => {
    const base = view({ A: { [ROUND]: { started: [0] } } });
    const instance = { jobInstanceId: java, serverIp: '10.0.0.1', session: 's', readable: true };
    return {
      ...base,
      instances: new Map([...base.instances, [java, instance]]),
      servers: new Map([...base.servers, ['10.0.0.1', 'ENABLED']]),
      items: items({}, { owner: java }),
      ...changes,
    };
  };

  test('the nodes of their items count, and those of ours do not', () => {
    expect(missing('started', mixed({}))).toEqual([`1 overdue ${java}`]);
    expect(missing('started', mixed({ startedItems: new Set([1]) }))).toEqual([]);
    expect(missing('started', view(onlyA, { startedItems: new Set([1]) }))).toEqual(['1 overdue B']);
  });

  test('what they run is waited for as long as it runs', () => {
    const now = mixed({ items: items({}, { owner: java, running: true }) });

    expect(missing('completed', now)).toEqual(['0 ending A', `1 running ${java}`]);
  });
});
