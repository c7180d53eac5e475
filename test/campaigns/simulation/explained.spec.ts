/**
 * Each policy by which the oracle excuses a firing that left out an item has its answer in `explain`, for an operator
 * who asks soon after that instant. This table says which:
 *
 * | Excuse | Answer |
 * |---|---|
 * | `wasDisabled` | the item was disabled |
 * | `ownerWasDisabled` | its owner's server was disabled, or all servers; or, in the middle of the change, the items are being assigned |
 * | `wasLeftOut` | there was no such item, or the assignment left it out |
 * | `nobodyWasAble` | no instance, all servers disabled, or no leader yet |
 * | `laterOneStandsForIt` | it was still running, being assigned, or lost its owner or its run; after a fault nothing is on record |
 * | `isDropped` | `misfire` is off and it was still running; or as above |
 * | `severalWereMissed` | it has changed hands; or as above |
 * | `wasRescheduled` | the schedule was another one |
 * | `wasUnmonitored` | nothing is recorded |
 *
 * What `clocksDisagreed` excuses cannot be known, and is so rare that no history is known that has it.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Cause } from '../../../lib/operations/explain/explanation.js';
import { Evidence } from './evidence.js';
import { explainIn } from './hindsight.js';
import { excusedFirings, type ExcusedFiring, type ExcuseName } from './oracle-firings.js';
import { play } from './player.js';
import { historyOf } from './storyteller.js';

/** These histories have all excuses. */
const SEEDS = [1, 7, 24, 40, 44, 61, 71, 285, 639, 657, 658];

/**
 * How long after an instant an operator asks, if the item is not begun before, in milliseconds; and just before it is.
 */
const ASKED_AFTER_MS = [1, 450, 1_500, Infinity];

type Answers = readonly Cause['type'][];

const INTERRUPTED: Answers = [
  'misfire-off',
  'still-running',
  'being-assigned',
  'run-lost',
  'taken-over',
  'no-owner',
  'owner-gone',
  'owner-stopping',
  'no-leader',
  'unknown-leader',
  'no-instance',
  'misfired',
  'triggered',
  'changed-hands',
];

const ANSWERS: Readonly<Record<Exclude<ExcuseName, 'clocksDisagreed'>, Answers>> = {
  wasDisabled: ['item-disabled'],
  ownerWasDisabled: ['owner-disabled', 'servers-disabled', 'being-assigned'],
  wasLeftOut: ['no-such-item', 'left-out'],
  nobodyWasAble: ['no-instance', 'servers-disabled', 'no-leader'],
  laterOneStandsForIt: INTERRUPTED,
  isDropped: INTERRUPTED,
  severalWereMissed: ['changed-hands', ...INTERRUPTED],
  wasRescheduled: ['rescheduled', 'not-scheduled', ...INTERRUPTED],
  wasUnmonitored: ['not-recorded', 'ran'],
};

/** Answers without a record, with the facts that cannot be known. */
const HONEST: Answers = ['not-begun', 'later-begun', 'not-recorded', 'ran'];

interface Told {
  readonly seed: number;
  readonly evidence: Evidence;
  readonly firing: ExcusedFiring;
}

let told: readonly Told[];

beforeAll(async () => {
  const all: Told[] = [];
  for (const seed of SEEDS) {
    const history = historyOf(seed);
    // Serial on purpose: a history has the process to itself.
    const evidence = new Evidence(history, await play(history));
    all.push(...excusedFirings(evidence).map((firing) => ({ seed, evidence, firing })));
  }
  told = all;
});

/** All answers to operators who ask between the instant and the next begin of the item. */
function answers({ evidence, firing: { item, instantMs, nextFromMs } }: Told, past: 'unread' | 'read') {
  const earliestMs = instantMs - evidence.skews.leastMs;
  return ASKED_AFTER_MS.map((ms) => Math.max(instantMs, Math.min(earliestMs + ms, nextFromMs - 1))).map((nowMs) =>
    explainIn(evidence, { item, instantMs, nowMs, past }),
  );
}

const EXCUSES = Object.keys(ANSWERS) as (keyof typeof ANSWERS)[];

describe.each(EXCUSES)('A firing that the oracle excuses by %s', (excuse) => {
  test.each(['unread', 'read'] as const)('has its answer, or what cannot be known is said (the past is %s)', (past) => {
    const cases = told.filter(({ firing }) => firing.excuse === excuse);
    const unanswered = cases.filter((each) => {
      const explanations = answers(each, past);
      const types = explanations.flatMap(({ reason, others }) => [reason, ...others].map(({ type }) => type));
      const isAnswered = types.some((type) => ANSWERS[excuse].includes(type));
      const isHonest = explanations.some(({ reason, unknown }) => HONEST.includes(reason.type) && unknown.length > 0);
      return !isAnswered && !isHonest;
    });

    expect(cases).not.toEqual([]);
    expect(unanswered.map(({ seed, firing }) => ({ seed, ...firing }))).toEqual([]);
  });
});

const answersTo = ({ firing: { excuse } }: Told): Answers => (excuse === 'clocksDisagreed' ? [] : ANSWERS[excuse]);

test('what an operator has done is the answer in most of these cases, not that it cannot be known', () => {
  const byOperators = told.filter(({ firing }) =>
    ['wasDisabled', 'ownerWasDisabled', 'nobodyWasAble', 'wasLeftOut'].includes(firing.excuse),
  );
  const plain = byOperators.filter((each) =>
    answers(each, 'read').some(({ reason }) => answersTo(each).includes(reason.type)),
  );

  expect(plain.length / byOperators.length).toBeGreaterThan(0.8);
});

test('no firing that left out an item is said to have begun it', () => {
  const wrong = told.filter((each) =>
    (['unread', 'read'] as const).some((past) =>
      answers(each, past).some(({ reason, others }) =>
        [reason, ...others].some(({ type }) => type === 'begun' || type === 'begun-and-lost'),
      ),
    ),
  );

  expect(wrong.map(({ seed, firing }) => ({ seed, ...firing }))).toEqual([]);
});

test('each firing that began an item is said to have begun it, to an operator who asks at once', () => {
  const histories = [...new Map(told.map(({ seed, evidence }) => [seed, evidence]))];
  const wrong = histories.flatMap(([seed, evidence]) =>
    evidence.marks.flatMap(({ item, scheduledMs, fromMs, run, isRescue }) => {
      if (scheduledMs === undefined || isRescue || run === undefined) return [];
      const nowMs = Math.max(fromMs, scheduledMs);
      const { reason } = explainIn(evidence, { item, instantMs: scheduledMs, nowMs, past: 'unread' });
      const isWrong =
        !['begun', 'begun-and-lost'].includes(reason.type) &&
        evidence.valueAt(evidence.paths.item(item), nowMs) !== undefined;
      return isWrong ? [{ seed, item, scheduledMs, fromMs, type: reason.type }] : [];
    }),
  );

  expect(wrong).toEqual([]);
});
