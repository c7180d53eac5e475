/**
 * Every instant of the schedule begins every item exactly once; `doubles` checks that it does so at most once. The
 * job's declared policy allows missing instants, with one excuse each:
 *
 * - the item was disabled, or its owner, or no instance was enabled
 * - the item was still running, and a later instant that it missed stands for this one (`misfire`: one run makes up for
 *   all)
 * - the item was running, or its owner away, and `misfire` is off: missed firings are dropped
 * - the item changed hands, and more than one instant passed meanwhile: those before the latest are not made up for
 * - the number of items was reduced, and the item was not among them, or not assigned again yet after it was raised
 * - the clocks of two owners differ by more than a second, and the item changed hands when the instant had come for one
 *   of them
 * - the schedule was changed in between, or marks are not made (`monitorExecution` is off): it is unknown
 *
 * A firing that is missing all alone because its item changed hands, was waiting, or lost its owner has no excuse.
 */
import { ipOf } from '../../support/views.js';
import { periodMsOf } from './configuration.js';
import { type Evidence, type Window } from './evidence.js';
import { desertions, instantsIn, interruptions, isCovered, SLACK_MS } from './interruptions.js';
import { type Mark, nameOfId } from './marks.js';
import { seconds } from './run-book.js';

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
  return [...evidence.marksByItem.keys()].flatMap((item) =>
    gapsOf(evidence, item)
      .filter((gap) => excuseFor(gap) === undefined)
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
  const { paths } = evidence;
  const marks = evidence.marksByItem.get(item) ?? [];
  // An item that was dropped begins a new life when it comes back.
  return evidence.spans(paths.item(item)).flatMap(({ value, fromMs, toMs }) => {
    if (value === undefined) return [];
    const begun = marks
      .filter((mark) => mark.scheduledMs !== undefined && mark.fromMs >= fromMs && mark.fromMs <= toMs)
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
    if (isInstant(evidence, ms)) found.push(ms);
  }
  return found;
}

/** True if it is an instant of the schedule as it was then. */
function isInstant(evidence: Evidence, ms: number): boolean {
  const config = evidence.configAt(ms);
  return config !== undefined && ms % periodMsOf(config) === 0;
}

const wasDisabled: Excuse = ({ evidence, item, instantMs, after }) => {
  const { fromMs, toMs } = around(evidence, instantMs);
  const window = { fromMs, toMs: Math.max(after.fromMs, toMs) };
  return evidence.ever(evidence.paths.item(item, 'disabled'), (value) => value !== undefined, window);
};

/**
 * Its owner was disabled when it could have begun it: whoever learns of that too late, or of its end, is right to run
 * it or not.
 */
const ownerWasDisabled: Excuse = ({ evidence, item, instantMs }) => {
  const { paths } = evidence;
  const window = around(evidence, instantMs);
  const owner = evidence.valueAt(paths.item(item, 'instance'), window.fromMs);
  if (owner === undefined || isCovered({ fromMs: instantMs, toMs: instantMs }, busy(evidence, item))) return false;
  // While the items are being assigned, a firing waits.
  const waits = evidence
    .spans(paths.resharding)
    .filter(({ value, fromMs, toMs }) => value !== undefined && fromMs <= window.toMs && toMs >= window.fromMs);
  const toMs = Math.max(window.toMs, ...waits.map((wait) => wait.toMs));
  return evidence.ever(paths.server(ipOf(nameOfId(owner))), (value) => value === 'DISABLED', { ...window, toMs });
};

const wasLeftOut: Excuse = ({ evidence, item, instantMs }) => {
  const window = around(evidence, instantMs);
  return (
    evidence.everConfigured(({ shardingTotalCount }) => shardingTotalCount <= item, window) ||
    evidence.everLeftOut(item, window)
  );
};

const nobodyWasAble: Excuse = ({ evidence, instantMs }) => {
  const window = around(evidence, instantMs);
  return desertions(evidence).some(({ fromMs, toMs }) => fromMs <= window.toMs && toMs >= window.fromMs);
};

const laterOneStandsForIt: Excuse = ({ evidence, item, instantMs, after }) => {
  const [nextMs] = instants(evidence, instantMs, (after.scheduledMs ?? 0) + 1);
  if (nextMs === undefined) return false;
  const kept = [...busy(evidence, item), ...interruptions(evidence)];
  return isCovered({ fromMs: instantMs + SLACK_MS, toMs: nextMs - SLACK_MS }, kept);
};

const isDropped: Excuse = ({ evidence, item, instantMs, after }) =>
  evidence.everConfigured(({ misfire }) => !misfire, { ...around(evidence, instantMs), toMs: after.fromMs }) &&
  isCovered({ fromMs: instantMs, toMs: instantMs }, [...busy(evidence, item), ...interruptions(evidence)]);

const severalWereMissed: Excuse = ({ evidence, instantMs, missing }) =>
  missing.length > 1 && isCovered({ fromMs: instantMs, toMs: instantMs }, interruptions(evidence));

const wasRescheduled: Excuse = ({ evidence, before, after }) => {
  // An instance that was away when the schedule was changed goes by the former one until it is back.
  if ([before, after].some((mark) => !isInstant(evidence, mark.scheduledMs ?? 0))) return true;
  const { leastMs, greatestMs } = evidence.skews;
  const window = {
    fromMs: Math.min(before.fromMs, (before.scheduledMs ?? 0) - greatestMs) - SLACK_MS,
    toMs: Math.max(after.fromMs, (after.scheduledMs ?? 0) - leastMs) + SLACK_MS,
  };
  const crons = evidence.configs
    .filter(({ fromMs, toMs }) => fromMs <= window.toMs && toMs >= window.fromMs)
    .map(({ value }) => value.cron);
  return new Set(crons).size > 1;
};

/**
 * For one owner the instant had passed, and for the next one it had not come yet. Clocks must agree
 * (docs/guarantees.md).
 */
const clocksDisagreed: Excuse = ({ evidence, item, instantMs }) => {
  const { fromMs, toMs } = around(evidence, instantMs);
  const owners = evidence
    .spans(evidence.paths.item(item, 'instance'))
    .filter((span) => span.fromMs <= toMs && span.toMs >= fromMs);
  return evidence.skews.greatestMs - evidence.skews.leastMs > CLOCK_TOLERANCE_MS && owners.length > 1;
};

/** By how much clocks may differ so that a change of the owner costs no firing, in milliseconds. */
const CLOCK_TOLERANCE_MS = 1_000;

const wasUnmonitored: Excuse = ({ evidence, before, after }) =>
  !evidence.isMonitored({ fromMs: before.fromMs, toMs: after.fromMs });

const EXCUSES = {
  wasDisabled,
  ownerWasDisabled,
  wasLeftOut,
  nobodyWasAble,
  laterOneStandsForIt,
  isDropped,
  severalWereMissed,
  wasRescheduled,
  clocksDisagreed,
  wasUnmonitored,
} satisfies Readonly<Record<string, Excuse>>;

/** The name of an excuse. */
export type ExcuseName = keyof typeof EXCUSES;

/** A firing that left out an item, with the first excuse for it. */
export interface ExcusedFiring {
  readonly item: number;
  readonly instantMs: number;
  readonly excuse: ExcuseName;
  /** When the item was begun next, for a later instant. */
  readonly nextFromMs: number;
}

/** The firings that left out an item as the declared policy says. */
export function excusedFirings(evidence: Evidence): readonly ExcusedFiring[] {
  return [...evidence.marksByItem.keys()].flatMap((item) =>
    gapsOf(evidence, item).flatMap((gap) => {
      const excuse = excuseFor(gap);
      return excuse === undefined ? [] : [{ item, instantMs: gap.instantMs, excuse, nextFromMs: gap.after.fromMs }];
    }),
  );
}

function excuseFor(gap: Gap): ExcuseName | undefined {
  return (Object.keys(EXCUSES) as ExcuseName[]).find((name) => EXCUSES[name](gap));
}

/** When an instant may have come for somebody, and a little before and after. */
function around({ skews }: Evidence, instantMs: number): Window {
  return { fromMs: instantMs - skews.greatestMs - SLACK_MS, toMs: instantMs - skews.leastMs + SLACK_MS };
}

/** No instance begins the item while it runs. */
function busy(evidence: Evidence, item: number): readonly Window[] {
  return (evidence.marksByItem.get(item) ?? []).map((mark) => instantsIn(evidence, mark));
}
