import { idOf } from '../../support/views.js';
import { type Evidence, grouped, type Window } from './evidence.js';
import { type Mark } from './marks.js';
import { type Exemption, type Run } from './recording.js';
import { SLACK_MS } from './interruptions.js';
import { type Acceptance, acceptances } from './oracle-triggers.js';
import { nameOf, seconds } from './run-book.js';

/** No item runs on two instances, or twice on one, at once; a run that was told to end does not count any more. */
export function overlaps(evidence: Evidence): readonly string[] {
  const { exemptions } = evidence.recording;
  const accepted = acceptances(evidence);
  return [...evidence.runsByItem.values()].flatMap((ofItem) =>
    ofItem.flatMap((run, index) =>
      ofItem.slice(0, index).flatMap((earlier) => {
        const both = { fromMs: run.begunMs, toMs: Math.min(endOf(run), endOf(earlier)) };
        const isSeen =
          both.toMs > both.fromMs &&
          !isCovered(both, exemptions, [run, earlier]) &&
          evidence.isMonitored({
            fromMs: Math.min(earlier.begunMs, ...[earlier, run].map((each) => firingBegan(evidence, accepted, each))),
            toMs: both.toMs,
          });
        return isSeen ? [`${nameOf(run)} begins while ${nameOf(earlier)} is running`] : [];
      }),
    ),
  );
}

/** When a run stops counting. */
function endOf({ endedMs, abortedMs }: Run): number {
  return Math.min(endedMs ?? Infinity, abortedMs ?? Infinity);
}

/** True if at each moment one of the runs was on an instance that could not know what it had to know. */
function isCovered({ fromMs, toMs }: Window, exemptions: readonly Exemption[], runs: readonly Run[]): boolean {
  let uncoveredFrom = fromMs;
  const relevant = exemptions
    .filter(({ name }) => runs.some(({ instance }) => instance === name))
    .sort((one, other) => one.fromMs - other.fromMs);
  for (const exemption of relevant)
    if (exemption.fromMs <= uncoveredFrom) uncoveredFrom = Math.max(uncoveredFrom, exemption.toMs);
  return uncoveredFrom >= toMs;
}

/** While user code runs, and may go on, the item's mark names its instance. */
export function unmarkedRuns(evidence: Evidence): readonly string[] {
  const { recording, paths } = evidence;
  const accepted = acceptances(evidence);
  return recording.runs.flatMap((run) => {
    const window = { fromMs: run.begunMs, toMs: endOf(run) };
    // The begin of a firing decides if its items are marked, however long some of them wait for their turn.
    const dueMs = firingBegan(evidence, accepted, run);
    if (!evidence.isMonitored({ ...window, fromMs: Math.min(dueMs, window.fromMs) })) return [];
    const me = idOf(run.instance);
    return evidence.spans(paths.item(run.item, 'running')).flatMap(({ value, fromMs, toMs }) => {
      const both = { fromMs: Math.max(fromMs, window.fromMs), toMs: Math.min(toMs, window.toMs) };
      const isSeen = value !== me && both.toMs > both.fromMs && !isCovered(both, recording.exemptions, [run]);
      return isSeen ? [`${nameOf(run)} is not marked as running from ${seconds(both.fromMs)} on`] : [];
    });
  });
}

/** The earliest moment at which the firing of a run can have begun; `Infinity` if it is unknown. */
function firingBegan({ recording, skews }: Evidence, accepted: readonly Acceptance[], run: Run): number {
  if (run.scheduledMs !== undefined) return run.scheduledMs - skews.greatestMs - SLACK_MS;
  // A trigger runs an item at most once, so each earlier manual run has used one up.
  const { item, begunMs } = run;
  const earlier = recording.runs.filter(
    (other) => other.scheduledMs === undefined && other.item === item && other.begunMs < begunMs,
  );
  return accepted.filter(({ isFor }) => isFor(item))[earlier.length]?.atMs ?? Infinity;
}

/** The fencing token of an item never goes back, whichever instance runs it, and whether it is marked or not. */
export function tokens(evidence: Evidence): readonly string[] {
  return [...evidence.runsByItem.values()].flatMap((runs) => {
    let [greatest] = runs;
    return runs.flatMap((run) => {
      const before = greatest;
      if (before === undefined || run.token >= before.token) {
        greatest = run;
        return [];
      }
      if (isStale(evidence, run)) return [];
      return [`${nameOf(run)} has token ${run.token}, and ${nameOf(before)} had ${before.token}`];
    });
  });
}

/**
 * True if the run is of the kind against which tokens exist: of an owner that does not know that it no longer owns the
 * item, or whose item was another's while it waited for a place in the pool and bore no mark.
 */
function isStale(evidence: Evidence, run: Run): boolean {
  const { instance, item, token, begunMs } = run;
  const couldNotKnow = evidence.recording.exemptions.some(
    ({ name, fromMs, toMs }) => name === instance && fromMs <= begunMs && toMs >= begunMs,
  );
  const isMarked = evidence.marksByItem.get(item)?.some(({ revision }) => revision === token) === true;
  const window = { fromMs: Math.min(begunMs, firingBegan(evidence, acceptances(evidence), run)), toMs: begunMs };
  const wasAnothers = evidence.ever(evidence.paths.item(item, 'instance'), (owner) => owner !== idOf(instance), window);
  return couldNotKnow || (!isMarked && wasAnothers);
}

/** A firing begins an item once, and once more for each time that it was reported as crashed. */
export function doubles(evidence: Evidence): readonly string[] {
  // An instance that is stopped between two commits of one begin gives back the begun items, before any of them runs.
  const isGivenBack = ({ run, fate }: Mark): boolean => run === undefined && fate === 'ended';
  const scheduled = evidence.marks.filter((mark) => mark.scheduledMs !== undefined && !isGivenBack(mark));
  const groups = grouped(scheduled, ({ item, scheduledMs }) => `${item} ${scheduledMs}`);
  return [...groups.values()].flatMap((marks) => {
    const [first] = marks;
    if (first === undefined || !evidence.isMonitored(span(marks))) return [];
    // A registry that was wiped does not know what was begun.
    if (evidence.isWiped(span(marks))) return [];
    const allowed = 1 + marks.filter(({ fate }) => fate === 'reported').length;
    if (marks.length <= allowed) return [];
    const who = marks.map(({ instance, fromMs, fate }) => `${instance} at ${seconds(fromMs)} (${fate})`).join(', ');
    return [`item ${first.item} was begun ${marks.length} times for ${seconds(first.scheduledMs ?? 0)}: ${who}`];
  });
}

function span(marks: readonly Mark[]): Window {
  return {
    fromMs: Math.min(...marks.map(({ fromMs }) => fromMs)),
    toMs: Math.max(...marks.map(({ fromMs }) => fromMs)),
  };
}
