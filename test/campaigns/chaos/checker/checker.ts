/**
 * Judges a campaign: a pure function from what processes wrote, what was done to them, and what a bystander saw in the
 * registry, to findings. In the manner of Jepsen's checker of Chronos, it assigns runs to the instants of the schedules
 * and reports what is left over on either side; see `misses.ts` for what excuses a miss, `repeats.ts` for what may be
 * run again, `overlaps.ts` for what counts as running at once, `stale-starts.ts` for what a process
 * starts on waking, `stuck.ts` for what takes too long, `rounds.ts` for jobs that run after others.
 */
import { type Finding, type History } from '../history.js';
import { itemTimeline } from './item-timeline.js';
import { type Account, accountFor } from './misses.js';
import { judgeOverlaps, judgeTokens } from './overlaps.js';
import { judgeRepeats } from './repeats.js';
import { judgeRounds } from './rounds.js';
import { byItem, readRuns } from './runs.js';
import { judgeStaleStarts } from './stale-starts.js';
import { judgeEndings, judgeStandstills } from './stuck.js';
import { readTroubles } from './troubles.js';

/** The findings, none of which should be, and the figures. */
export interface Verdict {
  readonly findings: readonly Finding[];
  readonly figures: Figures;
}

export interface Figures {
  /** Firings of jobs that came due. */
  firings: number;
  /** Pairs of an instant and an item. */
  expected: number;
  runs: number;
  inTime: number;
  madeUp: number;
  unfinished: number;
  rescued: number;
  untold: number;
  unmonitored: number;
  stepsOnWaking: number;
  startsOnWaking: number;
  lateness: number[];
  rescueMs: number[];
  excused: Record<string, number>;
}

/** A job that runs after others has no instants of its own: `rounds.ts` accounts for its rounds. */
const NO_INSTANTS: Account = { findings: [], expected: 0, inTime: 0, madeUp: 0, lateness: [], excused: {} };

/** Judges a history. */
export function check(history: History): Verdict {
  const troubles = readTroubles(history);
  const runs = readRuns(history);
  const runsOf = byItem(runs);
  const monitored = new Set(history.jobs.filter(({ monitorExecution }) => monitorExecution).map(({ name }) => name));
  const stale = judgeStaleStarts(
    runs.filter(({ job }) => monitored.has(job)),
    troubles,
  );
  const findings: Finding[] = [
    ...stale.findings,
    ...judgeStandstills(history, runs, troubles),
    ...judgeEndings(runs, history, troubles),
    ...judgeRounds(history, runs, troubles),
  ];
  const figures: Figures = {
    firings: 0,
    expected: 0,
    runs: runs.length,
    inTime: 0,
    madeUp: 0,
    unfinished: 0,
    rescued: 0,
    untold: 0,
    unmonitored: 0,
    stepsOnWaking: 0,
    startsOnWaking: stale.excused.size,
    lateness: [],
    rescueMs: [],
    excused: {},
  };
  for (const job of history.jobs) {
    const moments = history.moments.filter((moment) => moment.job === job.name);
    for (let item = 0; item < job.items; item++) {
      const own = runsOf.get(`${job.name}/${item}`) ?? [];
      const timeline = itemTimeline(job, item, { moments, runs: own, troubles, history });
      const account = job.after === undefined ? accountFor(job, item, own, timeline, history) : NO_INSTANTS;
      const rightful = own.filter((run) => !stale.excused.has(run));
      const repeats = judgeRepeats(job, rightful, { timeline, troubles, rescueLimitMs: 3 * history.sessionMs + 6_000 });
      findings.push(...account.findings, ...repeats.findings);
      if (job.monitorExecution) {
        const overlaps = judgeOverlaps(rightful, troubles);
        findings.push(...overlaps.findings, ...judgeTokens(rightful, troubles));
        figures.stepsOnWaking += overlaps.stepsOnWaking;
      }
      if (item === 0) figures.firings += account.expected;
      figures.expected += account.expected;
      figures.inTime += account.inTime;
      figures.madeUp += account.madeUp;
      figures.unfinished += repeats.unfinished;
      figures.rescued += repeats.rescued;
      figures.untold += repeats.untold;
      figures.unmonitored += repeats.unmonitored;
      figures.lateness.push(...account.lateness);
      figures.rescueMs.push(...repeats.rescueMs);
      for (const [excuse, count] of Object.entries(account.excused))
        figures.excused[excuse] = (figures.excused[excuse] ?? 0) + count;
    }
  }
  // Earlier events have not been watched from their beginning.
  const found = findings.filter(({ t }) => t >= history.from);
  return { findings: found.sort((one, other) => one.t - other.t), figures };
}
