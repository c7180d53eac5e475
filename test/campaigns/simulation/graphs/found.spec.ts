/** Histories of graphs that once showed a fault, of the library or of a rule, and must not show it again. */
import { describe, expect, test } from '@jest/globals';
import { faultsOf } from '../kind.js';
import { graphHistoryOf } from './graph-storyteller.js';

interface Found {
  readonly rule: string;
  readonly what: string;
  readonly seeds: readonly number[];
}

const FOUND: readonly Found[] = [
  {
    rule: 'recordedRounds',
    what: 'a run that ended while its instance had no session is on record when the next session removes its mark',
    seeds: [9],
  },
  {
    rule: 'earlyRounds',
    what: 'an item that runs holds its round open, although new settings would not let it begin any more',
    seeds: [64],
  },
  {
    rule: 'earlyRounds',
    what: 'an end whose commit had no answer is not written with the end of another item, while its mark still stands',
    seeds: [93],
  },
  {
    rule: 'earlyRounds',
    what: 'an item that is none any more holds its round open until it has ended',
    seeds: [1110, 1147],
  },
  {
    rule: 'earlyRounds',
    what: 'so does one of whose run the leader has not read the record yet',
    seeds: [5385],
  },
  {
    rule: 'earlyRounds',
    what: 'an item that took no part in a complete round does not run for it later, although new settings would let it',
    seeds: [1052],
  },
  {
    rule: 'recordedRounds',
    what: 'an item that a failure upstream has stopped makes no earlier round part of a later one',
    seeds: [1309],
  },
  {
    rule: 'recordedRounds',
    what: 'a run that is lost without failover has failed, although its item runs for the next instant by now',
    seeds: [3374],
  },
  {
    rule: 'missedRounds',
    what: 'item by item, an instant that other upstream items have made up for later need not be run',
    seeds: [1304],
  },
  {
    rule: 'endless',
    what: 'a clock that has fractions of milliseconds makes no record that cannot be read',
    seeds: [1221],
  },
  {
    rule: 'returnedItems',
    what: 'a job that was blocked runs the rounds that it has missed with the items that it has then',
    seeds: [1233],
  },
  {
    rule: 'earlyRounds',
    what: 'a registry that was wiped does not know for which instants items have run',
    seeds: [115],
  },
];

describe('histories of graphs that once failed', () => {
  test.each(FOUND.flatMap(({ seeds, ...found }) => seeds.map((seed) => ({ seed, ...found }))))(
    'seed $seed: $what ($rule)',
    async ({ seed }) => {
      expect(await faultsOf(graphHistoryOf(seed))).toEqual([]);
    },
  );
});
