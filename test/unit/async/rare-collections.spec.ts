import { describe, expect, test } from '@jest/globals';
import { RareMap, RareSet, withoutValue, withValue } from '../../../lib/async/rare-collections.js';

describe('A map that is empty nearly all the time', () => {
  test('has nothing at first', () => {
    const map = new RareMap<string, number>();

    expect([map.size, map.has('a'), map.get('a'), map.delete('a')]).toEqual([0, false, undefined, false]);
    expect([[...map], [...map.keys()], [...map.values()], [...map.entries()]]).toEqual([[], [], [], []]);
    map.forEach(() => expect('nothing').toBe('called'));
    map.clear();
  });

  test('is a map like any other, also when it was empty again', () => {
    const map = new RareMap<string, number>();
    for (let round = 0; round < 2; round++) {
      map.set('a', 1).set('b', 2).set('a', 3);
      expect([map.size, map.has('a'), map.get('a'), map.get('c')]).toEqual([2, true, 3, undefined]);
      expect([...map]).toEqual([
        ['a', 3],
        ['b', 2],
      ]);
      expect([[...map.keys()], [...map.values()], [...map.entries()].length]).toEqual([['a', 'b'], [3, 2], 2]);
      const called: unknown[] = [];
      map.forEach((value, key, all) => called.push([key, value, all === map]));
      expect(called).toEqual([
        ['a', 3, true],
        ['b', 2, true],
      ]);
      expect([map.delete('a'), map.delete('a'), map.size, map.delete('b'), map.size]).toEqual([
        true,
        false,
        1,
        true,
        0,
      ]);
    }
    map.set('x', 1).clear();
    expect([map.size, map.has('x')]).toEqual([0, false]);
  });

  test('does not share what is put into it with others', () => {
    const [one, other] = [new RareMap<string, number>(), new RareMap<string, number>()];
    one.set('a', 1);
    expect([...other]).toEqual([]);
  });

  test('can be emptied while it is gone through', () => {
    const map = new RareMap<number, string>().set(1, 'a').set(2, 'b');
    for (const [key] of map) map.delete(key);
    expect(map.size).toBe(0);
  });
});

describe('A set that is empty nearly all the time', () => {
  test('has nothing at first', () => {
    const set = new RareSet<string>();

    expect([set.size, set.has('a'), set.delete('a')]).toEqual([0, false, false]);
    expect([[...set], [...set.keys()], [...set.values()], [...set.entries()]]).toEqual([[], [], [], []]);
    set.forEach(() => expect('nothing').toBe('called'));
    set.clear();
  });

  test('is a set like any other, also when it was empty again', () => {
    const set = new RareSet<string>();
    for (let round = 0; round < 2; round++) {
      set.add('a').add('b').add('a');
      expect([set.size, set.has('a'), set.has('c')]).toEqual([2, true, false]);
      expect([[...set], [...set.keys()], [...set.values()]]).toEqual([
        ['a', 'b'],
        ['a', 'b'],
        ['a', 'b'],
      ]);
      expect([...set.entries()]).toEqual([
        ['a', 'a'],
        ['b', 'b'],
      ]);
      const called: unknown[] = [];
      set.forEach((value, again, all) => called.push([value, again, all === set]));
      expect(called).toEqual([
        ['a', 'a', true],
        ['b', 'b', true],
      ]);
      expect([set.delete('a'), set.delete('a'), set.size, set.delete('b'), set.size]).toEqual([
        true,
        false,
        1,
        true,
        0,
      ]);
    }
    set.add('x').clear();
    expect([set.size, set.has('x')]).toEqual([0, false]);
  });
});

test('a field has a set only as long as that has values', () => {
  const one = withValue(undefined, 'a');
  expect(withValue(one, 'b')).toBe(one);
  expect([...one]).toEqual(['a', 'b']);

  expect(withoutValue(one, 'a')).toBe(one);
  expect(withoutValue(one, 'c')).toBe(one);
  expect(withoutValue(one, 'b')).toBeUndefined();
  expect(withoutValue(undefined, 'b')).toBeUndefined();
});
