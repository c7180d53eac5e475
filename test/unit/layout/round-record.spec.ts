import { describe, expect, test } from '@jest/globals';

import { decodeSuccessor, encodeSuccessor } from '../../../lib/layout/x-node/graph-view.js';
import {
  decodeRounds,
  encodeRounds,
  MOST_ROUNDS,
  NO_ROUNDS,
  type Round,
  withRounds,
} from '../../../lib/layout/x-node/round-record.js';

const start = 1767225600000;

function aRound(number: number, changes: Partial<Round> = {}): Round {
  const instant = start + number * 5000;
  return { instant, completedAt: instant + 120, outcome: 'succeeded', failed: [], ...changes };
}

describe('a record of rounds', () => {
  test('has a line for each, with its number, instant, completion and outcome, the latest first', () => {
    const rounds = withRounds(NO_ROUNDS, [aRound(0), aRound(1, { outcome: 'failed', failed: [4, 5, 7] })]);

    expect(encodeRounds(rounds)).toBe(
      `2 ${start + 5000} ${start + 5120} failed: 4-5,7\n1 ${start} ${start + 120} succeeded`,
    );
    expect(decodeRounds(encodeRounds(rounds))).toEqual(rounds);
  });

  test('of a job without rounds is an empty text', () => {
    expect(encodeRounds(NO_ROUNDS)).toBe('');
    expect(decodeRounds('')).toEqual(NO_ROUNDS);
  });

  test('keeps the latest hundred, and counts on', () => {
    const all = Array.from({ length: MOST_ROUNDS + 3 }, (_, number) => aRound(number));
    const text = encodeRounds(withRounds(NO_ROUNDS, all));

    expect(decodeRounds(text)).toEqual({
      ...{ rounds: all.slice(3), count: MOST_ROUNDS + 3, droppedUpTo: start + 2 * 5000 },
    });
    expect(encodeRounds(decodeRounds(text))).toBe(text);
  });

  test('that would be too long keeps the latest round, and as many before it as fit', () => {
    const failed = Array.from({ length: 8_000 }, (_, index) => index * 2);
    const all = [0, 1, 2, 3].map((number) => aRound(number, { outcome: 'failed', failed }));

    const text = encodeRounds(withRounds(NO_ROUNDS, all));

    expect(text.length).toBeLessThan(100_000);
    expect(decodeRounds(text).rounds).toEqual(all.slice(-2));
  });

  test('is read as far as it can be', () => {
    expect(decodeRounds(`3 ${start} ${start + 120} succeeded\n2 ${start} x succeeded\n1 1 2 unheard-of`)).toEqual({
      rounds: [aRound(0)],
      count: 3,
      droppedUpTo: undefined,
    });
  });
});

test.each([undefined, start])('a successor is due for rounds after %s', (since) => {
  expect(decodeSuccessor(encodeSuccessor(since))).toBe(since);
});
