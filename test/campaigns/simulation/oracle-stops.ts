/** Rules about an instance that is stopped: it begins nothing, and hands over what it does not run. */
import { idOf } from '../../support/views.js';
import { type Evidence, type Window } from './evidence.js';
import { HARD } from './interruptions.js';
import { nameOf, seconds } from './run-book.js';

/**
 * From the moment an item is idle until it has been assigned to another instance: the leader waits a second for others.
 */
const HANDOVER_MS = 2_500;

/** How long a fault may keep the leader from assigning items. */
const RECOVERY_MS = 20_000;

/** A stop that an application asked for. */
interface Stop extends Window {
  readonly name: string;
}

/** From when each stop was asked for until the instance had withdrawn. */
function stops(evidence: Evidence): readonly Stop[] {
  const { paths, recording } = evidence;
  return recording.played.flatMap(({ atMs, name, step }) => {
    if (name === undefined || step?.type !== 'leave') return [];
    const gone = evidence
      .spans(paths.live(idOf(name)))
      .find(({ value, fromMs, toMs }) => value === undefined && toMs > atMs && fromMs !== -Infinity);
    return [{ name, fromMs: atMs, toMs: gone === undefined ? Infinity : Math.max(atMs, gone.fromMs) }];
  });
}

/**
 * Items that were begun after the request to stop, other than those whose writes were already on their way to the
 * registry.
 */
export function begunAfterStop(evidence: Evidence): readonly string[] {
  const { marks, history, recording } = evidence;
  // The requests of a begin before its commit.
  const latencyMs = 6 * history.slowestMessageMs;
  // Items wait for places in the pool, and for the listener's call, after they have begun.
  const mayQueue =
    history.onceListener !== undefined ||
    history.poolSize < Math.max(...evidence.configs.map(({ value }) => value.shardingTotalCount));
  const tokens = new Set(marks.map(({ item, revision }) => `${item} ${revision}`));
  return stops(evidence).flatMap(({ name, fromMs }) => [
    ...marks
      .filter((mark) => mark.instance === name && mark.fromMs > fromMs + latencyMs)
      .map(
        (mark) => `${name} marks item ${mark.item} at ${seconds(mark.fromMs)}, it was stopped at ${seconds(fromMs)}`,
      ),
    ...recording.runs
      .filter(
        ({ instance, begunMs, item, token, scheduledMs }) =>
          instance === name &&
          // An unmarked manual run begins with a commit too: that its trigger was accepted, and waits no more.
          begunMs > fromMs + (scheduledMs === undefined ? latencyMs : 0) &&
          !mayQueue &&
          !tokens.has(`${item} ${token}`),
      )
      // While the connection is broken, an item that has been begun waits.
      .filter(({ begunMs }) => !isTroubled(evidence, { fromMs: begunMs - RECOVERY_MS, toMs: begunMs }))
      .map((run) => `${nameOf(run)} begins, its instance was stopped at ${seconds(fromMs)}`),
  ]);
}

/**
 * A stopping instance hands over its idle items at once, and is given none, as long as another one can take them.
 * Without monitorExecution it keeps them until it withdraws: no mark would keep the next owner from an item that still
 * runs.
 */
export function heldWhileStopping(evidence: Evidence): readonly string[] {
  return stops(evidence).flatMap(({ name, fromMs, toMs }) => {
    if (!evidence.isMonitored({ fromMs, toMs })) return [];
    if (toMs <= fromMs + HANDOVER_MS || isTroubled(evidence, { fromMs: fromMs - RECOVERY_MS, toMs })) return [];
    if (!hasSuccessor(evidence, { name, fromMs: fromMs - HANDOVER_MS, toMs })) return [];
    return [...evidence.items].flatMap((item) =>
      evidence.spans(evidence.paths.item(item, 'instance')).flatMap((span) => {
        if (span.value !== idOf(name) || span.toMs <= fromMs || span.fromMs >= toMs) return [];
        const what = `item ${item} is ${name}’s, which was stopped at ${seconds(fromMs)}`;
        if (span.fromMs > fromMs + HANDOVER_MS) return [`${what}, from ${seconds(span.fromMs)} on`];
        const held = { fromMs: Math.max(span.fromMs, fromMs), toMs: Math.min(span.toMs, toMs) };
        const idleMs = longestIdle(evidence, item, held);
        return idleMs > HANDOVER_MS ? [`${what}, for ${idleMs} ms although it is idle`] : [];
      }),
    );
  });
}

function longestIdle({ marksByItem }: Evidence, item: number, { fromMs, toMs }: Window): number {
  let [idleFrom, longest] = [fromMs, 0];
  for (const mark of marksByItem.get(item) ?? []) {
    if (mark.toMs <= fromMs || mark.fromMs >= toMs) continue;
    longest = Math.max(longest, mark.fromMs - idleFrom);
    idleFrom = Math.max(idleFrom, mark.toMs);
  }
  return Math.max(longest, toMs - idleFrom);
}

/** True if one other instance was available, and not stopping itself, all the time. */
function hasSuccessor(evidence: Evidence, { name, fromMs, toMs }: Stop): boolean {
  const others = stops(evidence);
  const moments = [
    fromMs,
    ...evidence.recording.commits.map(({ atMs }) => atMs).filter((ms) => ms > fromMs && ms < toMs),
  ];
  return evidence.names.some(
    (other) =>
      other !== name &&
      !others.some((stop) => stop.name === other && stop.fromMs < toMs) &&
      moments.every((ms) => evidence.isAvailable(other, ms)),
  );
}

const TROUBLE = [...HARD, 'fail-strategy', 'fail-logger', 'wipe', 'terminate', 'disable', 'reconfigure'];

function isTroubled({ recording }: Evidence, { fromMs, toMs }: Window): boolean {
  return recording.played.some(
    ({ atMs, step }) =>
      (step === undefined || TROUBLE.includes(step.type)) &&
      atMs <= toMs &&
      atMs + (step !== undefined && 'ms' in step ? step.ms : 0) >= fromMs,
  );
}
