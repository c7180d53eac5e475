import { describe, expect, test } from '@jest/globals';
import { check } from './checker/checker.js';
import { type History } from './history.js';
import { seconds, Story } from './story.js';

const kinds = (history: History): readonly string[] => check(history).findings.map(({ kind }) => kind);
const excuses = (history: History): Readonly<Record<string, number>> => check(history).figures.excused;

/** A dies at 4.05 s in the middle of its run, and B owns the item from 7.5 s on. */
const crash = (job = {}): Story =>
  new Story(job)
    .runs('A', seconds(1, 3))
    .run({ by: 'A', for: 4_000, at: 4_005, steps: [4_040] })
    .lives('A', -60_000, 4_050)
    .registry(4_005, { marked: [0] });

describe('the checker of a campaign', () => {
  test('has nothing against a job that runs once for each instant', () => {
    const { findings, figures } = check(new Story().runs('A', seconds(1, 9)).told());

    expect(findings).toEqual([]);
    expect(figures).toMatchObject({ firings: 9, expected: 9, runs: 9, inTime: 9, madeUp: 0, excused: {} });
  });

  describe('on instants without a run', () => {
    test('finds a miss if the item could have been begun', () => {
      expect(kinds(new Story().runs('A', [...seconds(1, 4), ...seconds(6, 9)]).told())).toEqual(['miss']);
    });

    test('finds a miss of one item among several', () => {
      const story = new Story({ items: 2 }).runs('A', seconds(1, 9), 0).runs('A', seconds(1, 8), 1);
      expect(check(story.told()).findings).toMatchObject([{ kind: 'miss', item: 1, t: 9_000 }]);
    });

    test('excuses those that passed while the item ran, but the latest must be made up for', () => {
      const story = (): Story =>
        new Story()
          .runs('A', seconds(1, 3))
          .run({ by: 'A', for: 4_000, at: 4_005, ends: 7_400 })
          .runs('A', seconds(8, 9));
      const madeUp = story().run({ by: 'A', for: 7_000, at: 7_410, ends: 7_500 });

      expect(kinds(madeUp.told())).toEqual([]);
      expect(check(madeUp.told()).figures.madeUp).toBe(1);
      expect(excuses(madeUp.told())).toEqual({ 'collapsed: running': 2 });
      expect(kinds(story().told())).toEqual([]);
    });

    test('finds a miss if the latest instant was not made up for although there was time for it', () => {
      const story = new Story({ periodMs: 2_000 })
        .run({ by: 'A', for: 2_000, at: 2_005, ends: 4_500 })
        .runs('A', [6_000, 8_000]);
      expect(kinds(story.told())).toEqual(['miss']);
    });

    test('excuses those of a busy item with misfire off, and no others', () => {
      const story = (): Story => new Story({ misfire: false }).runs('A', seconds(1, 3));
      const busy = story().run({ by: 'A', for: 4_000, at: 4_005, ends: 6_500 }).runs('A', seconds(7, 9));
      expect(kinds(busy.told())).toEqual([]);
      expect(excuses(busy.told())).toEqual({ 'misfire off: running': 2 });

      expect(kinds(story().runs('A', seconds(5, 9)).told())).toEqual(['miss']);
    });

    test('excuses several in a row while the item changes hands, and no single one', () => {
      const handover = (at: number): Story =>
        new Story({ periodMs: 2_000 })
          .lives('A', -60_000, 3_000)
          .registry(3_000, { living: ['B'] })
          .registry(at, { owner: 'B', living: ['B'] })
          .runs('A', [2_000])
          .runs('B', [8_000]);
      const several = handover(6_500);
      expect(kinds(several.told())).toEqual([]);
      expect(excuses(several.told())).toEqual({ 'collapsed: owner gone': 1, 'changed hands, several missing': 1 });

      // The one before was missing, too, when the item changed hands.
      const late = handover(6_500).run({ by: 'B', for: 4_000, at: 9_000, ends: 9_100 });
      expect(kinds(late.told())).toEqual([]);
      expect(excuses(late.told())).toEqual({ 'changed hands, several missing': 1 });

      const one = handover(4_500).runs('B', [6_000]);
      expect(kinds(one.told())).toEqual(['miss']);
    });

    test('finds misses of the other items when one is excused', () => {
      const story = new Story({ items: 2 })
        .run({ by: 'A', item: 0, for: 2_000, ends: 5_300 })
        .runs('A', [1_000, ...seconds(6, 9)], 0)
        .runs('B', [...seconds(1, 3), ...seconds(5, 9)], 1)
        .registry(-50_000, { owners: ['A', 'B'] });
      expect(check(story.told()).findings).toMatchObject([{ kind: 'miss', item: 1, t: 4_000 }]);
    });

    test.each([
      ['the owner was frozen', (story: Story) => story.stalls('A', 3_500, 6_100), 'owner frozen'],
      ['the owner was cut off', (story: Story) => story.fault('cut sending', 'A', 3_500, 5_600), 'owner cut off'],
      ['there was no registry', (story: Story) => story.outage(3_500, 5_600), 'no registry'],
      [
        'the items were to be assigned',
        (story: Story) => story.registry(3_500, { isResharding: true }).registry(6_100, {}),
        'being assigned',
      ],
      [
        'the owner had no session',
        (story: Story) =>
          story
            .fault('kill a follower', 'server 1', 3_400, 3_600)
            .says('A', 3_500, 'Nothing is heard of the ZooKeeper')
            .says('A', 5_600, 'Connected to the ZooKeeper'),
        'owner disconnected',
      ],
      [
        'its job took no part in the owner',
        (story: Story) =>
          story
            .fault('kill a follower', 'server 1', 3_400, 3_600)
            .phase('A', 3_500, 'suspended')
            .phase('A', 6_100, 'active'),
        'owner disconnected',
      ],
    ])('excuses those that passed while %s, but not the one after', (_, trouble, excuse) => {
      const story = trouble(new Story({ periodMs: 2_000 }).runs('A', [2_000, 8_000]));
      const late = { by: 'A', for: 6_000, at: 6_400, ends: 6_500 };
      expect(kinds(story.told())).toEqual(['miss']);
      expect(kinds(story.run(late).told())).toEqual([]);
      expect(excuses(story.told())).toEqual({ [`collapsed: ${excuse}`]: 1 });
    });

    test('takes the trouble of another instance for no excuse', () => {
      const story = new Story().runs('A', [...seconds(1, 3), ...seconds(6, 9)]).stalls('B', 3_500, 5_600);
      expect(kinds(story.told())).toEqual(['miss', 'miss']);
    });

    test('excuses what an unmonitored item misses while it moves, and nothing else', () => {
      const story = (): Story => new Story({ monitorExecution: false, failover: false });
      const moved = story().registry(3_990, { owner: 'B' }).runs('A', seconds(1, 3)).runs('B', seconds(5, 9));
      expect(kinds(moved.told())).toEqual([]);
      expect(
        kinds(
          story()
            .runs('A', [...seconds(1, 3), ...seconds(5, 9)])
            .told(),
        ),
      ).toEqual(['miss']);
    });
  });

  describe('on runs at the wrong time', () => {
    test('finds one that is late for no reason', () => {
      const story = new Story({ periodMs: 5_000 })
        .runs('A', [10_000])
        .run({ by: 'A', for: 5_000, at: 8_500, ends: 8_600 });
      expect(kinds(story.told(500, 10_500))).toEqual(['late']);
    });

    test('finds one that is early', () => {
      const story = new Story().runs('A', [...seconds(1, 4), ...seconds(6, 9)]);
      expect(kinds(story.run({ by: 'A', for: 5_000, at: 4_500, ends: 4_600 }).told())).toEqual(['early']);
    });

    test('finds one for an instant that is not of the schedule, and one for none', () => {
      const story = new Story().runs('A', seconds(1, 9));
      expect(kinds(story.run({ by: 'A', for: 5_500, ends: 5_600 }).told())).toContain('wrong instant');
      const unknown = new Story().runs('A', seconds(1, 9)).run({ by: 'B', for: undefined, at: 5_500, ends: 5_600 });
      expect(kinds(unknown.told())).toContain('wrong instant');
    });
  });

  describe('on runs that did not end', () => {
    test('wants a crashed one run again for the same instant', () => {
      const story = crash()
        .registry(7_300, { owner: 'B', living: ['B'], marked: [] })
        .runs('B', seconds(8, 9));
      expect(kinds(story.told())).toEqual(['not rescued']);

      const rescued = story.run({ by: 'B', for: 4_000, at: 7_150, ends: 7_280 });
      expect(kinds(rescued.told())).toEqual([]);
      const { figures } = check(rescued.told());
      expect(figures).toMatchObject({ unfinished: 1, rescued: 1 });
      expect(figures.rescueMs).toEqual([3_100]);
    });

    test('wants the rescuer rescued as well', () => {
      const story = crash()
        .lives('C', -60_000)
        .run({ by: 'B', for: 4_000, at: 7_150 })
        .lives('B', -60_000, 7_200)
        .registry(9_500, { owner: 'C', living: ['C'] });
      expect(kinds(story.told())).toEqual(['not rescued']);
    });

    test('wants no rescue of one that repeated a run which had ended, but lost contact before it could say so', () => {
      const story = (ends: number | undefined) =>
        new Story()
          .lives('C', -60_000)
          .runs('A', seconds(1, 3))
          .run({ by: 'A', for: 4_000, at: 4_005, ...(ends === undefined ? { aborts: 7_000 } : { ends }) })
          .fault('cut both ways', 'A', 3_900, 12_000)
          .registry(7_200, { owner: 'B', living: ['B'] })
          .run({ by: 'B', for: 4_000, at: 7_150 })
          .lives('B', -60_000, 7_200)
          .registry(9_500, { owner: 'C', living: ['C'] });

      expect(kinds(story(4_100).told())).not.toContain('not rescued');
      expect(kinds(story(undefined).told())).toContain('not rescued');
    });

    test('wants it within the time that detection takes', () => {
      const story = crash()
        .run({ by: 'B', for: 4_000, at: 22_000, ends: 22_100 })
        .registry(22_150, { owner: 'B', living: ['B'] });
      expect(kinds(story.told(500, 22_500))).toContain('rescued late');
    });

    test('wants one that was told to end for its lost session run again as well', () => {
      const story = new Story()
        .runs('A', seconds(1, 3))
        .run({ by: 'A', for: 4_000, at: 4_005, aborts: 7_000 })
        .fault('cut both ways', 'A', 3_900, 12_000)
        .registry(4_005, { marked: [0] })
        .registry(7_200, { owner: 'B', living: ['B'] })
        .runs('B', seconds(8, 9));
      expect(kinds(story.told())).toEqual(['not rescued']);
    });

    test('lets a crashed one be if failover is off', () => {
      const story = crash({ failover: false })
        .registry(7_300, { owner: 'B', living: ['B'] })
        .runs('B', seconds(8, 9));
      expect(kinds(story.told())).toEqual([]);
    });

    test('finds one that never ends', () => {
      expect(kinds(new Story().runs('A', seconds(1, 3)).run({ by: 'A', for: 4_000 }).told())).toContain('unended');
    });
  });

  describe('on runs that are repeated', () => {
    test('finds a second one for an instant', () => {
      const story = new Story().runs('A', seconds(1, 9)).run({ by: 'B', for: 4_000, at: 4_400, ends: 4_500 });
      expect(kinds(story.told())).toEqual(['double']);
    });

    test('finds it even after a crash if failover is off', () => {
      const story = crash({ failover: false })
        .run({ by: 'B', for: 4_000, at: 7_150, ends: 7_280 })
        .registry(7_300, { owner: 'B', living: ['B'] })
        .runs('B', seconds(8, 9));
      expect(kinds(story.told())).toEqual(['double']);
    });

    test('excuses one whose process died before it could tell that it had ended, and not long after that', () => {
      const ended = (diedAt: number): Story =>
        new Story()
          .runs('A', seconds(1, 4))
          .lives('A', -60_000, diedAt)
          .registry(4_005, { marked: [0] })
          .run({ by: 'B', for: 4_000, at: 7_150, ends: 7_280 })
          .registry(7_300, { owner: 'B', living: ['B'] })
          .runs('B', seconds(8, 9));
      expect(kinds(ended(4_110).told())).toEqual([]);
      expect(check(ended(4_110).told()).figures.untold).toBe(1);
      expect(kinds(ended(4_900).told())).toEqual(['double']);
    });

    test('excuses one whose process lost its session after a server took no writes, as while it gets a new standby', () => {
      const story = (): Story =>
        new Story()
          .runs('A', seconds(1, 4))
          .lives('A', -60_000, 5_500)
          .registry(4_005, { marked: [0] })
          .run({ by: 'B', for: 4_000, at: 7_150, ends: 7_280 })
          .registry(7_300, { owner: 'B', living: ['B'] })
          .runs('B', seconds(8, 9));
      expect(kinds(story().told())).toEqual(['double']);
      expect(kinds(story().fault('fail over to the standby', 'server 1', 3_000, 4_800).told())).toEqual([]);
      expect(kinds(story().fault('fail over to the standby', 'server 1', 1_000, 2_000).told())).toEqual(['double']);
    });

    test('takes a process for dead from the moment when it is killed, though that shows later', () => {
      const story = new Story()
        .runs('A', seconds(1, 4))
        .lives('A', -60_000, 4_900)
        .registry(4_005, { marked: [0] })
        .run({ by: 'B', for: 4_000, at: 7_150, ends: 7_280 })
        .registry(7_300, { owner: 'B', living: ['B'] })
        .runs('B', seconds(8, 9));
      expect(kinds(story.told())).toEqual(['double']);
      expect(kinds(story.fault('kill', 'A', 4_150, 8_000).told())).toEqual([]);
    });

    test('finds one of an unmonitored item if nothing moved', () => {
      const story = (): Story =>
        new Story({ monitorExecution: false, failover: false })
          .runs('A', seconds(1, 9))
          .run({ by: 'B', for: 4_000, at: 4_300, ends: 4_400 });
      expect(kinds(story().told())).toEqual(['double']);
      expect(kinds(story().registry(3_990, { owner: 'B' }).registry(4_800, { owner: 'A' }).told())).toEqual([]);
    });
  });

  describe('on runs at the same time', () => {
    /** A is frozen from 4.05 s to 9 s in a run for 4 s; B takes it over at 7.5 s. */
    const frozen = (steps: readonly number[]): Story =>
      new Story()
        .runs('A', seconds(1, 3))
        .run({ by: 'A', for: 4_000, at: 4_005, steps: [4_040, ...steps], aborts: 9_020 })
        .stalls('A', 4_050, 9_015)
        .registry(4_005, { marked: [0] })
        .run({ by: 'B', for: 4_000, at: 7_500, ends: 7_600 })
        .registry(7_600, { owner: 'B', living: ['B'] })
        .run({ by: 'B', for: 8_000, at: 8_002, ends: 8_100 })
        .run({ by: 'B', for: 9_000, at: 9_002, ends: 9_100 });

    test('finds an overlap of two processes', () => {
      const story = new Story()
        .runs('A', seconds(1, 3))
        .run({ by: 'A', for: 4_000, at: 4_005, ends: 5_800 })
        .run({ by: 'B', for: 5_000, at: 5_005, ends: 5_100 })
        .runs('A', seconds(6, 9));
      expect(kinds(story.told())).toEqual(['overlap']);
    });

    test('finds an overlap within a process', () => {
      const story = new Story()
        .runs('A', seconds(1, 3))
        .run({ by: 'A', for: 4_000, at: 4_005, ends: 5_800 })
        .run({ by: 'A', for: 5_000, at: 5_005, ends: 5_100 })
        .runs('A', seconds(6, 9));
      expect(kinds(story.told())).toEqual(['overlap']);
    });

    test('finds an overlap if the signal comes after the next run has started', () => {
      const story = (abort: number): Story =>
        new Story()
          .runs('A', seconds(1, 3))
          .run({ by: 'A', for: 4_000, at: 4_005, aborts: abort })
          .fault('cut both ways', 'A', 3_900, 12_000)
          .registry(4_005, { marked: [0] })
          .run({ by: 'B', for: 4_000, at: 7_100, ends: 7_200 })
          .registry(7_200, { owner: 'B', living: ['B'] })
          .runs('B', seconds(8, 9));
      expect(kinds(story(7_000).told())).toEqual([]);
      expect(kinds(story(7_300).told())).toEqual(['overlap']);
    });

    test('takes a frozen run that does nothing when it wakes for no overlap', () => {
      const { findings, figures } = check(frozen([]).told());
      expect(findings).toEqual([]);
      expect(figures.stepsOnWaking).toBe(0);
    });

    test('excuses and counts a step in the very turn of waking', () => {
      const { findings, figures } = check(frozen([9_014]).told());
      expect(findings).toEqual([]);
      expect(figures.stepsOnWaking).toBe(1);
    });

    test('finds a stale step after that turn', () => {
      expect(kinds(frozen([9_018]).told())).toEqual(['stale step']);
    });
  });

  describe('on runs that a process starts when it wakes', () => {
    /** A is frozen from 4.006 s to 9.015 s, after it has begun its items for 4 s; B takes them over at 7.5 s. */
    const frozen = (starts: readonly number[], aborts = 9_012): Story => {
      const story = new Story({ items: 2 }).stalls('A', 4_006, 9_015).registry(4_005, { marked: [0, 1] });
      for (const item of [0, 1]) {
        story.runs('A', seconds(1, 3), item).run({ by: 'B', item, for: 4_000, at: 7_500, ends: 7_600 });
        story.run({ by: 'B', item, for: 8_000, at: 8_002, ends: 8_100 });
        story.run({ by: 'B', item, for: 9_000, at: 9_002, ends: 9_100 });
      }
      for (const item of starts) story.run({ by: 'A', item, for: 4_000, at: 9_010, token: 4_005, aborts });
      return story.registry(7_600, { owner: 'B', living: ['B'] });
    };

    test('excuses and counts one that it was about to start when it was stopped', () => {
      const { findings, figures } = check(frozen([0]).told());
      expect(findings).toEqual([]);
      expect(figures.startsOnWaking).toBe(1);
      expect(check(frozen([]).told()).figures.startsOnWaking).toBe(0);
    });

    test('finds a second one, before which it had to look at its clock', () => {
      expect(check(frozen([0, 1]).told()).findings).toMatchObject(
        Array.from({ length: 3 }, () => ({ item: 1, t: 9_010 })),
      );
    });

    test('finds one that was not told to end in the turn of waking', () => {
      expect(kinds(frozen([0], 9_500).told())).toContain('double');
    });
  });

  describe('on fencing tokens', () => {
    const tokens = (first: number, second: number): Story =>
      new Story()
        .runs('A', seconds(1, 3))
        .run({ by: 'A', for: 4_000, at: 4_005, ends: 4_105, token: 4_000 + first })
        .run({ by: 'B', for: 5_000, at: 5_005, ends: 5_105, token: 4_000 + second })
        .run({ by: 'A', for: 6_000, at: 6_005, ends: 6_105 })
        .run({ by: 'A', for: 7_000, at: 7_005, ends: 7_105 })
        .run({ by: 'A', for: 8_000, at: 8_005, ends: 8_105 })
        .run({ by: 'A', for: 9_000, at: 9_005, ends: 9_105 });

    test('finds one that is not greater than the one before', () => {
      expect(kinds(tokens(50, 51).told())).toEqual([]);
      expect(kinds(tokens(50, 49).told())).toEqual(['token']);
      expect(kinds(tokens(50, 50).told())).toEqual(['token']);
    });
  });

  describe('on standstills', () => {
    test('finds a job that nobody assigns, though it excuses what was missed for that', () => {
      const story = new Story()
        .runs('A', [...seconds(1, 3), ...seconds(30, 34)])
        .registry(3_500, { isResharding: true })
        .registry(29_500, {});
      const found = check(story.told(500, 34_500)).findings.map(({ kind }) => kind);
      expect(found).toEqual(['stuck']);
    });

    test('blames the processes, and not the job, while none of them takes part in it', () => {
      const story = (absent: readonly string[]): Story => {
        const told = new Story().runs('A', seconds(1, 3)).registry(3_500, { isResharding: true }).registry(29_500, {});
        for (const name of absent) told.phase(name, 3_500, 'starting').phase(name, 29_400, 'active');
        return told.runs('A', seconds(30, 34));
      };
      const blamed = (absent: readonly string[]): readonly string[] =>
        check(story(absent).told(500, 34_500)).findings.map(({ text }) => text.replace(/ for \d+ ms.*/, ''));

      expect(blamed(['A', 'B'])).toEqual(['job job of A took no part', 'job job of B took no part']);
      expect(blamed(['B'])).toEqual(['job job of B took no part', 'job: waits to be assigned']);
    });

    test('finds an item that stays with a dead owner', () => {
      const story = new Story()
        .runs('A', seconds(1, 3))
        .lives('A', -60_000, 3_500)
        .registry(6_500, { living: ['B'] });
      expect(kinds(story.told(500, 34_500))).toContain('stuck');
    });

    test('finds an item that bears a mark for long while nobody runs it', () => {
      const story = new Story()
        .runs('A', [...seconds(1, 3), ...seconds(30, 34)])
        .registry(3_500, { marked: [0] })
        .registry(29_500, {});
      expect(kinds(story.told(500, 34_500))).toEqual(['stuck']);
    });

    test('finds a process that loses contact without a cause', () => {
      const story = new Story()
        .runs('A', [...seconds(1, 3), ...seconds(7, 9)])
        .says('A', 3_500, 'Nothing is heard of the ZooKeeper')
        .says('A', 6_100, 'Connected to the ZooKeeper');
      expect(kinds(story.told())).toEqual(['stuck']);
    });

    test('finds a job that takes no part in a living process without a cause', () => {
      const story = new Story()
        .runs('A', [...seconds(1, 3), ...seconds(7, 9)])
        .phase('A', 3_500, 'suspended')
        .phase('A', 6_100, 'active')
        .run({ by: 'A', for: 6_000, at: 6_120, ends: 6_220 });
      expect(kinds(story.told())).toEqual(['stuck']);
    });
  });
});
