/**
 * The rounds that a job has completed: the value of `x-node/graph/rounds`. A round is what a job does for one instant:
 * it is complete when each item that takes part has ended. Only jobs that belong to a graph have this node. It is the
 * queue from which the jobs that run after this one take their instants. Java neither writes nor reads it.
 *
 * A line for each round, the latest first: its number, its instant, the time at which it was complete, and its outcome:
 * ```
 * 58 1767225605000 1767225606120 succeeded
 * 57 1767225600000 1767225601250 failed: 4,7
 * 56 1767225595000 1767225595020 stopped
 * before 1767225590000
 * ```
 * Rounds are numbered without gaps. The last line has the latest instant of the rounds that are on record no more.
 */
import { ItemRanges, toRanges } from './item-ranges.js';
import { lastOfEachKind, type LastInstants } from './run-key.js';

/**
 * Outcome of a round:
 *
 * - `succeeded`: no item has failed
 * - `failed`: items have failed, after their retries
 * - `stopped`: nothing was run, because a job that runs before this one has failed or was stopped
 * - `skipped`: as `stopped`, but it counts as no failure
 */
export type RoundOutcome = (typeof OUTCOMES)[number];

/** A round that is complete. Times in milliseconds since 1970. */
export interface Round {
  readonly instant: number;
  readonly completedAt: number;
  readonly outcome: RoundOutcome;
  /** Items that have failed, in ascending order. */
  readonly failed: readonly number[];
}

/** The completed rounds that are on record. */
export interface RoundRecord {
  /** In the order of their instants, in which those of each kind were completed. */
  readonly rounds: readonly Round[];
  /** The number of rounds that were ever completed: the number of the last one. */
  readonly count: number;
  /** The latest instant of rounds that are on record no more; `undefined` if all are. */
  readonly droppedUpTo: number | undefined;
}

/** The record of a job that has completed no round. */
export const NO_ROUNDS: RoundRecord = { rounds: [], count: 0, droppedUpTo: undefined };

/** Most rounds on record. */
export const MOST_ROUNDS = 100;

/** Longest text of a record, in characters; the latest round is always on record. */
const LONGEST = 100_000;

const OUTCOMES = ['succeeded', 'failed', 'stopped', 'skipped'] as const;

/** The text of a record: of the latest rounds, as many as may be on record. */
export function encodeRounds({ rounds, count, droppedUpTo }: RoundRecord): string {
  const lines: string[] = [];
  let length = 0;
  let dropped = droppedUpTo;
  for (const [index, round] of [...rounds].reverse().entries()) {
    const line = lineOf(round, count - index);
    length += line.length + 1;
    if (index === MOST_ROUNDS || (length > LONGEST && index > 0)) {
      dropped = round.instant;
      break;
    }
    lines.push(line);
  }
  return [...lines, ...(dropped === undefined ? [] : [`before ${dropped}`])].join('\n');
}

function lineOf({ instant, completedAt, outcome, failed }: Round, number: number): string {
  return `${number} ${instant} ${completedAt} ${outcome}${failed.length === 0 ? '' : `: ${toRanges(failed)}`}`;
}

/** The inverse of `encodeRounds`. It leaves out all lines that it cannot read. */
export function decodeRounds(text: string): RoundRecord {
  const ranges = new ItemRanges(MOST_ROUNDS);
  const rounds: Round[] = [];
  let count = 0;
  let droppedUpTo: number | undefined;
  for (const line of text.split('\n')) {
    const [, dropped] = DROPPED.exec(line) ?? [];
    if (dropped !== undefined) droppedUpTo = Number(dropped);
    const [, number, instant, completedAt, outcome, list] = LINE.exec(line) ?? [];
    const known = OUTCOMES.find((each) => each === outcome);
    if (known === undefined) continue;
    count = Math.max(count, Number(number));
    const failed = list === undefined ? [] : ranges.read(list);
    rounds.push({ instant: Number(instant), completedAt: Number(completedAt), outcome: known, failed });
  }
  return { rounds: rounds.sort((one, other) => one.instant - other.instant), count, droppedUpTo };
}

/** The latest round of each kind that is on record. */
export function lastRounds({ rounds }: RoundRecord): LastInstants {
  return lastOfEachKind(rounds.map(({ instant }) => instant));
}

/** The record after these rounds were completed. */
export function withRounds(record: RoundRecord, completed: readonly Round[]): RoundRecord {
  const { rounds, count } = record;
  return { ...record, rounds: [...rounds, ...completed], count: count + completed.length };
}

const DROPPED = /^before (\d{1,15})$/;
const LINE = /^(\d{1,15}) (\d{1,15}) (\d{1,15}) ([a-z]+)(?:: ([\d,-]+))?$/;
