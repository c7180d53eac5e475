import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import {
  decodeEndRecord,
  encodeEndRecord,
  type EndRecord,
  lastEnds,
  mergeEndRecords,
  NOTHING_ENDED,
  type RunEnd,
  withEnded,
  withoutCompleted,
} from '../../../lib/layout/x-node/end-record.js';
import { expectProperty } from '../../support/property.js';

const later = 1767225600000;
const earlier = 1767225595000;

type Entry = readonly [item: number, instant: number, end?: RunEnd];

function record(...entries: readonly Entry[]): EndRecord {
  return withEnded(
    NOTHING_ENDED,
    entries.map(([item, instant, end = 'succeeded']) => ({ item, instant, end })),
  );
}

describe('a record of ended runs', () => {
  test('has a line for the items of an instant that succeeded, and one for those that failed, the latest first', () => {
    const ended = record([0, later], [1, later], [2, later], [4, later, 'failed'], [4, earlier]);

    expect(encodeEndRecord(ended)).toBe(`${later}: 0-2\n${later} failed: 4\n${earlier}: 4`);
  });

  test('of an instance that has ended nothing is an empty text', () => {
    expect(encodeEndRecord(NOTHING_ENDED)).toBe('');
    expect(decodeEndRecord('')).toEqual(NOTHING_ENDED);
  });

  test('is read back as it was written', () => {
    const entries = fc.array(
      fc.tuple(
        fc.nat(2000),
        fc.nat(5).map((ago) => later - ago * 5000),
        fc.constantFrom<RunEnd>('succeeded', 'failed'),
      ),
    );

    expectProperty(
      fc.property(entries, (given) => {
        const ended = record(...given);
        expect(decodeEndRecord(encodeEndRecord(ended))).toEqual(ended);
      }),
    );
  });

  test('is read as far as it can be', () => {
    expect(decodeEndRecord(`${later}: 0,x,2\nnonsense\n${earlier} lost: 3\n${earlier} failed: 1`)).toEqual(
      record([0, later], [2, later], [1, earlier, 'failed']),
    );
  });

  test('that is too long has of the earlier instants only the last end of each item', () => {
    const odd = Array.from({ length: 40_000 }, (_, index) => index * 2 + 1);
    const ended = record(...odd.map((item): Entry => [item, later]), [1, earlier], [2, earlier]);

    expect(encodeEndRecord(ended).split('\n').slice(1)).toEqual([`${earlier}: 2`]);
  });
});

test('a failure counts, whichever of two records has it', () => {
  const [one, other] = [record([0, later, 'failed']), record([0, later])];

  expect(mergeEndRecords([one, other])).toEqual(one);
  expect(mergeEndRecords([other, one])).toEqual(one);
});

test('the last end of an item is that of its latest instant', () => {
  expect(lastEnds(record([0, later], [0, earlier], [1, earlier]))).toEqual(
    new Map([
      [0, later],
      [1, earlier],
    ]),
  );
});

test('ends of complete rounds go, except the last one of each item', () => {
  const ended = record([0, later], [0, earlier], [1, earlier, 'failed']);

  expect(withoutCompleted(ended, {})).toEqual(ended);
  expect(withoutCompleted(ended, { scheduled: earlier })).toEqual(record([0, later], [1, earlier, 'failed']));
  expect(withoutCompleted(ended, { scheduled: later })).toEqual(record([0, later], [1, earlier, 'failed']));
});

test('ends for run keys are kept beside those of the schedule', () => {
  const [first, second] = [earlier + 1, later + 1];
  const ended = record([0, later], [0, earlier], [0, first], [0, second]);

  expect(withoutCompleted(ended, { key: second })).toEqual(record([0, later], [0, earlier], [0, second]));
  expect(withoutCompleted(ended, { scheduled: later, key: first })).toEqual(record([0, later], [0, second]));
});
