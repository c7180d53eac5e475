import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import {
  decodeBeginRecord,
  encodeBeginRecord,
  type BeginRecord,
  lastInstants,
  mergeBeginRecords,
  rewritten,
  NOTHING_BEGUN,
  withBegun,
  withoutBegun,
  withReturned,
} from '../../../lib/layout/x-node/begin-record.js';
import { expectProperty } from '../../support/property.js';

const later = 1767225600000;
const earlier = 1767225595000;

type Entries = Iterable<readonly [item: number, instant: number]>;

type Manual = number | readonly [item: number, jobParameter: string];

function record(instants: Entries, manual: readonly Manual[] = [], returned: Entries = []): BeginRecord {
  const entries = manual.map((entry) => (typeof entry === 'number' ? ([entry, undefined] as const) : entry));
  return { ...NOTHING_BEGUN, instants: new Map(instants), manual: new Map(entries), returned: new Map(returned) };
}

test('items of one instant share a line, in ranges, and the latest instant comes first', () => {
  const firings = record([4, 7, 0, 2, 1, 3].map((item) => [item, item === 4 ? earlier : later]));

  expect(encodeBeginRecord(firings)).toBe(`${later}: 0-3,7\n${earlier}: 4`);
});

test('a thousand items that fired together need thirty characters', () => {
  const firings = record(Array.from({ length: 1000 }, (_, item) => [item, later] as const));

  expect(encodeBeginRecord(firings)).toBe(`${later}: 0-999`);
});

test('an instance that has begun nothing keeps an empty text', () => {
  expect(encodeBeginRecord(NOTHING_BEGUN)).toBe('');
  expect(decodeBeginRecord('')).toEqual(NOTHING_BEGUN);
});

test('what is written is read back', () => {
  const firings = fc.array(
    fc.tuple(
      fc.nat(2000),
      fc.nat(5).map((ago) => later - ago * 5000),
    ),
  );

  expectProperty(
    fc.property(
      firings,
      fc.array(fc.oneof(fc.nat(2000), fc.tuple(fc.nat(2000), fc.string()))),
      firings,
      (entries, manual, returned) => {
        const written = record(entries, manual, returned);
        expect(decodeBeginRecord(encodeBeginRecord(written))).toEqual(written);
      },
    ),
  );
});

test.each<[text: string, firings: Record<number, number>]>([
  ['', {}],
  ['TRIGGER', {}],
  ['1767225600000', {}],
  ['x: 1\n1767225600000: 2', { 2: later }],
  ['1767225600000: 1,x,-3,5-4,7,8x', { 1: later, 7: later }],
  ['1767225600000: 0-2147483647,8', { 8: later }],
  [' 1767225600000 : 1 , 2 \r\n', { 1: later, 2: later }],
  ['1767225595000: 1\n1767225600000: 1\n1767225595000: 1', { 1: later }],
])('of %j all is taken that can be read', (text, firings) => {
  expect(Object.fromEntries(decodeBeginRecord(text).instants)).toEqual(firings);
});

test('blanks within a line do no harm', () => {
  expect(decodeBeginRecord('  manual   "x" : 2\n  returned   1767225600000 : 1\r\n')).toEqual(
    record([], [[2, 'x']], [[1, later]]),
  );
});

test('all items that a job can have are read, and a range that no job can have is left out', () => {
  expect(decodeBeginRecord(`${later}: 1-100000`).instants.size).toBe(100_000);
  expect(decodeBeginRecord(`${later}: 0-100000`).instants.size).toBe(0);
});

test('items that were begun manually after their last instant stand in a line of their own', () => {
  expect(encodeBeginRecord(record([[4, later]], [4, 6, 5]))).toBe(`${later}: 4\nmanual: 4-6`);
});

test('items that were brought back stand in lines of their own, with the last instant before that', () => {
  expect(encodeBeginRecord(record([[4, earlier]], [], [[4, later]]))).toBe(`${earlier}: 4\nreturned ${later}: 4`);
});

test.each(['returned', 'returned x', 'returned 1767225600000 1'])('what %j says of an item is left out', (key) => {
  expect(decodeBeginRecord(`${key}: 1`)).toEqual(record([]));
});

describe('of several records', () => {
  test('the latest instant of each item counts', () => {
    const { instants } = mergeBeginRecords([
      record([[0, earlier]]),
      undefined,
      record([[0, later]]),
      record([[1, earlier]]),
    ]);
    expect(instants).toEqual(
      new Map([
        [0, later],
        [1, earlier],
      ]),
    );
  });

  test('an item was brought back if that was after its latest instant, and after the latest of them', () => {
    const { returned } = mergeBeginRecords([
      record(
        [[0, earlier]],
        [],
        [
          [0, earlier],
          [1, later],
          [2, earlier],
        ],
      ),
      record(
        [
          [2, earlier],
          [3, later],
        ],
        [],
        [
          [1, earlier],
          [3, earlier],
        ],
      ),
    ]);
    expect(returned).toEqual(new Map([[1, later]]));
  });

  test('the last instants are those that items were begun for, or brought back after', () => {
    const merged = mergeBeginRecords([
      record(
        [
          [0, earlier],
          [1, later],
        ],
        [],
        [[0, later]],
      ),
    ]);
    expect(lastInstants(merged)).toEqual(
      new Map([
        [0, later],
        [1, later],
      ]),
    );
  });

  test('an item was begun manually if that was after the latest instant', () => {
    const triggered = record(
      [
        [0, earlier],
        [1, earlier],
      ],
      [0, 1, 2],
    );
    expect(
      mergeBeginRecords([
        triggered,
        record([
          [0, later],
          [1, earlier],
        ]),
      ]).manual,
    ).toEqual(new Map([1, 2].map((item) => [item, undefined])));
  });
});

describe('bringing items back', () => {
  test('keeps what they were begun for', () => {
    const before = record(
      [
        [0, earlier],
        [1, earlier],
      ],
      [1],
      [[0, earlier - 5_000]],
    );
    expect(withReturned(before, [0, 1], later)).toEqual(
      record(
        [
          [0, earlier],
          [1, earlier],
        ],
        [1],
        [
          [0, later],
          [1, later],
        ],
      ),
    );
  });

  test('is over when they are begun for that instant or a later one', () => {
    const before = record(
      [],
      [],
      [
        [0, later],
        [1, later],
        [2, earlier],
      ],
    );
    expect(withBegun(before, [0, 2], { instant: later }, new Map())).toEqual(
      record(
        [
          [0, later],
          [2, later],
        ],
        [],
        [[1, later]],
      ),
    );
  });

  test('holds if the begin of an earlier instant reaches the registry centre after it', () => {
    const before = record([], [], [[0, later]]);
    expect(withBegun(before, [0], { instant: earlier }, new Map())).toEqual(record([[0, earlier]], [], [[0, later]]));
  });

  test('holds again if the begin is taken back', () => {
    const before = record(
      [],
      [],
      [
        [0, earlier],
        [1, earlier],
      ],
    );
    const begun = withBegun(before, [0, 1], { instant: later }, new Map());
    const since = withReturned(begun, [1], later + 5_000);
    expect(withoutBegun(since, [0, 1], before)).toMatchObject(
      record(
        [],
        [],
        [
          [0, earlier],
          [1, later + 5_000],
        ],
      ),
    );
  });
});

describe('beginning an item', () => {
  test('for an instant replaces what was begun before, manually or not', () => {
    expect(withBegun(record([[0, earlier]], [0]), [0], { instant: later }, new Map())).toEqual(record([[0, later]]));
  });

  test('of a manual run names the last instant that anybody has begun it for', () => {
    expect(withBegun(record([]), [0, 1], { instant: undefined }, new Map([[0, later]]))).toEqual(
      record([[0, later]], [0, 1]),
    );
  });
});

test('a manual run with a job parameter of its own is on record with it, whatever it says', () => {
  const begun = withBegun(
    record([]),
    [0, 1],
    { instant: undefined, jobParameter: 'a "b": 7\n' },
    new Map([[0, later]]),
  );
  const text = `${later}: 0\nmanual: 2\nmanual "a \\"b\\": 7\\n": 0-1`;

  const both = withBegun(begun, [2], { instant: undefined }, new Map());
  expect(encodeBeginRecord(both).split('\n').sort()).toEqual(text.split('\n').sort());
  expect(decodeBeginRecord(text)).toEqual(both);
});

test('a job parameter that cannot be read is none', () => {
  expect(decodeBeginRecord('manual "\\x": 2')).toEqual(record([], [2]));
});

test('what was not to be begun is taken back, item by item', () => {
  const before = record([[0, earlier]], [1]);
  const begun = withBegun(before, [0, 1], { instant: later }, new Map());
  const since = withBegun(begun, [2], { instant: later }, new Map());
  expect(withoutBegun(since, [0, 1], before)).toMatchObject(
    record(
      [
        [0, earlier],
        [2, later],
      ],
      [1],
    ),
  );
});

describe('that was written for another reason than a begin', () => {
  const begun = encodeBeginRecord(record([[0, earlier]]));

  test('says so, whether a begin was taken back, records were merged, or a session was lost', () => {
    const takenBack = withoutBegun(
      withBegun(record([[0, earlier]]), [0], { instant: later }, new Map()),
      [0],
      record([[0, earlier]]),
    );

    expect(encodeBeginRecord(takenBack)).toBe(`${earlier}: 0\nrewritten`);
    expect(rewritten(begun)).toBe(`${earlier}: 0\nrewritten`);
    expect(rewritten(rewritten(begun))).toBe(rewritten(begun));
    expect(decodeBeginRecord(rewritten(begun))).toEqual({ ...record([[0, earlier]]), isRewritten: true });
  });

  test('says so until the next begin by the schedule', () => {
    const before = decodeBeginRecord(rewritten(begun));

    expect(withBegun(before, [0], { instant: undefined }, new Map()).isRewritten).toBe(true);
    expect(withBegun(before, [0], { instant: later }, new Map())).toEqual(record([[0, later]]));
  });

  test('is empty if nothing is on record', () => {
    expect(rewritten('')).toBe('');
    expect(encodeBeginRecord({ ...record([]), isRewritten: true })).toBe('');
  });
});

test('runs for a run key are a sequence of their own, and the last run of an item is known', () => {
  const key = later + 1;
  const scheduled = withBegun(NOTHING_BEGUN, [0, 1], { instant: earlier }, new Map());
  const keyed = withBegun(scheduled, [1], { instant: key }, new Map());

  expect(encodeBeginRecord(keyed)).toBe(`${earlier}: 0-1\nrun ${key}: 1`);
  expect(decodeBeginRecord(encodeBeginRecord(keyed))).toEqual(keyed);

  const later_ = withBegun(keyed, [1], { instant: later }, new Map());
  expect(encodeBeginRecord(later_)).toBe(`${later}: 1\n${earlier}: 0\nearlier run ${key}: 1`);
  expect(decodeBeginRecord(encodeBeginRecord(later_))).toEqual(later_);
  expect([...mergeBeginRecords([later_, NOTHING_BEGUN]).keys]).toEqual([[1, key]]);
  expect(withoutBegun(keyed, [1], scheduled)).toMatchObject({ keys: new Map(), keyed: new Set() });
});
