import { describe, expect, test } from '@jest/globals';
import {
  decodeArrivals,
  decodeCall,
  decodeCalled,
  describeRound,
  encodeArrivals,
  encodeCall,
  encodeCalled,
  parseRoundKey,
  roundKey,
} from '../../../lib/layout/x-node/arrival-record.js';
import { readJobView } from '../../../lib/layout/job-view.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';

describe('the key of a round', () => {
  test.each([
    [{ firing: { instant: 1893456005000 }, type: 'AUDIT' }, '1893456005000/AUDIT'],
    [{ firing: { manual: 345 }, type: 'month end' }, 'hand-345/MONTH%20END'],
    [{ firing: { manual: 1 }, type: '审计/x' }, 'hand-1/%E5%AE%A1%E8%AE%A1%2FX'],
  ])('of %j is %s, and is read as what it was made of', (round, key) => {
    expect(roundKey(round)).toBe(key);
    expect(parseRoundKey(key)).toEqual({ ...round, type: round.type.toUpperCase() });
  });

  test('does not depend on the case of the type, and exists for what is no text', () => {
    const firing = { manual: 1 };

    expect(roundKey({ firing, type: 'audit' })).toBe(roundKey({ firing, type: 'Audit' }));
    expect(roundKey({ firing, type: '\ud800' })).toBe('hand-1/%EF%BF%BD');
  });

  test('is described to people', () => {
    expect(describeRound('1893456005000/AUDIT')).toBe('the firing at 2030-01-01T00:00:05.000Z (listener AUDIT)');
    expect(describeRound('hand-3/AUDIT')).toBe('the manual firing number 3 (listener AUDIT)');
    expect(describeRound('garbage')).toBe('garbage');
  });

  test.each(['', 'AUDIT', '12', 'hand-/A', '-5/A', '5/%', '5/A B'])('is not %j', (key) => {
    expect(parseRoundKey(key)).toBeUndefined();
  });
});

describe('the record of an instance', () => {
  test('tells of each round which items have started, and which have completed', () => {
    const rounds = new Map([
      ['5/A', { started: new Set([7, 1, 2]), completed: new Set<number>() }],
      ['hand-1/A', { started: new Set([3]), completed: new Set([0, 1, 5]) }],
      ['6/A', { started: new Set<number>(), completed: new Set([9]) }],
    ]);

    const text = encodeArrivals({ rounds, dropped: new Map() });

    expect(text).toBe('5/A started 1-2,7\nhand-1/A started 3 completed 0-1,5\n6/A completed 9');
    expect(decodeArrivals(text)).toEqual({ rounds, dropped: new Map() });
    expect(encodeArrivals({ rounds: new Map(), dropped: new Map() })).toBe('');
  });

  test('tells in which rounds the instance waits no more, and which firings it has dropped', () => {
    const rounds = new Map([['5/A', { started: new Set<number>(), completed: new Set([9]), isLeft: true }]]);
    const dropped = new Map([
      [5000, new Set([0, 1, 3])],
      [10_000, new Set<number>()],
    ]);

    const text = encodeArrivals({ rounds, dropped });

    expect(text).toBe('dropped 5000:0-1,3 10000\n5/A completed 9 left');
    expect(decodeArrivals(text)).toEqual({ rounds, dropped });
  });

  test('is read as far as it can be', () => {
    expect(decodeArrivals('\ngarbage in it\ndropped x\nnot dropped 6\ndropped 7 or so\n5/A started 1\n')).toEqual({
      rounds: new Map([['5/A', { started: new Set([1]), completed: new Set() }]]),
      dropped: new Map(),
    });
  });
});

describe('the record of calls', () => {
  test('keeps the last ones, and numbers of manual firings longer', () => {
    const scheduled = Array.from({ length: 40 }, (_, instant) => `${instant}/A`);

    const kept = decodeCalled(encodeCalled(['hand-1/A', ...scheduled]));

    expect(kept).toEqual(['hand-1/A', ...scheduled.slice(-32)]);
    expect(decodeCalled('')).toEqual([]);
  });

  test('keeps the numbers of eight manual firings, of which the next numbers follow', () => {
    const scheduled = Array.from({ length: 40 }, (_, instant) => `${instant}/A`);
    const manual = Array.from({ length: 10 }, (_, number) => `hand-${number}/A`);

    expect(decodeCalled(encodeCalled([...manual, ...scheduled]))).toEqual([
      ...manual.slice(2),
      ...scheduled.slice(-32),
    ]);
  });

  test('names each round once', () => {
    expect(encodeCalled(['5/A', 'hand-1/A'])).toBe('5/A\nhand-1/A');
  });

  test('has beside it who makes a call', () => {
    const call = { key: '5/A', instance: '10.0.0.1@-@7' };

    expect(decodeCall(encodeCall(call))).toEqual(call);
    expect(['', '5/A', '5/A\n', '\n10.0.0.1@-@7'].map(decodeCall)).toEqual(Array(4).fill(undefined));
  });
});

test('a view has what the nodes say', () => {
  const paths = new JobPaths('bill');
  const node = (value: string) => ({ value, version: 0, revision: 1, session: undefined });

  const { guarantee } = readJobView(
    new Map([
      [paths.arrivals('A'), node('dropped 4:7\n5/A started 1')],
      [paths.arrivals('B'), node('')],
      [paths.called('started'), node('4/A\n5/A')],
      [paths.call('started'), node('5/A\nB')],
      [paths.called('completed'), node('3/A')],
      [paths.call('completed'), node('4/A\nA')],
    ]),
    'bill',
  );

  expect(guarantee).toEqual({
    arrivals: new Map([
      ['A', new Map([['5/A', { started: new Set([1]), completed: new Set() }]])],
      ['B', new Map()],
    ]),
    dropped: new Map([['A', new Map([[4, new Set([7])]])]]),
    started: { called: ['4/A', '5/A'], call: { key: '5/A', instance: 'B' } },
    completed: { called: ['3/A'], call: { key: '4/A', instance: 'A' } },
  });
});
