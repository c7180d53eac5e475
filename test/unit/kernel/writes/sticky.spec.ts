import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type JobInstance } from '../../../../lib/api/extensions/sharding-strategy.js';
import { sticky } from '../../../../lib/kernel/types/strategies/sticky.js';
import { TestCluster } from '../../../../lib/testing/index.js';
import { expectProperty } from '../../../support/property.js';

type Owners = ReadonlyMap<number, string>;

const instancesOf = (names: readonly string[]): readonly JobInstance[] =>
  names.map((name) => ({ jobInstanceId: name, serverIp: '10.0.0.1' }));

/** The owners after STICKY has assigned the items. */
function assigned(names: readonly string[], total: number, before: Owners = new Map()): Owners {
  const shares = sticky.sharding(instancesOf(names), 'job', total, before);
  return new Map([...shares].flatMap(([name, items]) => items.map((item) => [item, name] as const)));
}

const countsOf = (names: readonly string[], owners: Owners): readonly number[] =>
  names.map((name) => [...owners.values()].filter((owner) => owner === name).length);

/** How many of the items 0 … total − 1 have another owner than before. */
const moved = (total: number, before: Owners, after: Owners): number =>
  Array.from({ length: total }, (_, item) => item).filter((item) => before.get(item) !== after.get(item)).length;

const isSpread = (counts: readonly number[]): boolean => Math.max(...counts) - Math.min(...counts) <= 1;

/** The fewest moves by which the items can be spread: all possible assignments are tried. */
function fewestMoves(names: readonly string[], total: number, before: Owners): number {
  let fewest = Infinity;
  for (let code = 0; code < names.length ** total; code++) {
    const digits = Array.from({ length: total }, (_, item) => Math.floor(code / names.length ** item) % names.length);
    const after: Owners = new Map(digits.map((digit, item) => [item, String(names[digit])]));
    if (isSpread(countsOf(names, after))) fewest = Math.min(fewest, moved(total, before, after));
  }
  return fewest;
}

const NAMES = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
const members = fc.shuffledSubarray(NAMES, { minLength: 1 });
const totals = fc.integer({ min: 1, max: 40 });

describe('STICKY', () => {
  test('gives each item to exactly one instance, and no instance has two items more than another', () => {
    const property = fc.property(fc.array(fc.tuple(members, totals), { minLength: 1, maxLength: 6 }), (steps) => {
      let owners: Owners = new Map();
      for (const [names, total] of steps) {
        owners = assigned(names, total, owners);
        expect([...owners.keys()].sort((one, other) => one - other)).toEqual([...Array(total).keys()]);
        expect(isSpread(countsOf(names, owners))).toBe(true);
      }
    });
    expectProperty(property, { numRuns: 300 });
  });

  test('moves, when an instance joins, only items to it, and at most ⌈items ÷ instances⌉', () => {
    const property = fc.property(
      fc.shuffledSubarray(NAMES, { minLength: 2 }),
      totals,
      ([joining = '', ...names], total) => {
        const before = assigned(names, total);
        const after = assigned([joining, ...names], total, before);
        const taken = [...after].filter(([item, owner]) => before.get(item) !== owner);

        expect(taken.every(([, owner]) => owner === joining)).toBe(true);
        expect(taken.length).toBeLessThanOrEqual(Math.ceil(total / (names.length + 1)));
      },
    );
    expectProperty(property, { numRuns: 300 });
  });

  test('moves, when an instance leaves, only its items', () => {
    const property = fc.property(
      fc.shuffledSubarray(NAMES, { minLength: 2 }),
      totals,
      ([leaving = '', ...names], total) => {
        const before = assigned([leaving, ...names], total);
        const after = assigned(names, total, before);

        expect([...before].filter(([item, owner]) => owner !== leaving && after.get(item) !== owner)).toEqual([]);
      },
    );
    expectProperty(property, { numRuns: 300 });
  });

  test('moves no more items than any other assignment that spreads them, whatever the owners were', () => {
    const names = fc.shuffledSubarray(['A', 'B', 'C'], { minLength: 1 });
    const owners = fc.dictionary(
      fc.constantFrom('0', '1', '2', '3', '4', '5', '6'),
      fc.constantFrom('A', 'B', 'C', 'gone'),
    );
    const property = fc.property(names, fc.integer({ min: 1, max: 6 }), owners, (available, total, former) => {
      const before: Owners = new Map(Object.entries(former).map(([item, owner]) => [Number(item), owner]));

      expect(moved(total, before, assigned(available, total, before))).toBe(fewestMoves(available, total, before));
    });
    expectProperty(property, { numRuns: 300 });
  });

  test('changes nothing if nothing has changed, and not the owners that it is given', () => {
    const property = fc.property(members, totals, (names, total) => {
      const before = assigned(names, total);
      const copy = new Map(before);

      expect(new Map([...assigned([...names].reverse(), total, before)].sort(([one], [other]) => one - other))).toEqual(
        new Map([...before].sort(([one], [other]) => one - other)),
      );
      expect(before).toEqual(copy);
    });
    expectProperty(property);
  });

  test('assigns as AVG_ALLOCATION’s neighbours at first', () => {
    expect(Object.fromEntries(sticky.sharding(instancesOf(['A', 'B', 'C']), 'job', 8))).toEqual({
      A: [0, 1, 2],
      B: [3, 4, 5],
      C: [6, 7],
    });
  });
});

test('in a cluster, items stay with their owners although the leader changes', async () => {
  const job = { jobShardingStrategyType: 'sticky', shardingTotalCount: 7 };
  await using cluster = await TestCluster.start(['A', 'B'], { job });
  await cluster.fire();
  const { A: ofA = [], B: ofB = [] } = cluster.owners;

  await cluster.join('C');
  const { C: ofC = [], ...others } = cluster.owners;
  expect(ofC).toHaveLength(2);
  expect(others).toEqual({
    A: ofA.filter((item) => !ofC.includes(item)),
    B: ofB.filter((item) => !ofC.includes(item)),
  });

  await cluster.leave(String(cluster.leader));
  expect(cluster.owners['C']).toEqual(expect.arrayContaining(ofC));
  expect(cluster.owners['B']).toEqual(expect.arrayContaining(others['B'] ?? []));
});
