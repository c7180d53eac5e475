/**
 * Rules about the calls of a listener that is called once in the cluster: for each scheduled instant at most one before
 * and one after; no item begins before the first one has ended; the second one comes when the last item has ended; both
 * come in the order of their instants.
 */
import { idOf, ipOf } from '../../support/views.js';
import { type Evidence, grouped, type Window } from './evidence.js';
import { PATIENCE_MS } from './interruptions.js';
import { nameOfId } from './marks.js';
import { type Call, type Run } from './recording.js';
import { seconds } from './run-book.js';

interface ScheduledCall extends Call {
  readonly scheduledMs: number;
}

function scheduledCalls({ recording }: Evidence, phase: Call['phase']): readonly ScheduledCall[] {
  return recording.calls.filter(
    (call): call is ScheduledCall => call.phase === phase && call.scheduledMs !== undefined,
  );
}

/** At most one call of each phase for each instant, whatever becomes of instances. */
export function repeatedCalls(evidence: Evidence): readonly string[] {
  return (['before', 'after'] as const).flatMap((phase) =>
    [...grouped(scheduledCalls(evidence, phase), ({ scheduledMs }) => scheduledMs)].flatMap(([, [first, second]]) => {
      if (first === undefined || second === undefined) return [];
      // A registry that was wiped does not know of the first call.
      if (evidence.isWiped({ fromMs: first.begunMs, toMs: second.begunMs })) return [];
      return [`${nameOf(second)} comes after ${nameOf(first)}`];
    }),
  );
}

/** No item of a firing begins before its first call has ended. */
export function earlyItems(evidence: Evidence): readonly string[] {
  const runs = runsByInstant(evidence);
  return scheduledCalls(evidence, 'before').flatMap((call) => {
    const endMs = call.endedMs ?? Infinity;
    return (runs.get(call.scheduledMs) ?? [])
      .filter(({ begunMs }) => begunMs < endMs)
      .filter((run) => isJudged(evidence, run, call))
      .map((run) => `${nameOf(call)} has not ended when item ${run.item} begins at ${seconds(run.begunMs)}`);
  });
}

/** The last call of a firing comes when all its items have ended: busy ones, late ones, and those handed on. */
export function itemsAfterLastCall(evidence: Evidence): readonly string[] {
  const runs = runsByInstant(evidence);
  return scheduledCalls(evidence, 'after').flatMap((call) => {
    const ofFiring = runs.get(call.scheduledMs) ?? [];
    const firstMs = Math.min(...ofFiring.map(({ begunMs }) => begunMs), ...begunMarks(evidence, call.scheduledMs));
    const isPatienceOver = call.begunMs >= firstMs + PATIENCE_MS;
    return ofFiring
      .filter((run) => endOf(run) > call.begunMs && !(isPatienceOver && run.begunMs > call.begunMs))
      .filter((run) => isJudged(evidence, run, call))
      .filter((run) => !isNewOnInstanceThatCameBack(evidence, run) && !isMadeUpForSince(evidence, run, call))
      .filter((run) => !isHandedToInstanceThatCameBack(evidence, run, call))
      .filter((run) => !isOfDisabledServer(evidence, run, call) && !isDroppedBySomeoneElse(evidence, run, call))
      .map((run) => `${nameOf(call)} comes before item ${run.item} of that firing has ended: ${when(run)}`);
  });
}

/**
 * True if this is the first run of a new item, whose instance lost its session before it could begin it, and came back.
 * No other instance would make up for an item that was never begun, so none waits for it.
 */
function isNewOnInstanceThatCameBack(evidence: Evidence, { item, instance, scheduledMs = 0, begunMs }: Run): boolean {
  const [first] = evidence.marksByItem.get(item) ?? [];
  const window = { fromMs: scheduledMs, toMs: begunMs };
  const wasAway = evidence.ever(evidence.paths.live(idOf(instance)), (value) => value === undefined, window);
  return first !== undefined && first.fromMs >= scheduledMs && wasAway;
}

/**
 * True if the instance was away when the call came, and the item's owner then was another one, which did not make up
 * for the firing. The instance that comes back gets the item and does: no instance could wait for that.
 */
function isHandedToInstanceThatCameBack(evidence: Evidence, { item, instance, begunMs }: Run, call: Call): boolean {
  const { paths } = evidence;
  const owner = evidence.valueAt(paths.item(item, 'instance'), call.begunMs);
  const wasAway = evidence.valueAt(paths.live(idOf(instance)), call.begunMs) === undefined;
  return wasAway && begunMs > call.begunMs && owner !== undefined && owner !== idOf(instance);
}

/**
 * True if the firing was dropped for this item, and then `misfire` was switched on, so that its next owner makes up for
 * it.
 */
function isMadeUpForSince(evidence: Evidence, run: Run, call: Call): boolean {
  return (
    evidence.configAt(run.begunMs)?.misfire === true &&
    evidence.everConfigured(({ misfire }) => !misfire, {
      fromMs: run.scheduledMs ?? call.begunMs,
      toMs: call.begunMs,
    }) &&
    run.begunMs > call.begunMs
  );
}

/**
 * True if, with `misfire` off, the item's former owner has dropped the firing, and its next one came to it later by its
 * own clock, which is behind.
 */
function isDroppedBySomeoneElse(evidence: Evidence, run: Run, call: Call): boolean {
  const { skews, paths } = evidence;
  const { scheduledMs = 0, begunMs, instance, item } = run;
  const isBehind = begunMs > call.begunMs && begunMs - scheduledMs <= skews.greatestMs - skews.leastMs;
  const isNewOwner = evidence.ever(paths.item(item, 'instance'), (value) => value !== idOf(instance), {
    ...{ fromMs: scheduledMs, toMs: begunMs },
  });
  return isBehind && isNewOwner && evidence.configAt(begunMs)?.misfire === false;
}

/**
 * True if the server of the instance that died with the item was disabled, so that no instance had to take it over
 * then.
 */
function isOfDisabledServer(evidence: Evidence, run: Run, call: Call): boolean {
  const { marks, paths } = evidence;
  const died = marks.find(
    ({ item, scheduledMs, run: own }) => item === run.item && scheduledMs === run.scheduledMs && own !== run,
  );
  if (died === undefined || run.begunMs <= call.begunMs) return false;
  return evidence.valueAt(paths.server(ipOf(died.instance)), call.begunMs) === 'DISABLED';
}

function begunMarks({ marks }: Evidence, scheduledMs: number): readonly number[] {
  return marks.filter((mark) => mark.scheduledMs === scheduledMs).map(({ fromMs }) => fromMs);
}

function runsByInstant({ recording }: Evidence): ReadonlyMap<number | undefined, readonly Run[]> {
  return grouped(recording.runs, ({ scheduledMs }) => scheduledMs);
}

function endOf({ endedMs, abortedMs }: Run): number {
  return Math.min(endedMs ?? Infinity, abortedMs ?? Infinity);
}

function when({ instance, begunMs, endedMs, end }: Run): string {
  return `begun ${seconds(begunMs)} on ${instance}, ${endedMs === undefined ? 'not ended' : `${end} ${seconds(endedMs)}`}`;
}

/** True if nothing excuses that run and call are not in order. */
function isJudged(evidence: Evidence, run: Run, call: Call): boolean {
  const { history, paths, recording } = evidence;
  const window = {
    fromMs: Math.min(run.begunMs, call.begunMs),
    toMs: Math.max(Math.min(endOf(run), run.begunMs + 1_000), call.begunMs),
  };
  // Two instances that act at the same moment cannot know of each other.
  if (Math.abs(run.begunMs - call.begunMs) <= 5 * history.slowestMessageMs) return false;
  const couldNotKnow = recording.exemptions.some(
    ({ name, fromMs, toMs }) =>
      (name === run.instance || name === call.instance) && fromMs <= window.toMs && toMs >= window.fromMs,
  );
  const wasDisabled = evidence.ever(paths.item(run.item, 'disabled'), (value) => value !== undefined, {
    ...{ fromMs: (run.scheduledMs ?? 0) - 1_000, toMs: window.toMs },
  });
  const wasAbsent = evidence.ever(paths.item(run.item), (value) => value === undefined, window);
  const isOfFirst = evidence.isMonitored({ ...window, fromMs: Math.min(window.fromMs, run.scheduledMs ?? Infinity) });
  return !couldNotKnow && !wasDisabled && !wasAbsent && isOfFirst && !evidence.isWiped(window);
}

/** Calls come in the order of their instants. */
export function unorderedCalls(evidence: Evidence): readonly string[] {
  return (['before', 'after'] as const).flatMap((phase) => {
    // Without items it is the call of a firing that came to no end, made with that of the next one.
    const calls = scheduledCalls(evidence, phase).filter(({ items }) => items.length > 0);
    return calls.flatMap((call, index) => {
      const later = calls.slice(0, index).find(({ scheduledMs }) => scheduledMs > call.scheduledMs);
      if (later === undefined) return [];
      const firstMs = Math.min(later.begunMs, ...begunMarks(evidence, later.scheduledMs));
      const window = { fromMs: later.begunMs, toMs: call.begunMs };
      const isExcused =
        later.begunMs >= firstMs + PATIENCE_MS ||
        call.begunMs - later.begunMs <= 5 * evidence.history.slowestMessageMs ||
        evidence.isWiped(window) ||
        isUnknowing(evidence, [call.instance, later.instance], window) ||
        isOfNewcomer(evidence, call) ||
        isOfHandedOn(evidence, call, later) ||
        isFirstOfTakenOver(evidence, call);
      return isExcused ? [] : [`${nameOf(call)} comes after ${nameOf(later)}`];
    });
  });
}

/**
 * True if the instances of a firing died before its first call, so that the instance that took over their items makes
 * it. An instance takes over when it has ended the firing that it is in, however much later that one is.
 */
function isFirstOfTakenOver({ marks }: Evidence, { phase, instance, scheduledMs, items }: ScheduledCall): boolean {
  const isTakenOver = (item: number): boolean =>
    marks.some(
      (mark) => mark.isRescue && mark.item === item && mark.instance === instance && mark.scheduledMs === scheduledMs,
    );
  return phase === 'before' && items.every(isTakenOver);
}

/**
 * True if no present instance owned the items of a first call when that of a later firing began. They are made up for
 * when they have an owner again, and no firing can wait for that: items are not assigned while it goes on.
 */
function isOfHandedOn(evidence: Evidence, { phase, items }: ScheduledCall, { begunMs }: ScheduledCall): boolean {
  const isOwned = (item: number): boolean => {
    const owner = evidence.valueAt(evidence.paths.item(item, 'instance'), begunMs);
    return owner !== undefined && owner !== '' && evidence.isAvailable(nameOfId(owner), begunMs);
  };
  return phase === 'before' && !items.some(isOwned);
}

/**
 * True if the instance came after the schedule was changed, and calls for an instant of the new one from before the
 * change. No node says when the schedule was changed.
 */
function isOfNewcomer(evidence: Evidence, { instance, scheduledMs, begunMs }: ScheduledCall): boolean {
  const changedMs = evidence.configs.findLast(({ fromMs }) => fromMs <= begunMs)?.fromMs ?? 0;
  const registered = evidence.spans(evidence.paths.live(idOf(instance)));
  const cameMs = registered.findLast(({ fromMs, value }) => fromMs <= begunMs && value !== undefined)?.fromMs ?? 0;
  return scheduledMs < changedMs && changedMs < cameMs;
}

function isUnknowing({ recording }: Evidence, names: readonly string[], { fromMs, toMs }: Window): boolean {
  return recording.exemptions.some(
    (exemption) => names.includes(exemption.name) && exemption.fromMs <= toMs && exemption.toMs >= fromMs,
  );
}

/** In the quiet end of a history, each firing has one call before and one after. */
export function quietCalls(evidence: Evidence): readonly string[] {
  const { recording, history } = evidence;
  const [from, to] = recording.rests;
  if (from === undefined || to === undefined || history.onceListener === undefined) return [];
  const instants = new Set(
    recording.runs.flatMap(({ scheduledMs, begunMs }) =>
      scheduledMs !== undefined && begunMs > from.atMs && begunMs < to.atMs - 1_000 ? [scheduledMs] : [],
    ),
  );
  return [...instants].flatMap((instantMs) =>
    (['before', 'after'] as const).flatMap((phase) => {
      const { length } = scheduledCalls(evidence, phase).filter(({ scheduledMs }) => scheduledMs === instantMs);
      return length === 1 ? [] : [`there were ${length} calls ${phase} the firing of ${seconds(instantMs)}`];
    }),
  );
}

function nameOf({ phase, instance, scheduledMs, begunMs }: Call): string {
  return `the call ${phase} the firing of ${seconds(scheduledMs ?? 0)} on ${instance} (${seconds(begunMs)})`;
}
