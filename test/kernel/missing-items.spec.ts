import { describe, expect, test } from '@jest/globals';
import { type JobView, NO_GUARANTEE } from '../../lib/layout/job-view.js';
import { missingItems } from '../../lib/kernel/once/missing-items.js';
import { aConfiguration, anItem, aView, idOf, ipOf } from '../support/views.js';

const NOW = 5_000;
const ROUND = `${NOW}/ONCE`;
const [A, B] = [idOf('A'), idOf('B')];

/** What instances have told, by name: `{ A: '5000/ONCE started 0' }` as items by state and round. */
type Told = Readonly<Record<string, Readonly<Record<string, { started?: number[]; completed?: number[] }>>>>;

const attendanceOf = (told: Told): JobView['guarantee'] => ({
  ...NO_GUARANTEE,
  arrivals: new Map(
    Object.entries(told).map(([name, rounds]) => [
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
const view = (told: Told, changes: Partial<JobView> = {}): JobView =>
  aView(['A', 'B'], { guarantee: attendanceOf(told), ...changes });

const missing = (
  stage: 'started' | 'completed',
  now: JobView,
  { byHand = false, toCatchUp = undefined as number | undefined } = {},
): readonly string[] =>
  missingItems(
    now,
    byHand ? { stage, key: 'hand-1/ONCE', instant: undefined } : { stage, key: ROUND, instant: NOW },
    () => toCatchUp,
  ).map(({ item, why, by }) => `${item} ${why} ${by === undefined ? '' : by === A ? 'A' : by === B ? 'B' : by}`.trim());

const both = { A: { [ROUND]: { started: [0] } }, B: { [ROUND]: { started: [1] } } };
const onlyA = { A: { [ROUND]: { started: [0] } } };
const items = (...changes: Parameters<typeof anItem>[1][]) =>
  changes.map((change, item) => anItem(item, { owner: item === 0 ? A : B, ...change }));
const failover = aConfiguration({ failover: true });

describe('before items start, missing are', () => {
  test.each<[string, JobView, readonly string[]]>([
    ['none, if all have come', view(both), []],
    ['those whose owner lives and has not come', view(onlyA), ['1 late B']],
    ['not those that are disabled', view(onlyA, { items: items({}, { disabled: true }) }), []],
    [
      'not those of an instance that is gone',
      aView(['A'], { guarantee: attendanceOf(onlyA), items: items({}, {}) }),
      [],
    ],
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
    ['not those whose owner has told of a later firing', view({ ...onlyA, B: { '6000/ONCE': { started: [1] } } }), []],
    [
      'not those that run for an earlier firing',
      view({ ...onlyA, B: { '4000/ONCE': { started: [1] } } }, { items: items({}, { running: true }) }),
      [],
    ],
    ['those that run for nobody knows what', view(onlyA, { items: items({}, { running: true }) }), ['1 unaccounted B']],
    [
      'not those that have crashed',
      view(onlyA, { config: failover, crashedItems: [1], lastBegun: new Map([[1, NOW]]) }),
      [],
    ],
    ['not those that came to an instance that has come already', view(onlyA, { items: items({}, { owner: A }) }), []],
    ['not those beyond the number of items', view(onlyA, { config: aConfiguration({ shardingTotalCount: 1 }) }), []],
    ['those of a dead instance’s report too', view({ ...onlyA, C: { [ROUND]: { started: [1] } } }), ['1 late B']],
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
      'those that nobody marks, as long as they are not reported',
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
      'not those that crashed in another firing',
      view(aCompleted, { config: failover, crashedItems: [1], lastBegun: new Map([[1, NOW - 1]]) }),
      [],
    ],
    [
      'not those that crashed after they were begun by hand',
      view(aCompleted, {
        config: failover,
        crashedItems: [1],
        lastBegun: new Map([[1, NOW]]),
        manuallyBegun: new Set([1]),
      }),
      [],
    ],
    [
      'those whose death nobody has told of yet',
      view(aCompleted, { config: failover, items: items({}, gone), lastBegun: new Map([[1, NOW]]) }),
      ['1 crashed'],
    ],
    [
      'not those whose death is nobody’s business, without failover',
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
      ['1 unaccounted'],
    ],
  ])('%s', (_, now, expected) => {
    expect(missing('completed', now)).toEqual(expected);
  });

  test('those that their next owner will make up for, if it waits here itself, or is not known yet', () => {
    const handedOn = view(aCompleted, { items: items({}, { owner: A }) });
    const orphaned = aView(['A'], { guarantee: attendanceOf(aCompleted), items: items({}, {}) });

    expect(missing('completed', handedOn, { toCatchUp: NOW })).toEqual(['1 handed-on A']);
    expect(missing('completed', orphaned, { toCatchUp: NOW })).toEqual(['1 handed-on B']);
    expect(missing('completed', handedOn, { toCatchUp: NOW - 1 })).toEqual([]);
    expect(missing('started', handedOn, { toCatchUp: NOW })).toEqual([]);
  });
});

describe('of a firing by hand, missing are', () => {
  const round = 'hand-1/ONCE';

  test('those that crashed after they were begun by hand, and no others', () => {
    const told = { A: { [round]: { completed: [0] } } };
    const crashed = { config: failover, crashedItems: [1], lastBegun: new Map([[1, NOW]]) };

    expect(missing('completed', view(told, { ...crashed, manuallyBegun: new Set([1]) }), { byHand: true })).toEqual([
      '1 crashed',
    ]);
    expect(missing('completed', view(told, crashed), { byHand: true })).toEqual([]);
  });
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
    expect(missing('started', mixed({}))).toEqual([`1 late ${java}`]);
    expect(missing('started', mixed({ startedItems: new Set([1]) }))).toEqual([]);
    expect(missing('started', view(onlyA, { startedItems: new Set([1]) }))).toEqual(['1 late B']);
  });

  test('what they run is waited for as long as it runs', () => {
    const now = mixed({ items: items({}, { owner: java, running: true }) });

    expect(missing('completed', now)).toEqual(['0 ending A', `1 running ${java}`]);
  });
});
