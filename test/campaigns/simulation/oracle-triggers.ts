import { idOf, ipOf } from '../../support/views.js';
import { type Evidence, type Window } from './evidence.js';
import { type Mark } from './marks.js';
import { seconds } from './run-book.js';

/**
 * The end of a trigger: its instance has accepted it by removing it, or has not had its answer when a peer removed it.
 */
export interface Acceptance {
  readonly name: string;
  readonly atMs: number;
  readonly isCertain: boolean;
  /** As in `TriggerChange`. */
  readonly isFor: (item: number) => boolean;
}

/** How long an instance that had trouble may take until it is as if it had had none. */
const RECOVERY_MS = 20_000;

/**
 * An accepted trigger runs each of its items once, on whatever instance owns the item when it is its turn; two that
 * meet an item while it is busy are one.
 */
export function triggers(evidence: Evidence): readonly string[] {
  if (!evidence.isAlwaysMonitored) return [];
  const accepted = acceptances(evidence);
  const begun = manualMarks(evidence);
  const ran = begun.filter(({ run }) => run !== undefined);
  return [...surplus(ran, accepted), ...owed(evidence, begun, accepted)];
}

/** The marks of manual runs, also of instances that were gone, or had lost their session, before the item's turn. */
function manualMarks({ marks }: Evidence): readonly Mark[] {
  return marks.filter(({ scheduledMs, isRescue }) => scheduledMs === undefined && !isRescue);
}

/** The ends of all triggers, in their order. */
export function acceptances({ triggerChanges }: Evidence): readonly Acceptance[] {
  return triggerChanges
    .filter(({ what }) => what === 'removed')
    .map(({ name, atMs, by, isFor }) => ({ name, atMs, isCertain: name === by, isFor }));
}

function surplus(manualRuns: readonly Mark[], accepted: readonly Acceptance[]): readonly string[] {
  return manualRuns.flatMap(({ item, instance, fromMs }, index) => {
    const earlier = manualRuns.slice(0, index).filter((mark) => mark.item === item).length;
    const asked = accepted.filter(({ atMs, isFor }) => atMs <= fromMs && isFor(item)).length;
    const what = `item ${item} ran manually on ${instance} at ${seconds(fromMs)}`;
    return earlier < asked ? [] : [`${what}, for the ${earlier + 1}. time after ${asked} triggers`];
  });
}

/** Accepted triggers that no instance has begun, although they were still due. */
function owed(evidence: Evidence, begun: readonly Mark[], accepted: readonly Acceptance[]): readonly string[] {
  const [rest] = evidence.recording.rests;
  // Without any instance, nothing runs, and what was accepted waits for one.
  if (rest === undefined || rest.present.length === 0) return [];
  return accepted.flatMap(({ name, atMs, isCertain, isFor }) => {
    if (!isCertain || evidence.isWiped({ fromMs: atMs, toMs: rest.atMs })) return [];
    return evidence.items
      .filter((item) => isFor(item) && !mayBeDropped(evidence, item, { fromMs: atMs - 500, toMs: rest.atMs }))
      .filter((item) => !begun.some((mark) => mark.item === item && mark.fromMs >= atMs))
      .map((item) => `${name} accepted a trigger at ${seconds(atMs)}, and no instance has run item ${item}`);
  });
}

/** True if the item was disabled at some time, or none of the job's, or no server was enabled to run it. */
function mayBeDropped(evidence: Evidence, item: number, window: Window): boolean {
  const { paths, names } = evidence;
  const isDisabled = evidence.ever(paths.item(item, 'disabled'), (value) => value !== undefined, window);
  if (isDisabled || evidence.everConfigured(({ shardingTotalCount }) => shardingTotalCount <= item, window))
    return true;
  const changes = names
    .flatMap((name) => [...evidence.spans(paths.server(ipOf(name))), ...evidence.spans(paths.instance(idOf(name)))])
    .map(({ fromMs }) => fromMs);
  const moments = changes.filter((ms) => ms >= window.fromMs && ms <= window.toMs);
  return [window.fromMs, ...moments].some((ms) => {
    const disabled = names.filter((name) => wasAt(evidence, paths.server(ipOf(name)), ms, 'DISABLED'));
    const isAway = (name: string): boolean =>
      !evidence.isAvailable(name, ms) || wasAt(evidence, paths.instance(idOf(name)), ms, undefined);
    return disabled.length > 0 && names.every((name) => disabled.includes(name) || isAway(name));
  });
}

/** True if the node had that value at that moment, if only for that moment. */
function wasAt(evidence: Evidence, path: string, ms: number, wanted: string | undefined): boolean {
  return evidence
    .spans(path)
    .some(({ value, fromMs, toMs }) => value === wanted && (ms === fromMs || (fromMs < ms && ms < toMs)));
}

/** A disabled server accepts triggers and runs nothing, however long ago an operator disabled it. */
function wasDisabled(evidence: Evidence, name: string, atMs: number): boolean {
  const server = evidence.paths.server(ipOf(name));
  return evidence.ever(server, (value) => value !== 'ENABLED', { fromMs: atMs - 500, toMs: atMs });
}

/** From a trigger to the marks of items that nothing keeps, beside what messages take. */
const PROMPT_MS = 700;

/** How long an item must have been idle before the trigger. */
const IDLE_MS = 500;

/** A trigger of an instance whose idle items nothing keeps runs them at once. */
export function promptTriggers(evidence: Evidence): readonly string[] {
  const { history, triggerChanges } = evidence;
  // With listeners, the items of an instance wait for each other.
  if (history.onceListener !== undefined || !evidence.isAlwaysMonitored) return [];
  const withinMs = PROMPT_MS + 4 * history.slowestMessageMs;
  const manualRuns = manualMarks(evidence);
  return triggerChanges.flatMap(({ name, atMs, what, isFor }) => {
    if (what !== 'made' || !isQuiet(evidence, { fromMs: atMs - RECOVERY_MS, toMs: atMs + withinMs })) return [];
    const window = { fromMs: atMs - IDLE_MS, toMs: atMs + withinMs };
    return evidence.items
      .filter((item) => isFor(item) && isKeptByNothing(evidence, { item, name }, window))
      .filter(
        (item) => !manualRuns.some((mark) => mark.item === item && mark.fromMs >= atMs && mark.fromMs <= window.toMs),
      )
      .map((item) => `${name} was triggered at ${seconds(atMs)} and had not begun item ${item} after ${withinMs} ms`);
  });
}

/** True if there were no operations except triggers, and no faults, for a while. */
function isQuiet(evidence: Evidence, { fromMs, toMs }: Window): boolean {
  const { recording, paths } = evidence;
  const isDisturbed = recording.played.some(
    ({ atMs, step }) =>
      step?.type !== 'trigger' && atMs <= toMs && atMs + (step !== undefined && 'ms' in step ? step.ms : 0) >= fromMs,
  );
  const isAssigning = evidence.ever(paths.resharding, (value) => value !== undefined, { fromMs: toMs - 5_000, toMs });
  return !isDisturbed && !isAssigning;
}

function isKeptByNothing(
  evidence: Evidence,
  { item, name }: { readonly item: number; readonly name: string },
  window: Window,
): boolean {
  const { paths } = evidence;
  // Only a manual run that begins after the trigger may be the one it asks for.
  const isAnother = (mark: Mark): boolean => mark.scheduledMs !== undefined || mark.fromMs < window.fromMs + IDLE_MS;
  return (
    !evidence.ever(paths.item(item, 'instance'), (value) => value !== idOf(name), window) &&
    !evidence.ever(paths.item(item, 'disabled'), (value) => value !== undefined, window) &&
    !(evidence.marksByItem.get(item) ?? []).some(
      (mark) => isAnother(mark) && mark.fromMs <= window.toMs && mark.toMs >= window.fromMs,
    ) &&
    !wasDisabled(evidence, name, window.toMs)
  );
}
