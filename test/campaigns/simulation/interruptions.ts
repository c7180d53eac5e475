/** When something keeps instances from beginning firings: what an instant that is missing may be excused by. */
import { idOf } from '../../support/views.js';
import { type Evidence, grouped, type Window } from './evidence.js';
import { SESSION_TIMEOUT_MS } from './history.js';

/**
 * How long after its instant a firing may be begun although nothing keeps it: messages, and clocks that differ a
 * little.
 */
export const SLACK_MS = 400;

/**
 * Longest time from a fault until everything is as it should be: the session, the deadline of running items, retries.
 */
const RECOVERY_MS = 2 * SESSION_TIMEOUT_MS + 8_000;

/** How long an item is waited for that its living owner does not begin. */
export const PATIENCE_MS = 10_000;

/** While the items are being assigned, or something is wrong with somebody, they may not be begun. */
export function interruptions(evidence: Evidence): readonly Window[] {
  let windows = known.get(evidence);
  if (windows === undefined) known.set(evidence, (windows = findInterruptions(evidence)));
  return windows;
}

/** They are asked for at each firing that is missing. */
const known = new WeakMap<Evidence, readonly Window[]>();

function findInterruptions(evidence: Evidence): readonly Window[] {
  const resharding = evidence.spans(evidence.paths.resharding).filter(({ value }) => value !== undefined);
  return [
    ...resharding,
    ...troubles(evidence),
    ...disagreement(evidence),
    ...departures(evidence),
    ...desertions(evidence),
    ...gatherings(evidence),
  ].map((window) => instantsIn(evidence, window));
}

/** With a listener, an instance ends a firing, the wait for the last call included, before it begins the next one. */
function gatherings({ history, marks, recording }: Evidence): readonly Window[] {
  if (history.onceListener === undefined) return [];
  return [...grouped(marks, ({ scheduledMs }) => scheduledMs)].flatMap(([instantMs, ofFiring]) => {
    if (instantMs === undefined) return ofFiring.map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs + PATIENCE_MS }));
    const calls = recording.calls.filter(({ scheduledMs }) => scheduledMs === instantMs);
    const lastMs = Math.max(...ofFiring.map(({ toMs }) => toMs), ...calls.map(({ endedMs }) => endedMs ?? Infinity));
    const isCalled = calls.some(({ phase }) => phase === 'after');
    const fromMs = Math.min(...ofFiring.map((mark) => mark.fromMs));
    return [{ fromMs, toMs: isCalled ? lastMs : lastMs + PATIENCE_MS }];
  });
}

/** An instance that leaves keeps its items until the running ones have ended, and begins none any more. */
function departures(evidence: Evidence): readonly Window[] {
  const { paths, recording } = evidence;
  return recording.played.flatMap(({ atMs, name, step }) => {
    if (name === undefined || (step?.type !== 'leave' && step?.type !== 'terminate')) return [];
    const gone = evidence
      .spans(paths.live(idOf(name)))
      .find(({ value, fromMs }) => value === undefined && fromMs >= atMs);
    return [{ fromMs: atMs, toMs: gone?.fromMs ?? atMs }];
  });
}

/** The instants that may have come for somebody in a window, or a little before or after. */
export function instantsIn({ skews }: Evidence, { fromMs, toMs }: Window): Window {
  return { fromMs: fromMs + skews.leastMs - SLACK_MS, toMs: toMs + skews.greatestMs + SLACK_MS };
}

/** True if all of a window lies in some of these. */
export function isCovered({ fromMs, toMs }: Window, windows: readonly Window[]): boolean {
  let coveredTo = fromMs;
  for (const window of windows.toSorted((one, other) => one.fromMs - other.fromMs)) {
    if (window.fromMs > coveredTo) break;
    if (window.toMs >= coveredTo) coveredTo = Math.max(coveredTo, window.toMs + 1);
  }
  return coveredTo > toMs;
}

/** Events after which an instance, or what the others know of it, may be out of order for a while. */
export const HARD: readonly string[] = [
  'kill',
  'kill-at-write',
  'lose-write',
  'suspend',
  'cut',
  'freeze',
  'expire',
  'set-clock',
  'wipe',
  'hear-late',
  'prolong-sessions',
];

function troubles({ recording, history }: Evidence): readonly Window[] {
  return recording.played.flatMap(({ atMs, step }) => {
    if (step !== undefined && !HARD.includes(step.type)) return [];
    const lengthMs = step !== undefined && 'ms' in step ? step.ms : 0;
    return [{ fromMs: atMs, toMs: atMs + lengthMs + RECOVERY_MS + (history.sweepLateMs ?? 0) }];
  });
}

/** Instances whose clocks differ by a period do not agree on what has been missed. */
function disagreement({ skews, history }: Evidence): readonly Window[] {
  const spreadMs = skews.greatestMs - skews.leastMs + SLACK_MS;
  return spreadMs >= history.job.periodSeconds * 1_000 ? [{ fromMs: 0, toMs: Infinity }] : [];
}

/** The windows without an enabled instance. */
export function desertions(evidence: Evidence): readonly Window[] {
  const windows = evidence.names
    .flatMap((name) => evidence.availability(name))
    .sort((one, other) => one.fromMs - other.fromMs);
  const gaps: Window[] = [];
  let coveredTo = 0;
  for (const { fromMs, toMs } of windows) {
    if (fromMs > coveredTo) gaps.push({ fromMs: coveredTo, toMs: fromMs });
    coveredTo = Math.max(coveredTo, toMs);
  }
  return coveredTo === Infinity ? gaps : [...gaps, { fromMs: coveredTo, toMs: Infinity }];
}
