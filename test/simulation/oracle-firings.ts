/**
 * Every instant of the schedule begins every item exactly once; that it does so at most once, `doubles` says. Which
 * instants may be left out is the job's declared policy, one excuse each:
 *
 * - the item was disabled, or nobody was there who was enabled
 * - the item was still running, and a later instant that it missed stands for this one (`misfire`: one run makes up for all)
 * - the item was running, or its owner away, and `misfire` is off: what was missed is dropped
 * - the item changed hands, and more than one instant passed meanwhile: those before the latest are not made up for
 * - the schedule was changed in between, or marks are not made (`monitorExecution` is off): nobody can tell
 *
 * A firing that is missing all alone because its item changed hands, was waiting, or lost its owner has no excuse.
 */
import { periodMsOf } from './configuration.js';
import { type Evidence, type Mark, type Window } from './evidence.js';
import { MOST_ITEMS, SESSION_TIMEOUT_MS } from './history.js';
import { seconds } from './run-book.js';

/** How long after its instant a firing may be begun although nothing keeps it: messages, and clocks that differ a little. */
const SLACK_MS = 400;

/** Longest time from a fault until everything is as it should be: the session, the patience with running items, retries. */
const RECOVERY_MS = 2 * SESSION_TIMEOUT_MS + 8_000;

/** An instant that is missing, and those around it. */
interface Gap {
  readonly evidence: Evidence;
  readonly item: number;
  readonly instantMs: number;
  /** All that are missing in a row. */
  readonly missing: readonly number[];
  /** The instants' neighbours that were begun. */
  readonly before: Mark;
  readonly after: Mark;
}

type Excuse = (gap: Gap) => boolean;

export function missedFirings(evidence: Evidence): readonly string[] {
  return Array.from({ length: MOST_ITEMS }, (_, item) => item).flatMap((item) =>
    gapsOf(evidence, item)
      .filter((gap) => !EXCUSES.some((excuse) => excuse(gap)))
      .map(
        ({ instantMs, missing, before, after }) =>
          `item ${item} was not begun for ${seconds(instantMs)}` +
          ` (missing: ${missing.map(seconds).join(', ')}; ${nameOf(before)} before, ${nameOf(after)} after)`,
      ),
  );
}

function nameOf({ instance, scheduledMs, fromMs }: Mark): string {
  return `for ${seconds(scheduledMs ?? 0)} on ${instance} at ${seconds(fromMs)}`;
}

function gapsOf(evidence: Evidence, item: number): readonly Gap[] {
  const { paths, marks } = evidence;
  // An item that was dropped begins a new life when it comes back.
  return evidence.spans(paths.item(item)).flatMap(({ value, fromMs, toMs }) => {
    if (value === undefined) return [];
    const begun = marks
      .filter(
        (mark) => mark.item === item && mark.scheduledMs !== undefined && mark.fromMs >= fromMs && mark.fromMs <= toMs,
      )
      .sort((one, other) => (one.scheduledMs ?? 0) - (other.scheduledMs ?? 0));
    return begun.flatMap((after, index): readonly Gap[] => {
      const before = begun[index - 1];
      if (before === undefined) return [];
      const missing = instants(evidence, before.scheduledMs ?? 0, after.scheduledMs ?? 0);
      return missing.map((instantMs) => ({ evidence, item, instantMs, missing, before, after }));
    });
  });
}

/** Instants of the schedule strictly between two others, as it was at each of them. */
function instants(evidence: Evidence, afterMs: number, beforeMs: number): readonly number[] {
  const found: number[] = [];
  for (let ms = afterMs + 1_000; ms < beforeMs; ms += 1_000) {
    const config = evidence.configAt(ms);
    if (config !== undefined && ms % periodMsOf(config) === 0) found.push(ms);
  }
  return found;
}

const wasDisabled: Excuse = ({ evidence, item, instantMs, after }) =>
  evidence.ever(evidence.paths.item(item, 'disabled'), (value) => value !== undefined, {
    fromMs: instantMs - SLACK_MS,
    toMs: Math.max(after.fromMs, instantMs + SLACK_MS),
  });

const nobodyWasAble: Excuse = ({ evidence, instantMs }) => {
  const window = { fromMs: instantMs - SLACK_MS, toMs: instantMs + SLACK_MS };
  const moments = [
    window.fromMs,
    ...evidence.recording.commits.map(({ atMs }) => atMs).filter((atMs) => atMs > window.fromMs && atMs <= window.toMs),
  ];
  return moments.some((ms) => !evidence.names.some((name) => evidence.isAvailable(name, ms)));
};

const laterOneStandsForIt: Excuse = ({ evidence, item, instantMs }) =>
  busy(evidence, item, instantMs).some(({ toMs }) => instants(evidence, instantMs, toMs + 1).length > 0);

const isDropped: Excuse = ({ evidence, item, instantMs, after }) =>
  evidence.everConfigured(({ misfire }) => !misfire, { fromMs: instantMs - SLACK_MS, toMs: after.fromMs }) &&
  (busy(evidence, item, instantMs).length > 0 || wasInterrupted(evidence, instantMs));

const severalWereMissed: Excuse = ({ evidence, instantMs, missing }) =>
  missing.length > 1 && wasInterrupted(evidence, instantMs);

const wasRescheduled: Excuse = ({ evidence, before, after }) => {
  const window = { fromMs: before.fromMs - SLACK_MS, toMs: after.fromMs + SLACK_MS };
  const crons = evidence.configs
    .filter(({ fromMs, toMs }) => fromMs <= window.toMs && toMs >= window.fromMs)
    .map(({ value }) => value.cron);
  return new Set(crons).size > 1;
};

const wasUnmonitored: Excuse = ({ evidence, before, after }) =>
  !evidence.isMonitored({ fromMs: before.fromMs, toMs: after.fromMs });

const EXCUSES: readonly Excuse[] = [
  wasDisabled,
  nobodyWasAble,
  laterOneStandsForIt,
  isDropped,
  severalWereMissed,
  wasRescheduled,
  wasUnmonitored,
];

/** Marks of the item that keep others from beginning it at this instant. */
function busy({ marks }: Evidence, item: number, instantMs: number): readonly Mark[] {
  return marks.filter((mark) => mark.item === item && mark.fromMs <= instantMs + SLACK_MS && mark.toMs >= instantMs);
}

/** Whether the items were being assigned, or something was wrong with somebody, around this instant. */
function wasInterrupted(evidence: Evidence, instantMs: number): boolean {
  const window = { fromMs: instantMs - SLACK_MS, toMs: instantMs + SLACK_MS };
  return (
    evidence.ever(evidence.paths.resharding, (value) => value !== undefined, window) ||
    troubles(evidence).some(({ fromMs, toMs }) => fromMs <= window.toMs && toMs >= window.fromMs)
  );
}

const HARD = ['kill', 'kill-at-write', 'lose-write', 'suspend', 'cut', 'freeze', 'expire', 'set-clock'];

function troubles({ recording, history }: Evidence): readonly Window[] {
  return recording.played.flatMap(({ atMs, step }) => {
    if (step !== undefined && step.type === 'join' && Math.abs(step.skewMs) >= history.job.periodSeconds * 1000)
      return [{ fromMs: atMs, toMs: Infinity }];
    if (step !== undefined && !HARD.includes(step.type)) return [];
    const lengthMs = step !== undefined && 'ms' in step ? step.ms : 0;
    return [{ fromMs: atMs, toMs: atMs + lengthMs + RECOVERY_MS }];
  });
}
