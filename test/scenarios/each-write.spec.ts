/**
 * Scenarios that are played once for each write of an instance, which dies at that write or does not hear the answer to
 * it.
 */
import { describe, expect, test } from '@jest/globals';
import { type Played, play } from './runner/play.js';
import { parseScenario } from './runner/scenario-file.js';

interface AtEachWrite {
  readonly name: string;
  readonly items: number;
  /** Command lines up to the moment from which writes are counted. */
  readonly until: readonly string[];
  /** Command lines after it. */
  readonly from: readonly string[];
  /** Whose writes are counted. */
  readonly instance: string;
  /** The fault at the write. */
  readonly fault: 'kill-at-write' | 'lose-answer';
  /** At least so many writes must come. */
  readonly writes: number;
}

/**
 * EJ#2429: an instance that died half-way through a takeover left its claim and its marks, and the item never ran
 * again.
 */
const CRASH_AND_CRASH_AGAIN = {
  items: 3,
  from: ['advance 7s', 'advance 6s', 'release 2@A 0@C', 'advance 6s'],
};

/**
 * A run of item 0 for the firing that was cut short. That no run follows one whose end is known, the runner checks
 * itself.
 */
const RUN_AGAIN = / ran 0 \(\w+ of 00:00:30\)/;

const SCENARIOS: readonly AtEachWrite[] = [
  {
    ...CRASH_AND_CRASH_AGAIN,
    name: 'an instance that takes an item over dies, while the leader is busy',
    until: ['join A B C', 'fire hold=0@C,2@A', 'kill C'],
    instance: 'B',
    fault: 'kill-at-write',
    writes: 5,
  },
  {
    ...CRASH_AND_CRASH_AGAIN,
    name: 'a leader that takes an item over dies, while the only other instance is busy',
    until: ['join B A C', 'fire hold=0@C,2@A', 'kill C'],
    instance: 'B',
    fault: 'kill-at-write',
    writes: 9,
  },
  {
    // EJ#2488: where the outcome of a write was not known, it was guessed.
    name: 'the only survivor takes an item over, and the answer to a write is lost',
    until: ['join A B', 'fire hold=0@B', 'kill B'],
    from: ['advance 9s', 'release 0@B'],
    instance: 'A',
    fault: 'lose-answer',
    writes: 8,
    items: 2,
  },
];

const NEVER_CAME = 'at the end: the write that something was to happen at never came';

const MOMENTS = { 'kill-at-write': ['before', 'after'], 'lose-answer': ['not-applied', 'applied'] } as const;

describe.each(SCENARIOS)('$name:', ({ until, from, instance, fault, writes, items }) => {
  const playAt = (write: number, moment: string): Promise<Played> => {
    const job = `job bill shards=${items} failover cron="0/30 * * * * ?"`;
    const lines = [job, ...until, `${fault} ${instance} ${write} ${moment}`, ...from];
    return play(parseScenario(`# a scenario\n\n${lines.join('\n')}\n`));
  };

  test.each(MOMENTS[fault])('%s each of its writes, the item runs again and nothing is left behind', async (moment) => {
    let write = 1;
    for (; ; write++) {
      const { file, complaints } = await playAt(write, moment);
      if (complaints.includes(NEVER_CAME)) break;
      const isRunAgain = RUN_AGAIN.test(file.blocks.flatMap((block) => block.transcript).join(' '));
      expect({ write, complaints, isRunAgain }).toEqual({ write, complaints: [], isRunAgain: true });
    }
    expect(write - 1).toBeGreaterThanOrEqual(writes);
  });
});
