import { idOf, ipOf } from '../../support/views.js';
import { type Evidence, type Window } from './evidence.js';
import { type Mark } from './marks.js';
import { type Played } from './recording.js';
import { seconds } from './run-book.js';

/** The end of a trigger: its instance has accepted it by removing it, or has not had its answer when a peer removed it. */
export interface Acceptance {
  readonly name: string;
  readonly atMs: number;
  readonly isCertain: boolean;
  /** As in `TriggerChange`. */
  readonly isFor: (item: number) => boolean;
}

/** How long an instance that had trouble may take until it is as if it had had none. */
const RECOVERY_MS = 20_000;

/** An accepted trigger runs each of the instance's items once; two that meet an instance while it is busy are one. */
export function triggers(evidence: Evidence): readonly string[] {
  if (!evidence.isAlwaysMonitored) return [];
  const accepted = acceptances(evidence);
  const manualRuns = manualMarks(evidence).filter(({ run }) => run !== undefined);
  return [...surplus(manualRuns, accepted), ...unheard(evidence, manualRuns, accepted)];
}

/** What was begun manually, also if the instance was gone, or its session, before it came to the item's turn. */
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
    const earlier = manualRuns
      .slice(0, index)
      .filter((mark) => mark.item === item && mark.instance === instance).length;
    const asked = accepted.filter(({ name, atMs, isFor }) => name === instance && atMs <= fromMs && isFor(item)).length;
    const what = `item ${item} ran manually on ${instance} at ${seconds(fromMs)}`;
    return earlier < asked ? [] : [`${what}, for the ${earlier + 1}. time after ${asked} triggers`];
  });
}

function unheard(evidence: Evidence, manualRuns: readonly Mark[], accepted: readonly Acceptance[]): readonly string[] {
  const { recording } = evidence;
  return owed(evidence, manualRuns, accepted, ({ name, atMs }) =>
    recording.played.some(
      (played) => played.name === name && played.atMs >= atMs - RECOVERY_MS && played.step?.type !== 'join',
    ),
  );
}

/** What ends a session, or the process's contact with it, and leaves the process alive. */
const SURVIVED = ['expire', 'suspend', 'cut', 'freeze', 'lose-write'];

/**
 * An accepted trigger outlives the session in which it was accepted: the registry says no more that it was asked for, so the
 * instance that accepted it runs its items when it is back, if they are still its own.
 */
export function lostTriggers(evidence: Evidence): readonly string[] {
  const { recording, wipes } = evidence;
  if (!evidence.isAlwaysMonitored) return [];
  const isEnd = ({ atMs, step }: Played, since: number): boolean => {
    if (step?.type === 'join') return false;
    return atMs < since || (step !== undefined && !SURVIVED.includes(step.type));
  };
  return owed(evidence, manualMarks(evidence), acceptances(evidence), ({ name, atMs }) => {
    const recent = recording.played.filter((played) => played.name === name && played.atMs >= atMs - RECOVERY_MS);
    return recent.some((played) => isEnd(played, atMs) || played.text.endsWith('dies')) || wipes.length > 0;
  });
}

/** What instances have accepted and not run, although nothing excuses them. */
function owed(
  evidence: Evidence,
  manualRuns: readonly Mark[],
  accepted: readonly Acceptance[],
  isExcused: (acceptance: Acceptance) => boolean,
): readonly string[] {
  return accepted.flatMap((acceptance) => {
    const { name, atMs, isCertain, isFor } = acceptance;
    if (!isCertain || isExcused(acceptance) || wasDisabled(evidence, name, atMs)) return [];
    return ownedFor(evidence, name, atMs)
      .filter(isFor)
      .filter((item) => !manualRuns.some((mark) => mark.item === item && mark.instance === name && mark.fromMs >= atMs))
      .map((item) => `${name} accepted a trigger at ${seconds(atMs)} and did not run item ${item}`);
  });
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

/** Whether operators have done nothing but trigger, and nothing has gone wrong, for a while. */
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

/** Items that were there, the instance's, and enabled, from shortly before for as long as it may take to run them. */
function ownedFor(evidence: Evidence, name: string, atMs: number): readonly number[] {
  const { paths, recording } = evidence;
  const window = { fromMs: atMs - 500, toMs: recording.rests[0]?.atMs ?? Infinity };
  const items = evidence.configAt(atMs)?.shardingTotalCount ?? 0;
  return Array.from({ length: items }, (_, item) => item).filter(
    (item) =>
      !evidence.ever(paths.item(item, 'instance'), (value) => value !== idOf(name), window) &&
      !evidence.ever(paths.item(item, 'disabled'), (value) => value !== undefined, window) &&
      // An item that was dropped leaves its triggers behind, even if it still ran all the time.
      !evidence.everConfigured(({ shardingTotalCount }) => shardingTotalCount <= item, window),
  );
}
