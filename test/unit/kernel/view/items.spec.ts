import { describe, expect, test } from '@jest/globals';
import { chooseItems, describeItems, isFree, wasBegun } from '../../../../lib/kernel/view/items.js';
import { type Firing } from '../../../../lib/kernel/view/firing.js';
import { type JobView } from '../../../../lib/layout/job-view.js';
import { aConfiguration, aView, anItem, idOf, ipOf } from '../../../support/views.js';

const T = Date.parse('2030-01-01T00:00:05Z');
const A = idOf('A');
const B = idOf('B');
const NOT_BUSY = new Set<number>();

test('items are described by ranges, in ascending order', () => {
  expect(describeItems([7, 0, 1, 2])).toBe('0-2,7');
  expect(describeItems([])).toBe('');
  expect(describeItems(Array.from({ length: 100_000 }, (_, item) => item))).toBe('0-99999');
});

test('of items in very many ranges the first ones are named, and how many there are', () => {
  const even = Array.from({ length: 50_000 }, (_, index) => 2 * index);

  const described = describeItems(even);

  expect(described).toMatch(/^0,2,4,.*,\d+,… \(50000 items\)$/);
  expect(described.length).toBeLessThan(230);
});

test('a description names all ranges up to 200 characters, then whole ranges only', () => {
  const odd = (count: number): number[] => Array.from({ length: count }, (_, index) => 2 * index + 1_001);

  expect(describeItems([...odd(39), 10_001])).toBe([...odd(39), 10_001].join(','));
  expect(describeItems(odd(41))).toBe(`${odd(40).join(',')},… (41 items)`);
});

interface Chosen {
  readonly cause?: Firing['cause'];
  readonly instant?: number | 'none';
  readonly items?: number[];
  readonly busy?: ReadonlySet<number>;
}

describe('what an instance runs for a firing', () => {
  const items = [0, 1, 2].map((item) => anItem(item, { owner: A }));
  const config = aConfiguration({ shardingTotalCount: 3 });
  const chosen = (changes: Partial<JobView> = {}, { instant = T, cause = 'schedule', ...more }: Chosen = {}) => {
    const { busy = NOT_BUSY, ...only } = more;
    const firing = { cause, instant: instant === 'none' ? undefined : instant, ...only };
    const choice = chooseItems(aView(['A', 'B'], { config, items, ...changes }), A, firing, busy);
    return { ...choice, items: choice.items.map(({ item }) => item), blocked: choice.blocked.map(({ item }) => item) };
  };

  test('is all its items that are free', () => {
    expect(chosen()).toEqual({ items: [0, 1, 2], blocked: [], decidedOn: [] });
  });

  test('leaves out what the assignment has left out, if it makes up for a firing: the item was not there then', () => {
    const assignmentRecord = { itemCount: 2, basis: 'ab' };

    expect(chosen({ assignmentRecord }, { cause: 'misfire' })).toEqual({ items: [0, 1], blocked: [], decidedOn: [] });
    expect(chosen({ assignmentRecord }).items).toEqual([0, 1, 2]);
  });

  test('is none of the items that are not its own, were taken away with their number, are disabled or were begun before', () => {
    const more = [
      anItem(0, { owner: A, disabled: true }),
      anItem(1, { owner: B }),
      anItem(2, { owner: A }),
      anItem(3, { owner: A }),
    ];
    const lastBegun = new Map([[2, T]]);

    expect(chosen({ items: more, lastBegun })).toEqual({ items: [], blocked: [], decidedOn: [0, 2] });
    expect(chosen({ items: more, lastBegun, config: undefined }).items).toEqual([3]);
  });

  test('is only what the firing is about', () => {
    expect(chosen({}, { items: [1, 7] })).toEqual({ items: [1], blocked: [], decidedOn: [] });
  });

  test('leaves items for later that run here or elsewhere, which needs no second decision', () => {
    const takenOver = [items[0]!, anItem(1, { owner: A, takenOverBy: B }), items[2]!];
    expect(chosen({ items: takenOver }, { busy: new Set([2]) })).toEqual({
      items: [0],
      blocked: [1, 2],
      decidedOn: [1, 2],
    });
  });

  test('leaves items for later that wait to be taken over', () => {
    const failover = aConfiguration({ shardingTotalCount: 3, failover: true });
    expect(chosen({ config: failover, crashedItems: [1] })).toEqual({ items: [0, 2], blocked: [1], decidedOn: [1] });
    expect(chosen({ crashedItems: [1] })).toEqual({ items: [0, 1, 2], blocked: [], decidedOn: [] });
  });

  test('is nothing at all if the instance is not registered', () => {
    const { instances } = aView(['B']);
    expect(chosen({ instances })).toEqual({ items: [], blocked: [], decidedOn: [] });
  });

  describe('on a disabled server', () => {
    const disabled = new Map([
      [ipOf('A'), 'DISABLED' as const],
      [ipOf('B'), 'ENABLED' as const],
    ]);
    const oneRuns = [anItem(0, { owner: A, running: true }), items[1]!, items[2]!];

    test('is nothing; items that run stay with it, the others may be decided on by the instance that gets them', () => {
      expect(chosen({ servers: disabled, items: oneRuns })).toEqual({ items: [], blocked: [0], decidedOn: [0] });
    });

    test('is nothing for a manual firing either, which leaves nothing for later', () => {
      expect(chosen({ servers: disabled, items: oneRuns }, { instant: 'none' })).toMatchObject({
        items: [],
        blocked: [],
      });
    });

    test('is decided for all items if they go to no other instance', () => {
      const alone = new Map([[ipOf('A'), 'DISABLED' as const]]);
      const staticSharding = { ...config, staticSharding: true };
      for (const changes of [{ servers: alone }, { servers: disabled, config: staticSharding }])
        expect(chosen(changes)).toEqual({ items: [], blocked: [], decidedOn: [0, 1, 2] });
    });
  });
});

describe('an item is free for another firing', () => {
  const free = (item: Parameters<typeof anItem>[1], busy = NOT_BUSY): boolean =>
    isFree(aView(['A']), anItem(0, { owner: A, ...item }), busy);

  test('unless it runs, was taken over or is still busy here', () => {
    expect(free({})).toBe(true);
    expect(free({ running: true })).toBe(false);
    expect(free({ takenOverBy: B })).toBe(false);
    expect(free({}, new Set([0]))).toBe(false);
  });
});

test('an item was begun for an instant if it was begun for that one or a later one; a manual firing has none', () => {
  const view = aView(['A'], { lastBegun: new Map([[0, T]]) });

  expect([T - 1_000, T, T + 1_000].map((instant) => wasBegun(view, 0, instant))).toEqual([true, true, false]);
  expect(wasBegun(view, 1, T)).toBe(false);
  expect(wasBegun(view, 0, undefined)).toBe(false);
});
